"""Runs and judgments that are dicts of dicts, with texts for ids and finite numbers, as most are: read without a look
at each row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain
from operator import countOf
from typing import Any

import numpy as np

from assay.reading.lines import LONGEST, WHOLE
from assay.tables.ids import Floats, HeldIds, Ids, RepeatedIds, ScoredIds
from assay.tables.judgments import DocumentJudgments, Judgments, whole_if_all
from assay.tables.run import DocumentRun, Run

NUMBERS = (float, int, np.floating, np.integer)


def plain_run(given: Mapping[Any, Any], label: str, is_only_ranked: bool = False) -> Run | None:
    """The run in a dict of dicts; None if any id is not a short text, any score no finite number, or there is none.

    Topics may be numbers, too. A run of one topic that is only ranked, and not given to whoever may change it, keeps
    the scores beside the documents.
    """
    if (plain := plain_columns(given)) is None:
        return None
    topic, documents, scores = plain
    if is_only_ranked and len(given) == 1:
        return DocumentRun(label, topic, ScoredIds(documents, *given.values()), score=scores)
    return DocumentRun(label, topic, HeldIds(documents), score=scores)


def plain_judgments(given: Mapping[Any, Any], label: str) -> Judgments | None:
    """The judgments in a dict of dicts, as of a run; None also where a topic has none, or a grade is too large."""
    if (plain := plain_columns(given)) is None:
        return None
    topic, documents, grades = plain
    if not all(given.values()) or np.any(np.abs(grades) >= WHOLE):
        return None
    return DocumentJudgments(label, topic, HeldIds(documents), grade=whole_if_all(grades))


def plain_columns(given: Mapping[Any, Any]) -> tuple[Ids, list[str], Floats] | None:
    """The topics, documents and numbers in a dict of dicts; None if any of them has to be looked at."""
    topics = [str(topic) if type(topic) is int and abs(topic) < WHOLE else topic for topic in given]
    results = list(given.values())
    if not all(isinstance(of_topic, dict) and "" not in of_topic for of_topic in results):
        return None
    documents = list(results[0]) if len(results) == 1 else list(chain.from_iterable(results))
    if not documents or not are_short_texts(topics) or not are_short_texts(documents):
        return None
    if "" in given or len(set(topics)) < len(topics):
        return None
    numbers = plain_scores(
        results[0].values() if len(results) == 1 else list(chain.from_iterable(map(dict.values, results)))
    )
    return None if numbers is None else (RepeatedIds(topics, list(map(len, results))), documents, numbers)


def are_short_texts(ids: list[Any]) -> bool:
    """Whether all ids are texts, and none is so long that it has to be looked at."""
    try:
        together = "".join(ids)
    except TypeError:
        return False
    return len(together) <= LONGEST // 4 or max(map(len, ids)) <= LONGEST // 4


def plain_scores(values: Collection[Any]) -> Floats | None:
    """Scores that are finite numbers; None of any others, which are looked at one by one."""
    if countOf(map(type, values), float) < len(values):
        kinds = set(map(type, values))
        if bool in kinds or not all(issubclass(kind, NUMBERS) for kind in kinds):
            return None
    try:
        scores = np.fromiter(values, np.float64, len(values))
    except OverflowError:
        return None
    return scores if np.count_nonzero(np.isfinite(scores)) == len(scores) else None
