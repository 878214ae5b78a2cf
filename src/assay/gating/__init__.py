"""Gates: pass or fail a run in CI against thresholds or a saved baseline."""
