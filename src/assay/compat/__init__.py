"""Older programs' names, options and quirks.

trec_eval and evalj are thin on top of the library: its rankings and its measures, under other names. inex_eval is not:
it is a second implementation, so that its values are those of the original to the last bit; inex_eval.py says why.
"""
