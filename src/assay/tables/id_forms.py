"""How two sets of ids differ that should match: for example by a folder, a file ending or leading zeros.

Ids are compared within their groups: documents within their topics. A folder, an ending or a prefix is removed from one
side, for example from `corpora/finance.md` against `finance`. If both sides have one (`news/1` against `wiki/1`), the
ids may well name different things, so the difference is only a guess. It is also a guess if several ids of a side
become the same. Only a chunk number may merge ids (`finance#chunk_7` and `finance#chunk_8`), because that is its
nature; it is removed only if one side alone has chunk numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeAlias

from assay.errors import quote

# Grouped: the group of an id and the id, for example a topic and a document. Forms: ids by the form that changes give
# them.
Grouped: TypeAlias = "tuple[str, str]"
Forms: TypeAlias = "dict[Grouped, list[str]]"
# Whether the ids of the first side and those of the second side are changed.
Sides: TypeAlias = "tuple[bool, bool]"
LONGEST_PREFIX = 40
CHUNK_WORDS = "[-_.:/ ]+(?:chunk|part|passage|segment|split|node)s?[-_.: ]*(?=[0-9])"
NONE, BOTH = (False, False), (True, True)
FOLDER, ENDING, CHUNK = "folder", "ending", "chunk number"


@dataclass(frozen=True, eq=False, repr=False)
class Change:
    """One thing to remove from ids before they are compared.

    A part of the id is removed from one side or from both, a spelling only from both, and a chunk number only from the
    one side that has it.
    """

    name: str
    made: Callable[[str], str]
    is_part: bool = False

    @property
    def merges(self) -> bool:
        """Whether it makes one id out of several."""
        return self.name == CHUNK

    def sides(self, first: list[Grouped], second: list[Grouped]) -> list[Sides]:
        """Return the sides to try it on: neither first, then those on which it changes something."""
        in_first, in_second = (any(self.made(name) != name for _, name in ids) for ids in (first, second))
        if not self.is_part:
            return [NONE, BOTH] if in_first or in_second else [NONE]
        if self.merges:
            return [NONE, (in_first, in_second)] if in_first != in_second else [NONE]
        return list(product([False, True][: 1 + in_first], [False, True][: 1 + in_second]))


def decode_percents(name: str) -> str:
    """Return an id without percent encoding, for example `a b` for `a%20b`."""
    if "%" not in name:
        return name
    from urllib.parse import unquote

    return unquote(name)


def composed(name: str) -> str:
    """Return an id in the Unicode form NFC."""
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name)


PERCENT = Change("percent encoding", decode_percents)
# `.` does not match the end of a line, so that a change may be made to many ids at once, one per line.
replaced = partial(re.sub, flags=re.MULTILINE)
UNICODE = Change("Unicode form (NFC, NFD)", composed)
WITHOUT_ENDING = Change(
    ENDING, lambda name: replaced(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,4}$", "", name) if "." in name else name, True
)
CHANGES = [
    PERCENT,
    UNICODE,
    Change(FOLDER, lambda name: replaced(r"^.*[/\\](?=.)", "", name) if "/" in name or "\\" in name else name, True),
    WITHOUT_ENDING,
    Change("whitespace", lambda name: replaced(r"[^\S\n]", "", name)),
    Change("case", str.casefold),
    # pandas writes 1.0 for 1 if a value of the column is missing
    Change("decimals", lambda name: replaced(r"^([0-9]+)\.0+$", r"\1", name) if "." in name else name),
    Change("leading zeros", lambda name: replaced(r"(?<![0-9])0+(?=[0-9])", "", name)),
]
# Chunk numbers: doc_3#chunk_7, doc::7 and doc-part-7, or else doc_7. The chunk number is removed before an ending.
CHUNK_NUMBERS = [
    Change(CHUNK, lambda name: re.sub(rf"(?<=.)(?:#|::|{CHUNK_WORDS})[^/\\#]*$", "", name), is_part=True),
    Change(CHUNK, lambda name: re.sub(r"(?<=.)[-_:][0-9]+$", "", name), is_part=True),
]

Taken: TypeAlias = "tuple[Change, Sides]"


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """What two sets of ids differ by, in words, with an example pair that matches without it.

    `number` is how many ids of the first side match then.
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
        """Whether it is more than a guess, or one id of the pair is the other one after a folder, but for endings."""
        names = (WITHOUT_ENDING.made(name.replace("\\", "/")) for name in (self.first, self.second))
        longer, shorter = sorted(names, key=len, reverse=True)
        return not self.guess or longer.endswith(f"/{shorter}")

    @property
    def pair(self) -> str:
        """The two ids, as messages show them."""
        return f"{quote(self.first)} vs {quote(self.second)}"

    @property
    def told(self) -> str:
        """What messages say about the ids, with the example pair."""
        return f"differ only in {self} ({self.pair})"


