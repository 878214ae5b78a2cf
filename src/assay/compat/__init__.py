"""Older programs' names, options and quirks, thin on top of the library."""
