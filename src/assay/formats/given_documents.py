"""Documents in a list of objects or in a frame, as loaders of frameworks hand them over: an id and a text in each."""

from __future__ import annotations

from typing import Any

from assay.errors import InputError
from assay.formats.cells import python_text
from assay.formats.given_texts import records_in_memory
from assay.formats.objects import chunk_of, is_name, values_of
from assay.tables.column_names import DOCUMENT_IDS

LABEL = "documents"


def hold_documents(given: Any) -> bool:
    """Whether an object is a frame, or a list of objects that are no texts alone."""
    if hasattr(type(given), "columns"):
        return True
    return isinstance(given, list | tuple) and bool(given) and not any(isinstance(each, str | bytes) for each in given)


def texts_by_id(given: Any) -> dict[str, str]:
    """The texts of some objects, or of the rows of a frame, by their ids."""
    texts: dict[str, str] = {}
    for number, each in enumerate(records_in_memory(given) if hasattr(type(given), "columns") else given, 1):
        chunk, values = chunk_of(each), values_of(each)
        own = next((str(value) for name in DOCUMENT_IDS if is_name(value := values(name))), None)
        name = chunk.documents[0] if chunk and chunk.documents else own
        if chunk is None or chunk.text is None or name is None:
            what = f"record {number} is {python_text(each)}"
            raise InputError(f"{what}; expected a document with an id and a text", LABEL)
        if name in texts:
            raise InputError(f"has document {name} twice; expected each once, and not a part of it in each", LABEL)
        texts[name] = chunk.text
    return texts
