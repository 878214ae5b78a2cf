"""Read JSONL, one object per line, and JSON arrays of objects.

Every reader of such files parses lines here, so that the same fault gets the same message everywhere.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from assay.errors import InputError, quote
from assay.files.line_blocks import LONGEST_LINE, LineBlock, byte_of_no_text, text_blocks
from assay.files.source import Source, not_utf8


class RepeatedName(ValueError):
    """A name that occurs twice in a JSON object. JSON parsers disagree about which of its values counts."""

    def __init__(self, name: str):
        super().__init__(f"the object has two values named {quote(name)}; expected one")


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return pairs as a dict, or raise RepeatedName if a name occurs twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise RepeatedName(next(name for name in times if times[name] > 1))
    return values


TOO_DEEP = "cannot parse this JSON: a number is too long or the brackets are too deep"
DECODER = json.JSONDecoder(object_pairs_hook=unique_names)


class WrittenNumber(float):
    """A float that also keeps its text, because the text may have more digits than a float can hold."""

    def __new__(cls, written: str) -> WrittenNumber:
        """Make a number from its text."""
        number = super().__new__(cls, written)
        number.written = written
        return number

    written: str


# Keeps all digits of numbers, and is therefore slower.
EXACT_DECODER = json.JSONDecoder(parse_float=WrittenNumber, object_pairs_hook=unique_names)


def parsed_json(text: str, decoder: json.JSONDecoder = DECODER) -> Any:
    """Parse JSON text. Text without whitespace around it takes two thirds of the time of json.loads."""
    try:
        value, end = decoder.raw_decode(text)
        if end == len(text):
            return value
    except RepeatedName:
        raise
    except ValueError:
        # there may be whitespace before it
        pass
    return decoder.decode(text)


def not_json(error: json.JSONDecodeError, column: int) -> str:
    """Return what to say about text that is not JSON; some messages of the decoder already end in "at"."""
    return f"not valid JSON ({error.msg.removesuffix(' at')} at column {column})"


def json_object(line: str | bytes, number: int, source: Source, decoder: json.JSONDecoder = DECODER) -> dict[str, Any]:
    """Parse the object on a line of a file."""
    try:
        text = line if isinstance(line, str) else line.decode()
    except UnicodeDecodeError as error:
        what = not_utf8(error.object[error.start])
        raise source.fault(what, number) from None
    try:
        value = parsed_json(text, decoder)
    except json.JSONDecodeError as error:
        if text.lstrip().startswith("["):
            raise source.fault("a JSON array begins here; expected JSONL, with one object per line", number) from None
        more = "; expected one object per line, without a comma after it" if error.msg == "Extra data" else ""
        raise source.fault(f"{not_json(error, error.colno)}: {quote(text)}{more}", number) from None
    except RepeatedName as error:
        raise source.fault(str(error), number) from None
    except (ValueError, RecursionError):
        raise source.fault(f"{TOO_DEEP}: {quote(text)}", number) from None
    if not isinstance(value, dict):
        raise source.fault(f"expected a JSON object, found {quote(text)}", number)
    return value


# A JSON array of objects, read one object at a time.

BLANKS = re.compile(r"[ \t\n\r]*")


def array_objects(
    source: Source, expected: str, decoder: json.JSONDecoder = DECODER
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the objects of an array one by one, each with the line on which it begins."""
    return ArrayReader(source, decoder).read(expected)


# These patterns match an object whose values are strings, numbers, and flat objects and lists. They do not check that
# it is valid JSON; whoever parses the line does.
OUTSIDE = rb'[^{}"\[\]]*+'
STRING = rb'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+"'
INNER = rb"[\[{]%b(?:%b%b)*+[\]}]" % (OUTSIDE, STRING, OUTSIDE)
PLAIN = rb"\{%b(?:(?:%b|%b)%b)*+\}" % (OUTSIDE, STRING, INNER, OUTSIDE)
PLAIN_OBJECT = re.compile(PLAIN)
PLAIN_OBJECTS = re.compile(rb"(?:%b[ \t\n]*+,[ \t\n]*+)*+" % PLAIN)
LAST_OBJECT = re.compile(rb"(%b)[ \t\n]*+\][ \t\n]*+" % PLAIN)
ARRAY = re.compile(rb"[ \t\n]*+\[[ \t\n]*+")
# How many objects to yield at a time when they are read one by one.
MANY = 1 << 14


