"""The files of a table in Parquet, and what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from assay.errors import InputError, quote
from assay.files.silence import silent_if_failing
from assay.files.source import Source

MAGIC = b"PAR1"


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
        refuse_other_columns(source)
        # the message of polars may or may not have the file's name
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise source.fault(f"cannot read the file as Parquet: {quote(why, 100)}") from None


def refuse_other_columns(source: Source) -> None:
    """Raise an error if the files of a folder differ in their columns."""
    import polars as pl

    parts = parquet_parts(source.path)
    first: dict[str, object] = {}
    for part in parts:
        try:
            columns: dict[str, object] = dict(pl.read_parquet_schema(part))
        except (Exception, pl.exceptions.PanicException):
            return
        first = first or columns
        names = (name for name in {**first, **columns} if first.get(name) != columns.get(name))
        if name := next(names, None):
            files = ((part, columns), (parts[0], first))
            found = " and ".join(f"{told.get(name, 'missing')} in {os.path.basename(file)}" for file, told in files)
            raise source.fault(f"column {name} is {found}; write all files with the same columns") from None
