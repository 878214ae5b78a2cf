"""Find the offsets of texts in documents: chunks of which only the text is left, or quotes as evidence."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.documents import location
from assay.documents.names import AmbiguousDocument
from assay.documents.near import SHOWN, NearPassage, differences, nearest_passages
from assay.errors import InputError, UsageError, count_noun, list_names, quote, shorten
from assay.reading.locate import own_name
from assay.reading.read import opened_documents
from assay.reading.records import value_at_path
from assay.reading.schema import comparable_name, its_columns, like_topic, pass_column, schema_of, told_columns
from assay.reading.texts import GivenTexts, given_texts
from assay.studies.export import text_elements
from assay.studies.strokes import Judgment, Stroke
from assay.studies.study import (
    JudgedDocument,
    Study,
    StudyDocument,
    describe_document,
    new_file,
    new_id,
    open_study,
    report_errors,
)
from assay.tables.column_names import EVIDENCE
from assay.tables.places import Place

if TYPE_CHECKING:
    from assay.reading.input_types import DocumentsLike, TextsLike


# The names of a column with quotes; a column with another name may hold the chunks of a corpus.
QUOTES = ("quote", "excerpt", *EVIDENCE)
# If more than this share of the texts start before the previous text, the rows are in no order.
OUT_OF_ORDER = 0.2
NEAR = "near"
HOW = (location.EXACT, location.NORMALIZED, location.AMBIGUOUS, NEAR, location.MISSING)
# What happened to a text that had an offset in earlier documents.
UNCHANGED, MOVED, ALTERED, GONE = CHANGES = "unchanged", "moved", "altered", "gone"
# For how many missing texts to search the nearest passage, how many doubts to list, and how many differences of each.
MOST_NEAR, LISTED, PIECES = 1000, 20, 5


@dataclass(frozen=True)
class Doubt:
    """A text that was not found, or that was found in several places.

    If it was not found, `nearest` has the most similar passage for the text, or for each part between its ellipses. If
    it is in several places, `taken` is the one that Assay took.
    """

    place: str
    question: str
    text: str
    taken: str = ""
    note: str = ""
    nearest: tuple[tuple[str, NearPassage | None], ...] = ()

    def is_near(self, likeness: float) -> bool:
        """Return whether every part has a passage at least as similar, and these follow each other in one document."""
        passages = [passage for _, passage in self.nearest if passage is not None]
        return (
            bool(passages)
            and len(passages) == len(self.nearest)
            and all(passage.likeness >= likeness - ROUNDING for passage in passages)
            and all(one.document == next.document and one.end <= next.start for one, next in pairwise(passages))
        )

    @property
    def likeness(self) -> float:
        """The likeness of the least similar passage, rounded down; 0 if the passages cannot be accepted."""
        return min(passage.rounded for _, passage in self.nearest if passage) if self.is_near(SHOWN) else 0.0

    def lines(self, option: str = "near={:.2f}") -> Iterator[str]:
        """Yield the lines that describe the doubt; `option` is what a user types to accept a passage."""
        here = f"{self.place} ({shorten(self.question)})" if self.question else self.place
        if self.taken:
            yield f"{here}: in several places: {quote(self.text, WIDTH)}"
            yield f"    Assay took {self.taken} ({self.note})"
            return
        why = f" ({self.note})" if self.note else ""
        yield f"{here}: not found{why}: {quote(self.text, WIDTH)}"
        # for a text with ellipses, show only the parts that were not found
        differing = [(unit, passage) for unit, passage in self.nearest if passage is None or passage.likeness < 1]
        for unit, passage in differing[:PIECES] or self.nearest[:1]:
            of_part = f" to {quote(unit, 40)}" if len(self.nearest) > 1 else ""
            if passage is None:
                yield f"    no similar passage{of_part and f': {quote(unit, 40)}'}"
                continue
            yield f"    nearest{of_part}: {place_words(passage)}: {quote(passage.text, WIDTH)}"
            yield f"    {difference_words(unit, passage)}"
        if self.likeness:
            yield f"    accept it with {option.format(self.likeness)}"
        elif len(self.nearest) > 1 and all(passage for _, passage in self.nearest):
            yield "    the passages do not follow each other in one document; correct the quote"


# How many characters of a text to show, and the tolerance for comparing likeness.
WIDTH, ROUNDING = 80, 1e-9


def place_words(passage: NearPassage) -> str:
    """Return where a passage is and its likeness, for a message."""
    return f"{passage.document} {passage.start}-{passage.end}, likeness {passage.rounded:.2f}"


def nearest_words(passage: NearPassage) -> str:
    """Return the note for a text that was not found."""
    return f"nearest: {place_words(passage)}"


def difference_words(text: str, passage: NearPassage) -> str:
    """Return how a text differs from its nearest passage, in words."""
    tags = f"the document has {passage.markup} here, the quote has none; " if passage.markup else ""
    pieces = differences_beside_markup(text, passage) if tags else differences(text, passage.text)
    if not pieces and tags:
        return f"{tags}nothing else differs"
    if not pieces:
        return "only whitespace, case or punctuation differs" if text != passage.text else "the text is the same"
    few = [f"{quote(ours, 40) if ours else 'nothing'} → {quote(theirs, 40) if theirs else 'nothing'}"
           for ours, theirs in pieces[:PIECES]]  # fmt: skip
    more = f", and {count_noun(len(pieces) - PIECES, 'more difference')}" if len(pieces) > PIECES else ""
    return f"{tags}quote → document: {', '.join(few)}{more}"


def differences_beside_markup(text: str, passage: NearPassage) -> list[tuple[str, str]]:
    """Return the pieces in which a text differs from a passage without its markup; spaces do not count."""
    pieces = differences(text, passage.unmarked)
    return [each for each in pieces if "".join(each[0].split()) != "".join(each[1].split())]


@dataclass(frozen=True, eq=False, repr=False)
class Locations:
    """The given rows, each with doc_id, start, end, how its text was found, and a note on that.

    `how` is "exact", "normalized" (the note says what was tolerated), "ambiguous" (found in several places; the note
    says which one was taken), "missing" (no offsets), or for example "near 0.97", the likeness of the most similar
    passage. If the document has the text otherwise than it was given, the row has the text of the document, and
    `quoted` has the given one. A text with an ellipsis has one row per part, with the text as it was given; the parts
    share a number in `quotation`. A question that is marked as having no answer keeps its row.

    If the rows had a start, `change` is "unchanged", "moved", "altered" or "gone". `doubts` has the texts that were not
    found or found in several places. `backwards` counts given starts that are before the start of the previous text, if
    most are not. `unsearched` names documents that could not be read. `notes` has what else a user should know.
    """

    rows: list[dict[str, Any]]
    texts: int
    backwards: int = 0
    unsearched: str = ""
    doubts: list[Doubt] = field(default_factory=list)
    not_compared: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def _located(self) -> list[dict[str, Any]]:
        """The rows of texts; questions without an answer have none."""
        return [row for row in self.rows if row.get("how")]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many rows were found in each way."""
        counts = Counter(row["how"].partition(" ")[0] for row in self._located)
        return {how: counts[how] for how in HOW if how != NEAR or counts[how]}

    @cached_property
    def changes(self) -> dict[str, int]:
        """How many rows with a given start are unchanged, moved, altered and gone; empty if none had a start."""
        counts = Counter(row.get("change") for row in self.rows)
        return {change: counts[change] for change in CHANGES} if any(map(counts.get, CHANGES)) else {}

    def frame(self) -> Any:
        """Return the rows as a polars frame."""
        import polars as pl

        return pl.DataFrame([named_by_texts(row) for row in self.rows], infer_schema_length=None)

    def lines(self) -> Iterator[bytes]:
        """Yield the rows as lines of JSONL."""
        for row in self.rows:
            # UTF-8 cannot encode a lone surrogate, so it is written as a JSON escape
            yield (json.dumps(row, ensure_ascii=False, default=str) + "\n").encode("utf-8", "backslashreplace")

    def summary(self) -> str:
        """Return one line that counts the texts by how they were found."""
        located = self._located
        rows = "" if len(located) == self.texts else f" in {count_noun(len(located), 'part')}"
        back = f"; the given starts decrease in {count_noun(self.backwards, 'row')}" if self.backwards else ""
        likeness = sorted(row["how"].partition(" ")[2] for row in located if row["how"].startswith(f"{NEAR} "))
        from_to = " to ".join(dict.fromkeys(likeness[:: max(len(likeness) - 1, 1)]))
        words = location.HOW_FOUND | {NEAR: f"{NEAR} (likeness {from_to})"}
        counts = ", ".join(f"{count:,} {words[how]}" for how, count in self.counts.items())
        changes = ", ".join(f"{count:,} {change}" for change, count in self.changes.items())
        of_changes = f"; compared with the offsets in the file: {changes}" if changes else ""
        unsearched = f"; {self.unsearched}" if self.unsearched else ""
        return f"{count_noun(self.texts, 'quote')}{rows}: {counts}{back}{of_changes}{unsearched}"

    def listing(self, option: str = "near={:.2f}", most: int | None = None) -> Iterator[str]:
        """Yield lines about each text that was not found or is in several places, for at most `most` texts.

        `option` is what a user types to accept a passage.
        """
        doubts = sorted(self.doubts, key=lambda doubt: bool(doubt.taken))
        for doubt in doubts[:most]:
            yield from doubt.lines(option)
        if most is not None and len(doubts) > most:
            yield f"and {len(doubts) - most:,} more; see the column note of the output"
        if any(doubt.taken for doubt in doubts):
            yield "to choose another of several places, quote more of the text or add its start"
        if self.not_compared:
            passages = f"passages similar to the last {self.not_compared:,} missing texts"
            yield f"Assay did not look for {passages}; to do so, use {option.format(SHOWN)}"
        marked = Counter(passage.markup for doubt in self.doubts for unit, passage in doubt.nearest
                         if passage and passage.markup and not differences_beside_markup(unit, passage))  # fmt: skip
        for markup, count in marked.items():
            verb = "differs" if count == 1 else "differ"
            what = f"{count_noun(count, 'quote')} {verb} from the documents only by their {markup}"
            yield f"{what}; remove the markup from the documents, or add it to the quotes"

    def acceptable(self) -> list[float]:
        """Return the likeness of each text whose nearest passage can be accepted, lowest first."""
        return sorted(doubt.likeness for doubt in self.doubts if doubt.likeness)

    def __repr__(self) -> str:
        return "\n".join([*self.listing(most=LISTED), self.summary(), *self.notes, str(self.frame())])

    def _repr_html_(self) -> str:
        lines = "\n".join(self.listing(most=LISTED))
        doubts = f"<pre>{escape(lines)}</pre>" if lines else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in [self.summary(), *self.notes])
        return f"{doubts}{notes}{self.frame()._repr_html_()}"


