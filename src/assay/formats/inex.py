"""INEX's XML: submissions of 2002 to 2010, in the dialects of many systems, and assessments of 2005 to 2007.

Results are elements (`<path>`), passages between two points (`<passage start end/>`), or offset and length (`<fol/>`). They have
a rank or a value (`<rsv>`), both, or none; then their order in the file is that of the ranking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, quoted
from assay.files.source import Source
from assay.formats import fol, not_empty
from assay.formats.elements import located
from assay.formats.lines import is_whole, too_long, wrong_number, wrong_whole
from assay.formats.numbers import numbers
from assay.tables.ids import Floats, Ids, Ints
from assay.tables.judgments import Judgments
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.documents.documents import Documents

SUBMISSIONS = ("inex-submission", "efficiency-submission")
ASSESSMENTS = "assessments"
SNIPPETS = "inex-snippet-submission"
# The line of an element that may be this or any later one.
LAST_LINE = 65535
POINTS = "start", "end"


def run_blocks(source: Source, gather: bool, documents: Documents | None = None) -> Iterator[Callable[[], Run | None]]:
    """A run, all of it at once."""
    yield lambda: not_empty(run(source, documents))


def judgments(source: Source, documents: Documents | None = None) -> Judgments:
    """Assessments of one topic."""
    from assay.formats.assessments import judgments_of

    return judgments_of([source], source.label, documents)


# XML


def events(source: Source, event: str, tag: str | None = None) -> Iterator[Any]:
    """Every element, or every one of a name, that starts or ends. No other file is opened, and entities are left as they are."""
    from lxml import etree

    reader = etree.XMLPullParser((event,), tag=tag, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
    with refusing_xml(source):
        for block in source.blocks():
            reader.feed(block)
            yield from (element for _, element in reader.read_events())
        reader.close()
        yield from (element for _, element in reader.read_events())


@contextmanager
def refusing_xml(source: Source) -> Iterator[None]:
    """What the parser refuses is a fault of the file."""
    from lxml import etree

    try:
        yield
    except etree.XMLSyntaxError as error:
        line, place = error.position
        what = re.sub(r", line \d+, column \d+$", "", error.msg or "it is cut short")
        raise source.fault(f"is not well-formed XML (column {place}): {what}", line or None) from None


def root(source: Source) -> tuple[str, dict[str, str]]:
    """The name and the attributes of the outermost element."""
    element = next(events(source, "start"))
    return str(element.tag), dict(element.attrib)


def elements(source: Source, tag: str) -> Iterator[Any]:
    """Every element of a name, as soon as it is read; it is forgotten when the next one is asked for."""
    for element in events(source, "end", tag):
        yield element
        forget(element)


def forget(element: Any) -> None:
    """Free an element, and what stands before it."""
    element.clear()
    above = element.getparent()
    while above is not None and element.getprevious() is not None:
        del above[0]


def line_of(element: Any) -> int | None:
    """The line on which an element begins, where that is known."""
    line: int = element.sourceline
    return line if line != LAST_LINE or lines_go_on() else None


@cache
def lines_go_on() -> bool:
    """Whether the library counts more lines than a number of two bytes can; it depends on its version."""
    from lxml import etree

    return bool(etree.fromstring(b"<a>" + b"\n" * LAST_LINE + b"<b/></a>")[0].sourceline > LAST_LINE)


def text_of(element: Any) -> str:
    """The text of an element, without blanks around it."""
    return (element.text or "").strip()


def document_of(name: str) -> str:
    """A document's id: the name of its file, with or without its ending."""
    return name.strip().removesuffix(".xml")


