"""Read the titles of topics and their other fields, from XML of INEX or TREC, TREC's <top> files, TSV, CSV or JSONL.

The format is recognised by the content.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.entities import html5
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, list_names, quote
from assay.files.csv_rows import csv_rows
from assay.files.json_lines import json_object
from assay.files.line_blocks import TABLE, line_blocks, text_lines, text_of
from assay.files.source import Source
from assay.reading.formats.assessments import files_below
from assay.reading.xml_events import events, place_of_element
from assay.tables.column_names import TOPIC_IDS
from assay.tables.places import Place

if TYPE_CHECKING:
    from lxml import etree

# Names of a topic and its title in the files of INEX, TREC and others; the first that is present counts.
TOPICS = ("topic", "inex_topic", "inex-topic")
TITLES = ("title", "co_title", "query", "question", "text", "castitle", "cas_title", "description", "topic")
TOP = re.compile(r"<top>(.*?)(?=</top>|<top>|\Z)", re.DOTALL | re.IGNORECASE)
NUMBER = re.compile(r"<num>\s*(?:number\s*:)?\s*([^\s<]+)", re.IGNORECASE)
# Names of the longer texts of a topic in these files, by the name that reports and studies use.
DETAILS = {"description": ("description", "desc"), "narrative": ("narrative", "narr")}
FIELD = re.compile(r"<(desc|narr)>\s*(?:(?:description|narrative)\s*:)?([^<]*)", re.IGNORECASE)
TITLE = re.compile(r"<title>\s*(?:topic\s*:)?([^<]*)", re.IGNORECASE)
EXPECTED = "expected topics as XML of INEX or TREC, <top> elements, TSV (topic, tab, title), CSV or JSONL"


@dataclass(frozen=True)
class TopicRecord:
    """A topic of a file: its id, its title (empty if it has none), its place, and its fields by name."""

    topic: str
    title: str
    place: Place
    values: dict[str, Any] = field(default_factory=dict)


class TopicTexts:
    """One text per topic, its title or another, looked up by id.

    Ids that are numbers are compared as numbers: topic 51 may be written 051.
    """

    def __init__(self, texts: dict[str, str]):
        self._texts = texts
        self._numbered = {without_zeros(topic): text for topic, text in texts.items()}

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def topics(self) -> Iterable[str]:
        """The ids of the topics."""
        return self._texts.keys()

    def of(self, topic: str) -> str | None:
        """Return the text of a topic; None if there is none."""
        return self._texts.get(topic, self._numbered.get(without_zeros(topic)))


def without_zeros(topic: str) -> str:
    """Return an id that is a number without leading zeros; any other id unchanged."""
    return topic.lstrip("0") or "0" if topic.isdecimal() else topic


def read_titles(path: str | os.PathLike[str]) -> TopicTexts:
    """Return the titles of the topics in a file, or in all XML files below a folder."""
    titles = {}
    for told in told_topics(path, "titles"):
        titles[told.topic] = title_on_one_line(told.title, told.topic, told.place)
    return TopicTexts(titles)


def read_details(path: str | os.PathLike[str]) -> dict[str, TopicTexts]:
    """Return the descriptions and narratives of topics, if the file has them and they differ from the title."""
    texts: dict[str, dict[str, str]] = {name: {} for name in DETAILS}
    for told in told_topics(path, "titles"):
        for name, spelt in DETAILS.items():
            values = {key: value for key, value in told.values.items() if isinstance(value, str)}
            words = " ".join(first_of(values, spelt).split())
            if words and words != " ".join(told.title.split()):
                texts[name][told.topic] = words
    return {name: TopicTexts(of_topics) for name, of_topics in texts.items() if of_topics}


def read_values(path: str | os.PathLike[str], name: str) -> TopicTexts:
    """Return a named field of each topic as text: the value of a column, an attribute or an element.

    A topic without a value is left out; if no topic has one, that is an error.
    """
    values: dict[str, str] = {}
    known: dict[str, None] = {}
    for told in told_topics(path, "lines", name):
        known |= dict.fromkeys(told.values)
        value = told.values.get(name.strip().lower())
        if isinstance(value, list | dict):
            raise told.place.fault(f"{name} of topic {told.topic} is neither text nor a number: {quote(str(value))}")
        if value is not None and (text := as_text(value)):
            values[told.topic] = text
    if not values:
        raise InputError(f"no topic has a {name}; choose from {list_names(list(known), 12)}", os.fspath(path))
    return TopicTexts(values)


def as_text(value: object) -> str:
    """Return a value as text on one line; numbers, true and false as in JSON."""
    return " ".join((value if isinstance(value, str) else json.dumps(value)).split())


def told_topics(path: str | os.PathLike[str], what: str, wanted: str | None = None) -> Iterator[TopicRecord]:
    """Yield the topics in a file, or in all XML files below a folder; raise an error if one appears twice."""
    if os.path.isdir(path):
        sources = [Source(file) for file in files_below(os.fspath(path))]
        if not sources:
            raise InputError("the folder has no XML file; expected a folder with XML files of topics", os.fspath(path))
    else:
        sources = [Source(path)]
    places: dict[str, Place] = {}
    for source in sources:
        for told in topics_in(source, wanted):
            if told.topic in places:
                first = places[told.topic].first if len(sources) == 1 else ""
                raise told.place.fault(f"topic {told.topic} has two {what}{first}")
            places[told.topic] = told.place
            yield told


def topics_in(source: Source, wanted: str | None = None) -> list[TopicRecord]:
    """Return the topics of a file; `wanted` is the name of a column that the caller needs."""
    head = source.head().lstrip()
    if not head:
        raise source.fault("the input is empty; expected topics")
    if head.startswith(b"{"):
        topics = list(in_json_lines(source))
    elif not head.startswith(b"<"):
        first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
        topics = list(in_csv(source) if is_csv(first, wanted) else in_tsv(source, wanted))
    else:
        # elements inside <top> need not be closed, so it is not XML
        topics = list((in_trec if re.search(rb"<top>", head, re.IGNORECASE) else in_xml)(source))
    if not topics:
        raise source.fault(f"there are no topics in this file; {EXPECTED}")
    return topics


def in_xml(source: Source) -> Iterator[TopicRecord]:
    """Yield every topic element of any dialect: its id is an attribute, its title a child or its own text."""
    for element in events(source, "end"):
        if not isinstance(element.tag, str) or element.tag.lower() not in TOPICS:
            continue
        attributes = {name.lower(): value for name, value in element.attrib.items()}
        topic = first_of(attributes, TOPIC_IDS)
        place = place_of_element(element, source)
        if not topic:
            raise place.fault(f"a <{element.tag}> has no id; expected an attribute such as id or topic_id")
        parts = {child.tag.lower(): all_text(child) for child in reversed(element) if isinstance(child.tag, str)}
        title = first_of(parts, TITLES) if parts else all_text(element)
        yield TopicRecord(topic, title, place, attributes | parts)


def all_text(element: etree._Element) -> str:
    """Return all text of an element; an entity becomes the character of that name in HTML."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(f" {all_text(child)} ")
        elif hasattr(child, "name"):
            parts.append(html5.get(f"{child.name};", "\ufffd"))
        parts.append(child.tail or "")
    return "".join(parts)