def named_by_texts(value: Any) -> Any:
    """Return a value in which all dicts have strings as keys, as a frame requires."""
    if isinstance(value, dict):
        return {str(name): named_by_texts(each) for name, each in value.items()}
    return [named_by_texts(each) for each in value] if isinstance(value, list) else value


def locate(
    texts: TextsLike,
    documents: DocumentsLike,
    *,
    columns: Mapping[str, str] | None = None,
    near: float | None = None,
) -> Locations:
    """Find the offsets of texts in documents: of chunks that have lost their offsets, or of quotes.

    texts: strings, dicts or a frame with a text (text, content, page_content, quote, chunk or excerpt) and, if known,
    its document (doc_id, source, …), or a JSONL, CSV, TSV or Parquet file of such rows. If a row names no document,
    Assay searches all of them. It expects the texts of a document in the order of the document; if rows have a topic,
    within each topic. documents: a folder, an archive or a JSONL file, `Documents`, or a dict from ids to texts.
    columns: which column means what, for example {"text": "Supporting Quote"}, if the usual names do not say. near: if
    a text is not found, take the most similar passage if its likeness is at least this, from 0.6 to 1.

    Assay first searches for a text verbatim. Then it tolerates differences in whitespace, Unicode form, quotation marks
    and dashes, soft hyphens and case, in this order and no more than needed. Then, if the text has an ellipsis, it
    searches part by part. If a text is in several places, Assay takes the one at the given start, or else the first
    that is not before the previous text, and says so. `doubts` lists the texts that were not found, each with the
    nearest passage, and the texts in several places.

    Rows that already have a start are carried over to these documents: `change` says whether the text is unchanged,
    moved, altered or gone.
    """
    if near is not None and not SHOWN <= near <= 1:
        raise UsageError(f"near is {near:g}; expected a likeness from {SHOWN:g} to 1")
    told = told_columns(columns)
    given = with_topics(given_texts(texts, told), told)
    collection = opened_texts(documents)
    # several ids may mean the same document
    own: dict[str, str | None] = {}
    for row, name in enumerate(given.documents):
        if name is not None and name not in own:
            try:
                own[name] = own_name(name, collection)
            except AmbiguousDocument as error:
                raise error.of_row(Place(given.label, given.numbers[row], given.noun)) from None
    names = [None if name is None else own[name] or name for name in given.documents]
    # a row without a document gets the name that other rows have for it
    called = {each: name for name, each in reversed(own.items()) if each is not None}
    unreadable: dict[str, InputError] = {}
    every = partial(collection.readable_texts, unreadable)
    answer = location.found_in_documents(
        given.texts, names, collection.texts, every, given.starts, sequences=given.topics
    )
    passages = tolerated_passages(answer, collection)
    parts = rows_of_parts(given)
    missing = [row for row, spans in enumerate(answer.spans) if not spans]
    looked_up = missing if near is not None else missing[:MOST_NEAR]
    units = [(row, unit) for row in looked_up for unit in units_of(given.texts[row], parts.get(row))]
    own_names = [own.get(given.documents[row] or "") for row, _ in units]
    found = nearest_passages([unit for _, unit in units], own_names, collection.texts, every)
    nearest: dict[int, list[tuple[str, NearPassage | None]]] = {}
    for (row, unit), passage in zip(units, found, strict=True):
        nearest.setdefault(row, []).append((unit, passage))
    has_starts = any(start is not None and start >= 0 for start in given.starts)
    rows: list[dict[str, Any]] = []
    doubts: list[Doubt] = []
    for row, (record, name, spans) in enumerate(zip(given.records, given.documents, answer.spans, strict=True)):
        start, end = given.starts[row], given.ends[row]
        rows += given.without_text.get(row, ())
        quotation = {"quotation": row + 1} if len(spans) > 1 and "quotation" not in record else {}
        for span in spans[parts[row] :][:1] if row in parts and len(spans) > 1 else spans:
            document = name or called.get(answer.names[span.document], answer.names[span.document])
            placed = {"doc_id": document, "start": span.start, "end": span.end, "how": span.how}
            is_there = span.start == start and (end is None or end < 0 or span.end == end)
            change = {"change": UNCHANGED if is_there else MOVED} if has_starts else {}
            # a text with ellipses keeps them, because it has several rows
            found_text = passages.get(span[:3]) if len(spans) == 1 else None
            text = {} if found_text is None else {given.column: found_text}
            quoted = {} if found_text is None else {"quoted": given.texts[row]}
            rows.append({**record, **text, **placed, "note": note_on(span), **change, **quotation, **quoted})
            if span.how == location.AMBIGUOUS:
                taken = f"{document} {span.start}-{span.end}"
                doubts.append(Doubt(*describe_row(given, row), taken=taken, note=note_on(span)))
        if spans:
            continue
        why = f"there is no document {name}" if name is not None and own[name] is None else ""
        doubt = Doubt(*describe_row(given, row), note=why, nearest=tuple(nearest.get(row, ())))
        change = {"change": ALTERED if doubt.is_near(SHOWN) else GONE} if has_starts else {}
        if near is not None and doubt.is_near(near):
            rows += [record | each | change for each in nearest_rows(doubt, given.column, name, own.get(name or ""))]
            continue
        note = "; ".join(filter(None, [why, *(nearest_words(passage) for _, passage in doubt.nearest if passage)]))
        rows.append(
            {**record, "doc_id": name, "start": None, "end": None, "how": location.MISSING, "note": note, **change}
        )
        doubts.append(doubt)
    rows += given.without_text.get(len(given.texts), ())
    backwards, unsearched = backward_starts(given), location.unreadable_note(unreadable)
    notes = [*no_topic_notes(given), *empty_list_notes(given)]
    return Locations(rows, len(given.texts), backwards, unsearched, doubts, len(missing) - len(looked_up), notes)


