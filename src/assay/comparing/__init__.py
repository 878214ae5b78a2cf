"""What scores tell of systems: paired tests, resampling, correlation of rankings, tables for a paper."""
