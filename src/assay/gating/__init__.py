"""Gates: whether a run is good enough to go on, by demands and by what was saved before."""