def tolerated_passages(answer: location.Located, collection: Any) -> dict[tuple[int, int, int], str]:
    """Return the text of each span whose document does not have the given text verbatim: it may have another length."""
    by_document: dict[str, list[location.Span]] = {}
    for spans in answer.spans:
        if len(spans) == 1 and spans[0].tolerated:
            by_document.setdefault(answer.names[spans[0].document], []).append(spans[0])
    return {
        span[:3]: text[span.start : span.end]
        for name, text in collection.texts(by_document)
        for span in by_document[name]
    }


def with_topics(given: GivenTexts, told: Mapping[str, str]) -> GivenTexts:
    """Return the texts with `query_id` in each record if the user named a column with another name as the topic."""
    known = schema_of(columns_of(given)).column("topic")
    if given.topics is None or "topic" not in told or comparable_name(told["topic"]) == comparable_name(known or ""):
        return given
    pairs = zip(given.topics, given.records, strict=True)
    without = {
        row: [record | {"query_id": value_at_path(record, told["topic"])} for record in records]
        for row, records in given.without_text.items()
    }
    return replace(given, records=[record | {"query_id": topic} for topic, record in pairs], without_text=without)


def no_topic_notes(given: GivenTexts) -> Iterator[str]:
    """Note that quotes have no topics; chunks of a corpus need none."""
    names = columns_of(given)
    likely = like_topic(names)
    if schema_of(names).column("topic") is None and (likely or comparable_name(given.column) in QUOTES):
        what = f"no topic column, so the output has no topics; {its_columns(names)}"
        yield f"{what}; {pass_column('topic', likely or 'NAME')}"


