"""How alike two texts are, by the number of characters to be changed."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(20_000)
def similarity(text: str, other: str) -> float:
    """1 − d/n, with d the Levenshtein distance and n the length of the longer text; 1 of two empty ones."""
    longest = max(len(text), len(other))
    return 1 - edit_distance(text, other) / longest if longest else 1.0


def greatest_similarity(text: str, other: str) -> float:
    """What the similarity is at most, by the lengths of the texts alone."""
    shortest, longest = sorted((len(text), len(other)))
    return shortest / longest if longest else 1.0


def edit_distance(text: str, other: str) -> int:
    """The Levenshtein distance: the fewest insertions, deletions and exchanges of characters that make one of the
    other.

    A column of the table of distances is two numbers, whose bits say where it grows by 1 down the column and where it
    falls. Myers, Journal of the ACM 46, 1999; Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit
    distances, Nordic Journal of Computing 10, 2003.
    """
    if not text or not other:
        return len(text) + len(other)
    everything, last = (1 << len(text)) - 1, 1 << (len(text) - 1)
    places: dict[str, int] = {}
    for place, letter in enumerate(text):
        places[letter] = places.get(letter, 0) | 1 << place
    rises, falls, distance = everything, 0, len(text)
    for letter in other:
        same = places.get(letter, 0)
        diagonal = (((same & rises) + rises) ^ rises) | same | falls
        right_rises = falls | (everything & ~(diagonal | rises))
        right_falls = diagonal & rises
        distance += bool(right_rises & last) - bool(right_falls & last)
        right_rises = right_rises << 1 | 1
        rises = (right_falls << 1 | ~(diagonal | right_rises)) & everything
        falls = right_rises & diagonal & everything
    return distance
