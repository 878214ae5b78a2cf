"""Read and write INEX's submissions of 2002 to 2010 in XML, in the dialects of many systems.

Results are elements (`<path>`), passages between two points (`<passage start end/>`), or offset and length (`<fol/>`).
They have a rank or a value (`<rsv>`), or both. If they have neither, the order of the file is the ranking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ORDER_OF_INPUTS, InputError, quote
from assay.files.line_blocks import is_utf8
from assay.files.source import Source
from assay.reading import xml_events
from assay.reading.columns import with_characters
from assay.reading.format import Columns
from assay.reading.formats import fol
from assay.reading.lines import is_whole, refused_id, wrong_number, wrong_whole
from assay.reading.numbers import numbers
from assay.tables.ids import PAD, WORD, Bools, Bytes, Floats, Ids, Ints
from assay.tables.places import Place, Places
from assay.tables.run import Run, make_run

if TYPE_CHECKING:
    from lxml import etree

    from assay.documents.collection import DocumentCollection

# A fast path for submissions whose results all have the same fields in the same order, as nearly all do. The part
# before the first topic and the part after the last one are parsed as XML, so the file as a whole is well-formed.
# Between them there may be only topics, results and their fields with plain text; their tags are compared with those of
# the first result. If there is anything else, the file is read element by element instead.

# The most bytes of a file for the fast path.
LARGEST = 1 << 26
LONGEST_ID = 10_000
FIELDS = ("file", "path", "rank", "rsv")
NAMES = ("topic", "result", *FIELDS)
OPENING, CLOSING = ([f"<{slash}{name}>" for name in NAMES] for slash in ("", "/"))
ALL_TAGS = [*OPENING, *CLOSING]
# The first eight bytes and the length identify a tag, because its last byte is known.
BEGINNINGS, LENGTHS = Ids.of(tag[:WORD] for tag in ALL_TAGS).first_words(), np.array([len(tag) for tag in ALL_TAGS])
TOPIC_END, RESULT, RESULT_END = len(NAMES), 1, len(NAMES) + 1
TOPIC = re.compile(rb'<topic\s+topic-id="([^"<&]+)"\s*>')
ENCODING = re.compile(rb"\s*<\?xml[^>]*encoding=.([\w-]+)")
# Characters that are not allowed in XML.
FORBIDDEN = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")
WHITE, SLASH = b" /"
MOST_WHITE = 1000
MARK = "topics-of-the-run"


def regular_columns(source: Source) -> dict[str, Any] | None:
    """Return the columns of a submission by name; None if it has to be read element by element."""
    content = source.whole_within(LARGEST)
    if content is None:
        return None
    first, last = content.find(b"<topic "), content.rfind(b"</topic>") + len(b"</topic>")
    encoding = ENCODING.match(content)
    is_known = encoding is None or encoding[1].lower() in (b"utf-8", b"us-ascii")
    if first < 0 or not (is_utf8(content) if is_known else content.isascii()):
        return None
    middle = content[first:last]
    # the comparison of tags will find anything else than text and known tags
    if b"&" in middle or not is_well_formed(content[:first], content[last:]):
        return None
    if not middle.isascii() and any(character in middle for character in FORBIDDEN):
        return None
    return columns_between_tags(b"".join((PAD, middle, PAD)))


def is_well_formed(before: bytes, behind: bytes) -> bool:
    """Return whether a file is well-formed around its topics, and these are in the outermost element."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
    try:
        outermost = etree.fromstring(b"".join((before, f"<{MARK}/>".encode(), behind)), parser)
    except etree.XMLSyntaxError:
        return False
    return len(outermost.findall(MARK)) == 1 and next(outermost.iter("topic"), None) is None


