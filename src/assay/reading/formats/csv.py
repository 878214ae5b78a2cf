"""CSV: values separated by commas or semicolons."""

from assay.reading.format import Head
from assay.reading.formats.separated import SeparatedFile


class CommaSeparated(SeparatedFile):
    """Values separated by commas, with the [names of the columns](#names-of-columns) in the first line. Values may be
    in double quotes. Blanks around ids and numbers are not part of them; a text keeps its blanks and line ends. If the
    first line has semicolons and no comma, as spreadsheets write it in countries with a decimal comma, Assay separates
    at semicolons, and scores and grades such as `0,75` are numbers. A line such as `sep=;` before the first line sets
    the separator. A file whose name ends in `.csv` may have columns of any names; `--column` says what they mean.
    """

    name = "csv"
    title = "CSV"
    separator = ","

    def separator_in(self, head: Head) -> str:
        """Return the separator of a file: a comma, a semicolon, or what a line `sep=` says."""
        return head.comma


FORMAT = CommaSeparated()
