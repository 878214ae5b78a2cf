"""The usual names of columns and of ids, in all that has names: tables of
runs and judgments, documents, titles of topics.
"""

from __future__ import annotations

from assay.vocabulary import FileKind

# Of each list the first name that is there is taken, so that each has its own order.
QUERY_IDS = ("query_id", "query-id", "qid", "q_id")
# What a document in a JSONL file calls its id.
DOCUMENT_IDS = ("id", "_id", "doc_id", "docid", "docno", "document", "document_id", "doc", "pmcid", "pmid")
# What the topics of a file with titles call their ids, as elements, attributes or columns.
TOPIC_IDS = ("topic_id", "topic-id", *QUERY_IDS, "_id", "id", "number", "num", "topic")
# The columns of a run or of judgments.
NAMES = {
    "topic": ("topic", "topic_id", "query", *QUERY_IDS),
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
    "set": ("set", "set_id", "alternative"),
    "annotator": ("annotator", "annotator_id", "user"),
}  # fmt: skip
# Where a table has spans, these name the part and not the document that it is of.
PARTS = ("pid", "passage", "passage_id", "chunk", "chunk_id")
# What judgments may be labelled with.
LABEL_FIELDS = ("set", "annotator")
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


def kind_of_columns(names: list[str]) -> FileKind:
    """Whether a table holds a run or judgments: by its columns, a grade
    under any name but score, or spans with neither.
    """
    grade, score = column(names, "grade"), column(names, "score")
    if grade and grade != score:
        return "judgments"
    return "judgments" if span_columns(names) and not (score or column(names, "rank")) else "run"