def array_lines(source: Source, expected: str, size: int | None = None) -> Iterator[bytes]:
    """Yield the objects of an array as JSONL, many lines at a time; shallow objects are not even parsed."""
    number, begun, is_open, ready = 0, b"", False, b""
    for block in text_blocks(source, size):
        begun += block
        if not is_open:
            is_open, begun = ARRAY.match(begun) is not None, ARRAY.sub(b"", begun, 1)
        end = PLAIN_OBJECTS.match(begun).end()  # type: ignore[union-attr]
        if not is_open or b"\0" in block or len(begun) - end > LONGEST_LINE:
            break
        if end:
            objects = PLAIN_OBJECT.findall(begun[:end].replace(b"\n", b" "))
            number, begun = number + len(objects), begun[end:]
            if ready:
                yield ready
            ready = b"\n".join((*objects, b""))
    else:
        if last := LAST_OBJECT.fullmatch(begun):
            # join both, so that a small file is one block
            yield ready + last[1].replace(b"\n", b" ") + b"\n"
            return
    # the array has a fault or deeper nesting: read the rest object by object
    rest = islice(ArrayReader(source, DECODER).written(expected), number, None)
    while lines := list(islice(rest, MANY)):
        yield ready + "".join(lines).encode()
        ready = b""
    if ready:
        yield ready


class ArrayReader:
    """Reads a JSON array that comes in pieces.

    `awaited` is what must come next, in the words of an error message. It is empty after the end of the array.
    """

    def __init__(self, source: Source, decoder: json.JSONDecoder):
        self.source, self.decoder = source, decoder
        self.awaited = "["
        # the unread text starts at `at`; `end` is where the last object ends
        self.text, self.at, self.end, self.line = "", 0, 0, 1

    def read(self, expected: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects of the array, each with the line on which it begins."""
        for text in texts(self.source, expected):
            yield from self.objects(text)
        yield from self.objects("", final=True)
        if self.awaited:
            raise self.fault(f"the array is not closed; expected {self.awaited}")

    def written(self, expected: str) -> Iterator[str]:
        """Yield the objects of the array as JSONL, one line each."""
        for _ in self.read(expected):
            yield self.text[self.at : self.end].replace("\n", " ") + "\n"

    def fault(self, what: str) -> InputError:
        """Return an error about the current line."""
        return self.source.fault(what, self.line)

    def objects(self, text: str, final: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects that end in the next piece of text."""
        self.text, self.at = self.text[self.at :] + text, 0
        while True:
            self.step(BLANKS.match(self.text, self.at).end())  # type: ignore[union-attr]
            if self.at == len(self.text):
                return
            mark = self.text[self.at]
            if self.awaited in ("an object or ]", "an object") and mark not in "],":
                value, self.end = self.value(final)
                if value is None:
                    return
                yield self.line, value
                self.step(self.end)
                self.awaited = ", or ]"
            elif mark == "]" and self.awaited.endswith("]"):
                self.step(self.at + 1)
                self.awaited = ""
            elif mark in "[," and self.awaited.startswith(mark):
                self.step(self.at + 1)
                self.awaited = "an object or ]" if mark == "[" else "an object"
            else:
                raise self.fault(f"expected {self.awaited or 'nothing after the array'}, found {self.beginning}")

    @property
    def beginning(self) -> str:
        """The next characters, quoted."""
        return quote(self.text[self.at : self.at + 60])

    def step(self, end: int) -> None:
        """Move on to a later position."""
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    def value(self, final: bool) -> tuple[dict[str, Any] | None, int]:
        """Return the next object and where it ends, or None if the text ends before it does."""
        try:
            value, end = self.decoder.raw_decode(self.text, self.at)
        except json.JSONDecodeError as error:
            if not final and len(self.text) - self.at <= LONGEST_LINE:
                return None, 0
            begun = self.text.rfind("\n", 0, error.pos) + 1
            self.line += self.text.count("\n", self.at, error.pos)
            column = error.pos - max(begun, self.at) + 1
            raise self.fault(not_json(error, column)) from None
        except RepeatedName as error:
            raise self.fault(str(error)) from None
        except (ValueError, RecursionError):
            raise self.fault(f"{TOO_DEEP}: {self.beginning}") from None
        if not isinstance(value, dict):
            raise self.fault(f"expected a JSON object, found {quote(self.text[self.at : end])}")
        return value, end


def texts(source: Source, expected: str) -> Iterator[str]:
    """Yield the text of a file, piece by piece."""
    decoder, line = codecs.getincrementaldecoder("utf-8")(), 1
    for content in text_blocks(source):
        block = LineBlock(line, content)
        if b"\0" in content:
            raise byte_of_no_text(source, block, expected)
        try:
            yield decoder.decode(content)
        except UnicodeDecodeError as error:
            what = not_utf8(error.object[error.start])
            raise source.fault(what, line + error.object.count(b"\n", 0, error.start)) from None
        line = block.line_at(len(content))
