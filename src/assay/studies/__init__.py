"""Studies: SQLite files with what people judge and how they judged it."""
