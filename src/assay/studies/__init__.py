"""Studies: what people judge and how they judged it, in a SQLite file."""
