"""Several runs as one: what a candidate is, the normalisations of scores, the methods of fusion."""