def columns_between_tags(buffer: bytes) -> dict[str, Any] | None:
    """Return the columns of topics whose results are all alike; None if they are not."""
    characters = np.frombuffer(buffer, np.uint8)
    white = sum(np.count_nonzero(characters == letter) for letter in b"\t\n\r")
    if np.count_nonzero(characters < WHITE) != white + 2 * len(PAD):
        return None
    opens, closes = np.flatnonzero(characters == ord("<")), np.flatnonzero(characters == ord(">"))
    if len(opens) != len(closes) or np.any(opens > closes) or np.any(closes[:-1] > opens[1:]):
        return None
    tag = numbers_of_tags(buffer, opens, closes + 1)
    in_topics = np.flatnonzero((tag != TOPIC_END) & (tag >= 0))
    tag_in_topics = tag[in_topics]
    ends = np.flatnonzero(tag_in_topics == RESULT_END)
    if not len(ends):
        return None
    pattern = tag_in_topics[: ends[0] + 1]
    fields = [FIELDS[number - 2] for number in pattern[1:-1:2].tolist() if 2 <= number < TOPIC_END]
    numbered = [NAMES.index(name) for name in fields]
    expected = [RESULT, *(tag for number in numbered for tag in (number, number + len(NAMES))), RESULT_END]
    if pattern.tolist() != expected or len(set(fields)) < len(fields) or not {"file", "path"} <= set(fields):
        return None
    if len(in_topics) % len(pattern) or np.any(tag_in_topics.reshape(-1, len(pattern)) != pattern):
        return None
    topics = topics_of_results(buffer, opens, closes, tag, len(pattern))
    if topics is None:
        return None
    table = in_topics.reshape(-1, len(pattern))
    columns: dict[str, Any] = {"topic": topics}
    is_value = np.zeros(len(opens), bool)
    for place, name in enumerate(fields):
        at = table[:, 1 + 2 * place]
        is_value[at] = True
        columns[name] = Ids(buffer, closes[at] + 1, opens[at + 1])
    gaps = np.flatnonzero(~is_value[:-1])
    if not are_white(characters, closes[gaps] + 1, opens[gaps + 1]):
        return None
    return columns_if_sound(columns, characters)


def are_white(characters: Bytes, start: Ints, end: Ints) -> bool:
    """Return whether only whitespace, and not very much of it, is between each pair of positions."""
    for _ in range(MOST_WHITE):
        left = start < end
        if not left.any():
            return True
        start, end = start[left], end[left]
        if np.any(characters[start] > WHITE):
            return False
        start = start + 1
    return False


def numbers_of_tags(buffer: bytes, start: Ints, end: Ints) -> Ints:
    """Return the number of each tag among the known ones; -1 if it is not known."""
    beginnings = Ids(buffer, start, end).first_words()
    order = np.argsort(BEGINNINGS)
    place = order[np.minimum(np.searchsorted(BEGINNINGS[order], beginnings), len(order) - 1)]
    return np.where((BEGINNINGS[place] == beginnings) & (LENGTHS[place] == end - start), place, -1)