def empty_list_notes(given: GivenTexts) -> Iterator[str]:
    """Note the rows whose list of texts is empty: the output has no row for them."""
    if given.empty:
        rows = count_noun(len(given.empty), "row")
        yield f"left out {rows} with an empty list under {shorten(given.column)}: {list_names(given.empty, 3)}"


def columns_of(given: GivenTexts) -> list[str]:
    """Return the names in the records, each once."""
    return list(dict.fromkeys(name for record in given.records for name in record))


def describe_row(given: GivenTexts, row: int) -> tuple[str, str, str]:
    """Return where a text is among the given texts, its question, and the text."""
    topic = (given.topics[row] if given.topics else None) or ""
    in_words = (given.records[row].get(name) for name in ("question", "query"))
    question = next((words for words in in_words if isinstance(words, str) and words != topic), "")
    return f"{given.noun} {given.numbers[row]}", ": ".join(filter(None, [topic, question])), given.texts[row]


def nearest_rows(doubt: Doubt, column: str, name: str | None, own: str | None) -> Iterator[dict[str, Any]]:
    """Yield for each nearest passage what its row gets: the passage as its text, and the given text as `quoted`."""
    for unit, passage in doubt.nearest:
        if passage is not None:
            document = name if own == passage.document else passage.document
            place = {"doc_id": document, "start": passage.start, "end": passage.end}
            how = {"how": f"{NEAR} {passage.rounded:.2f}", "note": difference_words(unit, passage)}
            yield {column: passage.text, **place, **how, "quoted": unit}


