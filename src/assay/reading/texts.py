"""The places of rows that carry a text: as told, compared with the documents, or found there; none is guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.documents.location import AMBIGUOUS, EXACT, MISSING, MOVED, Said, TextEvidence, compared, found_in_documents
from assay.documents.names import without_folders
from assay.errors import InputError, counted, listed, quoted
from assay.reading.cells import python_text
from assay.reading.lines import WHOLE
from assay.reading.objects import Chunk, is_whole_text
from assay.tables.column_names import TableColumns
from assay.tables.places import Places
from assay.vocabulary import FileKind, Texts

# Rows that carry a text: chunks of a run or gold evidence, whose places are known, or are to be found.

# What an object in a list of a topic is called.
OBJECTS: dict[FileKind, str] = {"run": "result", "judgments": "quote"}
# What an object is called that is a chunk of a corpus, and was returned for no topic.
CHUNK = "chunk"


@dataclass(eq=False)
class TextRows:
    """Rows with a chunk each, and what else they hold under the names of columns: a topic, a score, a rank, a grade.

    `documents` are texts that stand in the same file as the rows, by their ids. Rows `of_corpus` are the chunks of a
    corpus, and of no topic. `columns` are those that the user sees, where the rows are of a table. `keys` are those of
    objects that tell neither a text nor a place, by row.
    """

    kind: FileKind
    label: str
    noun: str = "row"
    records: list[dict[str, Any]] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    documents: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    of_corpus: bool = False
    columns: TableColumns | None = None
    keys: dict[int, list[str]] = field(default_factory=dict)

    def add(self, record: dict[str, Any], chunk: Chunk, number: int | None = None) -> None:
        """A further row, and the number of its line, or of what else it is."""
        for offset in (chunk.start, chunk.end):
            if offset is not None and abs(offset) >= WHOLE:
                raise InputError(
                    f"offset {quoted(python_text(offset), 30)} is too large; expected at most 15 digits", self.label
                )
        for name in (str(record["query_id"]), *chunk.documents):
            if not is_whole_text(name):
                raise InputError(f"{quoted(name)} has half of a character, which is not UTF-8", self.label)
        self.records.append(record)
        self.chunks.append(chunk)
        self.numbers.append(len(self.records) if number is None else number)

    def without_gold(self, topics: list[str]) -> None:
        """Notes topics that have no rows: of judgments they cannot be measured."""
        if topics and self.kind == "judgments":
            number = counted(len(topics), "question")
            self.notes.append(
                f"{self.label}: {number} without gold, left out: {listed([quoted(topic) for topic in topics], 3)}"
            )

    def without_gold_among(self, topics: Iterable[str]) -> None:
        """Notes which of some topics have no rows."""
        with_gold = {record["query_id"] for record in self.records}
        self.without_gold([topic for topic in dict.fromkeys(topics) if topic not in with_gold])

    def __len__(self) -> int:
        return len(self.records)

    @property
    def are_objects(self) -> bool:
        """Whether the rows are objects in the lists of their topics."""
        return self.noun in (*OBJECTS.values(), CHUNK)

    @property
    def things(self) -> str:
        """What the rows are, as they are counted in an error."""
        return CHUNK if self.of_corpus else {"run": "result", "judgments": "span"}[self.kind]

    @property
    def expected(self) -> str:
        """What rows were expected where there are none."""
        return "chunks" if self.of_corpus else {"run": "a run", "judgments": "judgments"}[self.kind]

    @property
    def places(self) -> Places:
        """Where the rows stand."""
        key = self.in_words if self.are_objects and not self.of_corpus else None
        return Places(self.label, self.numbers.__getitem__, self.noun, key)

    def placed(self) -> Iterator[int]:
        """The rows that tell a document and a place in it."""
        for row, chunk in enumerate(self.chunks):
            if chunk.documents and chunk.start is not None and chunk.end is not None:
                yield row

    def said(self, rows: list[int], names: list[str]) -> list[Said]:
        """What some rows say of their texts, whose documents have these names."""
        claims = []
        for row, name in zip(rows, names, strict=True):
            chunk = self.chunks[row]
            assert chunk.text is not None and chunk.start is not None and chunk.end is not None
            claims.append(Said(chunk.text, name, chunk.start, chunk.end, chunk.in_parent))
        return claims

    def in_words(self, row: int) -> str:
        """Where a row stands, in words: `line 3`, or of an object its topic and its number there."""
        if self.are_objects and not self.of_corpus:
            return f"topic {self.records[row]['query_id']}, {self.noun} {self.numbers[row]}"
        return self.places[row].words


# How many rows an error names.
FEW = 3
AS_TOLD = "or texts=ignore to count what the offsets say"
INSTEAD = f"give texts=locate to count them where they stand, {AS_TOLD}"
WITHOUT_DOCUMENTS = f"give documents=, and give texts=locate, to count them where they stand, {AS_TOLD}"
OF_PARENT = "do these offsets count from a parent chunk, not from the start of the document?"
# How a text ends that was cut short.
CUT = "...", "…", "...]", "…]", "...)", "…)"
NO_SPELLING: Mapping[str, str] = {}


@dataclass(frozen=True, eq=False)
class PlacedRows:
    """Records of spans, where they stand, and what was decided about their places."""

    records: list[dict[str, Any]]
    places: Places
    notes: list[str]


def placed_rows(
    rows: TextRows, collection: Any, policy: Texts = "check", spelling: Mapping[str, str] = NO_SPELLING
) -> PlacedRows:
    """The rows as records of spans. Where there are documents, texts are compared with them, and found in them.

    `spelling` tells what a document is called by others that it will be compared with.
    """
    names = [document_of_row(rows, row, collection) for row in range(len(rows))]
    said = [row for row in rows.placed() if names[row] is not None and trusted(rows, row, collection, policy)]
    notes: list[str] = []
    spans: dict[int, list[Any]] = {row: [(names[row], rows.chunks[row].start, rows.chunks[row].end)] for row in said}
    with_text = [row for row in said if is_comparable(rows, row, names[row], collection)]
    if policy != "ignore" and with_text:
        if collection is None:
            notes += [*lengths_noted(rows, with_text), *contradictions_noted(rows, with_text)]
        else:
            evidence = compared(rows.said(with_text, [str(names[row]) for row in with_text]), collection)
            if policy == "check":
                notes += offsets_noted(rows, with_text, evidence)
            else:
                for misplaced in evidence.wrong:
                    del spans[with_text[misplaced.row]]
    open_rows = [row for row in range(len(rows)) if row not in spans]
    refuse_nothing_told(rows, open_rows, collection)
    if open_rows and collection is None:
        raise unknown_places(rows, open_rows)
    if open_rows:
        places, further = found_places(rows, open_rows, names, collection, policy)
        spans |= places
        notes += further
    records, of_rows = [], []
    for row in sorted(spans):
        for name, start, end in spans[row]:
            document = spelt(name, collection, spelling)
            records.append({**rows.records[row], "doc_id": document, "start": start, "end": end})
            of_rows.append(row)
    return PlacedRows(records, rows.places.of(np.array(of_rows, np.int64)), notes)


def is_comparable(rows: TextRows, row: int, name: str | None, collection: Any) -> bool:
    """Whether a row has a text that can be compared; a file that has documents of its own need not have all."""
    if rows.chunks[row].text is None:
        return False
    return collection is None or not rows.documents or collection.own_id(name) is not None


def document_of_row(rows: TextRows, row: int, collection: Any) -> str | None:
    """The document of a row: of the names that it may have the first that the documents have, if there are any.

    A framework may name a document by its whole path, or by an id that it made up; then the text has to tell where it
    is from.
    """
    names = rows.chunks[row].documents
    if collection is None:
        return names[0] if names else None
    known = next((there for name in names if (there := name_there(name, collection)) is not None), None)
    return names[0] if known is None and names and not rows.are_objects else known


def name_there(name: str, collection: Any) -> str | None:
    """What of a name, which may be a path, the documents know: all of it, or without as few folders as possible."""
    return next((each for each in without_folders(name) if each and collection.own_id(each) is not None), None)


def own_name(name: str, collection: Any) -> str | None:
    """What the documents call the one that a name, which may be a path, is of; None where they have none."""
    there = name_there(name, collection)
    return None if there is None else collection.own_id(there)


def trusted(rows: TextRows, row: int, collection: Any, policy: Texts) -> bool:
    """Whether the place that a row tells is compared: not where it is known to count from another chunk."""
    chunk = rows.chunks[row]
    return not chunk.in_parent or (collection is not None and chunk.text is not None) or policy == "ignore"


def spelt(name: str, collection: Any, spelling: Mapping[str, str]) -> str:
    """The name of a document as others write it."""
    return spelling.get(collection.own_id(name) or name, name) if collection is not None and spelling else name


def lengths_noted(rows: TextRows, which: list[int]) -> Iterator[str]:
    """Without documents the length of a text can be compared: it is that of the place."""
    wrong = [row for row in which if rows.chunks[row].length_differs]
    if not wrong:
        return
    first = "; ".join(length_fault(rows, row) for row in wrong[:FEW])
    what = f"the offsets of {len(wrong):,} of {counted(len(which), 'text')} do not fit the lengths ({first})"
    if len(wrong) > len(which) / 10:
        raise InputError(f"{what}; {WITHOUT_DOCUMENTS}", rows.label)
    yield f"{rows.label}: {what}; counted as the offsets say"


def contradictions_noted(rows: TextRows, which: list[int]) -> Iterator[str]:
    """That some texts differ from others of the same place; where too many do, that is an error."""
    wrong = contradictions(rows, which)
    if not wrong:
        return
    number, words = f"{len(wrong):,} of {counted(len(which), 'text')}", contradiction_words(rows, *wrong[0])
    what = f"{number} differ from another of the same place ({words}); {OF_PARENT}"
    if len(wrong) > len(which) / 10:
        raise InputError(f"{what} give documents= to have the texts found, {AS_TOLD}", rows.label)
    yield f"{rows.label}: {what} counted as the offsets say"


def contradictions(rows: TextRows, which: list[int]) -> list[tuple[int, int]]:
    """Rows whose texts differ from that of another row, which is told too, that begins at the same place."""
    first: dict[tuple[str, int | None], int] = {}
    wrong = []
    for row in which:
        chunk = rows.chunks[row]
        before = first.setdefault((chunk.documents[0], chunk.start), row)
        ours, theirs = chunk.text or "", rows.chunks[before].text or ""
        if not (ours.startswith(theirs) or theirs.startswith(ours)):
            wrong.append((row, before))
    return wrong


def contradiction_words(rows: TextRows, row: int, before: int) -> str:
    """How the text of a row differs from another of the same place."""
    chunk = rows.chunks[row]
    ours, theirs = (quoted(rows.chunks[each].text or "", 40) for each in (row, before))
    place = f"{chunk.start} in document {chunk.documents[0]}"
    return f"{rows.in_words(row)}: {ours} begins at {place}, and so does {theirs} ({rows.in_words(before)})"


def told_without_documents(rows: TextRows) -> list[str]:
    """What can be said of texts and their places where there are no documents."""
    which = [row for row in rows.placed() if rows.chunks[row].text is not None and not rows.chunks[row].in_parent]
    return [*lengths_noted(rows, which), *contradictions_noted(rows, which)]


def length_fault(rows: TextRows, row: int) -> str:
    """How the length of a text differs from that of its place."""
    chunk = rows.chunks[row]
    size = counted(len(chunk.text or ""), "character")
    text, span = quoted(chunk.text or "", 40), f"{chunk.start}-{chunk.end}"
    return f"{rows.in_words(row)}: {text} has {size}, and {span} {span_size(chunk)}"


def span_size(chunk: Any) -> int:
    """How many characters a place has."""
    return int(chunk.end - chunk.start)


def offsets_noted(rows: TextRows, which: list[int], evidence: TextEvidence) -> Iterator[str]:
    """That some offsets are wrong; where too many are, that is an error."""
    if not evidence.wrong:
        return
    first = "; ".join(f"{rows.in_words(which[each.row])}: {each}" for each in evidence.wrong[:FEW])
    wrong = f"{len(evidence.wrong):,} of {counted(evidence.compared, 'text')}"
    what = f"the offsets of {wrong} are wrong ({evidence.summary()})"
    causes = "".join(f"; {cause}" for cause in evidence.causes())
    if evidence.is_bad:
        raise InputError(f"{what}{causes}; {first}; {INSTEAD}", rows.label)
    yield f"{rows.label}: {what}{causes}; counted as the offsets say"


def refuse_nothing_told(rows: TextRows, which: list[int], collection: Any) -> None:
    """A row whose place is not known must have a text; of an object it is said what else it has."""
    for row in which:
        chunk = rows.chunks[row]
        if chunk.text is not None:
            continue
        if collection is not None and chunk.documents and chunk.start is not None and chunk.end is not None:
            what = f"document {quoted(chunk.documents[0])} is not in {collection.label}"
            raise rows.places[row].fault(f"{what}; expected one that is there, or a text to look for")
        keys = f"; its keys are {listed(rows.keys[row], 12)}" if row in rows.keys else ""
        what = f"has neither a known place nor a text{keys}; expected a document, start and end, or a text"
        raise rows.places[row].fault(what)


def unknown_places(rows: TextRows, which: list[int]) -> InputError:
    """Rows whose places are not known, and there are no documents to find them in."""
    why = Counter(reason(rows, row) for row in which)
    reasons = ", ".join(f"{times:,} {words}" for words, times in why.items())
    what = f"the places of {len(which):,} of {counted(len(rows), rows.things)} are not known ({reasons})"
    text = quoted(rows.chunks[which[0]].text or "", 40)
    return InputError(
        f"{what}, the first is {rows.in_words(which[0])}: {text}; give documents= to have them found", rows.label
    )


def reason(rows: TextRows, row: int) -> str:
    """Why the place of a row is not known."""
    chunk = rows.chunks[row]
    if chunk.in_parent:
        return "with offsets that count from a parent chunk, not from the start of the document"
    if chunk.start is None:
        return "with no start, or -1"
    return "with no document" if not chunk.documents else "with no end"


def found_places(
    rows: TextRows, which: list[int], names: list[str | None], collection: Any, policy: Texts
) -> tuple[dict[int, list[Any]], list[str]]:
    """Where the texts of some rows stand, and notes on that; what is not found is refused, unless it may be left out.
    """
    own = {name: collection.own_id(name) for name in {names[row] for row in which} if name is not None}
    absent = {row for row in which if names[row] is not None and own[names[row] or ""] is None}
    asked = [own.get(names[row] or "") for row in which]
    texts = ["" if row in absent else rows.chunks[row].text or "" for row in which]
    starts = [rows.chunks[row].start for row in which]
    topics = [rows.records[row].get("query_id") for row in which]
    answer = found_in_documents(texts, asked, collection.texts, collection.texts, starts, topics)
    how = Counter[str]()
    spans: dict[int, list[Any]] = {}
    for row, places in zip(which, answer.spans, strict=True):
        hows = [place.how for place in places]
        how[next((each for each in (AMBIGUOUS, MOVED) if each in hows), EXACT) if places else MISSING] += 1
        if places:
            spans[row] = [(names[row] or answer.names[place.document], place.start, place.end) for place in places]
    counts = f"{how[EXACT]:,} exact, {how[MOVED]:,} moved, {how[AMBIGUOUS]:,} ambiguous"
    missing = [row for row in which if row not in spans]
    if missing and policy != "drop":
        first = "; ".join(missing_words(rows, row, names[row], row in absent) for row in missing[:FEW])
        what = f"{len(missing):,} of {counted(len(which), 'text')} were not found in {collection.label} ({counts})"
        raise InputError(f"{what}: {first}; give texts=drop to leave out what is not found", rows.label)
    left = f", {len(missing):,} not found and left out" if missing else ""
    note = f"{rows.label}: {counted(len(which), 'text')} found in {collection.label}: {counts}{left}"
    found = zip(texts, answer.spans, answer.in_parts, strict=True)
    in_parts = [text for text, places, has_parts in found if places and has_parts]
    return spans, [note, *cut_texts_noted(rows.label, in_parts, len(which))]


def cut_texts_noted(label: str, in_parts: list[str], total: int) -> Iterator[str]:
    """That texts, of so many in all, end in an ellipsis which the documents do not have, as a log cuts them short."""
    if cut := sum(text.rstrip().endswith(CUT) for text in in_parts):
        what = f"{cut:,} of {counted(total, 'text')} end in an ellipsis"
        yield f"{label}: {what}, and count as far as that; were they cut short?"


def missing_words(rows: TextRows, row: int, name: str | None, absent: bool) -> str:
    """That a text was not found, and where it was looked for."""
    why = f" (there is no document {name})" if absent else ""
    return f"{rows.in_words(row)}: {quoted(rows.chunks[row].text or '', 40)}{why}"
