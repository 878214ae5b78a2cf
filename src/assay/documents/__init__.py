"""Documents as text and XML: element paths and the characters they are, a collection of documents, its cache."""
