"""Logs of what was returned: a record for each topic, with the list of its results, as a file or Python has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.formats.memory_texts import topic_under_name
from assay.formats.objects import chunk_of
from assay.tables.column_names import LISTS, TableColumns
from assay.tables.places import Place


def is_log_record(record: Any) -> bool:
    """Whether an object has a topic and a list of what was returned for it, and is no row with one document or text."""
    if not isinstance(record, Mapping) or not any(isinstance(record.get(name), list) for name in LISTS):
        return False
    columns = TableColumns([name for name in record if isinstance(name, str)])
    return columns.column("topic") is not None and columns.column("document") is None and columns.text is None


def lists_by_topic(records: Iterable[tuple[Place, Any]]) -> dict[str, Any]:
    """The lists of a log, whose records stand at some places, by topic."""
    lists: dict[str, Any] = {}
    for place, given in records:
        record = given if isinstance(given, Mapping) else {}
        topic = topic_under_name(record)
        results = next((value for name in LISTS if isinstance(value := record.get(name), list)), None)
        if topic is None or results is None:
            lacking = "topic" if topic is None else "list of results"
            raise place.fault(f"has no {lacking}; expected one, as other objects have")
        if str(topic) in lists:
            raise place.fault(f"topic {topic} comes again; expected all its results in one list")
        lists[str(topic)] = whole_documents(results)
    return lists


def whole_documents(results: Any) -> Any:
    """The ids in a list of objects that name a document each, and no part of it, each another; else what is given."""
    if not isinstance(results, list) or not results or not all(isinstance(each, dict) for each in results):
        return results
    chunks = [chunk_of(each) for each in results]
    ids = [each.documents[0] for each in chunks if each and each.documents and each.text is None and each.start is None]
    return ids if len(set(ids)) == len(results) else results
