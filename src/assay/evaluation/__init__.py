"""runs x judgments x measures -> Scores."""
