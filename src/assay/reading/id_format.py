"""The base class of formats whose nested records name documents, not texts."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from assay.errors import InputError, count_noun, list_names, quote
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Block, Format, Readable, Request
from assay.reading.given import GivenFrame
from assay.reading.read import whole_run
from assay.reading.values import is_whole_text
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind


@dataclass(eq=False)
class IdRows:
    """Rows of a run or of judgments, each with a topic, a document and other values, and notes on them."""

    source: Source
    kind: FileKind
    records: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)

    def add(self, topic: str, document: str, **told: Any) -> None:
        """Add a row."""
        for name in (topic, document):
            if not is_whole_text(name):
                raise self.source.fault(f"{quote(name)} contains a lone surrogate, which is not valid Unicode")
        self.records.append({"topic": topic, "document": document, **told})

    def table(self) -> Run | Judgments:
        """Return the rows as a table."""
        import polars as pl

        if not self.records:
            raise self.source.fault(f"the input is empty; expected {'a run' if self.kind == 'run' else 'judgments'}")
        frame = pl.DataFrame(self.records, infer_schema_length=None)
        if self.kind == "run":
            return whole_run(GivenFrame("run", self.source.label, frame), Request(ranks=True, gather=True))
        notes = list(self.notes)
        if self.without:
            few = list_names([quote(topic) for topic in self.without], 3)
            notes.append(f"left out {count_noun(len(self.without), 'question')} without gold: {few}")
        table = GivenFrame("judgments", self.source.label, frame).judgments(NOTHING_MORE)
        return replace(table, name=self.source.label, notes=(*table.notes, *notes))


class IdFormat(Format):
    """A format of nested records that name documents."""

    def id_rows(self, source: Source, kind: FileKind, request: Request) -> IdRows:
        """Return the rows of a file."""
        raise NotImplementedError

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "judgments", unless a format overrides this."""
        return "judgments"

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield the whole run as one block."""
        yield lambda: cast(Run, self.id_rows(source, "run", request).table())

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the judgments of a file."""
        return cast(Judgments, self.id_rows(source, "judgments", request).table())

    def readable(
        self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE
    ) -> Readable[Any]:
        """Return the table of a file, or the first fault."""
        kind = kind or self.kind_of(source)
        places = Places(source.label, noun="row")
        try:
            table = self.id_rows(source, kind, request).table()
        except InputError as error:
            return Readable(kind, None, places, [error])
        if not isinstance(table, HighlightJudgments):
            return Readable(kind, table, places, [])
        first = np.unique(table.highlights.row, return_index=True)[1]
        return Readable("judgments", table, places, [], first, np.arange(len(table.highlights.row)))
