"""INEX's submissions of 2002 to 2010 in XML, in the dialects of many systems.

Results are elements (`<path>`), passages between two points (`<passage start end/>`), or offset and length (`<fol/>`).
They have a rank or a value (`<rsv>`), both, or none; then their order in the file is that of the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, quoted
from assay.files.source import Source
from assay.formats import fol
from assay.formats.element_places import with_characters
from assay.formats.line_fields import is_whole, refused_id, wrong_number, wrong_whole
from assay.formats.numbers import numbers
from assay.formats.regular_submissions import regular_columns
from assay.formats.xml_events import (
    document_id,
    elements,
    line_of_element,
    lines_go_on,
    place_of_element,
    root,
    stripped_text,
)
from assay.tables.ids import Floats, Ids, Ints
from assay.tables.places import Place, Places
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.documents.lookup import Documents

SUBMISSIONS = ("inex-submission", "efficiency-submission")
SNIPPETS = "inex-snippet-submission"
ASSESSMENTS = "assessments"
POINTS = "start", "end"


@dataclass(eq=False, repr=False)
class SubmittedResults:
    """The results of a run, as they are read, a list for each field."""

    source: Source
    topic: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    rank: list[str] = field(default_factory=list)
    rsv: list[str] = field(default_factory=list)
    kind: str = ""

    def add(self, topic: str, result: Any) -> None:
        """A result of a topic."""
        parts: dict[str, Any] = {}
        for child in result:
            name = child.tag
            if name in ("path", "passage", "fol"):
                if "place" in parts:
                    raise self.fault(
                        result, f"a result has both <{parts['place'].tag}> and <{name}>; expected one place"
                    )
                name = "place"
            parts[name] = child
        if "file" not in parts or not (document := document_id(stripped_text(parts["file"]))):
            raise self.fault(result, "a result has no <file>")
        if "place" not in parts:
            raise self.fault(result, "a result has no <path>, <passage> or <fol>")
        first, last = self.place(parts["place"])
        self.topic.append(topic)
        self.document.append(document)
        self.first.append(first)
        self.last.append(last)
        self.rank.append(stripped_text(parts["rank"]) if "rank" in parts else "")
        self.rsv.append(stripped_text(parts["rsv"]) if "rsv" in parts else "")

    def place(self, element: Any) -> tuple[str, str]:
        """The two texts that tell where a result is: paths, or an offset and a length."""
        kind = "fol" if element.tag == "fol" else "path"
        if self.kind not in ("", kind):
            raise self.fault(element, "some results have element paths and others <fol>; expected one kind in a run")
        self.kind = kind
        if element.tag == "path":
            first, last = stripped_text(element), ""
        else:
            first, last = (
                self.attribute(element, name) for name in (("offset", "length") if kind == "fol" else POINTS)
            )
        if kind == "path":
            for path in filter(lambda path: not path.startswith("/"), (first, last or "/")):
                raise self.fault(element, f"path {quoted(path)} does not begin with /, as in /article[1]/sec[2]")
        return first, last

    def attribute(self, element: Any, name: str) -> str:
        """The value of an attribute, which has to be there."""
        if not (value := (element.get(name) or "").strip()):
            raise self.fault(element, f"<{element.tag}> has no {name}")
        return str(value)

    def fault(self, element: Any, what: str) -> InputError:
        """The error about an element of the file: with its line, or else the number of the result."""
        place = place_of_element(element, self.source)
        return (place if place.number else Place(place.name, len(self.topic) + 1, "result")).fault(what)

    @property
    def places(self) -> Places:
        """Where the results stand: on lines, or where the library cannot count so many, by their number."""
        known = lines_go_on()
        return Places(
            self.source.label, (lambda row: self.lines({row})[0]) if known else None, "line" if known else "result"
        )

    def lines(self, rows: set[int]) -> list[int]:
        """The lines of some results. The file is read again: to know a line
        takes long while an element has many neighbours.
        """
        results = (element for element in elements(self.source, "result") if element.getparent().tag == "topic")
        return [element.sourceline for row, element in enumerate(results) if row in rows]

    def find(self, topic: str, document: str) -> list[Place]:
        """The places of the results of a document in a topic."""
        rows = [
            row for row, pair in enumerate(zip(self.topic, self.document, strict=True)) if pair == (topic, document)
        ]
        if not lines_go_on():
            return [self.places[row] for row in rows]
        return [Place(self.source.label, line) for line in self.lines(set(rows))]


def submitted_run(source: Source, documents: Documents | None = None) -> Run:
    """A submission."""
    refuse_other_than_submissions(source)
    if columns := regular_columns(source):
        submitted = Run(
            source.label,
            columns["topic"],
            columns["file"],
            lambda topic, document: read_results(source).find(topic, document),
            path=columns["path"],
            **ranks_and_scores(columns.get("rank"), columns.get("rsv"), columns["topic"]),
        )
        return with_characters(submitted, documents, SubmittedResults(source).places)
    results = read_results(source)
    topic, document = Ids.of(results.topic), Ids.of(results.document)
    submitted = Run(source.label, topic, document, results.find, **order(results), **places_of_parts(results))
    return with_characters(submitted, documents, results.places)


def read_results(source: Source) -> SubmittedResults:
    """The results of a submission, element by element."""
    results = SubmittedResults(source)
    for topic in elements(source, "topic"):
        name = (topic.get("topic-id") or "").strip()
        if not name:
            raise results.fault(topic, "a <topic> has no topic-id")
        for result in topic.iterchildren("result"):
            results.add(name, result)
    for ids, what in ((results.topic, "topic"), (results.document, "document")):
        if long := next((text for text in ids if len(text) > 10_000 and refused_id(what, len(text.encode()))), None):
            raise results.places[ids.index(long)].fault(str(refused_id(what, len(long.encode()))))
    return results


def places_of_results(source: Source) -> Places:
    """Where the results of a submission stand, all found at the first question."""
    if not lines_go_on():
        return Places(source.label, noun="result")

    @cache
    def numbers_of_lines() -> list[int | None]:
        return [
            line_of_element(result) for topic in elements(source, "topic") for result in topic.iterchildren("result")
        ]

    return Places(source.label, lambda row: numbers_of_lines()[row])


def refuse_other_than_submissions(source: Source) -> None:
    """The outermost element must be that of a run."""
    name, _ = root(source)
    if name == SNIPPETS:
        raise source.fault("is a submission of snippets, which are texts of their own and no parts of documents")
    if name == ASSESSMENTS:
        raise source.fault("these are assessments; expected a run: judgments are given first, the runs after them")
    if name not in SUBMISSIONS:
        raise source.fault(f"is XML of another kind, <{name}>; expected <{'> or <'.join(SUBMISSIONS)}>")


def order(results: SubmittedResults) -> dict[str, Any]:
    """Rank and score of all results: both as they are told, and what is told
    by no result from the other, or from the file.
    """
    rank = column(results, "rank")
    return ranks_and_scores(rank, column(results, "rsv", needed=not any(results.rank)), results.topic)


def ranks_and_scores(rank: Floats | None, score: Floats | None, topics: Ids | list[str]) -> dict[str, Any]:
    """Rank and score of results, as far as they are told; where neither is, the order is that of the file."""
    if rank is None and score is not None:
        return {"score": score}
    told = rank.astype(np.int64) if rank is not None else counted_up(topics)
    return {"rank": told, "score": -told.astype(np.float64) if score is None else score, "by_rank": True}


def column(results: SubmittedResults, name: str, needed: bool = True) -> Floats | None:
    """The numbers of all results; None where none has any. Where some have and
    others not, that is wrong if they are needed.
    """
    texts: list[str] = getattr(results, name)
    if not all(texts):
        if any(texts) and needed:
            raise results.places[texts.index("")].fault(f"a result has no <{name}>, which others have")
        return None
    values = numbers(Ids.of(texts))
    good = is_whole(values) if name == "rank" else np.isfinite(values)
    for row in np.flatnonzero(~good):
        why = wrong_whole(texts[row]) if name == "rank" else wrong_number(texts[row])
        raise results.places[int(row)].fault(f"{name} {quoted(texts[row])} is {why}")
    return values


def counted_up(topics: Ids | list[str]) -> Ints:
    """The place of each result among those of its topic, in the order of the file."""
    topics = topics.texts() if isinstance(topics, Ids) else topics
    seen: dict[str, int] = {}
    for name in topics:
        seen[name] = seen.get(name, 0) + 1
    ranks = {name: iter(range(1, number + 1)) for name, number in seen.items()}
    return np.fromiter((next(ranks[name]) for name in topics), np.int64, len(topics))


def places_of_parts(results: SubmittedResults) -> dict[str, Any]:
    """Where all results are: their paths, or their characters."""
    if results.kind == "path":
        return {"path": Ids.of(results.first), "last": Ids.of(results.last) if any(results.last) else None}
    start, length = numbers(Ids.of(results.first)), numbers(Ids.of(results.last))
    for row in np.flatnonzero(~(fol.is_natural(start) & fol.is_natural(length))).tolist():
        values = ("offset", results.first[row]), ("length", results.last[row])
        raise results.places[row].fault(next(wrong for value in values if (wrong := fol.RUN.wrong_value(*value))))
    return {"start": start.astype(np.int64), "end": (start + length).astype(np.int64)}
