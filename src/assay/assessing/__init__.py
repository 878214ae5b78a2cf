"""Judging documents in the browser: pools, people, the server and the page on which people judge."""
