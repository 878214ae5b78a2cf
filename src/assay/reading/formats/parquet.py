"""Parquet: a table by columns."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.errors import InputError, quote
from assay.files.silence import silent_if_failing
from assay.files.source import Source
from assay.reading import frames
from assay.reading.format import Columns, Head, encode
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

MAGIC = b"PAR1"


class ParquetTable(frames.TableFile):
    """A table in Parquet, whose columns Assay finds by [their names](#names-of-columns); it reads only the columns it
    needs. A folder of such files, as Spark and polars write them, is one table.
    """

    name = "parquet"
    title = "Parquet"
    folders_hold = ("run", "judgments")

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """The letters that every file begins with; text may begin with them too."""
        return head.content.startswith(MAGIC) and b"\0" in head.content

    def rows(self, source: Source, told: frames.Told) -> frames.TableRows:
        """The rows of a file, of which only the columns are read that are asked for."""
        import polars as pl

        with refusing_parquet(source):
            # a file that is not compressed as a whole need not be in memory as a whole
            parts = parquet_parts(source.path)
            files = parts or (source.path if source.is_plain(MAGIC) else io.BytesIO(source.whole()))
            frame = pl.scan_parquet(files, glob=False)
            names = frame.collect_schema().names()
            source.rows = source.rows or frame.select(pl.len()).collect().item()

        def blocks(columns: list[str]) -> Iterator[pl.DataFrame]:
            begin = 0
            while True:
                with refusing_parquet(source):
                    block = frame.select(columns).slice(begin, frames.ROWS).collect()
                if len(block) or not begin:
                    yield block
                if len(block) < frames.ROWS:
                    return
                begin += frames.ROWS

        return frames.TableRows(names, Places(source.label), blocks)

    def is_folder(self, path: str) -> bool:
        """Whether there are Parquet files in a folder."""
        return bool(parquet_parts(path))

    def content(self, columns: Columns, name: str) -> bytes:
        """A file with some columns."""
        import polars as pl

        for field in ("topic", "document"):
            encode("".join(columns[field]), name)
        out = io.BytesIO()
        pl.DataFrame(columns).write_parquet(out)
        return out.getvalue()


def parquet_parts(path: str) -> list[str]:
    """The Parquet files in a folder, in the order of their names; none if the path is none of a folder."""
    names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    return [os.path.join(path, name) for name in names if name.endswith(".parquet") and not name.startswith((".", "_"))]


@contextmanager
def refusing_parquet(source: Source) -> Iterator[None]:
    """Whatever polars says of a Parquet file is a fault of the file, and is said by Assay only."""
    import polars as pl

    try:
        with silent_if_failing():
            yield
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # polars says it with the file's name, or without
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise source.fault(f"cannot read the file as Parquet: {quote(why, 100)}") from None


FORMAT = ParquetTable()
