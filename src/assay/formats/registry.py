"""The formats, a line each: the name, and the module whose FORMAT is the object that knows everything about it.

A module is loaded when its format is asked for, so that `assay --help` can list the names without numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.formats.format import Format

# To recognise a file the formats are asked from the last to the first, which takes what no other knows.
FORMATS = {
    "trec": "assay.formats.trec",
    "fol": "assay.formats.fol",
    "elements": "assay.formats.elements",
    "inex": "assay.formats.inex",
    "genomics": "assay.formats.genomics",
    "spans": "assay.formats.spans",
    "csv": "assay.formats.csv",
    "tsv": "assay.formats.tsv",
    "jsonl": "assay.formats.jsonl",
    "parquet": "assay.formats.parquet",
}


def format_named(name: str) -> Format:
    """The format of a name."""
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}; known are {', '.join(FORMATS)}")
    found: Format = import_module(FORMATS[name]).FORMAT
    return found


def every_format() -> Iterator[Format]:
    """All formats, in the order of the registry."""
    return map(format_named, FORMATS)
