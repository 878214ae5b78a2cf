"""The forms of ids: what two sets of ids differ by that would meet without it, as a folder, an ending or leading zeros.

Ids are compared in their groups, documents in their topics. A folder, an ending or a prefix is taken away from one
side, as from `corpora/finance.md` against `finance`. Where both sides have it, `news/1` against `wiki/1`, the ids may
well be of different things, so that the difference is only a guess; it is one, too, where several ids of a side become
the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from assay.errors import quoted

# An id with its group, a document with its topic; and ids by the form that a change gives them.
Grouped: TypeAlias = "tuple[str, str]"
Forms: TypeAlias = "dict[Grouped, list[str]]"
# Whether the ids of the first and of the second side are changed.
Sides: TypeAlias = "tuple[bool, bool]"
LONGEST_PREFIX = 40
NONE, BOTH = (False, False), (True, True)
FOLDER = "folder"


@dataclass(frozen=True)
class Change:
    """What is taken away from ids: a part of them from one side or from both, a spelling only from both."""

    name: str
    made: Callable[[str], str]
    is_part: bool = False

    def sides(self, first: list[Grouped], second: list[Grouped]) -> list[Sides]:
        """The sides that it may be taken away from, if it is there."""
        in_first, in_second = (any(self.made(name) != name for _, name in ids) for ids in (first, second))
        if not self.is_part:
            return [NONE, BOTH] if in_first or in_second else [NONE]
        return list(product([False, True][: 1 + in_first], [False, True][: 1 + in_second]))


CHANGES = [
    Change(FOLDER, lambda name: re.split(r"[/\\]", name)[-1] or name, is_part=True),
    Change("ending", lambda name: re.sub(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,4}$", "", name), is_part=True),
    Change("blanks", lambda name: "".join(name.split()) or name),
    Change("difference in case", str.casefold),
    Change("leading zeros", lambda name: re.sub(r"(?<![0-9])0+(?=[0-9])", "", name)),
]


@dataclass(frozen=True)
class Difference:
    """What ids differ by, in words; two that would be the same without it, and how many of the first side would meet.
    """

    words: list[str]
    first: str
    second: str
    number: int
    guess: bool

    def __str__(self) -> str:
        *most, last = self.words
        return f"{', '.join(most)} and {last}" if most else last

    @property
    def is_likely(self) -> bool:
        """Whether it is no mere guess: certain, or one of the two ids is the end of the other, behind a folder."""
        longer, shorter = sorted((self.first.replace("\\", "/"), self.second.replace("\\", "/")), key=len, reverse=True)
        return not self.guess or longer.endswith(f"/{shorter}")

    @property
    def pair(self) -> str:
        """The two ids."""
        return f"{quoted(self.first)} against {quoted(self.second)}"


def difference(first: Iterable[Grouped], second: Iterable[Grouped]) -> Difference | None:
    """What ids differ by from others, as little as possible, and a guess only for want of better; None if by more."""
    likely = all_differences(list(dict.fromkeys(first)), list(dict.fromkeys(second)))
    return min(likely, key=lambda each: (each.guess, len(each.words), -each.number), default=None)


def all_differences(first: list[Grouped], second: list[Grouped]) -> Iterator[Difference]:
    """All that ids may differ by."""
    for chosen in product(*(change.sides(first, second) for change in CHANGES)):
        taken = [(change, sides) for change, sides in zip(CHANGES, chosen, strict=True) if any(sides)]
        words = [change.name for change, _ in taken]
        ours, theirs = (
            forms(ids, [change for change, sides in taken if sides[side]]) for side, ids in enumerate((first, second))
        )
        guess = any(change.is_part and sides == BOTH for change, sides in taken)
        from_first, from_second = next((sides for change, sides in taken if change.name == FOLDER), NONE)
        if words:
            yield from meeting(words, ours, theirs, guess)
        for prefix in prefix_of(ours, theirs):
            named = [*words, f"the prefix {quoted(prefix)}"]
            yield from meeting(named, without_prefix(ours, prefix), theirs, guess or from_second)
        for prefix in prefix_of(theirs, ours):
            named = [*words, f"the prefix {quoted(prefix)}"]
            yield from meeting(named, ours, without_prefix(theirs, prefix), guess or from_first)


def forms(ids: list[Grouped], changes: list[Change]) -> Forms:
    """Ids by the form that some changes give them."""
    made: Forms = {}
    for group, name in ids:
        form = name
        for change in changes:
            form = change.made(form)
        made.setdefault((group, form), []).append(name)
    return made


def meeting(words: list[str], ours: Forms, theirs: Forms, guess: bool) -> Iterator[Difference]:
    """The difference, if ids meet without it."""
    met = ours.keys() & theirs.keys()
    if met:
        # the first of the run's, so that the same pair is shown whenever it is asked
        form = next(form for form in ours if form in met)
        merged = any(len(names) > 1 for side in (ours, theirs) for names in side.values())
        number = sum(len(ours[form]) for form in met)
        yield Difference(words, ours[form][0], theirs[form][0], number, guess or merged)


def prefix_of(longer: Forms, shorter: Forms) -> list[str]:
    """What stands before every id of one side, and without which some are of the other side."""
    cuts: Counter[str] = Counter()
    for group, name in longer:
        for at in range(1, min(len(name), LONGEST_PREFIX + 1)):
            if (group, name[at:]) in shorter and is_boundary(name, at):
                cuts[name[:at]] += 1
    return [prefix for prefix, _ in cuts.most_common(1) if all(name.startswith(prefix) for _, name in longer)]


def is_boundary(name: str, at: int) -> bool:
    """Whether an id may be cut there: behind a sign that ends no folder, or between letters and digits."""
    before, behind = name[at - 1], name[at]
    return before.isdigit() != behind.isdigit() if before.isalnum() else before not in "/\\" and not before.isspace()


def without_prefix(ids: Forms, prefix: str) -> Forms:
    """Ids without what stands before all of them."""
    return {(group, form[len(prefix) :]): names for (group, form), names in ids.items()}