def topics_of_results(buffer: bytes, opens: Ints, closes: Ints, tag: Ints, width: int) -> Ids | None:
    """Return the topic of each result; None if topics are not properly nested or their ids are not plain."""
    begins, ends = np.flatnonzero(tag == -1), np.flatnonzero(tag == TOPIC_END)
    if len(begins) != len(ends) or np.any(begins > ends) or np.any(ends[:-1] > begins[1:]):
        return None
    if begins[0] > 0 or ends[-1] + 1 < len(tag):
        return None
    # the number of tags of results inside each topic, and before it
    inside, before = ends - begins - 1, begins - 2 * np.arange(len(begins))
    names = [TOPIC.fullmatch(buffer, int(opens[at]), int(closes[at]) + 1) for at in begins.tolist()]
    if np.any(inside % width) or np.any(before % width) or not all(names):
        return None
    spans = np.array([name.span(1) for name in names if name], np.int64)
    each = np.repeat(spans, inside // width, axis=0).T.copy()
    return Ids(buffer, *each) if plain_ends(Ids(buffer, *spans.T.copy())) else None


def plain_ends(ids: Ids) -> bool:
    """Return whether values are not empty, begin and end with a plain ASCII character, and are not very long."""
    if not len(ids) or ids.length.min() < 1 or ids.length.max() > LONGEST_ID:
        return False
    characters = np.frombuffer(ids.buffer, np.uint8)
    return all(bool(np.all((ends > WHITE) & (ends < 128))) for ends in (characters[ids.start], characters[ids.end - 1]))


def columns_if_sound(columns: dict[str, Any], characters: Bytes) -> dict[str, Any] | None:
    """Return the columns with ranks and scores as numbers and documents without .xml; None if any value is wrong."""
    if not all(map(plain_ends, columns.values())) or np.any(characters[columns["path"].start] != SLASH):
        return None
    columns["file"] = without_xml_ending(columns["file"], characters)
    for name, is_good in (("rank", is_whole), ("rsv", np.isfinite)):
        if name in columns:
            columns[name] = numbers(columns[name])
            good: Bools = is_good(columns[name])
            if not good.all():
                return None
    return columns if plain_ends(columns["file"]) else None


def without_xml_ending(names: Ids, characters: Bytes) -> Ids:
    """Return the names of files without the ending .xml."""
    ending = np.ones(len(names), bool)
    for number, letter in enumerate(reversed(b".xml"), 1):
        ending &= characters[names.end - number] == letter
    ending &= names.length >= len(b".xml")
    return Ids(names.buffer, names.start, np.where(ending, names.end - len(b".xml"), names.end))


SUBMISSIONS = ("inex-submission", "efficiency-submission")
SNIPPETS = "inex-snippet-submission"
ASSESSMENTS = "assessments"
POINTS = "start", "end"


@dataclass(eq=False, repr=False)
class SubmittedResults:
    """The results of a run as they are read, one list per field."""

    source: Source
    topic: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    rank: list[str] = field(default_factory=list)
    rsv: list[str] = field(default_factory=list)
    kind: str = ""

    def add(self, topic: str, result: etree._Element) -> None:
        """Add a result of a topic."""
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
        if "file" not in parts or not (document := xml_events.document_id(xml_events.stripped_text(parts["file"]))):
            raise self.fault(result, "a result has no <file>; expected the document id")
        if "place" not in parts:
            raise self.fault(result, "a result has no <path>, <passage> or <fol>; expected one of these")
        first, last = self.place(parts["place"])
        self.topic.append(topic)
        self.document.append(document)
        self.first.append(first)
        self.last.append(last)
        self.rank.append(xml_events.stripped_text(parts["rank"]) if "rank" in parts else "")
        self.rsv.append(xml_events.stripped_text(parts["rsv"]) if "rsv" in parts else "")

    def place(self, element: etree._Element) -> tuple[str, str]:
        """Return the two strings that locate a result: paths, or an offset and a length."""
        kind = "fol" if element.tag == "fol" else "path"
        if self.kind not in ("", kind):
            raise self.fault(element, "some results have element paths and others <fol>; expected one kind in a run")
        self.kind = kind
        if element.tag == "path":
            first, last = xml_events.stripped_text(element), ""
        else:
            first, last = (
                self.attribute(element, name) for name in (("offset", "length") if kind == "fol" else POINTS)
            )
        if kind == "path":
            for path in filter(lambda path: not path.startswith("/"), (first, last or "/")):
                what = f"path {quote(path)} does not begin with /"
                raise self.fault(element, f"{what}; expected for example /article[1]/sec[2]")
        return first, last

    def attribute(self, element: etree._Element, name: str) -> str:
        """Return the value of an attribute; raise an error if it is missing."""
        if not (value := (element.get(name) or "").strip()):
            raise self.fault(element, f"<{element.tag}> has no {name}")
        return str(value)

    def fault(self, element: etree._Element, what: str) -> InputError:
        """Return the error about an element, with its line, or the number of the result if the line is not known."""
        place = xml_events.place_of_element(element, self.source)
        return (place if place.number else Place(place.name, len(self.topic) + 1, "result")).fault(what)

    @property
    def places(self) -> Places:
        """The places of the results: their lines, or their numbers if libxml2 cannot count that many lines."""
        return places_of_results(self.source)

    def find(self, topic: str, document: str) -> list[Place]:
        """Return the places of a document's results in a topic."""
        places, pairs = self.places, enumerate(zip(self.topic, self.document, strict=True))
        return [places[row] for row, pair in pairs if pair == (topic, document)]


def submitted_run(source: Source, documents: DocumentCollection | None = None) -> Run:
    """Return the run of a submission."""
    refuse_other_than_submissions(source)
    if columns := regular_columns(source):
        submitted = make_run(
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
    submitted = make_run(source.label, topic, document, results.find, **order(results), **places_of_parts(results))
    return with_characters(submitted, documents, results.places)


def read_results(source: Source) -> SubmittedResults:
    """Read the results of a submission element by element."""
    results = SubmittedResults(source)
    for topic in xml_events.elements(source, "topic"):
        name = (topic.get("topic-id") or "").strip()
        if not name:
            raise results.fault(topic, "a <topic> has no topic-id; expected the topic as this attribute")
        for result in topic.iterchildren("result"):
            results.add(name, result)
    for ids, what in ((results.topic, "topic"), (results.document, "document")):
        for row, text in enumerate(ids):
            if len(text) > LONGEST_ID and (why := refused_id(what, len(text.encode()))):
                raise results.places[row].fault(why)
    return results


def places_of_results(source: Source) -> Places:
    """Return the places of the results of a submission; all are found when the first one is needed."""
    if not xml_events.lines_go_on():
        return Places(source.label, noun="result")

    @cache
    def numbers_of_lines() -> list[int | None]:
        # each result is freed before the next one, because asking for the line of one with many siblings is slow
        results = xml_events.elements(source, "result")
        return [xml_events.line_of_element(result) for result in results if result.getparent().tag == "topic"]

    return Places(source.label, lambda row: numbers_of_lines()[row])


def refuse_other_than_submissions(source: Source) -> None:
    """Raise an error if the outermost element is not that of a run."""
    name, _ = xml_events.root(source)
    if name == SNIPPETS:
        raise source.fault("this is a submission of snippets; Assay evaluates only whole documents and their parts")
    if name == ASSESSMENTS:
        what = "these are judgments (INEX assessments)"
        raise source.fault(f"{what}; expected a run: {ORDER_OF_INPUTS}")
    if name not in SUBMISSIONS:
        raise source.fault(f"unknown XML element <{name}>; expected <{'> or <'.join(SUBMISSIONS)}>")


def order(results: SubmittedResults) -> dict[str, Any]:
    """Return the ranks and scores of all results; what is missing follows from the other, or from the file's order."""
    rank = column(results, "rank")
    return ranks_and_scores(rank, column(results, "rsv", needed=not any(results.rank)), results.topic)


def ranks_and_scores(rank: Floats | None, score: Floats | None, topics: Ids | list[str]) -> dict[str, Any]:
    """Return the ranks and scores of results; if neither is given, the ranks are the order of the file."""
    if rank is None and score is not None:
        return {"score": score}
    told = rank.astype(np.int64) if rank is not None else counted_up(topics)
    return {"rank": told, "score": -told.astype(np.float64) if score is None else score, "by_rank": True}


def column(results: SubmittedResults, name: str, needed: bool = True) -> Floats | None:
    """Return the numbers of all results under a name; None if no result has one.

    If only some results have one, that is an error, provided that they are needed.
    """
    texts: list[str] = getattr(results, name)
    if not all(texts):
        if any(texts) and needed:
            raise results.places[texts.index("")].fault(f"a result has no <{name}>, but others do")
        return None
    values = numbers(Ids.of(texts))
    good = is_whole(values) if name == "rank" else np.isfinite(values)
    for row in np.flatnonzero(~good):
        why = wrong_whole(texts[row]) if name == "rank" else wrong_number(texts[row])
        raise results.places[int(row)].fault(f"{name} {quote(texts[row])} is {why}")
    return values


def counted_up(topics: Ids | list[str]) -> Ints:
    """Return the position of each result in its topic, in the order of the file."""
    topics = topics.texts() if isinstance(topics, Ids) else topics
    seen: dict[str, int] = {}
    for name in topics:
        seen[name] = seen.get(name, 0) + 1
    ranks = {name: iter(range(1, number + 1)) for name, number in seen.items()}
    return np.fromiter((next(ranks[name]) for name in topics), np.int64, len(topics))


def places_of_parts(results: SubmittedResults) -> dict[str, Any]:
    """Return where all results are: their paths, or their characters."""
    if results.kind == "path":
        return {"path": Ids.of(results.first), "last": Ids.of(results.last)}
    start, length = numbers(Ids.of(results.first)), numbers(Ids.of(results.last))
    for row in np.flatnonzero(~(fol.is_natural(start) & fol.is_natural(length))).tolist():
        values = ("offset", results.first[row]), ("length", results.last[row])
        raise results.places[row].fault(next(wrong for value in values if (wrong := fol.RUN.wrong_value(*value))))
    return {"start": start.astype(np.int64), "end": (start + length).astype(np.int64)}


# Writing a run as a submission in INEX's XML.


def submission_lines(columns: Columns, tag: str) -> Iterator[str]:
    """Yield the lines of a submission: with elements if paths are known, else with offsets and lengths."""
    # here, because reading does not need it, and it loads 7 MB of Python's modules for the network
    from xml.sax.saxutils import escape, quoteattr

    results = "element" if "path" in columns else "fol"
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    about = f'participant-id="" run-id={quoteattr(tag)} task="" query="automatic" result-type="{results}"'
    yield f"<inex-submission {about}>"
    yield "<description></description>"
    yield "<collections><collection></collection></collections>"
    topic = None
    rows = zip(
        *(columns[field] for field in ("topic", "document", "rank", "score")), written_places(columns), strict=True
    )
    for name, document, rank, score, place in rows:
        if name != topic:
            yield from ["</topic>"] * (topic is not None)
            yield f"<topic topic-id={quoteattr(name)}>"
            topic = name
        yield f"<result><file>{escape(document)}</file>{place}<rank>{rank}</rank><rsv>{score!r}</rsv></result>"
    yield from ["</topic>"] * (topic is not None)
    yield "</inex-submission>"


def written_places(columns: Columns) -> Iterator[str]:
    """Yield the XML elements that locate the results."""
    from xml.sax.saxutils import escape, quoteattr

    if "path" not in columns:
        yield from (f'<fol offset="{start}" length="{length}"/>'
                    for start, length in zip(columns["start"], columns["length"], strict=True))  # fmt: skip
        return
    for path, last in zip(columns["path"], columns["last"], strict=True):
        yield f"<passage start={quoteattr(path)} end={quoteattr(last)}/>" if last else f"<path>{escape(path)}</path>"
