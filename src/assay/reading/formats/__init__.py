"""One file a format, each with its object FORMAT; vocabulary.FORMATS lists them."""
