"""Where texts without places stand in documents: chunks of which only the text is left, quotations as gold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from assay.documents.location import (
    AMBIGUOUS,
    EXACT,
    MISSING,
    MOVED,
    Span,
    found_in_documents,
    tolerances,
    unreadable_noted,
)
from assay.errors import InputError, UsageError, counted
from assay.reading.locate import own_name
from assay.reading.read import opened_documents
from assay.reading.schema import told_columns
from assay.reading.text_records import GivenTexts, given_texts

if TYPE_CHECKING:
    from assay.reading.input_types import DocumentsLike, TextsLike

# Where more texts than this share start before the text before them, the rows are in no order.
OUT_OF_ORDER = 0.2
HOW = (EXACT, MOVED, AMBIGUOUS, MISSING)


@dataclass(frozen=True, eq=False, repr=False)
class Locations:
    """Texts and where they stand: the rows that were given, each with doc_id, start, end, how it was found, and a note
    on that.

    `how` is exact, moved (the note tells what was tolerated), ambiguous (of how many places which was taken) or
    missing, then without a place. A text with an ellipsis has a row for each of its parts, with one number as their
    `quotation`. `backwards` counts the
    starts that were given and lie before that of the text before, where most do not. `unsearched` tells of documents
    that could not be read.
    """

    rows: list[dict[str, Any]]
    texts: int
    backwards: int = 0
    unsearched: str = ""

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many rows were found in each way."""
        counts = Counter(row["how"] for row in self.rows)
        return {how: counts[how] for how in HOW}

    def frame(self) -> Any:
        """The rows as a polars frame."""
        import polars as pl

        return pl.DataFrame([named_by_texts(row) for row in self.rows], infer_schema_length=None)

    def lines(self) -> Iterator[bytes]:
        """The rows as lines of JSONL."""
        for row in self.rows:
            # a lone surrogate, which UTF-8 does not have, is written as JSON escapes it
            yield (json.dumps(row, ensure_ascii=False, default=str) + "\n").encode("utf-8", "backslashreplace")

    def summary(self) -> str:
        """One line that says how many texts were found in which way."""
        rows = "" if len(self.rows) == self.texts else f" in {counted(len(self.rows), 'part')}"
        back = (
            f"; the starts that were given run backwards in {counted(self.backwards, 'row')}" if self.backwards else ""
        )
        counts = ", ".join(f"{count:,} {how}" for how, count in self.counts.items())
        unsearched = f"; {self.unsearched}" if self.unsearched else ""
        return f"{counted(self.texts, 'text')}{rows}: {counts}{back}{unsearched}"

    def __repr__(self) -> str:
        return f"{self.summary()}\n{self.frame()}"

    def _repr_html_(self) -> str:
        return f"<p>{self.summary()}</p>{self.frame()._repr_html_()}"


def named_by_texts(value: Any) -> Any:
    """A value whose dicts have texts as keys, as a frame needs them."""
    if isinstance(value, dict):
        return {str(name): named_by_texts(each) for name, each in value.items()}
    return [named_by_texts(each) for each in value] if isinstance(value, list) else value


def locate(texts: TextsLike, documents: DocumentsLike, *, columns: Mapping[str, str] | None = None) -> Locations:
    """Find texts in documents: chunks of which only the text is left, or quotations.

    texts: strings, dicts or a frame with a text (text, content, page_content, quote, chunk or excerpt) and, where it is
    known, its document (doc_id, source, …), or a JSONL, CSV, TSV or Parquet file of such rows. Without its document a
    text is looked for in all. The texts of a document come in the order in which they stand there; where rows have a
    topic, those of each topic do. documents: a folder, an archive or a JSONL file, `Documents`, or a dict from ids to
    texts. columns: which column holds what, as {"text": "Supporting Quote"}, where the usual names do not tell.

    A text is looked for as it is; then blanks, Unicode forms, quotation marks and dashes, soft hyphens and case are
    tolerated, in this order and no more than must be; then, if it has an ellipsis, part by part. Of several places the
    first is taken that is not before the text before it, and that is told; where rows say where they start, the one
    that starts there. Nothing is guessed.
    """
    given = given_texts(texts, told_columns(columns))
    collection = opened_texts(documents)
    asked = dict.fromkeys(name for name in given.documents if name is not None)
    # one document may be called in several ways
    own = {name: own_name(name, collection) for name in asked}
    names = [None if name is None else own[name] or name for name in given.documents]
    unreadable: dict[str, InputError] = {}
    every = partial(collection.readable_texts, unreadable)
    answer = found_in_documents(given.texts, names, collection.texts, every, given.starts, sequences=given.topics)
    rows: list[dict[str, Any]] = []
    for number, (record, name, spans) in enumerate(zip(given.records, given.documents, answer.spans, strict=True), 1):
        parts = {"quotation": number} if len(spans) > 1 and "quotation" not in record else {}
        for span in spans:
            place = {
                "doc_id": name or answer.names[span.document],
                "start": span.start,
                "end": span.end,
                "how": span.how,
            }
            rows.append({**record, **place, "note": note_on(span), **parts})
        if not spans:
            why = f"there is no document {name}" if name is not None and own[name] is None else ""
            rows.append({**record, "doc_id": name, "start": None, "end": None, "how": MISSING, "note": why})
    return Locations(rows, len(given.texts), backward_starts(given), unreadable_noted(unreadable))


def backward_starts(given: GivenTexts) -> int:
    """How many texts are said to start before the text before them in their document; none where that is no order to
    speak of.

    A splitter that looks for its chunks may find a copy that stands before.
    """
    last: dict[str | None, int] = {}
    steps = []
    for document, start in zip(given.documents, given.starts, strict=True):
        if start is not None and start >= 0:
            steps.append(start >= last.get(document, 0))
            last[document] = start
    backward = steps.count(False)
    return backward if backward <= OUT_OF_ORDER * len(steps) else 0


def note_on(span: Span) -> str:
    """What was tolerated, and of how many places which was taken."""
    notes = [f"tolerated: {', '.join(tolerances(span.tolerated))}"] if span.tolerated else []
    if span.places > 1:
        notes.append(f"{span.places:,} places, of which {span.why}")
    return "; ".join(notes)


def opened_texts(given: DocumentsLike) -> Any:
    """Documents as a collection that can be asked for their texts."""
    collection = opened_documents(given)
    if collection is None or not hasattr(collection, "own_id"):
        raise UsageError("has no documents to look in; give documents=, a folder, an archive or a JSONL file")
    return collection
