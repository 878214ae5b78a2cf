"""Read runs and judgments that are plain dicts of dicts, fast, without checking row by row.

Most dicts of dicts have strings as ids and finite numbers. All others go through `lists.rows_by_topic`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain
from operator import countOf
from typing import Any

import numpy as np

from assay.reading.lines import MAY_BE_LONG, WHOLE
from assay.tables.ids import Floats, HeldIds, Ids, RepeatedIds, ScoredIds
from assay.tables.judgments import DocumentJudgments, Judgments, whole_if_all
from assay.tables.run import DocumentRun, Run

NUMBERS = (float, int, np.floating, np.integer)


def plain_run(given: Mapping[Any, Any], label: str, is_only_ranked: bool = False) -> Run | None:
    """Return the run in a dict of dicts; None if an id is not a short string, a score is not finite, or it is empty.

    Topics may also be ints. `is_only_ranked`: nobody will change the run, so if it has one topic, its documents keep
    the dict and its scores.
    """
    if (plain := plain_columns(given)) is None:
        return None
    topic, documents, scores = plain
    if is_only_ranked and len(given) == 1:
        return DocumentRun(label, topic, ScoredIds(documents, *given.values()), score=scores)
    return DocumentRun(label, topic, HeldIds(documents), score=scores)


def plain_judgments(given: Mapping[Any, Any], label: str) -> Judgments | None:
    """Return the judgments in a dict of dicts; None as for a run, and if a topic is empty or a grade is too large."""
    if (plain := plain_columns(given)) is None:
        return None
    topic, documents, grades = plain
    if not all(given.values()) or np.any(np.abs(grades) >= WHOLE):
        return None
    return DocumentJudgments(label, topic, HeldIds(documents), grade=whole_if_all(grades))


def plain_columns(given: Mapping[Any, Any]) -> tuple[Ids, list[str], Floats] | None:
    """Return the topics, documents and numbers in a dict of dicts; None if they have to be checked one by one."""
    topics = [str(topic) if type(topic) is int and abs(topic) < WHOLE else topic for topic in given]
    results = list(given.values())
    if not all(isinstance(of_topic, dict) and "" not in of_topic for of_topic in results) or "" in given:
        return None
    documents = list(results[0]) if len(results) == 1 else list(chain.from_iterable(results))
    if not documents or not are_plain_ids(topics) or not are_plain_ids(documents):
        return None
    if len(set(topics)) < len(topics):
        return None
    numbers = plain_scores(
        results[0].values() if len(results) == 1 else list(chain.from_iterable(map(dict.values, results)))
    )
    return None if numbers is None else (RepeatedIds(topics, list(map(len, results))), documents, numbers)


def are_plain_ids(ids: list[Any]) -> bool:
    """Return whether all ids are Unicode strings, none is blank, or so long that its bytes have to be counted."""
    try:
        together = "".join(ids)
        if not together.isascii():
            together.encode()
    except (TypeError, UnicodeEncodeError):
        return False
    if len(together) > MAY_BE_LONG and max(map(len, ids)) > MAY_BE_LONG:
        return False
    # few ids have whitespace
    return together.split(maxsplit=1) == [together] or all(map(str.strip, ids))


def plain_scores(values: Collection[Any]) -> Floats | None:
    """Return scores that are all finite numbers; None if any is not, so that they have to be checked one by one."""
    if countOf(map(type, values), float) < len(values):
        kinds = set(map(type, values))
        if bool in kinds or not all(issubclass(kind, NUMBERS) for kind in kinds):
            return None
    try:
        scores = np.fromiter(values, np.float64, len(values))
    except OverflowError:
        return None
    return scores if np.count_nonzero(np.isfinite(scores)) == len(scores) else None
