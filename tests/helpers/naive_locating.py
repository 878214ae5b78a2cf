"""Where texts stand in documents, found by str.find on texts that are normalised a character at a time: slow, and plain
to see."""

from __future__ import annotations

import unicodedata

SINGLE, DOUBLE = "‘’‚‛′`´ʹʻʼʽˈ‹›＇", "“”„‟″«»❝❞〝〞〟＂"
DASHES, UNSEEN = "‐‑‒–—―−⁃﹘﹣－", "\u00ad\u200b\u2060\ufeff"


def normal(text: str, level: int) -> tuple[str, list[int]]:
    """The text with so many kinds of difference taken away, and for each of its characters the place of its origin."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in _letters(character, level):
            # a run of blanks is one blank
            if letter.isspace() and letters and letters[-1] == " ":
                continue
            letters.append(" " if letter.isspace() else letter)
            places.append(place)
    return "".join(letters), places


def _letters(character: str, level: int) -> str:
    if level >= 4 and character in UNSEEN:
        return ""
    if level >= 3:
        character = _alike(character)
    if level >= 2:
        character = unicodedata.normalize("NFKD", character)
    if level >= 3:
        character = "".join(map(_alike, character))
    if level >= 5:
        character = character.casefold()
    return unicodedata.normalize("NFKD", character) if level >= 2 else character


def _alike(character: str) -> str:
    return "'" if character in SINGLE else '"' if character in DOUBLE else "-" if character in DASHES else character


def every_place(pattern: str, text: str) -> list[tuple[int, int]]:
    """All places of a text in another: as it is, or of those where all differences are taken away the ones that need
    the least."""
    if not pattern.strip():
        return []
    if exact := [(at, at + len(pattern)) for at in range(len(text)) if text.startswith(pattern, at)]:
        return exact
    wanted, (letters, places) = normal(pattern, 5)[0].strip(" "), normal(text, 5)
    near: list[tuple[int, tuple[int, int]]] = []
    at = letters.find(wanted) if wanted else -1
    while at >= 0:
        last = at + len(wanted) - 1
        begins = at == 0 or places[at - 1] != places[at]
        ends = last + 1 == len(places) or places[last + 1] != places[last]
        if begins and ends:
            place = places[at], places[last] + 1
            near.append((_level(pattern, text[slice(*place)]), place))
        at = letters.find(wanted, at + 1)
    return [place for level, place in near if level == min(near)[0]]


def _level(first: str, second: str) -> int:
    """How many kinds of difference must be taken away for two texts to be the same."""
    return next(
        level for level in range(1, 6) if normal(first, level)[0].strip(" ") == normal(second, level)[0].strip(" ")
    )
