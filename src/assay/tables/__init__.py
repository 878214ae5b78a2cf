"""The tables that carry everything: ids as numbers, runs, judgments, and [start, end) arithmetic."""