def in_trec(source: Source) -> Iterator[TopicRecord]:
    """Yield TREC's topics, whose elements need not be closed."""
    text = text_of(source)
    for top in TOP.finditer(text):
        place = Place(source.label, text.count("\n", 0, top.start()) + 1)
        number, title = NUMBER.search(top[1]), TITLE.search(top[1])
        if not number:
            raise place.fault("a <top> has no <num>; expected the number of the topic")
        told = {name.lower(): html.unescape(text) for name, text in reversed(FIELD.findall(top[1]))}
        yield TopicRecord(number[1], html.unescape(title[1]) if title else "", place, told)


def in_tsv(source: Source, wanted: str | None = None) -> Iterator[TopicRecord]:
    """Yield a topic per line, its id and its title separated by a tab; the first line may name the columns."""
    names = ["topic", "title"]
    for number, row in text_lines(source, "topics"):
        place, cells = Place(source.label, number), [cell.strip() for cell in row.split("\t")]
        if not any(cells):
            continue
        if number == 1 and is_header(named := [cell.lower() for cell in cells], wanted):
            names = named
            continue
        if len(cells) != len(names):
            what = f"expected {len(names)} values separated by tabs, with a topic and its title"
            raise place.fault(f"{what}, found {len(cells)}: {quote(row)}")
        yield in_columns(names, cells, row, place)


