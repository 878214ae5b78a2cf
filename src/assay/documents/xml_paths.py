"""Paths of elements, as `/article[1]/sec[2]`, and how they are written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from assay.documents.xml_tree import TEXT
from assay.errors import quoted

# A prefix says nothing: names are compared without their namespaces. What follows a point may belong to a name.
STEP = r"/(?:[^][\s/()@*:]+:)?(text\(\)|\*|[^][\s/()@*:]+)(?:\[([0-9]{1,9})\])?"
PATH = re.compile(rf"((?:{STEP})+)/?(?:(?<=[\])])\.([0-9]{{1,9}}))?")
LIKE = "expected one like /article[1]/sec[2]"


class NoSuchPath(Exception):
    """A path that leads to nothing in a document; the text goes on after `document d1 has no`."""


class Path(NamedTuple):
    """A path in its steps, each a name and which of that name, and how many characters it goes on from there."""

    steps: tuple[tuple[str, int], ...]
    offset: int | None


@lru_cache(1 << 16)
def parsed_path(path: str) -> Path:
    """A path in its steps: `/article[1]/sec[2]`, where a name alone is the first of its name; `/` is the whole
    document.
    """
    if path == "/":
        return Path((), None)
    if "/@" in path:
        raise NoSuchPath(f"text at {shown_path(path)}, which is an attribute; expected an element")
    if not (matched := PATH.fullmatch(path)):
        raise NoSuchPath(f"{quoted(path)}, which is no path; {LIKE}")
    steps = tuple((name, int(number or 1)) for name, number in re.findall(STEP, matched[1]))
    if any(number == 0 for _, number in steps):
        raise NoSuchPath(f"{shown_path(path)}, as the first of a name is 1; {LIKE}")
    return Path(steps, int(matched[4]) if matched[4] else None)


def normal(path: str) -> str:
    """The path of an element with the number of each of its steps, and without prefixes; a ValueError where it is none.
    """
    try:
        steps, offset = parsed_path(path)
    except NoSuchPath as error:
        raise ValueError(str(error)) from None
    if offset is not None or not steps or any(name in (TEXT, "*") for name, _ in steps):
        raise ValueError(f"{quoted(path)}, which is no path of an element; {LIKE}")
    return "".join(f"/{name}[{number}]" for name, number in steps)


def shown_path(path: str) -> str:
    """A path as messages have it, which is not too long."""
    return path if len(path) <= 200 else path[:199] + "…"
