"""Spans of text separated by tabs, without column names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import InputError, quote
from assay.files.line_blocks import TABLE, numbered_lines
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Columns, Head, Request, has_spans, reads_whole
from assay.reading.formats.separated import SeparatedFile
from assay.reading.numbers import is_number
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

RUN = ("topic", "rank", "document", "start", "end", "score")
JUDGMENTS = ("topic", "document", "start", "end")
# The column names by the number of columns.
COLUMNS = {len(names): names for names in (RUN, JUDGMENTS)}


# Text that ends before this character in every line is unlikely, and so is a higher grade.
HIGHEST_GRADE = 10


class SpanFile(SeparatedFile):
    """Spans of text in columns separated by tabs, without column names: six columns for a run, four for judgments.
    Judgments look like qrels if their documents are numbers, or if they have one document and no end above 10. Assay
    reads them as qrels, and a note says so; for spans pass `--format spans`.
    """

    name = "spans"
    title = "Spans without names"
    separator = "\t"
    has_header = False
    writes_runs_of = ("spans",)
    writes_labels = writes_subtopics = writes_strata = writes_unanswerable = writes_irrelevant = False
    may_have_texts = False

    @property
    def layouts(self) -> list[str]:
        """The columns of a run and of judgments."""
        return [" ".join(names) for names in COLUMNS.values()]

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise spans. A TREC run with tabs is not one: its second field is the same in all lines."""
        if kind != "run" and has_spans(head):
            rows = [line.split("\t") for line in head.whole_lines()]
            # a topic with a blank would be two fields of qrels
            has_blank = any(" " in row[0].strip() for row in rows)
            return has_blank or not (all(is_number(row[1]) for row in rows) or may_be_qrels(rows))
        if kind == "judgments" or not head.first:
            return False
        first, second = ([*head.first_lines, ""][at].split("\t") for at in (0, 1))
        if (
            len(first) != len(RUN)
            or not all(reads_whole(first[at]) for at in (1, 3, 4))
            or not is_number(first[5].strip())
        ):
            return False
        return first[:2] != second[:2]

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Tell from the number of columns whether a file is a run or judgments."""
        head = Head(source.head())
        if not head.first:
            raise source.fault("the input is empty; expected a run or judgments")
        return "judgments" if len(head.values) == len(JUDGMENTS) else "run"

    def names_of(self, source: Source) -> tuple[str, ...]:
        """Return the column names, which follow from the number of columns."""
        _, line = next(numbered_lines(source, TABLE), (1, b""))
        first = line.decode(errors="replace").split("\t")
        if len(first) not in COLUMNS:
            expected = " or ".join(f"{len(names)} values ({', '.join(names)})" for names in COLUMNS.values())
            found = f"{len(first)}: {quote(chr(9).join(first))}"
            raise source.fault(f"expected {expected} separated by tabs, found {found}")
        return COLUMNS[len(first)]

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a file with a run."""
        return self.content({field: columns[field] for field in RUN}, name)

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with the highlighted spans; documents without any are left out."""
        if not isinstance(judgments, HighlightJudgments):
            what = "these judgments have no highlighted text; spans can represent nothing else"
            raise InputError(what, judgments.name)
        highlights = judgments.highlights
        topics, ids = judgments.topic.texts(), judgments.document.texts()
        rows = highlights.row.tolist()
        named = {"topic": [topics[row] for row in rows], "document": [ids[row] for row in rows]}
        offsets = {"start": highlights.start.tolist(), "end": highlights.end.tolist()}
        return self.content(named | offsets, judgments.name)


def may_be_qrels(rows: list[list[str]]) -> bool:
    """Return whether four fields may be qrels whose second field is a word: it is the same in all of several lines, and
    the fourth is never higher than a grade.
    """
    are_grades = all(reads_whole(row[3]) and int(row[3]) <= HIGHEST_GRADE for row in rows)
    return are_grades and len(rows) > 1 and len({row[1] for row in rows}) == 1


FORMAT = SpanFile()
