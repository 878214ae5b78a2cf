"""JSONL: an object a line. Whoever reads such a file reads each line here, so
that it is refused in the same words everywhere.
"""

from __future__ import annotations

import json
from typing import Any

from assay.errors import quoted
from assay.files.source import Source

DECODER = json.JSONDecoder()


class WrittenNumber(float):
    """A number with a decimal point or an exponent, and how it was written: it may have more digits than a float."""

    def __new__(cls, written: str) -> WrittenNumber:
        """The number that a text writes."""
        number = super().__new__(cls, written)
        number.written = written
        return number

    written: str


# Keeps all digits of numbers, and so takes longer.
EXACT_DECODER = json.JSONDecoder(parse_float=WrittenNumber)


def parsed_json(text: str, decoder: json.JSONDecoder = DECODER) -> Any:
    """The value that a text is in JSON. Without blanks around it that takes two thirds of the time of json.loads."""
    try:
        value, end = decoder.raw_decode(text)
        if end == len(text):
            return value
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
    except (ValueError, RecursionError):
        raise source.fault(f"has too many digits or brackets: {quoted(text)}", number) from None
    if not isinstance(value, dict):
        raise source.fault(f"expected an object with named values, found {quoted(text)}", number)
    return value
