"""JSONL: an object a line. Whoever reads such a file reads each line here, so
that it is refused in the same words everywhere.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from assay.errors import InputError, quoted
from assay.files.line_blocks import LONGEST_LINE, LineBlock, byte_of_no_text, text_blocks
from assay.files.source import Source


class RepeatedName(ValueError):
    """A name that stands twice in a JSON object: each reader of JSON would take another of its values."""

    def __init__(self, name: str):
        super().__init__(f"has {quoted(name)} twice; expected each name once in an object")


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of some pairs, of which no name may come twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedName(next(name for name in names if names.count(name) > 1))
    return values


DECODER = json.JSONDecoder(object_pairs_hook=unique_names)


class WrittenNumber(float):
    """A number with a decimal point or an exponent, and how it was written: it may have more digits than a float."""

    def __new__(cls, written: str) -> WrittenNumber:
        """The number that a text writes."""
        number = super().__new__(cls, written)
        number.written = written
        return number

    written: str


# Keeps all digits of numbers, and so takes longer.
EXACT_DECODER = json.JSONDecoder(parse_float=WrittenNumber, object_pairs_hook=unique_names)


def parsed_json(text: str, decoder: json.JSONDecoder = DECODER) -> Any:
    """The value that a text is in JSON. Without blanks around it that takes two thirds of the time of json.loads."""
    try:
        value, end = decoder.raw_decode(text)
        if end == len(text):
            return value
    except RepeatedName:
        raise
    except ValueError:
        # blanks before it, perhaps
        pass
    return decoder.decode(text)


def json_object(line: str | bytes, number: int, source: Source, decoder: json.JSONDecoder = DECODER) -> dict[str, Any]:
    """The object on a line of a file."""
    try:
        text = line if isinstance(line, str) else line.decode()
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text, which has no byte {error.object[error.start]:#x} here"
        raise source.fault(what, number) from None
    try:
        value = parsed_json(text, decoder)
    except json.JSONDecodeError as error:
        if text.lstrip().startswith("["):
            raise source.fault("begins an array; expected JSONL, one object a line", number) from None
        raise source.fault(f"is not JSON ({error.msg} at column {error.colno}): {quoted(text)}", number) from None
    except RepeatedName as error:
        raise source.fault(str(error), number) from None
    except (ValueError, RecursionError):
        raise source.fault(f"has too many digits or brackets: {quoted(text)}", number) from None
    if not isinstance(value, dict):
        raise source.fault(f"expected an object with named values, found {quoted(text)}", number)
    return value


# A JSON array of objects, read object by object.

BLANKS = re.compile(r"[ \t\n\r]*")


def array_objects(
    source: Source, expected: str, decoder: json.JSONDecoder = DECODER
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of an array, each with the line on which it begins."""
    reader = ArrayReader(source, decoder)
    for text in texts(source, expected):
        yield from reader.objects(text)
    yield from reader.objects("", final=True)
    if reader.awaited:
        raise reader.fault(f"the array is not closed; expected {reader.awaited}")


class ArrayReader:
    """Reads an array that comes in pieces; what is `awaited` next is told as in an error, and nothing behind its end.
    """

    def __init__(self, source: Source, decoder: json.JSONDecoder):
        self.source, self.decoder = source, decoder
        self.awaited = "["
        self.text, self.line = "", 1

    def fault(self, what: str) -> InputError:
        """The error about the place that was reached."""
        return self.source.fault(what, self.line)

    def objects(self, text: str, final: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects that end in a further piece of text."""
        self.text += text
        while True:
            self.step(len(BLANKS.match(self.text)[0]))  # type: ignore[index]
            if not self.text:
                return
            mark = self.text[0]
            if self.awaited in ("an object or ]", "an object") and mark not in "],":
                value, length = self.value(final)
                if value is None:
                    return
                yield self.line, value
                self.step(length)
                self.awaited = ", or ]"
            elif mark == "]" and self.awaited.endswith("]"):
                self.step(1)
                self.awaited = ""
            elif mark in "[," and self.awaited.startswith(mark):
                self.step(1)
                self.awaited = "an object or ]" if mark == "[" else "an object"
            else:
                raise self.fault(
                    f"expected {self.awaited or 'nothing behind the array'}, found {quoted(self.text[:60])}"
                )

    def step(self, length: int) -> None:
        """Leave some characters behind."""
        self.line += self.text.count("\n", 0, length)
        self.text = self.text[length:]

    def value(self, final: bool) -> tuple[dict[str, Any] | None, int]:
        """The next object, and how long it is; None where it does not end here."""
        try:
            value, length = self.decoder.raw_decode(self.text)
        except json.JSONDecodeError as error:
            if not final and len(self.text) <= LONGEST_LINE:
                return None, 0
            self.line += error.lineno - 1
            raise self.fault(f"is not JSON ({error.msg} at column {error.colno})") from None
        except RepeatedName as error:
            raise self.fault(str(error)) from None
        except (ValueError, RecursionError):
            raise self.fault(f"has too many digits or brackets: {quoted(self.text[:60])}") from None
        if not isinstance(value, dict):
            raise self.fault(f"expected an object with named values, found {quoted(self.text[:length])}")
        return value, length


def texts(source: Source, expected: str) -> Iterator[str]:
    """The text of a file, piece by piece."""
    decoder, line = codecs.getincrementaldecoder("utf-8")(), 1
    for content in text_blocks(source):
        block = LineBlock(line, content)
        if b"\0" in content:
            raise byte_of_no_text(source, block, expected)
        try:
            yield decoder.decode(content)
        except UnicodeDecodeError as error:
            what = f"is not UTF-8 text, which has no byte {error.object[error.start]:#x} here"
            raise source.fault(what, line + error.object.count(b"\n", 0, error.start)) from None
        line = block.line_at(len(content))
