"""The rows of a file that can be read, what is wrong with the others, and where they all stand; for checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from assay.errors import InputError
from assay.files.source import Source
from assay.tables.ids import Ints
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind

Read = TypeVar("Read", Run, Judgments)
# So many faults are told of a file; whoever has more has another kind of file.
MOST_FAULTS = 10_000


@dataclass(frozen=True, eq=False)
class Unresolved:
    """Highlighted text whose characters are not known.

    The topic and the document of each judgment, and the row of the judgment that each passage, and each best entry
    point, belongs to.
    """

    topics: list[str]
    documents: list[str]
    passages: list[int]
    entries: list[int]


@dataclass(frozen=True, eq=False)
class Readable(Generic[Read]):
    """What of a file can be read, None where that is nothing, where its rows stand, and the faults of the others.

    Of judgments also the row of the file that each judgment begins in, and that of each highlighted span. `once`: the
    file tells of a document once for a topic, and its passages share no text.
    """

    kind: FileKind
    table: Read | None
    places: Places
    faults: list[InputError]
    rows: Ints | None = None
    span_rows: Ints | None = None
    once: bool = False
    unresolved: Unresolved | None = None


def are_too_many(faults: list[InputError] | None, source: Source, line: int | None) -> bool:
    """Whether so many faults were found that the rest of a file is not looked at; then that is the last of them."""
    if faults is None or len(faults) < MOST_FAULTS:
        return False
    faults.append(source.fault(f"has more than {MOST_FAULTS:,} faults; what follows is not looked at", line))
    return True


class Held(Source):
    """Some lines of a source."""

    def __init__(self, source: Source, held: list[bytes]):
        super().__init__(source.path)
        self._label, self._held = source.label, b"\n".join(held)

    @property
    def label(self) -> str:
        """How messages name it."""
        return self._label

    def blocks(self, size: int | None = None) -> Iterator[bytes]:
        """The lines, all at once."""
        if self._held:
            yield self._held
