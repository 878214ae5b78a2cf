"""The types of inputs that users may pass: runs, judgments, chunks, texts and documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.files.source import Source
    from assay.tables.judgments import Judgments
    from assay.tables.run import Run


class HasColumns(Protocol):
    """A frame of pandas, polars or Spark, or a table of Arrow."""

    @property
    def columns(self) -> Iterable[object]:
        """Its columns, or their names."""


class ArrowStream(Protocol):
    """A table of any package that exports its columns through the Arrow C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class HasDict(Protocol):
    """A run or judgments of ranx."""

    def to_dict(self) -> Mapping[str, Mapping[str, float]]:
        """Scores or grades by topic and document."""


# A path, or an opened file; `-` is standard input.
File: TypeAlias = "str | os.PathLike[str] | Source"
Frame: TypeAlias = "HasColumns | ArrowStream"
# Dicts by topic or by name, whose keys are strings or numbers, and lists and generators of records. Their items may be
# dicts, tuples, named tuples, dataclasses or objects of other packages.
InMemory: TypeAlias = "Frame | HasDict | Mapping[Any, object] | Iterable[object]"

RunLike: TypeAlias = "File | Run | InMemory"
# one run, a list of runs, or a dict of runs by name
RunsLike: TypeAlias = "RunLike | Sequence[RunLike] | Mapping[str, RunLike]"
JudgmentsLike: TypeAlias = "File | Judgments | InMemory"
ScoresLike: TypeAlias = "File | Frame | Iterable[object] | Mapping[str, File | Frame | Iterable[object]]"
ChunksLike: TypeAlias = "File | Run | InMemory"
TextsLike: TypeAlias = "File | Frame | Iterable[object]"
DocumentsLike: TypeAlias = (
    "str | os.PathLike[str] | DocumentCollection | Mapping[Any, str] | HasColumns | Sequence[object]"
)
