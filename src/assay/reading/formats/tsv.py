"""TSV: values separated by tabs."""

from assay.reading.formats.separated import SeparatedFile


class TabSeparated(SeparatedFile):
    """Values separated by tabs, with the [names of the columns](#names-of-columns) in the first line. Values may be in
    double quotes. A file whose name ends in `.tsv` may have columns of any names; `--column` says what they mean.
    """

    name = "tsv"
    title = "TSV"
    separator = "\t"


FORMAT = TabSeparated()
