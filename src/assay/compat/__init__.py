"""The names, options and quirks of older programs.

trec_eval and evalj are thin layers on top of the library: its rankings and its measures, under other names. inex_eval
is a second implementation, so that its values equal those of the original to the last bit; inex_eval.py explains why.
"""
