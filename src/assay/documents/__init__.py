"""Documents as text and XML: paths of elements, their spans in the text, collections of documents, and their cache."""
