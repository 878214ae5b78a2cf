"""The usual names of columns, the same in every format that has names."""

from __future__ import annotations

NAMES = {
    "topic": ("topic", "topic_id", "query", "query_id", "query-id", "qid", "q_id"),
    "document": ("document", "document_id", "doc", "doc_id", "docno", "docid", "did", "corpus-id", "corpus_id", "pid",
                 "passage", "passage_id", "chunk", "chunk_id", "ref_doc_id"),
    "score": ("score", "sim", "similarity"),
    "rank": ("rank",),
    "grade": ("grade", "relevance", "rel", "label", "judgment", "score"),
    "start": ("start", "start_char", "start_index", "start_char_idx", "span_start", "begin", "offset", "from"),
    "end": ("end", "end_char", "end_index", "end_char_idx", "span_end", "to"),
    "length": ("length", "span_length"),
    "document_length": ("document_length", "doc_length"),
    "bep": ("bep", "best_entry_point"),
}  # fmt: skip
# Where a table has spans, these name the part and not the document that it is of.
PARTS = ("pid", "passage", "passage_id", "chunk", "chunk_id")
SPAN_FIELDS = ("start", "end", "length", "document_length", "bep")


def column(names: list[str], field: str) -> str | None:
    """Which of a table's columns holds a field, whatever its usual name there."""
    known = {name.lower().strip(): name for name in reversed(names)}
    return next((known[name] for name in NAMES[field] if name in known), None)


def span_columns(names: list[str]) -> dict[str, str]:
    """The columns of a table of spans by field: start and end, or start and length; nothing where it has no spans."""
    start, end, length = (column(names, field) for field in ("start", "end", "length"))
    if not start or not (end or length):
        return {}
    return {"start": start, **({"end": end} if end else {"length": str(length)})}


def columns_of(names: list[str]) -> dict[str, str]:
    """The columns of a table that may be used, by field."""
    spans = span_columns(names)
    fields = {field: name for field in NAMES if field not in SPAN_FIELDS and (name := column(names, field))}
    if not spans:
        return fields
    if whole := column([name for name in names if name.lower().strip() not in PARTS], "document"):
        fields["document"] = whole
    further = {field: name for field in ("document_length", "bep") if (name := column(names, field))}
    return fields | spans | further
