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
    priority, place = [0] * len(rankings), [0] * len(rankings)
    seen: set[str] = set()
    while (run := best_run(rankings, place, lambda run: priority[run])) is not None:
        # follow the run as long as its documents are relevant
        while place[run] < len(rankings[run]):
            document = rankings[run][place[run]]
            place[run] += 1
            if document in seen:
                continue
            if document not in judged:
                return document
            seen.add(document)
            if not judged[document]:
                priority[run] -= 1
                break
    return None


def max_mean(rankings: Sequence[Sequence[str]], judged: Mapping[str, bool], rho: float = RHO) -> str | None:
    """Return the next document by MM-NS."""
    relevant, count, place = [0.0] * len(rankings), [0.0] * len(rankings), [0] * len(rankings)
    seen: set[str] = set()
    while (run := best_run(rankings, place, lambda run: (relevant[run] + 1) / (count[run] + 2))) is not None:
        document = rankings[run][place[run]]
        place[run] += 1
        if document in seen:
            continue
        if document not in judged:
            return document
        seen.add(document)
        relevant[run] = rho * relevant[run] + judged[document]
        count[run] = rho * count[run] + 1
    return None


def best_run(rankings: Sequence[Sequence[str]], place: list[int], value: Callable[[int], float]) -> int | None:
    """Return the run with the greatest value that has documents left; of equal ones the first."""
    left = [run for run, ranking in enumerate(rankings) if place[run] < len(ranking)]
    return max(left, key=value, default=None)
