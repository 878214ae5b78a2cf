"""The usual names of columns and of ids, in all that has names: tables of
runs and judgments, documents, titles of topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from assay.errors import UsageError, quoted
from assay.vocabulary import FileKind

# Names in groups: those of a group are equally good, those of an earlier group are better.
Groups: TypeAlias = tuple[tuple[str, ...], ...]

# Of these two lists the first name that is there is taken, so that each has its own order.
QUERY_IDS = ("query_id", "query-id", "qid", "q_id")
# What a document in a JSONL file calls its id.
DOCUMENT_IDS = ("id", "_id", "doc_id", "docid", "docno", "document", "document_id", "doc", "pmcid", "pmid")
# What the topics of a file with titles call their ids, as elements, attributes or columns.
TOPIC_IDS = ("topic_id", "topic-id", *QUERY_IDS, "_id", "id", "number", "num", "topic")

# Ids of whole documents; PyTerrier's docid is a row number, and its docno the id.
WHOLE_IDS: Groups = (
    ("document_id", "doc_id", "docno", "corpus_id", "corpus-id", "ref_doc_id", "did"),
    ("docid",),
)
# Ids of parts of documents.
PART_IDS: Groups = (("passage_id", "chunk_id", "pid"),)
# What may be an id, and often is a text.
WHOLE_TEXTS, PART_TEXTS = ("document", "doc"), ("passage", "chunk")
# What names the document where a table tells which part of it is meant.
FILES = ("source", "file_path", "file_name", "filename", "file", "path")
# The columns that hold a text and nothing else.
TEXT_COLUMNS = ("text", "content", "page_content", "quote", "excerpt", "snippet", "chunk_text", "passage_text")
# What holds quotations, or lists of them, where nothing else tells what is judged or returned.
EVIDENCE = ("evidence", "quotes", "excerpts", "references", "reference")
# The columns of a run or of judgments: ids before what may be texts.
NAMES: dict[str, Groups] = {
    "topic": (("topic_id", "topic-id", *QUERY_IDS), ("topic",), ("question_id",), ("query",), ("question",)),
    "document": (*WHOLE_IDS, *PART_IDS, WHOLE_TEXTS, PART_TEXTS),
    "score": (("score",), ("similarity", "sim")),
    "rank": (("rank",),),
    "grade": (("grade", "relevance", "rel"), ("label", "judgment"), ("score",)),
    "start": (
        ("start", "start_char", "char_start", "start_index", "start_char_idx", "span_start"),
        ("begin",),
        ("offset",),
        ("from",),
    ),
    "end": (("end", "end_char", "char_end", "end_index", "end_char_idx", "span_end"), ("to",)),
    "length": (("length", "span_length"),),
    "document_length": (("document_length", "doc_length"),),
    "bep": (("bep", "best_entry_point"),),
    "set": (("set",), ("set_id",), ("alternative",)),
    "annotator": (("annotator",), ("annotator_id",), ("user",)),
    "subtopic": (("subtopic",), ("subtopic_id",)),
    "iteration": (("iteration",),),
    "stratum": (("stratum",), ("stratum_id",)),
}
# What a user may tell the column of: the texts too, from which no value is taken.
TOLD = (*NAMES, "text")
# What judgments may be labelled with.
LABEL_FIELDS = ("set", "annotator")
# What tells the subtopic for which a document is judged; an iteration may be something else.
SUBTOPIC_FIELDS = ("subtopic", "iteration")
# Of a table with parts of documents the document is the whole one, which its file may name.
WHOLE_DOCUMENTS: Groups = (*WHOLE_IDS, (*WHOLE_TEXTS, *FILES))
DOCUMENT_OF_SPANS: Groups = (*WHOLE_DOCUMENTS, *PART_IDS, PART_TEXTS)
SPAN_FIELDS = ("start", "end", "length", "document_length", "bep")
# What a log calls the list of all that was returned for a topic.
LISTS = (
    "results", "hits", "documents", "docs", "chunks", "passages", "contexts", "retrieved", "retrieved_documents",
    "retrieved_chunks", "source_documents",
)  # fmt: skip


@dataclass(eq=False, repr=False)
class TableColumns:
    """The columns of a table, and which of them hold what: as the user has `told`, field by field, or by their usual
    names.

    What was told of a column that this table does not have counts for other tables.
    """

    names: list[str]
    told: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def chosen_by_user(self) -> dict[str, str]:
        """The columns that were told and are there, by field."""
        known = {comparable_name(name): name for name in reversed(self.names)}
        there = {
            what: name if name in self.names else known.get(comparable_name(name)) for what, name in self.told.items()
        }
        return {what: name for what, name in there.items() if name is not None}

    def candidates(self, what: str) -> list[list[str]]:
        """The columns that may hold a field, the best first; those that stand together are equally good."""
        if what in self.chosen_by_user:
            return [[self.chosen_by_user[what]]]
        groups = DOCUMENT_OF_SPANS if what == "document" and self.spans else NAMES[what]
        taken = self.chosen_by_user.values()
        columns = [
            [name for name in self.names if comparable_name(name) in group and name not in taken] for group in groups
        ]
        return [group for group in columns if group]

    def column(self, what: str) -> str | None:
        """Which column holds a field, whatever its usual name there."""
        return next((group[0] for group in self.candidates(what)), None)

    @property
    def text(self) -> str | None:
        """The column that holds texts, where the user tells it or one is called so."""
        usual = next((name for name in self.names if comparable_name(name) in TEXT_COLUMNS), self._evidence)
        return self.chosen_by_user.get("text", usual)

    @property
    def _evidence(self) -> str | None:
        """The column that holds quotations, where nothing else tells what is judged or returned."""
        has_values = any(map(self.column, ("score", "rank"))) or all(map(self.column, ("document", "grade")))
        if has_values or self.spans:
            return None
        return next((name for name in self.names if comparable_name(name) in EVIDENCE), None)

    @property
    def whole_document(self) -> str | None:
        """The column that tells the document of which a row has a part."""
        wholes = (usual for group in WHOLE_DOCUMENTS for usual in group)
        return next((name for usual in wholes for name in self.names if comparable_name(name) == usual), None)

    @cached_property
    def spans(self) -> dict[str, str]:
        """The columns of spans by field: start and end, or start and length; nothing where the table has no spans."""
        start, end, length = (self.column(what) for what in ("start", "end", "length"))
        if not start or not (end or length):
            return {}
        return {"start": start, **({"end": end} if end else {"length": str(length)})}

    @cached_property
    def fields(self) -> dict[str, str]:
        """The columns that may be used, by field."""
        used = {what: name for what in NAMES if what not in SPAN_FIELDS and (name := self.column(what))}
        if not self.spans:
            return used
        further = {what: name for what in ("document_length", "bep") if (name := self.column(what))}
        return used | self.spans | further

    @property
    def used(self) -> list[str]:
        """The columns that may be used."""
        return list(dict.fromkeys(self.fields.values()))

    @property
    def kind(self) -> FileKind:
        """Whether a table holds a run or judgments: by its columns, a grade
        under any name but score, or spans or texts with neither.
        """
        grade, score = self.column("grade"), self.column("score")
        if grade and grade != score:
            return "judgments"
        is_evidence = bool(self.spans) or self.text is not None
        return "judgments" if is_evidence and not (score or self.column("rank")) else "run"

    def equals(self, what: str) -> list[str]:
        """The columns of which any could hold a field, where there are several that are equally good."""
        best = next(iter(self.candidates(what)), [])
        return best if len(best) > 1 else []

    def others(self, what: str) -> Iterator[str]:
        """The columns that could hold a field too, but were not chosen, and are not used for another field."""
        used = self.fields.values()
        yield from (name for group in self.candidates(what)[1:] for name in group if name not in used)


@lru_cache(maxsize=1000)
def comparable_name(name: str) -> str:
    """A name of a column as it is compared."""
    return name.lower().strip()


def told_columns(given: Mapping[str, str] | None) -> dict[str, str]:
    """What a user tells of the columns: the name of a column for some of the fields."""
    told: dict[Any, Any] = dict(given or {})
    for what, name in told.items():
        if what not in TOLD:
            raise UsageError(f"unknown field {quoted(str(what))} of columns; expected one of {', '.join(TOLD)}")
        if not isinstance(name, str) or not name:
            raise UsageError(f"columns has {name!r} for the {what}; expected the name of a column")
    return told
