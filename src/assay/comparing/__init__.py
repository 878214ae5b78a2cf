"""Compare systems by their scores: paired tests, resampling, correlation of rankings, tables for a paper."""
