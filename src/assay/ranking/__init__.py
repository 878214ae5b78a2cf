"""From a run and judgments to the ranking that a measure sees: pool, order, ties, overlap, duplicates."""
