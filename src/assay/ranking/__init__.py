"""From a run and judgments to what a measure sees: the pool, the order of results, ties, overlap, duplicates."""