# Runs


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
        found: dict[str, Any] = {}
        for child in result:
            name = child.tag
            if name in ("path", "passage", "fol"):
                if "place" in found:
                    raise self.fault(result, f"a result has both <{found['place'].tag}> and <{name}>; expected one place")
                name = "place"
            found[name] = child
        if "file" not in found or not (document := document_of(text_of(found["file"]))):
            raise self.fault(result, "a result has no <file>")
        if "place" not in found:
            raise self.fault(result, "a result has no <path>, <passage> or <fol>")
        first, last = self.place(found["place"])
        self.topic.append(topic)
        self.document.append(document)
        self.first.append(first)
        self.last.append(last)
        self.rank.append(text_of(found["rank"]) if "rank" in found else "")
        self.rsv.append(text_of(found["rsv"]) if "rsv" in found else "")

    def place(self, element: Any) -> tuple[str, str]:
        """The two texts that tell where a result is: paths, or an offset and a length."""
        kind = "fol" if element.tag == "fol" else "path"
        if self.kind not in ("", kind):
            raise self.fault(element, "some results have element paths and others <fol>; expected one kind in a run")
        self.kind = kind
        if element.tag == "path":
            first, last = text_of(element), ""
        else:
            first, last = (self.attribute(element, name) for name in (("offset", "length") if kind == "fol" else POINTS))
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
        line = line_of(element)
        return self.source.fault(what if line else f"result {len(self.topic) + 1}: {what}", line)

    def row_fault(self, row: int, what: str) -> InputError:
        """The error about a result that was read before."""
        line = self.line(row)
        return self.source.fault(what if line else f"result {row + 1}: {what}", line)

    def line(self, row: int) -> int | None:
        """The line of a result."""
        return self.lines({row})[0] if lines_go_on() else None

    def lines(self, rows: set[int]) -> list[int]:
        """The lines of some results. The file is read again: to know a line takes long while an element has many neighbours."""
        results = (element for element in elements(self.source, "result") if element.getparent().tag == "topic")
        return [element.sourceline for row, element in enumerate(results) if row in rows]

    def places(self, topic: str, document: str) -> list[int]:
        """The lines, or the numbers, of the results of a document in a topic."""
        rows = [row for row, pair in enumerate(zip(self.topic, self.document, strict=True)) if pair == (topic, document)]
        return self.lines(set(rows)) if lines_go_on() else [row + 1 for row in rows]


def run(source: Source, documents: Documents | None = None) -> Run:
    """A submission."""
    refuse_other_than_submissions(source)
    results = SubmittedResults(source)
    for topic in elements(source, "topic"):
        name = (topic.get("topic-id") or "").strip()
        if not name:
            raise results.fault(topic, "a <topic> has no topic-id")
        for result in topic.iterchildren("result"):
            results.add(name, result)
    for ids, what in ((results.topic, "topic"), (results.document, "document")):
        if long := next((one for one in ids if len(one) > 10_000 and too_long(what, len(one.encode()))), None):
            raise results.row_fault(ids.index(long), str(too_long(what, len(long.encode()))))
    topic, document = Ids.of(results.topic), Ids.of(results.document)
    unit = "line" if lines_go_on() else "result"
    found = Run(source.label, topic, document, results.places, unit, **order(results), **places(results))
    return located(found, documents, lambda _, row: results.line(row))


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
    """Rank and score of all results: both as they are told, and what is told by no result from the other, or from the file."""
    rank, score = column(results, "rank"), column(results, "rsv", needed=not any(results.rank))
    if rank is None and score is not None:
        return {"score": score}
    told = rank.astype(np.int64) if rank is not None else counted_up(results.topic)
    return {"rank": told, "score": -told.astype(np.float64) if score is None else score, "by_rank": True}


def column(results: SubmittedResults, name: str, needed: bool = True) -> Floats | None:
    """The numbers of all results; None where none has any. Where some have and others not, that is wrong if they are needed."""
    texts: list[str] = getattr(results, name)
    if not all(texts):
        if any(texts) and needed:
            raise results.row_fault(texts.index(""), f"a result has no <{name}>, which others have")
        return None
    values = numbers(Ids.of(texts))
    good = is_whole(values) if name == "rank" else np.isfinite(values)
    for row in np.flatnonzero(~good):
        why = wrong_whole(texts[row]) if name == "rank" else wrong_number(texts[row])
        raise results.row_fault(int(row), f"{name} {quoted(texts[row])} is {why}")
    return values


def counted_up(topics: list[str]) -> Ints:
    """The place of each result among those of its topic, in the order of the file."""
    seen: dict[str, int] = {}
    for name in topics:
        seen[name] = seen.get(name, 0) + 1
    ranks = {name: iter(range(1, number + 1)) for name, number in seen.items()}
    return np.fromiter((next(ranks[name]) for name in topics), np.int64, len(topics))


def places(results: SubmittedResults) -> dict[str, Any]:
    """Where all results are: their paths, or their characters."""
    if results.kind == "path":
        return {"path": Ids.of(results.first), "last": Ids.of(results.last) if any(results.last) else None}
    start, length = numbers(Ids.of(results.first)), numbers(Ids.of(results.last))
    for row in np.flatnonzero(~(fol.is_natural(start) & fol.is_natural(length))).tolist():
        values = ("offset", results.first[row]), ("length", results.last[row])
        raise results.row_fault(row, next(wrong for value in values if (wrong := fol.RUN.wrong_value(*value))))
    return {"start": start.astype(np.int64), "end": (start + length).astype(np.int64)}
