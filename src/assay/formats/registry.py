"""The formats of the vocabulary as objects: each is FORMAT in the module of its name, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from assay import vocabulary
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.formats.format import Format


def format_named(name: str) -> Format:
    """The format of a name."""
    if name not in vocabulary.FORMATS:
        raise UsageError(f"unknown format {name!r}; known are {', '.join(vocabulary.FORMATS)}")
    loaded: Format = import_module(f"assay.formats.{name}").FORMAT
    return loaded


def every_format() -> Iterator[Format]:
    """All formats, in the order of the vocabulary."""
    return map(format_named, vocabulary.FORMATS)
