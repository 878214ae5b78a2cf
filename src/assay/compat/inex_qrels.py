"""Judgments as inex_eval reads them: how much of each article is highlighted, and where.

What column 4 says is not compared with the passages. The first line of an article says how much of it is highlighted;
a further line of the same article adds its passages, and counts again in the topic's totals. The entry point counts
only where passages follow it.
"""

from __future__ import annotations

import re
from functools import cached_property

from assay.errors import quoted
from assay.files.source import Source

LAYOUT = "topic Q0 article highlighted length [entry offset:length ...]"
LINE = re.compile(
    rb"(\S+)\s+\S+\s+(\S+)\s+(-?[0-9]{1,10})\s+([0-9]{1,10})"
    rb"(?:\s+(-?[0-9]{1,10})((?:\s+[0-9]{1,10}:[0-9]{1,10})+)|\s+\S+)?\s*"
)
NO_ENTRY = -1


class JudgedArticle:
    """A judged article: highlighted characters, length, best entry point, and the passages as they are written."""

    def __init__(self, highlighted: int, length: int):
        self.highlighted, self.length, self.entry, self.written = highlighted, length, NO_ENTRY, b""

    @cached_property
    def passages(self) -> list[tuple[int, int]]:
        """Start and end of each highlighted passage."""
        numbers = iter(map(int, self.written.replace(b":", b" ").split()))
        return [(start, start + length) for start, length in zip(numbers, numbers, strict=True)]

    @cached_property
    def text(self) -> list[tuple[int, int]]:
        """Start and end of highlighted text, in order and without overlap."""
        merged: list[tuple[int, int]] = []
        for start, end in sorted(self.passages):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def found(self, start: int, end: int) -> int:
        """How many highlighted characters lie between two offsets, those of two passages twice."""
        size = 0
        for first, last in self.passages:
            if first < end and start < last:
                size += (last if last < end else end) - (first if first > start else start)
        return size


class Topic:
    """A judged topic: its relevant articles, and how many lines and highlighted characters these have in the file."""

    def __init__(self) -> None:
        self.articles: dict[bytes, JudgedArticle] = {}
        self.relevant = self.size = 0


def read_qrels(source: Source) -> dict[bytes, Topic]:
    """The judged topics in the order of their names."""
    topics: dict[bytes, Topic] = {}
    fits = LINE.fullmatch
    for number, line in enumerate(source.whole().splitlines(), 1):
        match = fits(line)
        if match is None:
            raise source.fault(f"expected {LAYOUT} in whole numbers, found {quoted(decoded_bytes(line))}", number)
        name, article, highlighted, length, entry, passages = match.groups()
        size = int(highlighted)
        topic = topics.get(name) or topics.setdefault(name, Topic())
        if size > 0:
            topic.relevant += 1
            topic.size += size
        judged = topic.articles.get(article) or topic.articles.setdefault(article, JudgedArticle(size, int(length)))
        if passages:
            judged.entry = int(entry)
            judged.written += passages
    if not topics:
        raise source.fault(f"has no lines; expected {LAYOUT}")
    for topic in topics.values():
        topic.articles = {name: judged for name, judged in topic.articles.items() if judged.highlighted > 0}
    return {name: topics[name] for name in sorted(topics)}


def decoded_bytes(text: bytes) -> str:
    """Bytes of a file as text; whatever they are, they can be written again."""
    return text.decode("utf-8", "surrogateescape")
