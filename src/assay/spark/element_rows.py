"""Assessed elements as the rows of a table: which columns they have, and what a worker makes of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.documents.xml_paths import normal
from assay.errors import InputError
from assay.formats import cells
from assay.formats.frames import refuse_faults
from assay.tables.judgments import AssessedElements, Judgments, by_document
from assay.tables.places import Places

if TYPE_CHECKING:
    import polars as pl

# The columns of assessed elements, beside the topic and the document, and those that need not be there.
ASSESSED, OPTIONAL = ("path", "exhaustivity", "specificity"), ("size",)
# The columns of a run of elements; the second is the end of a range, and need not be there.
RETURNED = ("path", "last")
# The years of which a table can be: its specificities are shares of the text, or grades, which are whole numbers.
OF_SHARES, OF_GRADES = "2005", "2003"


def judged_elements(frame: pl.DataFrame, name: str, scale: str, places: Places) -> Judgments:
    """Judgments of which each row is an assessed element, in any order; a document with a relevant one is relevant."""
    frame = frame.sort("topic", "document", "path")
    makers = {"topic": cells.ids, "document": cells.ids, "path": cells.ids, "exhaustivity": cells.wholes}
    makers |= {"specificity": cells.decimals, **({"size": cells.optional} if "size" in frame.columns else {})}
    taken = {field: make(frame[field], field, name) for field, make in makers.items()}
    refuse_faults(taken, places)
    topic, document = taken["topic"].values, taken["document"].values
    first, group = by_document(topic, document)
    paths = [full(path, name) for path in frame["path"].to_list()]
    seen = set()
    for row, pair in enumerate(zip(group.tolist(), paths, strict=True)):
        if pair in seen:
            raise places[row].fault(f"element {pair[1]} is assessed twice")
        seen.add(pair)
    exhaustivity = taken["exhaustivity"].values.astype(np.int64)
    specificity = taken["specificity"].values
    size = taken["size"].values.astype(np.int64) if "size" in taken else np.full(len(paths), -1)
    relevant = np.zeros(len(first), bool)
    relevant[group[(exhaustivity != 0) & (specificity > 0)]] = True
    elements = AssessedElements(group, paths, exhaustivity, specificity, size, scale)
    finder = places.finder(topic, document)
    grade = relevant.astype(np.int64)
    return Judgments(name, topic[first], document[first], finder, grade=grade, elements=elements)


def full(path: str, name: str) -> str:
    """A path with the number of each of its steps."""
    try:
        return normal(path)
    except ValueError:
        raise InputError(f"{path!r} is no path of an element; expected one like /article[1]/sec[2]", name) from None


def no_elements_yet(name: str, scale: str) -> Judgments:
    """Judgments of assessed elements, of which none is there."""
    import polars as pl

    rows = pl.DataFrame(schema={"topic": pl.String, "document": pl.String, "path": pl.String,
                                "exhaustivity": pl.Int64, "specificity": pl.Float64})  # fmt: skip
    return judged_elements(rows, name, scale, Places(name))
