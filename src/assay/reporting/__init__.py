"""The report: one HTML page about an evaluation, which opens offline and loads nothing."""
