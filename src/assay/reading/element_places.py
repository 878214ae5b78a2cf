"""Element paths -> characters, which only the documents tell."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from assay.tables.places import Place, Places
from assay.tables.run import ElementRun, PlacedElementRun, Run

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

ONE_AT_A_TIME = Lock()


def with_characters(run: Run, documents: DocumentCollection | None, places: Places | None = None) -> Run:
    """The run with the characters of its elements, where the documents are given; `places` are those of its rows."""
    if documents is None or not isinstance(run, ElementRun) or isinstance(run, PlacedElementRun):
        return run
    places = places or Places(run.name, noun="result")
    start, end = resolve_places(documents.spans, places, *(ids.texts() for ids in (run.document, run.path, run.last)))
    return PlacedElementRun(**vars(run), start=start, end=end)


def resolve_places(find: Callable[..., Any], places: Places | list[Place], *columns: list[str]) -> Any:
    """What the documents tell of some rows; an error about a row is reported with its place."""
    from assay.documents.lookup import BadPath

    try:
        # blocks of a run are read in threads, the documents once
        with ONE_AT_A_TIME:
            return find(*columns)
    except BadPath as error:
        raise places[error.row].fault(error.what) from None
