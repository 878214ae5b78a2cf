"""Names as numbers in the order of the names, so that sums over them do not depend on the order of the rows."""

from __future__ import annotations

import numpy as np

from assay.tables.ids import Ids, Ints


def places_by_name(names: Ids) -> tuple[int, Ints]:
    """How many different names there are, and of each row the place of its name in the order of their bytes."""
    first, number = names.numbered()
    place = np.empty(len(first), np.int64)
    place[names[first].ascending()] = np.arange(len(first))
    return len(first), place[number]
