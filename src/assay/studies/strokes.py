"""Strokes, and the judgment that a list of strokes adds up to.

A stroke is one act of an assessor. Strokes are only ever added, so the list is the whole history of a document:

    highlight     start, end; value: the fact it belongs to (in studies of questions only)
    unhighlight   start, end; value: the fact, or None for all of them
    entry         start; None removes the entry point
    grade         value: a grade of the study as text; None removes it
    exhaustivity  value: "2 /article[1]/sec[1]", one of ? 1 2 and the path of an element
    remaining     value: "1 /article[1]": the same for all children of an element that are not judged yet
    note          value: the text
    answer        value: "none" says that these documents do not answer the question; None takes that back
    time          value: seconds spent since the last such stroke; it cannot be undone
    validate      the document is done; after that only `reopen` and `time` are allowed
    reopen        the document is not done any more
    undo, redo    any number of times; a new change forgets what was undone

`fold` makes a `Judgment` of strokes. A stroke that is not allowed changes nothing: `Fold.apply` says why, and the study
refuses it before it is stored. Offsets count Unicode characters of Assay's own text of the document.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, get_args

from assay.errors import count_noun, list_names

Kind = Literal[
    "highlight", "unhighlight", "entry", "grade", "exhaustivity", "remaining", "note", "answer",
    "time", "validate", "reopen", "undo", "redo",
]  # fmt: skip
KINDS: tuple[str, ...] = get_args(Kind)
Mode = Literal["highlight", "exhaustivity", "grades", "questions"]
State = Literal["new", "highlighting", "assessing", "done"]
# The levels of exhaustivity, lowest first: too small, 1, 2.
LEVELS = ("?", "1", "2")
LONGEST_VALUE = 20_000


@dataclass(frozen=True)
class StudySettings:
    """What a study asks of its assessors.

    `mode`: highlight (INEX 2006 and later), exhaustivity (INEX 2005), grades (TREC) or questions (evidence for
    questions).
    `grades`: the grades a document can have; empty if the study asks for none.
    `judges`: how many people judge each document.
    """

    mode: Mode = "highlight"
    grades: tuple[int, ...] = ()
    judges: int = 1

    @property
    def entry_point(self) -> bool:
        """Whether a document with highlighted text needs an entry point."""
        return self.mode in ("highlight", "exhaustivity")


@dataclass(frozen=True)
class Stroke:
    """One act of an assessor; `seq` and `server_at` are set when it is stored. Times are seconds since 1970."""

    id: str
    kind: Kind
    start: int | None = None
    end: int | None = None
    value: str | None = None
    client_at: float = 0.0
    seq: int = 0
    server_at: float = 0.0


class Element(NamedTuple):
    """An element of a document: its path, and where its text begins and ends."""

    path: str
    start: int
    end: int


class Passage(NamedTuple):
    """Highlighted text; `fact` is empty unless the study is about questions."""

    start: int
    end: int
    fact: str = ""


@dataclass(frozen=True)
class Judgment:
    """What an assessor says about a document: the result of all strokes."""

    passages: tuple[Passage, ...] = ()
    entry: int | None = None
    grade: int | None = None
    exhaustivity: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    no_answer: bool = False
    state: State = "new"
    seconds: float = 0.0
    can_undo: bool = False
    can_redo: bool = False

    @property
    def is_relevant(self) -> bool:
        """Whether anything in the document is relevant."""
        return bool(self.passages) or (self.grade or 0) > 0


class Fold:
    """Applies strokes one by one; `judgment` is the result so far."""

    def __init__(self, settings: StudySettings, length: int, elements: Iterable[Element] = ()):
        self.settings, self.length = settings, length
        self.tree = ElementTree(elements)
        # every judgment that undo can return to; `_at` is the current one
        self._history, self._at = [Judgment()], 0
        self._touched, self._done, self._seconds = False, False, 0.0

    @property
    def judgment(self) -> Judgment:
        """The judgment so far."""
        content = self._history[self._at]
        state: State = "new"
        if self._done:
            state = "done"
        elif self._touched:
            state = "assessing" if content.exhaustivity else "highlighting"
        can_undo, can_redo = self._at > 0, self._at + 1 < len(self._history)
        return replace(content, state=state, seconds=self._seconds, can_undo=can_undo, can_redo=can_redo)

    def apply(self, stroke: Stroke) -> str:
        """Apply a stroke; return why it is not allowed, or "". A stroke that is not allowed changes nothing."""
        if problem := self.problem(stroke):
            return problem
        kind = stroke.kind
        if kind == "time":
            self._seconds += float(stroke.value or 0)
            return ""
        self._touched = True
        if kind in ("validate", "reopen"):
            self._done = kind == "validate"
        elif kind in ("undo", "redo"):
            self._at += -1 if kind == "undo" else 1
        else:
            now = self._history[self._at]
            changed = self._changed(now, stroke)
            if changed != now:
                self._history[self._at + 1 :] = [changed]
                self._at += 1
        return ""

    def problem(self, stroke: Stroke) -> str:
        """Return why a stroke is not allowed now; empty if it is allowed."""
        kind = stroke.kind
        if problem := self._malformed(stroke):
            return problem
        if kind == "time":
            return ""
        if self._done and kind != "reopen":
            return "the document is done; reopen it first"
        if kind == "reopen" and not self._done:
            return "the document is not done"
        if kind == "undo" and not self._at:
            return "nothing to undo"
        if kind == "redo" and self._at + 1 == len(self._history):
            return "nothing to redo"
        now = self._history[self._at]
        if kind == "validate":
            return self._unfinished(now)
        if kind == "exhaustivity":
            level, _, path = (stroke.value or "").partition(" ")
            if not self.tree.meets(path, now.passages):
                return f"{path} has no highlighted text"
            if level == "?" and self.tree.holds(path, now.passages):
                return f"{path} contains a whole passage, so it is not too small"
        return ""

    def _malformed(self, stroke: Stroke) -> str:
        """Return why a stroke is not valid in this study, whatever was done before; empty if it is valid."""
        kind, value, mode = stroke.kind, stroke.value, self.settings.mode
        if kind not in KINDS:
            return f"unknown kind of stroke {kind!r}; choose from {', '.join(KINDS)}"
        if value is not None and len(value) > LONGEST_VALUE:
            return f"{kind}: the value is longer than {LONGEST_VALUE:,} characters"
        if kind in ("highlight", "unhighlight"):
            if mode == "grades":
                return "this study asks for grades; it has no highlights"
            start, end = stroke.start, stroke.end
            if start is None or end is None or not 0 <= start < end <= self.length:
                return f"{kind}: expected 0 <= start < end <= {self.length}, found {start} and {end}"
            if kind == "highlight" and (mode == "questions") != bool(value):
                return "highlight: expected a fact" if mode == "questions" else "highlight: this study has no facts"
        elif kind == "entry":
            if not self.settings.entry_point:
                return "this study has no entry points"
            if stroke.start is not None and not 0 <= stroke.start <= self.length:
                return f"entry: expected 0 <= start <= {self.length}, found {stroke.start}"
        elif kind == "grade":
            if value is not None and value not in map(str, self.settings.grades):
                return f"grade: expected one of {list_names([*map(str, self.settings.grades)], 20)}, found {value}"
        elif kind in ("exhaustivity", "remaining"):
            level, _, path = (value or "").partition(" ")
            if mode != "exhaustivity":
                return "this study does not ask for exhaustivity"
            if level not in LEVELS or path not in self.tree:
                return f"{kind}: expected one of ? 1 2 and the path of an element, found {value}"
        elif kind == "answer":
            if mode != "questions" or value not in (None, "none"):
                return "answer: expected 'none' or nothing, in a study of questions"
        elif kind == "time":
            try:
                good = 0 <= float(value or "") <= 86_400
            except ValueError:
                good = False
            if not good:
                return f"time: expected seconds, found {value}"
        return ""

    def _unfinished(self, now: Judgment) -> str:
        """Return what is missing before the document can be done; empty if nothing is."""
        if self.settings.entry_point:
            if now.passages and now.entry is None:
                return "text is highlighted but there is no entry point; set one"
            if now.entry is not None and not now.passages:
                return "there is an entry point but nothing is highlighted; remove it or highlight text"
        if self.settings.grades and now.grade is None:
            return "the document has no grade yet"
        if self.settings.mode == "exhaustivity":
            missing = [path for path in self.tree.meeting(now.passages) if path not in now.exhaustivity]
            if missing:
                return f"no exhaustivity yet for {count_noun(len(missing), 'element')}: {list_names(missing, 3)}"
        return ""

    def _changed(self, now: Judgment, stroke: Stroke) -> Judgment:
        """Return the judgment after a change."""
        kind, value = stroke.kind, stroke.value
        if kind in ("highlight", "unhighlight"):
            span = Passage(stroke.start or 0, stroke.end or 0, value or "")
            passages = highlight(now.passages, span) if kind == "highlight" else unhighlight(now.passages, span)
            return replace(now, passages=passages, exhaustivity=self.tree.kept(now.exhaustivity, passages))
        if kind == "entry":
            return replace(now, entry=stroke.start)
        if kind == "grade":
            return replace(now, grade=None if value is None else int(value))
        if kind == "note":
            return replace(now, note=value or "")
        if kind == "answer":
            return replace(now, no_answer=value == "none")
        level, _, path = (value or "").partition(" ")
        paths = [path] if kind == "exhaustivity" else self.tree.remaining(path, now.exhaustivity, now.passages)
        levels = dict(now.exhaustivity)
        for one in paths:
            if level != "?" or not self.tree.holds(one, now.passages):
                self.tree.set_level(levels, one, level, now.passages)
        return replace(now, exhaustivity=levels)


def fold(
    strokes: Iterable[Stroke], settings: StudySettings, length: int, elements: Iterable[Element] = ()
) -> Judgment:
    """Return the judgment that strokes add up to."""
    folded = Fold(settings, length, elements)
    for stroke in strokes:
        folded.apply(stroke)
    return folded.judgment


def highlight(passages: Sequence[Passage], new: Passage) -> tuple[Passage, ...]:
    """Add a passage; it merges with passages of the same fact that overlap or touch it."""
    near = [one for one in passages if one.fact == new.fact and one.start <= new.end and one.end >= new.start]
    start, end = min(one.start for one in (*near, new)), max(one.end for one in (*near, new))
    return tuple(sorted([*(one for one in passages if one not in near), Passage(start, end, new.fact)]))


def unhighlight(passages: Sequence[Passage], gone: Passage) -> tuple[Passage, ...]:
    """Remove text from passages, of one fact or of all; a passage splits if its middle is removed."""
    left = []
    for one in passages:
        if gone.fact not in ("", one.fact) or one.end <= gone.start or one.start >= gone.end:
            left.append(one)
            continue
        if one.start < gone.start:
            left.append(one._replace(end=gone.start))
        if one.end > gone.end:
            left.append(one._replace(start=gone.end))
    return tuple(sorted(left))


class ElementTree:
    """The elements of a document, and the rules of INEX 2005 for their exhaustivity.

    Setting an element to 2 sets its ancestors to 2. Setting it to another level resets ancestors with a lower level to
    "not judged". Lowering an element resets descendants above its new level; it also resets its parent if that has the
    old level and no other child has it, and so on upwards. Setting an element to too small sets all highlighted
    descendants to too small; changing it later resets them.
    """

    def __init__(self, elements: Iterable[Element] = ()):
        self._elements = {one.path: one for one in elements}
        self._children: dict[str, list[str]] = {}
        for path in self._elements:
            self._children.setdefault(path.rpartition("/")[0], []).append(path)

    def __contains__(self, path: str) -> bool:
        return path in self._elements

    def meeting(self, passages: Sequence[Passage]) -> list[str]:
        """Return the elements with highlighted text, in document order."""
        return [path for path in self._elements if self.meets(path, passages)]

    def meets(self, path: str, passages: Sequence[Passage]) -> bool:
        """Tell whether an element has highlighted text."""
        _, start, end = self._elements[path]
        return any(max(one.start, start) < min(one.end, end) for one in passages)

    def holds(self, path: str, passages: Sequence[Passage]) -> bool:
        """Tell whether an element contains a whole passage."""
        _, start, end = self._elements[path]
        return any(start <= one.start and one.end <= end for one in passages)

    def kept(self, levels: Mapping[str, str], passages: Sequence[Passage]) -> dict[str, str]:
        """Return the levels that stay valid when passages change.

        An element keeps its level while it has highlighted text; too small also requires that it contains no whole
        passage.
        """
        return {
            path: level
            for path, level in levels.items()
            if self.meets(path, passages) and not (level == "?" and self.holds(path, passages))
        }

    def remaining(self, path: str, levels: Mapping[str, str], passages: Sequence[Passage]) -> list[str]:
        """Return the children of an element that have highlighted text but no level."""
        return [
            child for child in self._children.get(path, ()) if child not in levels and self.meets(child, passages)
        ]

    def set_level(self, levels: dict[str, str], path: str, level: str, passages: Sequence[Passage]) -> None:
        """Set the level of an element, and change others by the rules."""
        before = levels.get(path)
        is_lower = before is not None and LEVELS.index(level) < LEVELS.index(before)
        if before == "?" != level:
            self._leave_too_small(levels, path)
        levels[path] = level
        for below in self._descendants(path):
            if level == "?":
                if self.meets(below, passages):
                    levels[below] = "?"
            elif is_lower and below in levels and LEVELS.index(levels[below]) > LEVELS.index(level):
                del levels[below]
        if is_lower:
            for above in self._ancestors(path):
                if levels.get(above) != before or any(levels.get(child) == before for child in self._children[above]):
                    break
                del levels[above]
        for above in self._ancestors(path):
            if level == "2" or LEVELS.index(levels.get(above, "2")) < LEVELS.index(level):
                if levels.get(above) == "?":
                    self._leave_too_small(levels, above, path)
                levels.pop(above, None)
                if level == "2":
                    levels[above] = "2"

    def _leave_too_small(self, levels: dict[str, str], path: str, but: str = "") -> None:
        """Reset descendants of an element that is no longer too small, except `but` and its descendants."""
        for below in self._descendants(path):
            if levels.get(below) == "?" and not (but and f"{below}/".startswith(f"{but}/")):
                del levels[below]

    def _descendants(self, path: str) -> list[str]:
        found = []
        for child in self._children.get(path, ()):
            found += [child, *self._descendants(child)]
        return found

    def _ancestors(self, path: str) -> list[str]:
        above = []
        while (path := path.rpartition("/")[0]) in self._elements:
            above.append(path)
        return above
