"""Evaluate runs against judgments with measures; the result is the scores."""
