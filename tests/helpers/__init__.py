"""What more than one module of tests uses."""
