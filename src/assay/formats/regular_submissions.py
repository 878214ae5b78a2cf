"""Submissions whose results all have the same fields in the same order, which nearly all have: read at once.

What stands before the first topic and behind the last one is parsed as XML, so that the file as a whole is well-formed.
Between them there may be nothing but topics, results and their fields, with plain text in them: their tags are compared
with those of the first result. Where anything else stands, nothing is said here, and the file is read element by
element.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from assay.files.plain_text import is_utf8
from assay.files.source import Source
from assay.formats.line_fields import is_whole
from assay.formats.numbers import numbers
from assay.tables.ids import PAD, Bools, Ids, Ints
from assay.tables.words import WORD

# The most bytes of a file that is read at once.
LARGEST = 1 << 26
LONGEST_ID = 10_000
FIELDS = ("file", "path", "rank", "rsv")
NAMES = ("topic", "result", *FIELDS)
OPENING, CLOSING = ([f"<{slash}{name}>" for name in NAMES] for slash in ("", "/"))
ALL_TAGS = [*OPENING, *CLOSING]
# Eight letters tell a tag, as its last one is known.
BEGINNINGS, LENGTHS = Ids.of(tag[:WORD] for tag in ALL_TAGS).first_words(), np.array([len(tag) for tag in ALL_TAGS])
TOPIC_END, RESULT, RESULT_END = len(NAMES), 1, len(NAMES) + 1
TOPIC = re.compile(rb'<topic\s+topic-id="([^"<&]+)"\s*>')
ENCODING = re.compile(rb"\s*<\?xml[^>]*encoding=.([\w-]+)")
# Characters that XML must not have.
FORBIDDEN = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")
WHITE, SLASH = b" /"
MOST_WHITE = 1000
MARK = "topics-of-the-run"


def regular_columns(source: Source) -> dict[str, Any] | None:
    """The columns of a submission by their names; None where it has to be read element by element."""
    content = source.whole_within(LARGEST)
    if content is None:
        return None
    first, last = content.find(b"<topic "), content.rfind(b"</topic>") + len(b"</topic>")
    encoding = ENCODING.match(content)
    is_known = encoding is None or encoding[1].lower() in (b"utf-8", b"us-ascii")
    if first < 0 or not (is_utf8(content) if is_known else content.isascii()):
        return None
    middle = content[first:last]
    # what is more than text and the tags that are known is seen where those are compared
    if b"&" in middle or not is_well_formed(content[:first], content[last:]):
        return None
    if not middle.isascii() and any(character in middle for character in FORBIDDEN):
        return None
    return columns_between_tags(b"".join((PAD, middle, PAD)))


def is_well_formed(before: bytes, behind: bytes) -> bool:
    """Whether a file is well-formed around its topics, which stand in the outermost element."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(b"".join((before, f"<{MARK}/>".encode(), behind)), parser)
    except etree.XMLSyntaxError:
        return False
    return len(root.findall(MARK)) == 1 and next(root.iter("topic"), None) is None


def columns_between_tags(buffer: bytes) -> dict[str, Any] | None:
    """The columns of topics with results that are all alike; None where they are not."""
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


def are_white(characters: Any, start: Ints, end: Ints) -> bool:
    """Whether only white space, and not very much of it, stands between some places."""
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
    """The number of each tag among all that are known; -1 where it is none of them."""
    beginnings = Ids(buffer, start, end).first_words()
    order = np.argsort(BEGINNINGS)
    place = order[np.minimum(np.searchsorted(BEGINNINGS[order], beginnings), len(order) - 1)]
    return np.where((BEGINNINGS[place] == beginnings) & (LENGTHS[place] == end - start), place, -1)


def topics_of_results(buffer: bytes, opens: Ints, closes: Ints, tag: Ints, width: int) -> Ids | None:
    """The topic of each result; None where topics do not begin and end as they should, and have no plain names."""
    begins, ends = np.flatnonzero(tag == -1), np.flatnonzero(tag == TOPIC_END)
    if len(begins) != len(ends) or np.any(begins > ends) or np.any(ends[:-1] > begins[1:]):
        return None
    if begins[0] > 0 or ends[-1] + 1 < len(tag):
        return None
    # how many tags of results there are between the two, and before
    inside, before = ends - begins - 1, begins - 2 * np.arange(len(begins))
    names = [TOPIC.fullmatch(buffer, int(opens[at]), int(closes[at]) + 1) for at in begins.tolist()]
    if np.any(inside % width) or np.any(before % width) or not all(names):
        return None
    spans = np.array([name.span(1) for name in names if name], np.int64)
    each = np.repeat(spans, inside // width, axis=0).T.copy()
    return Ids(buffer, *each) if plain_ends(Ids(buffer, *spans.T.copy())) else None


def plain_ends(ids: Ids) -> bool:
    """Whether values are there, begin and end with plain letters, and are not very long."""
    if not len(ids) or ids.length.min() < 1 or ids.length.max() > LONGEST_ID:
        return False
    characters = np.frombuffer(ids.buffer, np.uint8)
    return all(bool(np.all((ends > WHITE) & (ends < 128))) for ends in (characters[ids.start], characters[ids.end - 1]))


def columns_if_sound(columns: dict[str, Any], characters: Any) -> dict[str, Any] | None:
    """The columns with numbers for ranks and scores, and documents without the ending .xml; None where any is wrong."""
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


def without_xml_ending(names: Ids, characters: Any) -> Ids:
    """The names of files without the ending .xml."""
    ending = np.ones(len(names), bool)
    for number, letter in enumerate(reversed(b".xml"), 1):
        ending &= characters[names.end - number] == letter
    ending &= names.length >= len(b".xml")
    return Ids(names.buffer, names.start, np.where(ending, names.end - len(b".xml"), names.end))
