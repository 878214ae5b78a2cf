"""The usual names of columns and ids, for tables, records, framework objects, documents and topics."""

from __future__ import annotations

from typing import TypeAlias

from assay.vocabulary import FileKind

# Groups of names, best first. The names of one group are equally good.
Groups: TypeAlias = tuple[tuple[str, ...], ...]

QUERY_IDS = ("query_id", "query-id", "qid", "q_id")
# The names of a document's id in a JSONL file; the first one that a document has is used.
DOCUMENT_IDS = ("id", "_id", "doc_id", "docid", "docno", "document", "document_id", "doc", "pmcid", "pmid")
# The names of a topic's id in a file with titles: elements, attributes or columns. Again the first one is used.
TOPIC_IDS = ("topic_id", "topic-id", *QUERY_IDS, "_id", "id", "number", "num", "topic")

# Ids of whole documents. In PyTerrier, docid is a row number and docno the id. In Haystack, source_id is the id of the
# document that was split.
WHOLE_IDS: Groups = (
    ("document_id", "doc_id", "docno", "corpus_id", "corpus-id", "did"),
    ("ref_doc_id",),
    ("docid", "source_id"),
)
# Ids of parts of documents.
PART_IDS: Groups = (("passage_id", "chunk_id", "pid"),)
# Columns that may hold an id or a text; the values decide which.
WHOLE_TEXTS, PART_TEXTS = ("document", "doc"), ("passage", "chunk")
# The file that a chunk comes from, as the id of its document. A path says more than a file name.
FILES: Groups = (("source",), ("file_path", "path"), ("file_name", "filename", "file"))
# The id of a hit. It is the document only if no other column is; if the hit has a text, it is the id of the chunk.
OWN_IDS: Groups = (("id",), ("_id",), ("id_",))
# Columns that always hold a text, best first.
TEXTS = ("page_content", "text", "content", "quote", "excerpt", "snippet", "chunk_text", "passage_text")
# Quotations, or lists of them; used only if no other column says what is judged or returned.
EVIDENCE = ("evidence", "quotes", "excerpts", "references", "reference")
# Columns of grades that may hold class names instead.
CLASSES = ("label", "judgment")
# Class names which say that a span is not relevant; with one of them the column has grades, written as words.
DENIALS = {"irrelevant", "notrelevant", "nonrelevant", "no", "false", "negative", "none", "bad", "wrong"}
NAMES: dict[str, Groups] = {
    "topic": (
        ("topic_id", "topic-id", *QUERY_IDS), ("topic",), ("question_id",), ("query",), ("question",), ("user_input",),
    ),
    "document": (*WHOLE_IDS, *PART_IDS, WHOLE_TEXTS, PART_TEXTS),
    "text": tuple((name,) for name in TEXTS),
    "score": (("score",), ("similarity", "sim")),
    "rank": (("rank",),),
    "grade": (("grade", "relevance", "rel"), CLASSES, ("score",), ("assignment",)),
    "start": (
        (
            "start", "start_char", "char_start", "start_index", "start_char_idx", "span_start", "start_offset",
            "split_idx_start",
        ),
        ("begin",),
        ("offset",),
        ("from",),
    ),
    "end": (("end", "end_char", "char_end", "end_index", "end_char_idx", "span_end", "end_offset"), ("to",)),
    "length": (("length", "span_length"),),
    "document_length": (("document_length", "doc_length"),),
    "bep": (("bep", "best_entry_point"),),
    "set": (("set",), ("set_id",), ("alternative",)),
    "annotator": (("annotator",), ("annotator_id",), ("user",)),
    "fact": (("fact",), ("fact_id",)),
    "quotation": (("quotation",), ("quotation_id",)),
    "subtopic": (("subtopic",), ("subtopic_id",)),
    "iteration": (("iteration",),),
    "stratum": (("stratum",), ("stratum_id",)),
}  # fmt: skip
# The columns of a table of scores.
SCORE_NAMES: dict[str, Groups] = {
    "system": (("system", "run", "run_id", "run-id"), ("name", "tag", "model")),
    "topic": NAMES["topic"],
    "measure": (("measure", "metric"),),
    "value": (("value",), ("score",)),
}
# The document column if a table says which part of the document is meant: a whole document, or the name of its file.
WHOLE_DOCUMENTS: Groups = (*WHOLE_IDS, (*WHOLE_TEXTS, *FILES[0]), *FILES[1:])
DOCUMENT_OF_SPANS: Groups = (*WHOLE_DOCUMENTS, *PART_IDS, PART_TEXTS)
# The document column if a row has neither a span nor a text; files and ids of hits are the last resort.
DOCUMENT_ALONE: Groups = (*NAMES["document"], *FILES, *OWN_IDS)
SPAN_FIELDS = ("start", "end", "length", "document_length", "bep")
# The labels of judgments.
LABEL_FIELDS = ("set", "annotator")
# The fact that an excerpt states, and the quotation that it is part of.
FACT_FIELDS = ("fact", "quotation")
# The subtopic that a document is judged for; `iteration` may mean something else.
SUBTOPIC_FIELDS = ("subtopic", "iteration")
# Dicts within a record that hold some of its values: those of frameworks, Qdrant, Elasticsearch, Weaviate and Milvus.
METADATA = ("metadata", "meta", "payload", "_source", "properties", "entity")
# Fields that hold the chunk itself if the outer record has only its score.
INNER = ("node", "document")
# Fields of a chunk that was cut from another chunk; its offsets count from the start of that chunk.
PARENTS = ("parent_node", "__parent_id")
# The names that logs use for the list of results of a topic.
LISTS = (
    "results", "hits", "documents", "docs", "chunks", "passages", "contexts", "retrieved", "retrieved_documents",
    "retrieved_chunks", "source_documents",
)  # fmt: skip
# The names that logs of ragas, DeepEval and LlamaIndex use for a question, and for the texts or ids that were retrieved
# for it, or that should have been. The last names of the texts are too common to recognise a log by.
ASKED = ("user_input", "question", "input", "query")
LOG_TEXTS: dict[FileKind, tuple[str, ...]] = {
    "run": ("retrieved_contexts", "retrieval_context"),
    "judgments": ("reference_contexts", "ground_truth_contexts", "expected_context", "context"),
}
LOG_IDS: dict[FileKind, tuple[str, ...]] = {
    "run": ("retrieved_context_ids", "retrieved_ids"),
    "judgments": ("reference_context_ids", "expected_ids"),
}
# The names by which a log is recognised.
LOG_NAMES = {*LOG_TEXTS["run"], *LOG_IDS["run"], *LOG_TEXTS["judgments"][:2], *LOG_IDS["judgments"]}
# The columns and values that say that the documents have no answer to a question.
NO_ANSWER = {"answerable": False, "has_answer": False, "no_answer": True, "unanswerable": True, "is_impossible": True}
