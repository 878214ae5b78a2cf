"""What is wrong with a file, all of it, and what is in it."""
