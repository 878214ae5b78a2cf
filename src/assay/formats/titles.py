"""The titles of topics: from INEX's or TREC's XML, TREC's <top> files, TSV or JSONL, recognised by their content."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any

from assay.errors import InputError, quoted
from assay.files.source import Source

# What the files of INEX, TREC and others call a topic, its id and its title; the first that is there counts.
TOPICS = ("topic", "inex_topic", "inex-topic")
IDS = ("topic_id", "topic-id", "query_id", "query-id", "qid", "q_id", "_id", "id", "number", "num", "topic")
TITLES = ("title", "co_title", "query", "question", "text", "castitle", "cas_title", "description", "topic")
TOP = re.compile(r"<top>(.*?)(?=</top>|<top>|\Z)", re.DOTALL | re.IGNORECASE)
NUMBER = re.compile(r"<num>\s*(?:number\s*:)?\s*([^\s<]+)", re.IGNORECASE)
TITLE = re.compile(r"<title>\s*(?:topic\s*:)?([^<]*)", re.IGNORECASE)
EXPECTED = "expected topics: XML of INEX or TREC, <top> elements, TSV (topic and title between tabs) or JSONL"

# A topic's id, its title, and the line where it was read, if that is known.
Found = tuple[str, str, int | None]


class Titles:
    """The titles of topics, asked for by id. Ids that are numbers are compared as numbers: topic 51 may be written 051."""

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
        from assay.formats.assessments import files_below

        sources = [Source(file) for file in files_below(os.fspath(path))]
        if not sources:
            raise InputError("has no XML file; expected topics", os.fspath(path))
    else:
        sources = [Source(path)]
    titles: dict[str, str] = {}
    lines: dict[str, int | None] = {}
    for source in sources:
        for topic, title, line in topics_in(source):
            if topic in titles:
                first = f" (first on line {lines[topic]})" if lines[topic] and len(sources) == 1 else ""
                raise source.fault(f"topic {topic} has two titles{first}", line)
            titles[topic], lines[topic] = title, line
    return Titles(titles)


def topics_in(source: Source) -> list[Found]:
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


def in_xml(source: Source) -> Iterator[Found]:
    """Every topic element, whatever dialect it is in: the id is an attribute, the title a child or the text itself."""
    from assay.formats.inex import events, line_of

    for element in events(source, "end"):
        if not isinstance(element.tag, str) or element.tag.lower() not in TOPICS:
            continue
        topic = first_of({name.lower(): value for name, value in element.attrib.items()}, IDS)
        line = line_of(element)
        if not topic:
            raise source.fault(f"a <{element.tag}> has no id; expected an attribute such as id or topic_id", line)
        parts = {child.tag.lower(): text_of(child) for child in reversed(element) if isinstance(child.tag, str)}
        title = first_of(parts, TITLES) if parts else text_of(element)
        yield topic, titled(title, topic, source, line), line


def text_of(element: Any) -> str:
    """All text of an element; an entity is the character of that name in HTML."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(f" {text_of(child)} ")
        elif hasattr(child, "name"):
            parts.append(html5.get(f"{child.name};", "\ufffd"))
        parts.append(child.tail or "")
    return "".join(parts)


def in_trec(source: Source) -> Iterator[Found]:
    """TREC's topics, whose elements need not be closed."""
    text = decoded(source)
    for found in TOP.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        number, title = NUMBER.search(found[1]), TITLE.search(found[1])
        if not number:
            raise source.fault("a <top> has no <num>", line)
        yield number[1], titled(html.unescape(title[1]) if title else "", number[1], source, line), line


def in_tsv(source: Source) -> Iterator[Found]:
    """A topic and its title a line, between them a tab; the first line may name the columns."""
    columns, width = (0, 1), 2
    for line, row in enumerate(decoded(source).split("\n"), 1):
        cells = [cell.strip() for cell in row.split("\t")]
        if not any(cells):
            continue
        if line == 1 and (named := header([cell.lower() for cell in cells])):
            columns, width = named, len(cells)
            continue
        if len(cells) != width:
            what = f"expected {width} values between tabs, among them a topic and its title"
            raise source.fault(f"{what}, found {len(cells)}: {quoted(row)}", line)
        topic, title = (cells[column] for column in columns)
        if not topic:
            raise source.fault(f"a title has no topic: {quoted(row)}", line)
        yield topic, titled(title, topic, source, line), line


def header(names: list[str]) -> tuple[int, int] | None:
    """The columns of the topic and the title, where a line names them."""
    topic = next((name for name in IDS if name in names), None)
    title = next((name for name in TITLES if name in names and name != topic), None)
    return (names.index(topic), names.index(title)) if topic and title else None


def in_json_lines(source: Source) -> Iterator[Found]:
    """An object a line, with a topic and a title under one of their usual names."""
    import json

    for line, text in enumerate(decoded(source).split("\n"), 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise source.fault(f"is not JSON ({getattr(error, 'msg', 'too deep')}): {quoted(text)}", line) from None
        if not isinstance(row, dict):
            raise source.fault(f"expected an object with a topic and a title, found {quoted(text)}", line)
        values = {name.lower(): str(value) for name, value in row.items() if isinstance(value, str | int)}
        named = next((name for name in IDS if values.get(name, "").strip()), None)
        if named is None:
            raise source.fault(f"has no topic; expected one of {', '.join(IDS)}: {quoted(text)}", line)
        topic = values.pop(named).strip()
        yield topic, titled(first_of(values, TITLES), topic, source, line), line


def decoded(source: Source) -> str:
    """A file's text."""
    from assay.formats.records import text_of as text_of_file

    return text_of_file(source)


def first_of(values: dict[str, str], names: tuple[str, ...]) -> str:
    """The first of some values that is there and not blank."""
    return next((value.strip() for name in names if (value := values.get(name, "")).strip()), "")


def titled(title: str, topic: str, source: Source, line: int | None) -> str:
    """A title on one line, if it is one."""
    if not (found := " ".join(title.split())):
        raise source.fault(f"topic {quoted(topic)} has no title", line)
    return found
