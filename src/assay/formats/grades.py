"""The assessed elements of INEX's assessments: exhaustivity and specificity, as the years wrote them.

2002        <path path="…" relevance="0..3" coverage="N|S|L|E"/>           S, L, E: too small, too large, exact, as 1,
2, 3 2003, 2004  <path path="…" exhaustiveness="0..3" specificity="0..3"/> 2005-2007   <element path="…"
exhaustivity="?|0|1|2" size="…" rsize="…"/>  specificity is rsize / size
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.documents.xml_paths import normal
from assay.errors import quoted
from assay.tables.judgments import AssessedElements
from assay.tables.places import Place

TAGS = ("element", "path")
EXHAUSTIVITY = ("exhaustivity", "exhaustiveness", "relevance")
COVERAGE = {"N": 0, "S": 1, "L": 2, "E": 3}
TOO_SMALL = "?"
HIGHEST = {"2003": 3, "2005": 2}
LONGEST = 15


@dataclass(eq=False, repr=False)
class Grades:
    """The assessed elements of all files, as they are read."""

    row: list[int] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    exhaustivity: list[int] = field(default_factory=list)
    specificity: list[float] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    scale: str = ""
    seen: dict[tuple[int, str], tuple[tuple[int, float, int], Place]] = field(default_factory=dict)

    def add(self, row: int, element: Any, place: Place) -> None:
        """One assessed element."""
        try:
            path, scale, grades = read_element(element)
        except ValueError as error:
            raise place.fault(str(error)) from None
        if self.scale and scale != self.scale:
            raise place.fault(
                f"grades as of {scale} stand beside grades as of {self.scale}; expected those of one year"
            )
        if (row, path) in self.seen:
            before, first = self.seen[row, path]
            if before != grades:
                raise place.fault(f"element {path} is assessed twice, and not alike{first.first}")
            return
        self.scale = scale
        self.seen[row, path] = grades, place
        self.row.append(row)
        self.path.append(path)
        self.exhaustivity.append(grades[0])
        self.specificity.append(grades[1])
        self.size.append(grades[2])

    def elements(self) -> AssessedElements | None:
        """The table of them, if there are any."""
        if not self.row:
            return None
        return AssessedElements(
            np.array(self.row, np.int64),
            self.path,
            np.array(self.exhaustivity, np.int64),
            np.array(self.specificity, np.float64),
            np.array(self.size, np.int64),
            self.scale,
        )

    def relevant(self, rows: int) -> Any:
        """Which judged documents have an element that is both exhaustive
        and specific; `?` is too small, but not nothing.
        """
        relevant = np.zeros(rows, bool)
        e, s = np.array(self.exhaustivity, np.int64), np.array(self.specificity)
        relevant[np.array(self.row, np.int64)[(e != 0) & (s > 0)]] = True
        return relevant


def read_element(element: Any) -> tuple[str, str, tuple[int, float, int]]:
    """The path of an assessed element, the scale of its grades, and its
    exhaustivity, specificity and size (-1 is not known).
    """
    if not (path := (element.get("path") or "").strip()):
        raise ValueError(f"<{element.tag}> has no path")
    try:
        full = normal(path)
    except ValueError:
        raise ValueError(f"{quoted(path)} is no path of an element; expected one like /article[1]/sec[2]") from None
    name = next((name for name in EXHAUSTIVITY if element.get(name) is not None), None)
    if name is None:
        raise ValueError(f"<{element.tag}> has no {EXHAUSTIVITY[0]}")
    size = number_of_characters(element, "size") if element.get("size") is not None else -1
    if element.get("rsize") is not None:
        e = exhaustivity(element, name, "2005")
        return full, "2005", (e, specificity(element, size), size)
    if element.get("specificity") is None and element.get("coverage") is None:
        raise ValueError(
            f"<{element.tag}> has no specificity; expected specificity, coverage (2002), or size and rsize (2005)"
        )
    e = exhaustivity(element, name, "2003")
    kind = "coverage" if element.get("coverage") is not None else "specificity"
    s = coverage(element) if kind == "coverage" else grade(element, kind, HIGHEST["2003"])
    if (e > 0) != (s > 0):
        raise ValueError(
            f"{name} {e} stands beside {kind} {element.get(kind).strip()}; expected both to say relevant, or neither"
        )
    return full, "2003", (e, float(s), size)


def exhaustivity(element: Any, name: str, scale: str) -> int:
    """The exhaustivity of an element; -1 is `?`, too small."""
    if scale == "2005" and element.get(name).strip() == TOO_SMALL:
        return -1
    return grade(element, name, HIGHEST[scale])


def grade(element: Any, name: str, highest: int) -> int:
    """A grade from 0 to the highest."""
    text = (element.get(name) or "").strip()
    if not text:
        raise ValueError(f"<{element.tag}> has no {name}")
    if text not in map(str, range(highest + 1)):
        more = " or ?" if highest == HIGHEST["2005"] else ""
        raise ValueError(f"{name} {quoted(text)} is out of range; expected 0 to {highest}{more}")
    return int(text)


def coverage(element: Any) -> int:
    """The coverage of 2002 as a specificity."""
    text = element.get("coverage").strip().upper()
    if text not in COVERAGE:
        raise ValueError(f"coverage {quoted(text)} is not known; expected N, S, L or E")
    return COVERAGE[text]


def number_of_characters(element: Any, name: str) -> int:
    """A number of characters."""
    text = element.get(name).strip()
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{name} {quoted(text)} is not a number of characters")
    if len(text) > LONGEST:
        raise ValueError(f"{name} {quoted(text)} is too large; expected at most {LONGEST} digits")
    return int(text)


def specificity(element: Any, size: int) -> float:
    """Specificity: how much of an element is highlighted."""
    rsize = number_of_characters(element, "rsize")
    if size < 0:
        raise ValueError(f"<{element.tag}> has an rsize but no size")
    if rsize > size:
        raise ValueError(f"rsize {rsize} is above size {size}")
    return rsize / size if size else 0.0
