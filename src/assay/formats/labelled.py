"""What the exports of annotation tools call topics and documents."""

from __future__ import annotations

from typing import Any

QUESTIONS = ("query_id", "question_id", "topic_id", "topic", "question", "query")
DOCUMENTS = (
    "doc_id",
    "document_id",
    "docno",
    "docid",
    "document",
    "source",
    "file_path",
    "file_name",
    "filename",
    "file",
)


def topic_of_label(data: dict[str, Any], labels: list[str]) -> list[str]:
    """The topics of a labelled region: the question of its task, or its labels."""
    asked = next((data[name] for name in QUESTIONS if isinstance(data.get(name), str | int) and data[name] != ""), None)
    return labels if asked is None else [str(asked)]


def document_of_task(data: dict[str, Any], otherwise: str) -> str:
    """The document that a task shows."""
    named = next(
        (data[name] for name in DOCUMENTS if isinstance(data.get(name), str | int) and data[name] != ""), otherwise
    )
    return str(named)
