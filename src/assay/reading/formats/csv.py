"""CSV: values between commas, or semicolons."""

from __future__ import annotations

from assay.reading.formats.separated import SeparatedFile
from assay.reading.heads import Head


class CommaSeparated(SeparatedFile):
    """Values between commas, with the [names of the columns](#names-of-columns) in the first line. Values may
    stand in double quotes. Where the first line has semicolons and no comma, as spreadsheets write it where numbers
    have a comma, values stand between semicolons, and scores and grades such as `0,75` are numbers; a line such as
    `sep=;` before it tells what does. A file whose name ends in `.csv` may have columns of any names; `--column` tells
    what they hold.
    """

    name = "csv"
    title = "CSV"
    separator = ","

    def separator_in(self, head: Head) -> str:
        """A comma, or a semicolon."""
        return head.comma


FORMAT = CommaSeparated()
