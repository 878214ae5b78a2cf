"""Read and write INEX's assessments of 2002 to 2007, one XML file per topic.

They have assessed elements, and since 2005 highlighted passages. Passages run from one point to another. Points are
element paths, so only the documents show which characters they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.documents.xml import normal
from assay.errors import ORDER_OF_INPUTS, InputError, count_noun, quote
from assay.files.source import Source
from assay.reading.columns import resolve_places
from assay.reading.format import Readable, Unresolved
from assay.reading.formats.submissions import ASSESSMENTS, POINTS, SUBMISSIONS
from assay.reading.xml_events import document_id, elements, place_of_element, root
from assay.tables import judgments as tables
from assay.tables.ids import Ids
from assay.tables.places import Place, Places, twice

if TYPE_CHECKING:
    from lxml import etree

    from assay.documents.collection import DocumentCollection

# The assessed elements of INEX's assessments: exhaustivity and specificity, as they were written in each year.
#
# 2002:          <path path="…" relevance="0..3" coverage="N|S|L|E"/>
#                coverage S, L, E (too small, too large, exact) is specificity 1, 2, 3
# 2003, 2004:    <path path="…" exhaustiveness="0..3" specificity="0..3"/>
# 2005 to 2007:  <element path="…" exhaustivity="?|0|1|2" size="…" rsize="…"/>
#                specificity is rsize / size

TAGS = ("element", "path")
EXHAUSTIVITY = ("exhaustivity", "exhaustiveness", "relevance")
COVERAGE = {"N": 0, "S": 1, "L": 2, "E": 3}
TOO_SMALL = "?"
HIGHEST = {"2003": 3, "2005": 2}
LONGEST = 15


@dataclass(eq=False, repr=False)
class Grades:
    """The assessed elements of all files, as they are read."""

    row: list[int] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    exhaustivity: list[int] = field(default_factory=list)
    specificity: list[float] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    scale: str = ""
    seen: dict[tuple[int, str], tuple[tuple[int, float, int], Place]] = field(default_factory=dict)

    def add(self, row: int, element: etree._Element, place: Place) -> None:
        """Add one assessed element."""
        try:
            path, scale, grades = read_element(element)
        except ValueError as error:
            raise place.fault(str(error)) from None
        if self.scale and scale != self.scale:
            raise place.fault(
                f"the grades of {scale} and of {self.scale} are mixed; expected the grades of one year"
            )
        if (row, path) in self.seen:
            before, first = self.seen[row, path]
            if before != grades:
                raise place.fault(f"element {path} is assessed twice with different grades{first.first}")
            return
        self.scale = scale
        self.seen[row, path] = grades, place
        self.row.append(row)
        self.path.append(path)
        self.exhaustivity.append(grades[0])
        self.specificity.append(grades[1])
        self.size.append(grades[2])

    def elements(self) -> tables.AssessedElements | None:
        """Return the table of the assessed elements; None if there are none."""
        if not self.row:
            return None
        return tables.AssessedElements(
            np.array(self.row, np.int64),
            self.path,
            np.array(self.exhaustivity, np.int64),
            np.array(self.specificity, np.float64),
            np.array(self.size, np.int64),
            self.scale,
        )

    def relevant(self, rows: int) -> Any:
        """Return which judged documents have an element that is both exhaustive and specific.

        Exhaustivity `?` (too small) counts as exhaustive here.
        """
        relevant = np.zeros(rows, bool)
        e, s = np.array(self.exhaustivity, np.int64), np.array(self.specificity)
        relevant[np.array(self.row, np.int64)[(e != 0) & (s > 0)]] = True
        return relevant


def read_element(element: etree._Element) -> tuple[str, str, tuple[int, float, int]]:
    """Return the path of an assessed element, its scale, and its exhaustivity, specificity and size (-1 if unknown)."""
    if not (path := (element.get("path") or "").strip()):
        raise ValueError(f"<{element.tag}> has no path; expected for example /article[1]/sec[2]")
    try:
        full = normal(path)
    except ValueError:
        raise ValueError(f"{quote(path)} is not an element path; expected for example /article[1]/sec[2]") from None
    name = next((name for name in EXHAUSTIVITY if element.get(name) is not None), None)
    if name is None:
        raise ValueError(f"<{element.tag}> has no {EXHAUSTIVITY[0]}; expected a grade")
    size = number_of_characters(element, "size") if element.get("size") is not None else -1
    if element.get("rsize") is not None:
        e = exhaustivity(element, name, "2005")
        return full, "2005", (e, specificity(element, size), size)
    if element.get("specificity") is None and element.get("coverage") is None:
        raise ValueError(
            f"<{element.tag}> has no specificity; expected specificity, coverage (2002), or size and rsize (2005)"
        )
    e = exhaustivity(element, name, "2003")
    kind = "coverage" if element.get("coverage") is not None else "specificity"
    s = coverage(element) if kind == "coverage" else grade(element, kind, HIGHEST["2003"])
    if (e > 0) != (s > 0):
        raise ValueError(
            f"{name} {e} contradicts {kind} {element.get(kind).strip()}; expected both to mean relevant, or neither"
        )
    return full, "2003", (e, float(s), size)


def exhaustivity(element: etree._Element, name: str, scale: str) -> int:
    """Return the exhaustivity of an element; -1 is `?`, too small."""
    if scale == "2005" and element.get(name).strip() == TOO_SMALL:
        return -1
    return grade(element, name, HIGHEST[scale])


def grade(element: etree._Element, name: str, highest: int) -> int:
    """Return a grade from 0 to the highest."""
    text = (element.get(name) or "").strip()
    if not text:
        raise ValueError(f"<{element.tag}> has no {name}; expected a grade")
    if text not in map(str, range(highest + 1)):
        more = " or ?" if highest == HIGHEST["2005"] else ""
        raise ValueError(f"{name} {quote(text)} is out of range; expected 0 to {highest}{more}")
    return int(text)


def coverage(element: etree._Element) -> int:
    """Return the coverage of 2002 as a specificity."""
    text = element.get("coverage").strip().upper()
    if text not in COVERAGE:
        raise ValueError(f"unknown coverage {quote(text)}; expected N, S, L or E")
    return COVERAGE[text]


def number_of_characters(element: etree._Element, name: str) -> int:
    """Return an attribute that is a number of characters."""
    text = element.get(name).strip()
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{name} {quote(text)} is not a whole number of characters")
    if len(text) > LONGEST:
        raise ValueError(f"{name} {quote(text)} is too large; expected at most {LONGEST} digits")
    return int(text)


def specificity(element: etree._Element, size: int) -> float:
    """Return the specificity of an element: the share of it that is highlighted."""
    rsize = number_of_characters(element, "rsize")
    if size < 0:
        raise ValueError(f"<{element.tag}> has an rsize but no size; expected both")
    if rsize > size:
        raise ValueError(f"rsize {rsize} is greater than size {size}")
    return rsize / size if size else 0.0


ENDINGS = (".xml", ".xml.gz", ".xml.bz2", ".xml.xz", ".xml.zst")
GIVE_DOCUMENTS = (
    "the passages are element paths, and Assay needs the documents to find their characters; pass documents="
)


@dataclass(eq=False, repr=False)
class PathPoints:
    """Points in documents, or ranges from one point to another.

    Each has the row of its judgment, its path, the path of its end if it is a range, and the place where it was read.
    """

    row: list[int] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    def add(self, row: int, source: Source, element: etree._Element, *names: str) -> None:
        """Add the points that the attributes of an element name."""
        place = place_of_element(element, source)
        for name, paths in zip(names, (self.path, self.last), strict=False):
            if not (path := (element.get(name) or "").strip()):
                raise place.fault(f"<{element.tag}> has no {name}")
            paths.append(path)
        self.row.append(row)
        self.places.append(place)


@dataclass(eq=False, repr=False)
class Assessed:
    """The assessed documents of all files, as they are read."""

    topic: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    passages: PathPoints = field(default_factory=PathPoints)
    entries: PathPoints = field(default_factory=PathPoints)
    grades: Grades = field(default_factory=Grades)

    def add_file(self, source: Source, topic: str) -> None:
        """Add the documents of one topic."""
        before = len(self.topic)
        self._add_documents(source, topic)
        if len(self.topic) == before:
            raise source.fault("no document is assessed; expected a <file> for each document")

    def _add_documents(self, source: Source, topic: str) -> None:
        seen: dict[str, Place] = {}
        for element in elements(source, "file"):
            place = place_of_element(element, source)
            name = document_id(element.get("name") or element.get("file") or "")
            if not name:
                raise place.fault("a <file> has no name; expected the document id as its attribute name")
            if name in seen:
                raise twice(topic, name, "judged", seen[name], place)
            seen[name] = place
            row = len(self.topic)
            self.topic.append(topic)
            self.document.append(name)
            self.places.append(place)
            self.add_parts(source, row, element)

    def add_parts(self, source: Source, row: int, element: etree._Element) -> None:
        """Add the highlighted passages, the best entry point and the assessed elements of a document."""
        for passage in element.iterchildren("passage"):
            self.passages.add(row, source, passage, *POINTS)
        for entry in element.iterchildren("best-entry-point"):
            self.entries.add(row, source, entry, "path")
        for graded in element.iterchildren(*TAGS):
            self.grades.add(row, graded, place_of_element(graded, source))

    @property
    def has_passages(self) -> bool:
        """Whether there are passages or entry points, so that the documents are needed to find their characters."""
        return bool(self.passages.row or self.entries.row)

    def find(self, topic: str, document: str) -> list[Place]:
        """Return the places at which a document is judged for a topic."""
        rows = zip(self.topic, self.document, self.places, strict=True)
        return [place for *pair, place in rows if tuple(pair) == (topic, document) and place.number]


def judgments_below(
    paths: Sequence[str],
    documents: DocumentCollection | None,
    pools: Collection[str] | None = None,
    query_type: str | None = None,
    every_pool: bool = True,
) -> tables.Judgments:
    """Return the assessments of all XML files below some folders, of these pools and of this type of query."""
    files = [Source(file) for path in paths for file in (files_below(path) if os.path.isdir(path) else [path])]
    label = ", ".join(paths)
    asked = None if pools is None else {str(pool) for pool in ([pools] if isinstance(pools, str) else pools)}
    wanted = [source for source in files if is_wanted(source, asked, query_type)]
    lacking = (asked or set()) - {pool for source in wanted for pool in pools_of(source)}
    if every_pool and wanted and lacking:
        raise InputError(f"there is no pool {', '.join(sorted(lacking))}", label)
    if not wanted:
        which = f"pool {', '.join(sorted(asked))}" if asked else f"type {query_type}"
        raise InputError(f"none of the {count_noun(len(files), 'file')} has {which}", label)
    return judgments_of_files(wanted, label, documents)


def pools_of(source: Source) -> set[str]:
    """Return the pools of a file: from its attribute and from its name."""
    named = re.search(r"pool-(\w+)\.xml", source.path)
    return {root(source)[1].get("pool", "").strip(), named[1] if named else ""} - {""}


def is_wanted(source: Source, pools: Collection[str] | None, query_type: str | None) -> bool:
    """Return whether a file is of one of the pools, and of the type of query if it names one."""
    if pools is not None and pools_of(source).isdisjoint(pools):
        return False
    told = re.search(rb"""<inex_topic[^>]*\bquery_type\s*=\s*["']([^"']*)["']""", source.head())
    return query_type is None or told is None or told[1].decode(errors="replace").strip() == query_type


def files_below(path: str) -> list[str]:
    """Return the XML files below a folder, sorted by path."""
    files = (
        os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(ENDINGS)
    )
    return sorted(files)


def judgments_of_files(sources: list[Source], label: str, documents: DocumentCollection | None) -> tables.Judgments:
    """Return the assessments of several topics, one file each."""
    assessed = assessed_in(sources, label)
    if documents is None and assessed.grades.elements() is None and assessed.has_passages:
        raise InputError(GIVE_DOCUMENTS, label)
    return table_of_assessments(assessed, label, documents)


def readable_assessments(
    sources: list[Source], label: str, documents: DocumentCollection | None
) -> Readable[tables.Judgments]:
    """Return assessments, for a check. It ends at the first fault, because the rest of an XML file is then unknown.

    If there are passages but no documents to find their characters in, the passages can still be counted.
    """
    assessed = assessed_in(sources, label)
    places = Places(label, lambda row: None)
    unresolved = None
    if documents is None and assessed.passages.row:
        unresolved = Unresolved(assessed.topic, assessed.document, assessed.passages.row, assessed.entries.row)
    if documents is None and assessed.grades.elements() is None and assessed.has_passages:
        return Readable("judgments", None, places, [], unresolved=unresolved)
    judgments = table_of_assessments(assessed, label, documents)
    span_rows = judgments.highlights.row if isinstance(judgments, tables.HighlightJudgments) else None
    return Readable("judgments", judgments, places, [], np.arange(len(judgments)), span_rows, unresolved=unresolved)


def assessed_in(sources: list[Source], label: str) -> Assessed:
    """Read files of assessments; raise an error if two have the same topic."""
    assessed = Assessed()
    files: dict[str, str] = {}
    for source in sources:
        topic = assessed_topic(source)
        if topic in files:
            what = (
                f"topic {topic} is assessed in two files, {files[topic]} and {source.label}; choose one of their pools"
            )
            raise InputError(what, label)
        files[topic] = source.label
        assessed.add_file(source, topic)
    return assessed


def table_of_assessments(assessed: Assessed, label: str, documents: DocumentCollection | None) -> tables.Judgments:
    """Return the table of judgments. Without documents it has assessed elements, but no highlighted text."""
    elements = assessed.grades.elements()
    # elements can be measured without documents, passages cannot
    of_text = documents is not None or not assessed.has_passages
    highlights = highlights_of(assessed, documents) if of_text and (elements is None or assessed.has_passages) else None
    grade = assessed.grades.relevant(len(assessed.topic))
    if highlights is not None and assessed.has_passages:
        grade |= np.bincount(highlights.row, minlength=len(assessed.topic)) > 0
    topics, names = Ids.of(assessed.topic), Ids.of(assessed.document)
    return tables.make_judgments(
        label, topics, names, assessed.find, grade=grade.astype(np.int64), highlights=highlights, elements=elements
    )


def assessed_topic(source: Source) -> str:
    """Return the topic of a file of assessments."""
    name, attributes = root(source)
    if name in SUBMISSIONS:
        raise source.fault(f"this is a run; expected judgments: {ORDER_OF_INPUTS}")
    if name != ASSESSMENTS:
        raise source.fault(f"unknown XML element <{name}>; expected <{ASSESSMENTS}>")
    topic = attributes.get("topic", "").strip()
    if not topic:
        raise source.fault("<assessments> has no topic; expected an attribute topic")
    return topic


def highlights_of(assessed: Assessed, documents: DocumentCollection | None) -> tables.Highlights:
    """Return the characters of all passages and entry points, and the lengths of the documents."""
    passages, entries = assessed.passages, assessed.entries
    rows = len(assessed.topic)
    row = np.array(passages.row, np.int64)
    length, entry = np.full(rows, -1), np.full(rows, -1)
    start = end = np.zeros(0, np.int64)
    if documents is not None:
        names = [assessed.document[judged] for judged in passages.row]
        start, end = resolve_places(documents.spans, passages.places, names, passages.path, passages.last)
        names = [assessed.document[judged] for judged in entries.row]
        entry[entries.row] = resolve_places(documents.points, entries.places, names, entries.path)
        length = documents.lengths(assessed.document, missing="unknown")
    for empty in np.flatnonzero(end <= start):
        raise passages.places[empty].fault("a passage is empty: it ends before or where it begins")
    return tables.Highlights(row, start, end, length, entry, np.full(rows, -1))


# Writing assessments as INEX did from 2005 to 2007: passages by their points, and every element that overlaps one.


def assessment_lines(judgments: tables.HighlightJudgments, topic: str, documents: DocumentCollection) -> Iterator[str]:
    """Yield the lines of the file of a topic, as INEX's DTD requires; the definition of the topic is only its id.

    An element that was not assessed itself gets exhaustivity 2, as INEX derived it from 2006 on.
    """
    # here, because reading does not need it, and it loads 7 MB of Python's modules for the network
    from xml.sax.saxutils import quoteattr

    text, topics, names = judgments.highlights, judgments.topic.texts(), judgments.document.texts()
    collection = quoteattr(os.path.splitext(os.path.basename(getattr(documents, "label", "")))[0])
    yield f'<assessments pool={quoteattr(topic)} topic={quoteattr(topic)} version="2">'
    yield f" <inex_topic topic_id={quoteattr(topic)}/>"
    for row, name in ((row, name) for row, name in enumerate(names) if topics[row] == topic):
        spans = [(int(text.start[at]), int(text.end[at])) for at in np.flatnonzero(text.row == row)]
        yield f" <file collection={collection} name={quoteattr(name)}>"
        if text.entry[row] >= 0:
            yield f"  <best-entry-point path={quoteattr(documents.point(name, int(text.entry[row])))}/>"
        for start, end in sorted(spans):
            first, last = map(quoteattr, (documents.point(name, start), end_point(documents, name, end)))
            yield f'  <passage start={first} end={last} size="{end - start}"/>'
        for path, exhaustivity, size, rsize in written_elements(judgments, row, name, sorted(spans), documents):
            numbers = f'size="{size}" rsize="{rsize}"'
            yield f'  <element path={quoteattr(path)} exhaustivity="{exhaustivity}" {numbers}/>'
        yield " </file>"
    yield "</assessments>"


def end_point(documents: DocumentCollection, name: str, end: int) -> str:
    """Return the path of the point after the last character of a passage, in the element that has this character."""
    node, _, characters = documents.point(name, end - 1).rpartition(".")
    return f"{node}.{int(characters) + 1}"


def written_elements(
    judgments: tables.HighlightJudgments,
    row: int,
    name: str,
    spans: list[tuple[int, int]],
    documents: DocumentCollection,
) -> Iterator[tuple[str, str, int, int]]:
    """Yield the path, exhaustivity, size and highlighted size of each element that overlaps a passage."""
    levels: dict[str, int] = {}
    if isinstance(judgments, tables.ElementJudgments):
        here = np.flatnonzero(judgments.elements.row == row).tolist()
        levels = {judgments.elements.path[at]: int(judgments.elements.exhaustivity[at]) for at in here}
    from assay.studies.export import touched_elements

    for path, size, rsize in touched_elements(name, spans, documents):
        level = levels.get(path, HIGHEST["2005"])
        yield path, TOO_SMALL if level < 0 else str(level), size, rsize
