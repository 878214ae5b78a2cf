"""The measures: a module a family, the notation in which a measure is typed and printed, and the list of all."""