def units_of(text: str, part: int | None) -> list[str]:
    """Return the parts of a text between its ellipses, or only the given part; the whole text if it has no ellipsis."""
    parts = location.between_ellipses(text) or [text]
    return parts if part is None else parts[part : part + 1]


def rows_of_parts(given: GivenTexts) -> dict[int, int]:
    """Return which part of its text each row has, if there already is one row per part, as `locate` writes them."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row, text in enumerate(given.texts):
        if given.starts[row] is not None and location.between_ellipses(text):
            topic = given.topics[row] if given.topics else None
            groups.setdefault((topic, given.documents[row], text), []).append(row)
    parts = {rows[0]: len(location.between_ellipses(given.texts[rows[0]])) for rows in groups.values()}
    whole = [rows for rows in groups.values() if len(rows) == parts[rows[0]]]
    return {row: part for rows in whole for part, row in enumerate(rows)}


def backward_starts(given: GivenTexts) -> int:
    """Count the texts whose given start is before that of the previous text; 0 if the rows are in no order at all.

    A splitter that searches for its own chunks may find an earlier copy of a chunk.
    """
    last: dict[tuple[str | None, str | None], int] = {}
    steps = []
    topics = given.topics or [None] * len(given.texts)
    for topic, document, start in zip(topics, given.documents, given.starts, strict=True):
        if start is not None and start >= 0:
            steps.append(start >= last.get((topic, document), 0))
            last[topic, document] = start
    backward = steps.count(False)
    return backward if backward <= OUT_OF_ORDER * len(steps) else 0


def note_on(span: location.Span) -> str:
    """Return a note: what was tolerated, and which of several places was taken."""
    notes = [f"tolerated: {', '.join(location.tolerances(span.tolerated))}"] if span.tolerated else []
    if span.places > 1:
        notes.append(f"found in {span.places:,} places; took {span.why}")
    return "; ".join(notes)


def opened_texts(given: DocumentsLike) -> Any:
    """Open documents as a collection that has texts."""
    collection = opened_documents(given)
    if collection is None:
        raise UsageError("there are no documents to search; pass documents=, a folder, an archive or a JSONL file")
    return collection


# Move the judgments of a study to changed documents: `assay locate study.db --documents NEW -o moved.db`.
#
# Assay locates each highlighted passage and each entry point by its text, which the study keeps. Unchanged documents
# keep their strokes. A changed document gets new strokes that add up to what was found of its judgment.

# How many judgments to name in a message.
NAMED = 5
# Marks a row as an entry point; other rows have the number of a passage here.
ENTRY = -1


@dataclass(frozen=True, eq=False)
class MovedStudy:
    """What happened to a study whose documents changed: where its passages are now, and which judgments are affected.

    `complete` judgments are unchanged, at new offsets. `reopened` judgments lost a passage or an entry point, have one
    in several places, or had exhaustivity; an assessor should look at them again. `unmarked` judgments had nothing
    highlighted, and still have nothing. `dropped` judgments are about documents that are missing.
    """

    output: str
    changed: list[str]
    locations: Locations | None
    complete: list[str] = field(default_factory=list)
    reopened: list[str] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def listing(self, option: str, most: int) -> Iterator[str]:
        """Yield lines about each text that was not found or is in several places, for at most `most` texts."""
        doubts = self.locations.doubts if self.locations else []
        for doubt in doubts[:most]:
            yield from replace(doubt, place=doubt.question, question="").lines(option)
        if len(doubts) > most:
            yield f"and {len(doubts) - most:,} more"

    def summary(self) -> Iterator[str]:
        """Yield lines that say what happened to the judgments."""
        if not self.changed:
            yield f"{self.output}: no judged document changed; the study is a copy"
            return
        if self.locations:
            yield self.locations.summary()
        number = count_noun(len(self.changed), "judged document")
        yield f"{self.output}: {number} changed: {list_names(self.changed, NAMED)}"
        if self.complete:
            yield f"{count_noun(len(self.complete), 'judgment')} moved completely"
        if self.unmarked:
            what = "kept with nothing highlighted, although nobody judged the new text"
            yield f"{count_noun(len(self.unmarked), 'judgment')} {what}"
        for names, what in (
            (self.reopened, "incomplete, and open again for the assessor"),
            (self.dropped, "left out, because the document is missing"),
        ):
            if names:
                more = "; …" if len(names) > NAMED else ""
                yield f"{count_noun(len(names), 'judgment')} {what}: {'; '.join(names[:NAMED])}{more}"


def move_study(
    path: str | os.PathLike[str],
    documents: DocumentsLike,
    output: str | os.PathLike[str],
    near: float | None = None,
) -> MovedStudy:
    """Write a new study in which the judgments of changed documents have the offsets of the new texts.

    path: the study, which Assay does not change. near: if a text is not found, take the most similar passage if its
    likeness is at least this, from 0.6 to 1.
    """
    if os.path.exists(output):
        raise InputError("the file exists; choose another name for the moved study", os.fspath(output))
    collection = opened_texts(documents)
    with new_file(output) as part:
        with open_study(path) as study:
            copy_study(study, part)
        with open_study(part) as study:
            moved = move_judgments(study, os.fspath(path), collection, os.fspath(output), near)
    return moved


def copy_study(study: Study, path: str) -> None:
    """Copy a study as it is at this moment; the copy gets its own id, and nobody is logged in to it."""
    with (
        report_errors(path),
        closing(sqlite3.connect(study.path)) as source,
        closing(sqlite3.connect(path)) as copy,
    ):
        source.backup(copy)
        copy.execute("DELETE FROM session")
        copy.execute("UPDATE setting SET value = ? WHERE name = 'id'", [new_id()])
        copy.execute("DELETE FROM setting WHERE name IN ('gold', 'address')")
        copy.commit()


def move_judgments(study: Study, path: str, documents: Any, output: str, near: float | None) -> MovedStudy:
    """Move the judgments of a copied study to changed documents."""
    before = {each.name: each for each in study.documents()}
    now = {name: describe_document(name, text) for name, text in documents.texts(list(before))}
    same = {name for name, each in now.items() if each == before[name]}
    judged = [each for each in study.judgments() if each.document and each.document not in same and each.state != "new"]
    changed = list(dict.fromkeys(each.document or "" for each in judged))
    refuse_without_texts(study, path, changed)
    rows = [row for number, each in enumerate(judged) for row in rows_of(study, number, each)]
    locations = locate(rows, documents, near=near) if rows else None
    found: dict[int, list[dict[str, Any]]] = {}
    for row in locations.rows if locations else ():
        found.setdefault(row["judgment"], []).append(row)
    change_documents(study, [each for name, each in now.items() if name not in same])
    study.elements_of = lambda document: text_elements(document, documents)
    moved, texts = MovedStudy(output, changed, locations), dict(documents.texts(changed))
    for number, each in enumerate(judged):
        name, document = name_of(each), each.document or ""
        strokes = [stroke for stroke in study.strokes(each.id) if stroke.kind == "time"]
        study.write(partial(forget_strokes, assignment=each.id))
        if document not in now:
            moved.dropped.append(name)
            continue
        changes, is_whole = moved_strokes(study, each, found.get(number, []), now[document])
        study.append(each.id, [*strokes, *changes], texts[document])
        if not is_whole:
            moved.reopened.append(name)
        else:
            (moved.complete if found.get(number) else moved.unmarked).append(name)
    return moved


def name_of(judged: JudgedDocument) -> str:
    """Return words that identify a judgment."""
    return f"topic {judged.topic}, {judged.document}, by {judged.assessor}"


def refuse_without_texts(study: Study, path: str, changed: list[str]) -> None:
    """Refuse to move judgments if the study does not have their texts."""
    if lacking := [name for name in study.documents_without_texts() if name in set(changed)]:
        what = f"the study lacks the texts that were highlighted in {count_noun(len(lacking), 'document')}"
        again = f"assay assess {shlex.quote(path)} --documents OLD"
        remedy = f"open it once with the documents that were judged: {again}"
        raise InputError(f"{what} ({list_names(lacking, 3)}), because an older Assay stored them; {remedy}", path)


def rows_of(study: Study, number: int, judged: JudgedDocument) -> Iterator[dict[str, Any]]:
    """Yield what to locate of a judgment, in text order: its passages, and its entry point if it is outside them."""
    passages, entry = judged.judgment.passages, judged.judgment.entry
    entries = {start: text for kind, start, text in study.stroke_texts(judged.id) if kind == "entry"}
    about = {"judgment": number, "query_id": name_of(judged), "doc_id": judged.document}
    rows = [
        {"passage": passage, "start": passages[passage].start, "text": text}
        for passage, text in enumerate(study.passage_texts(judged))
    ]
    if entry is not None and not any(each.start <= entry < each.end for each in passages):
        rows.append({"passage": ENTRY, "start": entry, "text": entries[entry]})
    for row in sorted(rows, key=lambda row: (row["start"], row["passage"])):
        yield about | row


def moved_strokes(
    study: Study, judged: JudgedDocument, rows: list[dict[str, Any]], document: StudyDocument
) -> tuple[list[Stroke], bool]:
    """Return the strokes that add up to what was found of a judgment, and whether that is all of it."""
    judgment, strokes = judged.judgment, []
    there = [row for row in rows if row["how"] != location.MISSING]
    for row in there:
        if row["passage"] != ENTRY:
            fact = judgment.passages[row["passage"]].fact or None
            strokes.append(Stroke(new_id(), "highlight", row["start"], row["end"], fact))
    entry = moved_entry(judgment, there)
    if entry is not None:
        strokes.append(Stroke(new_id(), "entry", entry))
    if judgment.grade is not None:
        strokes.append(Stroke(new_id(), "grade", value=str(judgment.grade)))
    if judgment.note:
        strokes.append(Stroke(new_id(), "note", value=judgment.note))
    is_sure = all(row["how"] not in (location.MISSING, location.AMBIGUOUS) for row in rows)
    is_whole = is_sure and (entry is None) == (judgment.entry is None)
    # a changed document has other elements, so an assessor must judge their exhaustivity again
    is_whole = is_whole and not (study.settings.mode == "exhaustivity" and judgment.passages)
    if judged.state == "done" and is_whole:
        strokes.append(Stroke(new_id(), "validate"))
    return strokes, is_whole


def moved_entry(judgment: Judgment, rows: list[dict[str, Any]]) -> int | None:
    """Return the new offset of the entry point; None if it is unknown or there is none."""
    if judgment.entry is None:
        return None
    for row in rows:
        if row["passage"] == ENTRY:
            return int(row["start"])
        passage = judgment.passages[row["passage"]]
        if passage.start <= judgment.entry < passage.end:
            within = judgment.entry - passage.start
            is_same = row["end"] - row["start"] == passage.end - passage.start
            return int(row["start"]) + within if is_same or not within else None
    return None


def change_documents(study: Study, documents: list[StudyDocument]) -> None:
    """Store the hashes and lengths of new texts; the spans that runs returned become whole documents."""

    def change(connection: sqlite3.Connection) -> None:
        connection.executemany(
            "UPDATE document SET sha256 = ?, length = ? WHERE name = ?",
            [(each.sha256, each.length, each.name) for each in documents],
        )
        connection.executemany(
            """UPDATE support SET start = NULL, end = NULL WHERE task IN (SELECT task.id FROM task
            JOIN document ON document.id = task.document WHERE document.name = ?)""",
            [(each.name,) for each in documents],
        )

    study.write(change)


def forget_strokes(connection: sqlite3.Connection, assignment: int) -> None:
    """Reset an assignment: delete its strokes and its state."""
    connection.execute("DELETE FROM stroke WHERE assignment = ?", [assignment])
    connection.execute("UPDATE assignment SET state = 'new', seconds = 0, relevant = 0 WHERE id = ?", [assignment])
