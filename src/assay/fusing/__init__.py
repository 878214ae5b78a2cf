"""Fuse several runs into one: candidates, normalisation of scores, methods of fusion."""
