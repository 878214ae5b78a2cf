"""JSON by topic, as pytrec_eval takes it and ranx saves it: `{"topic": {"document": number}}`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, quoted
from assay.files.source import Source
from assay.formats import memory
from assay.formats.format import NOTHING_MORE, Block, Columns, Format, Request
from assay.formats.heads import Head
from assay.formats.judgment_columns import graded_columns
from assay.formats.readable import Readable
from assay.formats.text_format import json_of
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.lookup import Documents

TEXT = rb'"(?:[^"\\]|\\.)*+"'
NUMBER = rb"-?[0-9][0-9.eE+-]*+"
PAIR = rb"%b\s*+:\s*+%b\s*+" % (TEXT, NUMBER)
# An object whose first value is an object of numbers, or of nothing, and behind that comes another object; or what is
# looked at ends before.
BY_TOPIC = re.compile(
    rb"\{\s*+%b\s*+:\s*+\{\s*+(?:%b,\s*+)*+(?:(?:%b)?\}\s*+(?:,\s*+%b\s*+:\s*+\{|\}\s*+\Z)|[^{}]*+\Z)"
    % (TEXT, PAIR, PAIR, TEXT),
    re.DOTALL,
)
FRACTION = re.compile(rb":\s*+-?[0-9]++[.eE]")


class JsonFile(Format):
    """One object with a topic for each name, and in it the score or the grade of each document, as pytrec_eval takes
    them and ranx saves them: `{"q1": {"d1": 0.9, "d2": 0.3}}`. Where nothing tells which it is, numbers with a point
    are scores of a run. A name that stands in an object twice is refused."""

    name = "json"
    title = "JSON by topic"
    writes_runs_of = ("documents",)
    writes_judgments = True

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """An object of objects of numbers."""
        return BY_TOPIC.match(head.stripped) is not None

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """A run where a number has a point."""
        return "run" if FRACTION.search(source.head()) else "judgments"

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, all of it at once."""
        yield from memory.blocks_in_memory(by_topic(source), source.label, request)

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of a file."""
        return memory.judgments_in_memory(by_topic(source), source.label, request)

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """What a file holds."""
        kind, places = kind or self.kind_of(source), Places(source.label, noun="result")
        try:
            if kind == "judgments":
                return Readable(kind, self.judgments(source, request), places, [])
            (block,) = self.run_blocks(source, request)
            return Readable(kind, block(), places, [])
        except InputError as error:
            return Readable(kind, None, places, [error])

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """A run; its scores tell the order."""
        return written(columns["topic"], columns["document"], columns["score"])

    def judgments_content(self, judgments: Judgments, documents: Documents | None) -> bytes:
        """Judgments."""
        columns = graded_columns(judgments)
        grades = [int(grade) if float(grade).is_integer() else grade for grade in columns["grade"]]
        return written(columns["topic"], columns["document"], grades)


def by_topic(source: Source) -> dict[str, dict[str, Any]]:
    """The object of a file, whose values are objects of numbers."""
    content = json_of(source, once=True)
    if not isinstance(content, dict) or not content:
        raise source.fault("is no object of topics; expected {topic: {document: number}}")
    for topic, told in content.items():
        if not isinstance(told, dict):
            what = f"topic {quoted(topic)} is {quoted(json.dumps(told, ensure_ascii=False))}"
            raise source.fault(f"{what}; expected an object of documents, each with a number")
        for document, number in told.items():
            if isinstance(number, bool) or not isinstance(number, int | float):
                what = f"document {quoted(document)} of topic {quoted(topic)} has {quoted(json.dumps(number))}"
                raise source.fault(f"{what}; expected a number")
    return content


def written(topics: list[str], documents: list[str], numbers: list[float]) -> bytes:
    """A file with a number for each document of each topic."""
    content: dict[str, dict[str, float]] = {}
    for topic, document, number in zip(topics, documents, numbers, strict=True):
        content.setdefault(topic, {})[document] = number
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


FORMAT = JsonFile()