def in_csv(source: Source) -> Iterator[TopicRecord]:
    """Yield a topic per row of CSV; the first row names the columns."""
    for place, names, row in rows_with_header(source, ","):
        cells = [cell.strip() for cell in row]
        yield in_columns([name.lower() for name in names], cells, ",".join(row), place)


def rows_with_header(source: Source, separator: str) -> Iterator[tuple[Place, list[str], list[str]]]:
    """Yield the place, the column names and the cells of each row of a CSV or TSV file with a header."""
    rows = csv_rows(source, line_blocks(source, TABLE), separator)
    names: list[str] = []
    for first, _, row in rows:
        if not names:
            names = [name.strip() for name in row]
            continue
        place = Place(source.label, first)
        if len(row) != len(names):
            what = f"expected {len(names)} values ({', '.join(names)}), found {len(row)}"
            raise place.fault(f"{what}: {quote(separator.join(row))}")
        yield place, names, row


def in_columns(names: list[str], cells: list[str], row: str, place: Place) -> TopicRecord:
    """Return the topic of a row with named columns."""
    values = dict(reversed(list(zip(names, cells, strict=True))))
    named = next(name for name in TOPIC_IDS if name in values)
    if not values[named]:
        raise place.fault(f"the topic is empty: {quote(row)}")
    title = next((name for name in TITLES if name in values and name != named), "")
    return TopicRecord(values[named], values.get(title, ""), place, values)


def is_header(names: list[str], wanted: str | None = None) -> bool:
    """Return whether a line names the columns: a topic, and its title or the wanted column."""
    topic = next((name for name in TOPIC_IDS if name in names), None)
    title = next((name for name in TITLES if name in names and name != topic), None)
    is_wanted = wanted is not None and wanted.strip().lower() in names
    return topic is not None and (title is not None or is_wanted)


def is_csv(first: str, wanted: str | None = None) -> bool:
    """Return whether the first line of a file has column names separated by commas."""
    return "\t" not in first and is_header([name.strip().lower().strip('"') for name in first.split(",")], wanted)


def in_json_lines(source: Source) -> Iterator[TopicRecord]:
    """Yield a topic per line: an object with a topic and a title under one of their usual names."""
    for number, text in text_lines(source, "topics"):
        place, row = Place(source.label, number), json_object(text, number, source)
        values = {name.lower(): value for name, value in row.items()}
        texts = {name: str(value) for name, value in values.items() if isinstance(value, str | int)}
        named = next((name for name in TOPIC_IDS if texts.get(name, "").strip()), None)
        if named is None:
            raise place.fault(f"no topic here; expected one of {', '.join(TOPIC_IDS)}: {quote(text)}")
        topic = texts.pop(named).strip()
        yield TopicRecord(topic, first_of(texts, TITLES), place, values)


def first_of(values: dict[str, str], names: tuple[str, ...]) -> str:
    """Return the first of these values that is present and not blank; else an empty string."""
    return next((value.strip() for name in names if (value := values.get(name, "")).strip()), "")


def title_on_one_line(title: str, topic: str, place: Place) -> str:
    """Return a title on one line; raise an error if it is empty."""
    if not (words := title.split()):
        raise place.fault(f"topic {quote(topic)} has no title; expected a title or a question")
    return " ".join(words)
