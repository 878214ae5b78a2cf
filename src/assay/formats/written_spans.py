"""Highlighted spans beside the texts of their documents, as the formats of gold evidence are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.formats.judgment_columns import GIVE_DOCUMENTS, highlights_for, nothing_relevant
from assay.tables.judgments import Judgments

if TYPE_CHECKING:
    from assay.documents.lookup import Documents


def spans_by_document(
    judgments: Judgments, documents: Documents | None, title: str
) -> Iterator[tuple[str, str, dict[str, list[tuple[int, int]]]]]:
    """Each judged document with its text, and its spans by topic."""
    highlights = highlights_for(judgments, title)
    if documents is None:
        raise InputError(f"the texts of documents, which {title} needs, are {GIVE_DOCUMENTS}", judgments.name)
    if not len(highlights.row):
        raise nothing_relevant(judgments.name, title)
    names, topics = judgments.document.texts(), judgments.topic.texts()
    by_document: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for name, topic in zip(names, topics, strict=True):
        by_document.setdefault(name, {}).setdefault(topic, [])
    for row, start, end in zip(
        highlights.row.tolist(), highlights.start.tolist(), highlights.end.tolist(), strict=True
    ):
        by_document[names[row]][topics[row]].append((start, end))
    for name, by_topic in by_document.items():
        yield name, documents.text(name), by_topic
