"""The usual names of columns and of ids: one table for tables, records, objects of frameworks, documents and topics."""

from __future__ import annotations

from typing import TypeAlias

from assay.vocabulary import FileKind

# Names in groups: those of a group are equally good, those of an earlier group are better.
Groups: TypeAlias = tuple[tuple[str, ...], ...]

QUERY_IDS = ("query_id", "query-id", "qid", "q_id")
# What a document in a JSONL file calls its id; the first name that is there is taken.
DOCUMENT_IDS = ("id", "_id", "doc_id", "docid", "docno", "document", "document_id", "doc", "pmcid", "pmid")
# What the topics of a file with titles call their ids, as elements, attributes or columns; likewise.
TOPIC_IDS = ("topic_id", "topic-id", *QUERY_IDS, "_id", "id", "number", "num", "topic")

# Ids of whole documents; PyTerrier's docid is a row number, and its docno the id. Haystack calls the id of the document
# that was split source_id.
WHOLE_IDS: Groups = (
    ("document_id", "doc_id", "docno", "corpus_id", "corpus-id", "ref_doc_id", "did"),
    ("docid", "source_id"),
)
# Ids of parts of documents.
PART_IDS: Groups = (("passage_id", "chunk_id", "pid"),)
# Names that may hold an id or a text: the values decide.
WHOLE_TEXTS, PART_TEXTS = ("document", "doc"), ("passage", "chunk")
# Files: they name the document of a part of it. A path says more than a name.
FILES: Groups = (("source",), ("file_path", "path"), ("file_name", "filename", "file"))
# The id of a hit, which is a document only if nothing else is; beside a text it is the id of the chunk.
OWN_IDS: Groups = (("id",), ("_id",), ("id_",))
# The columns that hold a text and nothing else, the best first.
TEXTS = ("page_content", "text", "content", "quote", "excerpt", "snippet", "chunk_text", "passage_text")
# Quotations, or lists of them, if no other column says what is judged or returned.
EVIDENCE = ("evidence", "quotes", "excerpts", "references", "reference")
NAMES: dict[str, Groups] = {
    "topic": (
        ("topic_id", "topic-id", *QUERY_IDS), ("topic",), ("question_id",), ("query",), ("question",), ("user_input",),
    ),
    "document": (*WHOLE_IDS, *PART_IDS, WHOLE_TEXTS, PART_TEXTS),
    "text": tuple((name,) for name in TEXTS),
    "score": (("score",), ("similarity", "sim")),
    "rank": (("rank",),),
    "grade": (("grade", "relevance", "rel"), ("label", "judgment"), ("score",), ("assignment",)),
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
# The document if a table says which part of it is meant: a whole one, which its file may name.
WHOLE_DOCUMENTS: Groups = (*WHOLE_IDS, (*WHOLE_TEXTS, *FILES[0]), *FILES[1:])
DOCUMENT_OF_SPANS: Groups = (*WHOLE_DOCUMENTS, *PART_IDS, PART_TEXTS)
# The document of a row that has neither a part nor a text: the last resort are files and the ids of hits.
DOCUMENT_ALONE: Groups = (*NAMES["document"], *FILES, *OWN_IDS)
SPAN_FIELDS = ("start", "end", "length", "document_length", "bep")
# The labels of judgments.
LABEL_FIELDS = ("set", "annotator")
# The fact that an excerpt tells, and the quotation that it is a part of.
FACT_FIELDS = ("fact", "quotation")
# The subtopic for which a document is judged; an iteration may be something else.
SUBTOPIC_FIELDS = ("subtopic", "iteration")
# Dicts within a record that hold values of it: of frameworks, and of Qdrant, Elasticsearch, Weaviate and Milvus.
METADATA = ("metadata", "meta", "payload", "_source", "properties", "entity")
# What holds a chunk, beside its score.
INNER = ("node", "document")
# Marks of a chunk that was cut from another chunk: its offsets count from there.
PARENTS = ("parent_node", "__parent_id")
# The list of all that was returned for a topic, as logs call it.
LISTS = (
    "results", "hits", "documents", "docs", "chunks", "passages", "contexts", "retrieved", "retrieved_documents",
    "retrieved_chunks", "source_documents",
)  # fmt: skip
# What logs of ragas, DeepEval and LlamaIndex call a question, and the texts or the ids of what was retrieved for it, or
# should have been. The last names of the texts are too common to tell a log.
ASKED = ("user_input", "question", "input", "query")
LOG_TEXTS: dict[FileKind, tuple[str, ...]] = {
    "run": ("retrieved_contexts", "retrieval_context"),
    "judgments": ("reference_contexts", "ground_truth_contexts", "expected_context", "context"),
}
LOG_IDS: dict[FileKind, tuple[str, ...]] = {
    "run": ("retrieved_context_ids", "retrieved_ids"),
    "judgments": ("reference_context_ids", "expected_ids"),
}
# The names that tell a log.
LOG_NAMES = {*LOG_TEXTS["run"], *LOG_IDS["run"], *LOG_TEXTS["judgments"][:2], *LOG_IDS["judgments"]}
# The columns of gold that say, with this value, that a question has no answer in the documents.
NO_ANSWER = {"answerable": False, "has_answer": False, "no_answer": True, "unanswerable": True, "is_impossible": True}
