"""TSV: values between tabs."""

from __future__ import annotations

from assay.reading.formats.separated import SeparatedFile


class TabSeparated(SeparatedFile):
    """Values between tabs, with the [names of the columns](#names-of-columns) in the first line. Values may
    stand in double quotes.
    """

    name = "tsv"
    title = "TSV"
    separator = "\t"


FORMAT = TabSeparated()
