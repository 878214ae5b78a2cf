"""All sets of a few chunks, tried one by one: the most relevant text of those behind which a budget cuts a chunk."""

from __future__ import annotations

from assay.tables.ids import Ints

# So many sets are tried at most.
SETS = 5_000


def most_with_cut(before: Ints, until: Ints, size: Ints, begun: list[Ints], chars: int) -> int | None:
    """The most relevant text of whole chunks and the beginning of another, where that goes beyond the budget.

    Each chunk has the relevant characters from number `before` up to `until`, and `begun` tells up to which its first
    0, 1, … characters have. Text that two chunks share is read twice. None where there are too many sets.
    """
    sizes = size.tolist()
    held = [between(*bounds) for bounds in zip(before.tolist(), until.tolist(), strict=True)]
    waiting: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)]
    most = tried = 0
    while waiting:
        first, chosen, cost, text = waiting.pop()
        tried += 1
        if tried > SETS:
            return None
        left = chars - cost
        for chunk, mask in enumerate(held):
            if chosen >> chunk & 1:
                continue
            if 0 < left < sizes[chunk]:
                beginning = between(int(before[chunk]), int(begun[chunk][left]))
                most = max(most, (text | beginning).bit_count())
            if chunk >= first and sizes[chunk] <= left:
                waiting.append((chunk + 1, chosen | 1 << chunk, cost + sizes[chunk], text | mask))
    return most


def between(first: int, last: int) -> int:
    """A number with a bit for each of some characters."""
    return (1 << last) - (1 << first)