def plain_forms(ids: Iterable[str]) -> list[str]:
    """Return the form of each id after all changes, and without letters before a number.

    Ids of the same form may be one id that two programs write in other ways; `difference` finds out.
    """
    names = list(ids)
    text = "\n".join(names)
    for change in CHANGES:
        text = change.made(text)
    forms = replaced(r"^[^0-9\n]+(?=[0-9])", "", text).split("\n") if names else []
    # ids may have ends of lines
    return forms if len(forms) == len(names) else names


def difference(first: Iterable[Grouped], second: Iterable[Grouped], of_chunks: bool = True) -> Difference | None:
    """Return the smallest difference between two sets of ids, and a guess only if there is nothing better.

    Returns None if no known difference makes any ids match. of_chunks: whether the ids of one side may name chunks.
    """
    likely = all_differences(list(dict.fromkeys(first)), list(dict.fromkeys(second)), of_chunks)
    return min(likely, key=lambda each: (each.guess, len(each.words), -each.number), default=None)


def all_differences(first: list[Grouped], second: list[Grouped], of_chunks: bool) -> Iterator[Difference]:
    """Yield every difference without which some ids match."""
    yield from further_differences(first, second, [])
    numbers = CHUNK_NUMBERS if of_chunks else []
    for before in ([(change, sides)] for change in numbers for sides in change.sides(first, second) if any(sides)):
        yield from further_differences(first, second, before)


def further_differences(first: list[Grouped], second: list[Grouped], before: list[Taken]) -> Iterator[Difference]:
    """Yield every difference without which some ids match, after what `before` has removed."""
    bare = (forms(ids, [change for change, sides in before if sides[side]]) for side, ids in enumerate((first, second)))
    left_of_first, left_of_second = map(list, bare)
    for chosen in product(*(change.sides(left_of_first, left_of_second) for change in CHANGES)):
        taken = before + [(change, sides) for change, sides in zip(CHANGES, chosen, strict=True) if any(sides)]
        words = [change.name for change, _ in taken]
        ours, theirs = (
            forms(ids, [change for change, sides in taken if sides[side]]) for side, ids in enumerate((first, second))
        )
        guess = any(change.is_part and sides == BOTH for change, sides in taken)
        merges = bool(before)
        from_first, from_second = next((sides for change, sides in taken if change.name == FOLDER), NONE)
        if words:
            yield from meeting(words, ours, theirs, guess, merges)
        for prefix in prefix_of(ours, theirs):
            named = [*words, f"the prefix {quote(prefix)}"]
            yield from meeting(named, without_prefix(ours, prefix), theirs, guess or from_second, merges)
        for prefix in prefix_of(theirs, ours):
            named = [*words, f"the prefix {quote(prefix)}"]
            yield from meeting(named, ours, without_prefix(theirs, prefix), guess or from_first, merges)


def forms(ids: list[Grouped], changes: list[Change]) -> Forms:
    """Group ids by the form that some changes give them."""
    made: Forms = {}
    for group, name in ids:
        form = name
        for change in changes:
            form = change.made(form)
        made.setdefault((group, form), []).append(name)
    return made


def meeting(words: list[str], ours: Forms, theirs: Forms, guess: bool, merges: bool) -> Iterator[Difference]:
    """Yield the difference if some ids match without it.

    If it `merges` ids, several may become the same without making it a guess.
    """
    met = ours.keys() & theirs.keys()
    if met:
        # the first of the run's ids, so that the example is always the same
        form = next(form for form in ours if form in met)
        merged = not merges and any(len(names) > 1 for side in (ours, theirs) for names in side.values())
        number = sum(len(ours[form]) for form in met)
        yield Difference(words, ours[form][0], theirs[form][0], number, guess or merged)


def prefix_of(longer: Forms, shorter: Forms) -> list[str]:
    """Return the prefix that all ids of one side have and without which some match the other side.

    The list is empty if there is no such prefix.
    """
    cuts: Counter[str] = Counter()
    for group, name in longer:
        for at in range(1, min(len(name), LONGEST_PREFIX + 1)):
            if (group, name[at:]) in shorter and is_boundary(name, at):
                cuts[name[:at]] += 1
    return [prefix for prefix, _ in cuts.most_common(1) if all(name.startswith(prefix) for _, name in longer)]


def is_boundary(name: str, at: int) -> bool:
    """Return whether a prefix may end there: after punctuation but not a slash, or between letters and digits."""
    before, behind = name[at - 1], name[at]
    return before.isdigit() != behind.isdigit() if before.isalnum() else before not in "/\\" and not before.isspace()


def without_prefix(ids: Forms, prefix: str) -> Forms:
    """Return ids without a prefix that all of them have."""
    return {(group, form[len(prefix) :]): names for (group, form), names in ids.items()}
