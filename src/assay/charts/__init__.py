"""Charts of scores: each function returns an Altair chart, one self-contained Vega-Lite specification.

The same scores give the same chart. Runs are always the field `run`; every colour is in the config, see `config`.
"""
