"""Charts of scores: each function returns an Altair chart, one self-contained Vega-Lite specification.

The same scores give the same chart. The field of runs is always called `run`. Every colour is in the config of the
chart (see `style.config`).
"""
