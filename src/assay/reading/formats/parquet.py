"""Parquet: a table stored by columns."""

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
        """Recognise the first four bytes of every Parquet file. Text may begin with them too, but has no zero byte."""
        return head.content.startswith(MAGIC) and b"\0" in head.content

    def rows(self, source: Source, told: frames.Told) -> frames.TableRows:
        """Return the rows of a file; only the columns that are needed are read."""
        import polars as pl

        with refusing_parquet(source):
            # only a file that is compressed as a whole must be held in memory as a whole
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
        """Return whether there are Parquet files in a folder."""
        return bool(parquet_parts(path))

    def content(self, columns: Columns, name: str) -> bytes:
        """Return the bytes of a file with these columns."""
        import polars as pl

        for field in ("topic", "document"):
            encode("".join(columns[field]), name)
        out = io.BytesIO()
        pl.DataFrame(columns).write_parquet(out)
        return out.getvalue()


def parquet_parts(path: str) -> list[str]:
    """Return the Parquet files in a folder, sorted by name; none if the path is not a folder."""
    names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    return [os.path.join(path, name) for name in names if name.endswith(".parquet") and not name.startswith((".", "_"))]


@contextmanager
def refusing_parquet(source: Source) -> Iterator[None]:
    """Turn any error of polars about a Parquet file into a fault of the file, and suppress what polars prints."""
    import polars as pl

    try:
        with silent_if_failing():
            yield
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # the message of polars may or may not have the file's name
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise source.fault(f"cannot read the file as Parquet: {quote(why, 100)}") from None


FORMAT = ParquetTable()
