"""Parquet: a table stored by columns."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.files.parquet import MAGIC, parquet_parts, refusing_parquet
from assay.files.source import Source
from assay.reading import frames
from assay.reading.format import NOTHING_MORE, Columns, Head, Readable, Request, encode
from assay.reading.other_packages import by_topic, may_be_log
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl


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

    def lists(self, source: Source, kind: FileKind) -> dict[str, Any] | None:
        """Return the lists of a log by topic, one row per question; None if each row has one result."""
        rows = self.rows(source, {})
        if not may_be_log(rows.names):
            return None
        blocks = rows.blocks(rows.names)
        first = next(blocks)
        # the first row tells, so that a table which is not a log is not held as a whole
        if not isinstance(by_topic(first.head(1), kind, source.label), dict):
            return None
        lists: dict[str, Any] = by_topic(frames.one_frame([first, *blocks]), kind, source.label)
        return lists

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return the rows that can be read, and the faults of the others."""
        from assay.reading.lists import rows_by_topic
        from assay.reading.texts import readable_rows

        kind_of_log: FileKind = kind or "run"
        lists = self.lists(source, kind_of_log)
        if lists is None:
            return super().readable(source, kind, request)
        rows = rows_by_topic(lists, kind_of_log, source.label, request.documents, request.columns)
        return readable_rows(rows, request.documents)

    def is_folder(self, path: str) -> bool:
        """Return whether there are Parquet files in a folder."""
        return bool(parquet_parts(path))

    def content(self, columns: Columns, name: str) -> bytes:
        """Return the bytes of a file with these columns."""
        import polars as pl

        for field in ("topic", "document"):
            encode("".join(filter(None, columns[field])), name)
        out = io.BytesIO()
        pl.DataFrame(columns).write_parquet(out)
        return out.getvalue()


FORMAT = ParquetTable()
