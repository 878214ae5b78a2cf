"""The errors that Assay raises, and helpers for their messages.

AssayError           any error that Assay raises; `status` is the exit status of the command line
├── InputError       1: a file or table:  path:line: what is wrong; what was expected
└── UsageError       2: an argument: an unknown measure, options that exclude each other
"""

from __future__ import annotations

import re
from typing import Any

# Characters that a terminal would act on instead of showing: control characters, line separators, changes of text
# direction, and lone surrogates. It is a string, so that Python compiles it only when Assay raises an error.
CONTROLS = "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
# How many characters of a word and of a message are shown. A word that was shortened before may have up to SIGNS
# punctuation marks around it.
LONGEST_WORD, LONGEST_MESSAGE, SIGNS = 200, 2000, 10
# The advice about judgments in the place of a run, and the reverse. Commands that do not take both leave it out.
ORDER_OF_INPUTS = "pass judgments first, then the runs"
PASS_CHUNKS = "if these are chunk ids, pass chunks= with the table of all chunks"
LONG_WORD = rf"\S{{{LONGEST_WORD + SIGNS},}}"


class AssayError(Exception):
    """Base class of all errors that Assay raises.

    The message says what is wrong and what was expected, on one line without control characters.
    """

    status = 1

    def __init__(self, message: str, where: str = ""):
        super().__init__(printable(where + legible(message)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Make pickle restore the finished error, instead of calling `__init__` with the message."""
        return rebuild_error, (type(self), self.args, vars(self))


def rebuild_error(kind: type[AssayError], words: tuple[Any, ...], told: dict[str, Any]) -> AssayError:
    """Restore an error that another process raised."""
    error = kind.__new__(kind, *words)
    vars(error).update(told)
    return error


class InputError(AssayError):
    """Bad input: where it is and what is wrong with it.

    `path` names a file or a table, `line` a line of it. If there are no lines, `at` names the place in words, for
    example `row 3`, and `number` is the number of the row, record or result.
    """

    def __init__(
        self, what: str, path: str | None = None, line: int | None = None, at: str = "", number: int | None = None
    ):
        self.what, self.path, self.line, self.at, self.number = what, path, line, at, number
        where = ":".join(str(part) for part in (path, line) if part is not None)
        # an editor could not open a shortened path, so only the rest is shortened
        super().__init__(f"{at}: {what}" if at else what, f"{where}: " if path is not None or line is not None else "")


class UsageError(AssayError):
    """A wrong argument: an unknown name, or options that exclude each other."""

    status = 2


def printable(text: str) -> str:
    """Write out control characters, for example as `\\n` or `\\x1b`, because files may contain anything."""
    return re.sub(CONTROLS, lambda control: repr(control[0])[1:-1], text)


def visible(text: str) -> str:
    """Write out control characters in a text of many lines as `\\u001b`, except tabs and line ends, for a terminal.

    JSON reads such an escape as the same character.
    """
    return re.sub(f"(?![\t\n]){CONTROLS}", lambda control: f"\\u{ord(control[0]):04x}", text)


def legible(message: str) -> str:
    """Shorten long words (ids, paths, column names) and then the message, so that no word hides the rest."""
    return shorten(re.sub(LONG_WORD, lambda word: shorten(word[0], LONGEST_WORD), message), LONGEST_MESSAGE)


def quote(text: str, width: int = 60) -> str:
    """Return the text in quotes, shortened to `width` characters so that a message stays readable."""
    return repr(shorten(text, width))


def shorten(text: str, width: int = 60) -> str:
    """Return the text, cut to `width` characters with an ellipsis if it is longer."""
    return text if len(text) <= width else text[: width - 1] + "…"


def list_names(names: list[str], most: int = 5) -> str:
    """Return the first few names, each shortened, with an ellipsis if there are more."""
    return ", ".join([*map(shorten, names[:most]), *["…"] * (len(names) > most)])


def type_name(value: object) -> str:
    """Return the type name that users know: `Run` for every type of run, `Judgments` for every type of judgments."""
    return getattr(type(value), "printed_as", type(value).__name__)


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun: `1 topic`, `2 topics`, `1,000 queries`."""
    plural = noun[:-1] + "ies" if noun.endswith("ry") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"
