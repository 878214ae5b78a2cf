"""Elements that overlap, told by their paths alone: an element has the text of those below it, and of no others.

All paths are laid on one line in the order of the tree, each with the paths below it behind it, so that an element is a
span of that line. Of a range of elements as much is known as lies between two of one name, of other ranges and of
points nothing.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

import numpy as np

from assay.documents.lookup import BadPath, Documents
from assay.documents.xml_paths import NoSuchPath, Path, parsed_path
from assay.tables.ids import Bools, Ids, Ints
from assay.tables.judgments import grouped
from assay.tables.run import Run

ANY = "*"
Steps: TypeAlias = "tuple[tuple[str, int], ...]"


def unreadable_paths(run: Run) -> dict[int, str]:
    """The rows with a path that is none, and what is wrong with each."""
    wrong: dict[int, str] = {}
    for paths in filter(None, (run.path, run.last)):
        texts = texts_of(paths)
        why = {text: why_no_path(text) for text in set(texts)}
        for row in (row for row, text in enumerate(texts) if why[text]):
            (document,) = run.document[row : row + 1].texts()
            wrong.setdefault(row, f"document {document} has no {why[texts[row]]}")
    return wrong


def why_no_path(path: str) -> str | None:
    """Why a text is no path, if it is none."""
    try:
        parsed_path(path or "/")
    except NoSuchPath as error:
        return str(error)
    return None


def in_tree_order(run: Run) -> tuple[Ints, Ints, Bools]:
    """Where each result begins and ends on the line of all paths, and of
    which results that is not all that is to be known.
    """
    assert run.path is not None
    paths = texts_of(run.path)
    lasts = texts_of(run.last) if run.last is not None else [""] * len(paths)
    pairs = list(zip(paths, lasts, strict=True))
    steps = sorted({parsed_path(path).steps for pair in set(pairs) for path in pair if path})
    begin = {path_steps: at for at, path_steps in enumerate(steps)}
    end: dict[Steps, int] = {}
    above: list[Steps] = []
    for at, path_steps in enumerate([*steps, None]):
        while above and (path_steps is None or path_steps[: len(above[-1])] != above[-1]):
            end[above.pop()] = at
        above += [path_steps] if path_steps is not None else []
    spans = {
        pair: place_on_line(parsed_path(pair[0]), parsed_path(pair[1]) if pair[1] else None, begin, end)
        for pair in set(pairs)
    }
    start, stop, known = zip(*map(spans.__getitem__, pairs), strict=True)
    return np.array(start), np.array(stop), ~np.array(known)


def place_on_line(
    first: Path, last: Path | None, begin: dict[Steps, int], end: dict[Steps, int]
) -> tuple[int, int, bool]:
    """Where a result begins and ends on the line, and whether that is all that is to be known."""
    at = begin[first.steps]
    if first.offset is not None or (last and last.offset is not None):
        return at, at, False
    if last is None:
        return at, end[first.steps], all(name != ANY for name, _ in first.steps)
    alike = first.steps[:-1] == last.steps[:-1] and first.steps[-1:] <= last.steps[-1:] and bool(first.steps)
    if alike and first.steps[-1][0] == last.steps[-1][0]:
        return at, end[last.steps], False
    return at, at, False


def texts_of(ids: Ids) -> list[str]:
    """The texts of a column in which many are the same."""
    first, number = grouped(ids.keys())
    texts = ids[first].texts()
    return [texts[at] for at in number.tolist()]


def places_in_documents(run: Run, documents: Documents) -> tuple[Bools, Ints, Ints, dict[int, str]]:
    """Which results are of documents that are there, where these begin and end,
    and the rows whose paths lead nowhere, and why.
    """
    assert run.path is not None
    names, paths = texts_of(run.document), texts_of(run.path)
    lasts = texts_of(run.last) if run.last is not None else [""] * len(names)
    known = dict(
        zip(
            distinct := list(dict.fromkeys(names)), documents.lengths(distinct, missing="unknown").tolist(), strict=True
        )
    )
    there = np.array([known[name] >= 0 for name in names])
    start, end = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    wrong: dict[int, str] = {}

    def find(rows: list[int]) -> str | None:
        try:
            start[rows], end[rows] = documents.spans(
                *([column[row] for row in rows] for column in (names, paths, lasts))
            )
        except BadPath as error:
            return error.what
        return None

    rows = np.flatnonzero(there).tolist()
    if find(rows):
        of_document = defaultdict(list)
        for row in rows:
            of_document[names[row]].append(row)
        for several in (several for several in of_document.values() if find(several)):
            wrong |= {row: what for row in several if (what := find([row]))}
    return there, start, end, wrong
