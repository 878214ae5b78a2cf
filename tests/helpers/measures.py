"""The measures that tests go through."""

from functools import cache

from assay.measures.notation import known_measures, parse

# without those that a test has made, which are known as long as they are in memory
OURS = [cls for cls in known_measures() if cls.__module__.startswith("assay.")]


@cache
def parsed(measure):
    """A measure, given itself or by its name, which thousands of examples ask for again."""
    return parse(measure) if isinstance(measure, str) else measure
