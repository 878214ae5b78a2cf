"""Parquet: a table by columns."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.errors import InputError, quoted
from assay.files.source import Source
from assay.formats.contents import encoded
from assay.formats.format import Columns
from assay.formats.frames import TableRows, known_columns
from assay.formats.heads import Head
from assay.formats.table_files import Broken, TableFile
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

MAGIC = b"PAR1"


class ParquetTable(TableFile):
    """A table by columns, found by [their names](#names-of-columns); only those are read that are needed."""

    name = "parquet"
    title = "Parquet"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """The letters that every file begins with; text may begin with them too."""
        return head.content.startswith(MAGIC) and b"\0" in head.content

    def rows(self, source: Source) -> TableRows:
        """The rows of a file, of which only the columns are read that are asked for."""
        import polars as pl

        with refusing_parquet(source):
            # a file that is not compressed as a whole need not be in memory as a whole
            frame = pl.scan_parquet(source.path if source.is_plain(MAGIC) else io.BytesIO(source.whole()), glob=False)
            names = frame.collect_schema().names()

        def take(columns: list[str], begin: int, rows: int | None) -> pl.DataFrame:
            with refusing_parquet(source):
                return frame.select(columns).slice(begin, rows).collect()

        return TableRows(names, take, Places(source.label))

    def frame(self, source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Places]:
        """All rows of a file; columns that are not used have nothing but their names."""
        import polars as pl

        given = self.rows(source)
        used = known_columns(given.names) or given.names
        frame = given.take(used, 0, None)
        return frame.select(
            pl.col(name) if name in used else pl.lit(None).alias(name) for name in given.names
        ), given.places

    def content(self, columns: Columns, name: str) -> bytes:
        """A file with some columns."""
        import polars as pl

        for field in ("topic", "document"):
            encoded("".join(columns[field]), name)
        out = io.BytesIO()
        pl.DataFrame(columns).write_parquet(out)
        return out.getvalue()


@contextmanager
def refusing_parquet(source: Source) -> Iterator[None]:
    """Whatever polars says of a Parquet file is a fault of the file."""
    import polars as pl

    try:
        yield
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # polars says it with the file's name, or without
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise source.fault(f"cannot be read as Parquet: {quoted(why, 100)}") from None


FORMAT = ParquetTable()
