"""One HTML page of an evaluation, which needs nothing else and asks nothing of any network."""
