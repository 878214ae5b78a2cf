"""One file per format, each with its object FORMAT; vocabulary.FORMATS lists them."""
