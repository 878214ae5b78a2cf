"""Element paths -> characters, which only the documents tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from assay.tables.places import Place, Places
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

ONE_AT_A_TIME = Lock()


def with_characters(run: Run, documents: DocumentCollection | None, places: Places | None = None) -> Run:
    """The run with the characters of its elements, where the documents are given; `places` are those of its rows."""
    places = places or Places(run.name, noun="result")
    if documents is None or run.path is None or run.start is not None:
        return run
    lasts = () if run.last is None else (run.last.texts(),)
    start, end = resolved(documents.spans, places, run.document.texts(), run.path.texts(), *lasts)
    return replace(run, start=start, end=end)


def resolved(find: Callable[..., Any], places: Places | list[Place], *columns: list[str]) -> Any:
    """What the documents tell of some rows; an error about a row is told with its place."""
    from assay.documents.lookup import BadPath

    try:
        # blocks of a run are read in threads, the documents once
        with ONE_AT_A_TIME:
            return find(*columns)
    except BadPath as error:
        raise places[error.row].fault(error.what) from None
