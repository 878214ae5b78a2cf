"""Files for a test: what is written into them, and where."""

import io
from pathlib import Path

import polars as pl

from assay.files.source import Source
from helpers.places import ROOT


def bytes_of(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def written(content: str | bytes, name: str | Path = "file") -> str:
    """The name of a file with this content, made with its folders; relative to the folder that the test is in."""
    path = Path(name)
    # a parameter of a test that is named `folder` hides the fixture
    assert path.is_absolute() or Path.cwd() != ROOT, f"{name} would be written into the repository; use the fixture folder"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes_of(content))
    return str(name)


def parquet(**columns) -> bytes:
    """A table of these columns as a Parquet file."""
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def windows(text: str) -> str:
    """A text with the line ends of Windows."""
    return text.replace("\n", "\r\n")


def old_mac(text: str) -> str:
    """A text with the line ends of the Macintosh before 2001."""
    return text.replace("\n", "\r")


def piped(content: str | bytes) -> Source:
    """A source of some bytes, as if they came from standard input."""
    source = Source("-")
    source._pipe = bytes_of(content)
    return source
