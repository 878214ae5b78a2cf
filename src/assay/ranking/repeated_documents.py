"""A document that stands twice in a topic, which is refused."""

from __future__ import annotations

import numpy as np

from assay.errors import AssayError
from assay.tables.ids import Ints, Keys, pair_keys, repeated
from assay.tables.run import Table

# What to do about a document that a run has twice, where one may choose.
CHOOSE_ONE = "; give duplicates=first or duplicates=best to keep one"


def refuse_repeated_documents(table: Table, verb: str, hint: str = "") -> None:
    """No document may stand twice in a topic of a run or of judgments of whole documents."""
    topics, number = numbered_topics(table)
    refuse_duplicates(table, pair_keys(topics, number, table.document), verb, hint)


def numbered_topics(table: Table) -> tuple[Ints, Ints]:
    """The numbers of the topics of a table, as they come in it, and that of each row."""
    starts = table.topic.breaks()
    first, number = table.topic[starts[:-1]].numbered()
    return np.arange(len(first)), np.repeat(number, np.diff(starts))


def refuse_duplicates(table: Table, pairs: Keys, verb: str, hint: str = "") -> None:
    """No document may stand twice in a topic: whichever place were taken, the number would be a guess."""
    suspects = repeated(pairs)
    if not len(suspects):
        return
    seen = set()
    for pair in zip(table.topic[suspects].texts(), table.document[suspects].texts(), strict=True):
        if pair in seen:
            raise table.twice(*pair, verb, hint)
        seen.add(pair)
    if verb == "judged":
        raise AssayError(f"{table.name}: two different documents share a 64-bit key; please report this")
