"""What Assay refuses, and how it says so.

    AssayError           whatever Assay refuses; `status` is the exit status of the command line
    ├── InputError       1: a file or table:  path:line: what is wrong; what was expected
    └── UsageError       2: an argument: an unknown measure, options that exclude each other
"""

from __future__ import annotations


class AssayError(Exception):
    """Something Assay refuses; the message says what, and what was expected instead."""

    status = 1


class InputError(AssayError):
    """Bad input: where it is and what is wrong with it."""

    def __init__(self, what: str, path: str | None = None, line: int | None = None):
        self.what, self.path, self.line = what, path, line
        where = [str(part) for part in (path, line) if part is not None]
        super().__init__(": ".join([":".join(where), what] if where else [what]))


class UsageError(AssayError):
    """An argument that means nothing here."""

    status = 2


def quoted(text: str, width: int = 60) -> str:
    """The text in quotes, shortened to `width` characters so that a message stays readable."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def listed(names: list[str], most: int = 5) -> str:
    """The first few names, with an ellipsis where there are more."""
    return ", ".join(names[:most] + ["…"] * (len(names) > most))


def counted(number: int, noun: str) -> str:
    """`1 topic`, `2 topics`, `1,000 queries`."""
    plural = noun[:-1] + "ies" if noun.endswith("ry") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"
