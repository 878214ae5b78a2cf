"""CSV: values between commas."""

from __future__ import annotations

from assay.formats.separated import SeparatedFile


class CommaSeparated(SeparatedFile):
    """Values between commas, with the [names of the columns](#names-of-columns) in the first line. Values may
    stand in double quotes.
    """

    name = "csv"
    title = "CSV"
    separator = ","


FORMAT = CommaSeparated()
