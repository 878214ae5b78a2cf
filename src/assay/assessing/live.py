"""Live orders of judging: the next document depends on what was judged so far.

MTF, move to front: follow a run until a document that is not relevant, then demote the run (Cormack, Palmer and Clarke,
Efficient construction of large test collections, SIGIR 1998). MM-NS, max mean, non-stationary: the next document comes
from the run with the largest (rel + 1) / (n + 2), where a judged document of the run changes rel to ρ rel + x and n to
ρ n + 1 (Losada, Parapar and Barreiro, Multi-armed bandits for adjudicating documents in pooling-based evaluation of
information retrieval systems, IPM 53(5), 2017).

Both are played again from the start with the judgments that are there: the same judgments give the same next document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

# How much of the past MM-NS keeps; at 0 only the last document of each run counts, which the paper found best.
RHO = 0.0


def next_document(order: str, rankings: Sequence[Sequence[str]], judged: Mapping[str, bool]) -> str | None:
    """Return the next document to judge; judged: whether each document that was judged is relevant."""
    return (move_to_front if order == "mtf" else max_mean)(rankings, judged)


def move_to_front(rankings: Sequence[Sequence[str]], judged: Mapping[str, bool]) -> str | None:
    """Return the next document by MTF."""
    priority = [0] * len(rankings)

    def learn(run: int, relevant: bool) -> None:
        # of equal runs the first is taken, so that a run is followed until it is demoted
        priority[run] -= not relevant

    return play(rankings, judged, priority.__getitem__, learn)


def max_mean(rankings: Sequence[Sequence[str]], judged: Mapping[str, bool], rho: float = RHO) -> str | None:
    """Return the next document by MM-NS."""
    found, count = [0.0] * len(rankings), [0.0] * len(rankings)

    def learn(run: int, relevant: bool) -> None:
        found[run], count[run] = rho * found[run] + relevant, rho * count[run] + 1

    return play(rankings, judged, lambda run: (found[run] + 1) / (count[run] + 2), learn)


def play(
    rankings: Sequence[Sequence[str]],
    judged: Mapping[str, bool],
    worth: Callable[[int], float],
    learn: Callable[[int, bool], None],
) -> str | None:
    """Take the next document of the run that is worth most, of equal ones the first, until one was not judged yet."""
    place, seen = [0] * len(rankings), set[str]()
    while left := [run for run, ranking in enumerate(rankings) if place[run] < len(ranking)]:
        run = max(left, key=worth)
        document = rankings[run][place[run]]
        place[run] += 1
        if document in seen:
            continue
        if document not in judged:
            return document
        seen.add(document)
        learn(run, judged[document])
    return None
