"""Count copies of the evidence: a verbatim copy of an excerpt elsewhere in the documents is as good as the excerpt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from assay.documents.search import Search, TextPlaces
from assay.errors import InputError, UsageError, quote
from assay.evaluation.notes import OF_GOLD, sentences
from assay.ranking.text import SpanTexts
from assay.reading.text_locator import TextLocator
from assay.tables.ids import Grades, Ids, Ints
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments, Labels
from assay.tables.notes import Notes

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# An excerpt with more copies than this may be a common phrase, and no evidence elsewhere.
MANY = 100
# More places than this cannot be intended, and would take gigabytes.
MOST = 2_000_000
# Overlapping copies of a text are compared with each other; the limit, in characters.
MOST_OVERLAPPING = 250_000


def copies_counted(
    judgments: Judgments, collection: DocumentCollection | None, placing: TextLocator
) -> tuple[Judgments, str]:
    """Return the judgments with all copies of their evidence highlighted, too, and a note on their number."""
    if collection is None:
        raise UsageError("copies of the evidence are found in the documents; pass documents=")
    if not isinstance(judgments, HighlightJudgments):
        raise InputError("these judgments have no highlighted text; copies=True needs it", judgments.name)
    evidence, spelling = ExcerptTexts.of(judgments, collection), placing.spelling(judgments)
    names, places = evidence.places(collection)
    evidence.refuse_everywhere(places, judgments.name)
    with_copies = Copying(judgments, evidence, [spell_document(name, spelling) for name in names], places)
    (note,) = sentences(OF_GOLD, [(judgments.name, with_copies.notes())])
    return with_copies.table(), note


def spell_document(document: str, spelling: Mapping[str, str]) -> str:
    """Return the id that the judgments use for a document, or would use.

    If all other ids of the judgments have an ending, or lack the folder, so has the result.
    """
    if document in spelling or not spelling:
        return spelling.get(document, document)
    own, called = next(iter(spelling.items()))
    ending = called[len(own.rpartition("/")[2]) :] if "/" not in called else called[len(own) :]
    ways: tuple[Callable[[str], str], ...] = (
        lambda name: name,
        lambda name: name + ending,
        lambda name: name.rpartition("/")[2],
        lambda name: name.rpartition("/")[2] + ending,
    )
    usual = (way for way in ways if all(way(name) == each for name, each in spelling.items()))
    return next(usual, ways[0])(document)


class ExcerptTexts(NamedTuple):
    """The distinct texts of the highlighted spans; `number` has the index of each span's text."""

    texts: list[str]
    number: Ints

    @classmethod
    def of(cls, judgments: HighlightJudgments, collection: DocumentCollection) -> ExcerptTexts:
        """Read the evidence of judgments from the documents."""
        highlights = judgments.highlights
        texts = SpanTexts(collection, judgments.document).of(highlights.row, highlights.start, highlights.end)
        # sort them, so that nothing depends on the order of the judgments
        numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
        return cls(list(numbers), np.array([numbers[text] for text in texts], np.int64))

    def places(self, collection: DocumentCollection) -> tuple[list[str], TextPlaces]:
        """Return the ids of all documents, and all places of each text; texts of whitespace only are not searched."""
        names: list[str] = []
        wanted = np.flatnonzero([bool(text.strip()) for text in self.texts])
        if not len(wanted):
            return names, TextPlaces.gathered([])

        def documents() -> Iterator[tuple[int, str]]:
            for number, (name, text) in enumerate(collection.texts()):
                names.append(name)
                yield number, text

        none, everywhere = np.zeros(0, np.int64), np.ones(len(wanted), np.bool_)
        search = Search([self.texts[text] for text in wanted.tolist()], none, everywhere, np.iinfo(np.int64).max)
        places = search.exact(documents())
        return names, places._replace(text=wanted[places.text])

    def refuse_everywhere(self, places: TextPlaces, label: str) -> None:
        """Raise an error if the texts occur too often, for example single letters, or if too many copies overlap."""
        if len(places.text) > MOST:
            text, times = Counter(places.text.tolist()).most_common(1)[0]
            what = f"the excerpts occur {len(places.text):,} times in the documents"
            most = f"{quote(self.texts[text], 40)} alone {times:,} times"
            raise InputError(f"{what}, {most}; expected excerpts that are evidence wherever they occur", label)
        is_near = np.diff(places.start) < (places.end - places.start)[1:]
        is_same = (np.diff(places.text) == 0) & (np.diff(places.document) == 0)
        overlapping = np.flatnonzero(is_same & is_near) + 1
        sizes = (places.end - places.start)[overlapping]
        if sizes.sum() > MOST_OVERLAPPING:
            number = np.bincount(places.text[overlapping], sizes)
            text = int(np.argmax(number))
            what = f"copies of {quote(self.texts[text], 40)} overlap each other in the documents"
            counts = f"{int(number[text]):,} characters; the limit is {MOST_OVERLAPPING:,}"
            raise InputError(f"{what} ({counts}); expected excerpts that are evidence wherever they occur", label)


