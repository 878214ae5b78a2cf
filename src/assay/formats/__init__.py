"""One file a format, listed in registry.py; reading.py reads runs and
judgments of any of them, or from objects in memory.
"""
