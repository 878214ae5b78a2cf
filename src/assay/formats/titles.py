"""The titles of topics: from INEX's or TREC's XML, TREC's <top> files, TSV or JSONL, recognised by their content."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any

from assay.errors import InputError, quoted
from assay.files.json_lines import json_object
from assay.files.line_blocks import text_lines
from assay.files.plain_text import text_of
from assay.files.source import Source
from assay.formats.assessments import files_below
from assay.formats.xml_events import events, place_of
from assay.tables.column_names import TOPIC_IDS
from assay.tables.places import Place

# What the files of INEX, TREC and others call a topic and its title; the first that is there counts.
TOPICS = ("topic", "inex_topic", "inex-topic")
TITLES = ("title", "co_title", "query", "question", "text", "castitle", "cas_title", "description", "topic")
TOP = re.compile(r"<top>(.*?)(?=</top>|<top>|\Z)", re.DOTALL | re.IGNORECASE)
NUMBER = re.compile(r"<num>\s*(?:number\s*:)?\s*([^\s<]+)", re.IGNORECASE)
TITLE = re.compile(r"<title>\s*(?:topic\s*:)?([^<]*)", re.IGNORECASE)
EXPECTED = "expected topics: XML of INEX or TREC, <top> elements, TSV (topic and title between tabs) or JSONL"

# A topic's id, its title, and where it stands.
TitledTopic = tuple[str, str, Place]


class Titles:
    """The titles of topics, asked for by id. Ids that are numbers are
    compared as numbers: topic 51 may be written 051.
    """

    def __init__(self, titles: dict[str, str]):
        self._titles = titles
        self._numbered = {bare(topic): title for topic, title in titles.items()}

    def __len__(self) -> int:
        return len(self._titles)

    def of(self, topic: str) -> str | None:
        """The title of a topic; None where there is none."""
        return self._titles.get(topic, self._numbered.get(bare(topic)))


def bare(topic: str) -> str:
    """An id that is a number, without zeros before it; others as they are."""
    return topic.lstrip("0") or "0" if topic.isdecimal() else topic


def read_titles(path: str | os.PathLike[str]) -> Titles:
    """The titles of the topics in a file, or in all XML files below a folder."""
    if os.path.isdir(path):
        sources = [Source(file) for file in files_below(os.fspath(path))]
        if not sources:
            raise InputError("has no XML file; expected topics", os.fspath(path))
    else:
        sources = [Source(path)]
    titles: dict[str, str] = {}
    places: dict[str, Place] = {}
    for source in sources:
        for topic, title, place in topics_in(source):
            if topic in titles:
                first = places[topic].first if len(sources) == 1 else ""
                raise place.fault(f"topic {topic} has two titles{first}")
            titles[topic], places[topic] = title, place
    return Titles(titles)


def topics_in(source: Source) -> list[TitledTopic]:
    """The topics of a file."""
    head = source.head().lstrip()
    if not head:
        raise source.fault("is empty; expected topics")
    if head.startswith(b"{"):
        read = in_json_lines
    elif not head.startswith(b"<"):
        read = in_tsv
    else:
        # the elements of <top> need not be closed, so it is no XML
        read = in_trec if re.search(rb"<top>", head, re.IGNORECASE) else in_xml
    topics = list(read(source))
    if not topics:
        raise source.fault(f"has no topic; {EXPECTED}")
    return topics


def in_xml(source: Source) -> Iterator[TitledTopic]:
    """Every topic element, whatever dialect it is in: the id is an attribute, the title a child or the text itself."""
    for element in events(source, "end"):
        if not isinstance(element.tag, str) or element.tag.lower() not in TOPICS:
            continue
        topic = first_of({name.lower(): value for name, value in element.attrib.items()}, TOPIC_IDS)
        place = place_of(element, source)
        if not topic:
            raise place.fault(f"a <{element.tag}> has no id; expected an attribute such as id or topic_id")
        parts = {child.tag.lower(): all_text(child) for child in reversed(element) if isinstance(child.tag, str)}
        title = first_of(parts, TITLES) if parts else all_text(element)
        yield topic, titled(title, topic, place), place


def all_text(element: Any) -> str:
    """All text of an element; an entity is the character of that name in HTML."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(f" {all_text(child)} ")
        elif hasattr(child, "name"):
            parts.append(html5.get(f"{child.name};", "\ufffd"))
        parts.append(child.tail or "")
    return "".join(parts)


def in_trec(source: Source) -> Iterator[TitledTopic]:
    """TREC's topics, whose elements need not be closed."""
    text = text_of(source)
    for top in TOP.finditer(text):
        place = Place(source.label, text.count("\n", 0, top.start()) + 1)
        number, title = NUMBER.search(top[1]), TITLE.search(top[1])
        if not number:
            raise place.fault("a <top> has no <num>")
        yield number[1], titled(html.unescape(title[1]) if title else "", number[1], place), place


def in_tsv(source: Source) -> Iterator[TitledTopic]:
    """A topic and its title a line, between them a tab; the first line may name the columns."""
    columns, width = (0, 1), 2
    for number, row in text_lines(source, "topics"):
        place, cells = Place(source.label, number), [cell.strip() for cell in row.split("\t")]
        if number == 1 and (named := header([cell.lower() for cell in cells])):
            columns, width = named, len(cells)
            continue
        if len(cells) != width:
            what = f"expected {width} values between tabs, among them a topic and its title"
            raise place.fault(f"{what}, found {len(cells)}: {quoted(row)}")
        topic, title = (cells[column] for column in columns)
        if not topic:
            raise place.fault(f"a title has no topic: {quoted(row)}")
        yield topic, titled(title, topic, place), place


def header(names: list[str]) -> tuple[int, int] | None:
    """The columns of the topic and the title, where a line names them."""
    topic = next((name for name in TOPIC_IDS if name in names), None)
    title = next((name for name in TITLES if name in names and name != topic), None)
    return (names.index(topic), names.index(title)) if topic and title else None


def in_json_lines(source: Source) -> Iterator[TitledTopic]:
    """An object a line, with a topic and a title under one of their usual names."""
    for number, text in text_lines(source, "topics"):
        place, row = Place(source.label, number), json_object(text, number, source)
        values = {name.lower(): str(value) for name, value in row.items() if isinstance(value, str | int)}
        named = next((name for name in TOPIC_IDS if values.get(name, "").strip()), None)
        if named is None:
            raise place.fault(f"has no topic; expected one of {', '.join(TOPIC_IDS)}: {quoted(text)}")
        topic = values.pop(named).strip()
        yield topic, titled(first_of(values, TITLES), topic, place), place


def first_of(values: dict[str, str], names: tuple[str, ...]) -> str:
    """The first of some values that is there and not blank."""
    return next((value.strip() for name in names if (value := values.get(name, "")).strip()), "")


def titled(title: str, topic: str, place: Place) -> str:
    """A title on one line, if it is one."""
    if not (words := title.split()):
        raise place.fault(f"topic {quoted(topic)} has no title")
    return " ".join(words)