@dataclass(eq=False)
class Copying:
    """Adds the copies of each highlighted span to the judgments.

    `names` are the ids that the judgments use for the documents of the places.
    """

    judgments: HighlightJudgments
    evidence: ExcerptTexts
    names: list[str]
    places: TextPlaces
    # the spans to add: the number of the original span, the row, start and end
    origin: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    # the topic and document of each row to add
    added: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        topics, documents = self.judgments.topic.texts(), self.judgments.document.texts()
        rows = {pair: row for row, pair in enumerate(zip(topics, documents, strict=True))}
        first = np.searchsorted(self.places.text, np.arange(len(self.evidence.texts) + 1)).tolist()
        document, start, end = (column.tolist() for column in self.places[1:4])
        for span, text, row, begin in self._spans():
            for place in range(first[text], first[text + 1]):
                pair = topics[row], self.names[document[place]]
                if start[place] == begin and pair[1] == documents[row]:
                    continue
                if pair not in rows:
                    rows[pair] = len(rows)
                    self.added.append(pair)
                self.origin.append(span)
                self.row.append(rows[pair])
                self.start.append(start[place])
                self.end.append(end[place])

    @property
    def _tells_apart(self) -> bool:
        """Whether spans with the same text may belong to different gold standards or facts."""
        return self.judgments.labels is not None or self.judgments.facts is not None

    def _spans(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield the spans whose copies are added, with their text, row and start.

        If spans cannot belong to different gold standards or facts, only the first span of a topic with the same text.
        """
        highlights, topics = self.judgments.highlights, self.judgments.topic.texts()
        seen: set[tuple[str, int]] = set()
        columns = self.evidence.number.tolist(), highlights.row.tolist(), highlights.start.tolist()
        for span, (text, row, start) in enumerate(zip(*columns, strict=True)):
            if self._tells_apart or (topics[row], text) not in seen:
                seen.add((topics[row], text))
                yield span, text, row, start

    def table(self) -> Judgments:
        """Return the judgments with the copies; a document with a copy becomes relevant."""
        judgments, highlights = self.judgments, self.judgments.highlights
        grade = cast(Grades, np.append(judgments.grade, np.zeros(len(self.added), judgments.grade.dtype)))
        grade[self.row] = np.maximum(grade[self.row], 1)
        topic, document = judgments.topic, judgments.document
        if self.added:
            topics, documents = zip(*self.added, strict=True)
            topic = Ids.concatenate([topic, Ids.of(topics)])
            document = Ids.concatenate([document, Ids.of(documents)])
        row, start, end = (np.array(column, np.int64) for column in (self.row, self.start, self.end))
        unknown = np.full(len(self.added), -1)
        told = Highlights(
            row=np.append(highlights.row, row),
            start=np.append(highlights.start, start),
            end=np.append(highlights.end, end),
            length=np.append(highlights.length, unknown),
            entry=np.append(highlights.entry, unknown),
            # the sizes in the file do not include the copies
            rsize=np.full(len(grade), -1),
        )
        copies = np.append(self.evidence.number, self.evidence.number[self.origin])
        facts, spans = judgments.facts, np.append(np.arange(len(highlights.row)), np.array(self.origin, np.int64))
        with_copies = replace(judgments, grade=grade, highlights=told, labels=self._labels(), copies=copies)
        with_facts = replace(with_copies, facts=None if facts is None else facts.at(spans))
        return replace(with_facts, topic=topic, document=document)

    def _labels(self) -> Labels | None:
        """Return the labels; each copy has the labels of its original."""
        labels = self.judgments.labels
        if labels is None:
            return None
        by_span: dict[int, list[int]] = {}
        for number, span in enumerate(labels.span.tolist()):
            by_span.setdefault(span, []).append(number)
        spans = len(self.judgments.highlights.row)
        again = [(label, copy) for copy, span in enumerate(self.origin) for label in by_span.get(span, ())]
        label, copy = np.array(again, np.int64).reshape(-1, 2).T
        rows = np.array(self.row, np.int64)
        sets, annotators = (
            None if ids is None else Ids.concatenate([ids, ids[label]]) for ids in (labels.sets, labels.annotators)
        )
        grade = cast(Grades, np.append(labels.grade, labels.grade[label]))
        return Labels(np.append(labels.row, rows[copy]), np.append(labels.span, spans + copy), grade, sets, annotators)

    def notes(self) -> Notes:
        """Note how many excerpts have how many copies, and the most frequent excerpt if it has very many."""
        places, notes = Counter(self.places.text.tolist()), Notes()
        copies = [max(places[text] - 1, 0) for text in self.evidence.number.tolist()]
        kind, most = "copies", max(copies, default=0)
        if most > MANY:
            kind += f" {quote(self.evidence.texts[int(self.evidence.number[copies.index(most)])], 40)}"
        notes.add(kind, examples=sorted(Counter(copies).items()), high=most + 1)
        return notes
