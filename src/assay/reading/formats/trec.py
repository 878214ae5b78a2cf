"""TREC's files: runs (`topic Q0 document rank score tag`) and judgments (qrels, `topic iteration document grade`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

from assay.errors import ORDER_OF_INPUTS, quote
from assay.files.line_blocks import LineBlock, with_line_feeds
from assay.files.source import Source
from assay.reading import lines
from assay.reading.format import (
    FIRST_LINES,
    NOTHING_MORE,
    Block,
    Columns,
    Head,
    Request,
    fields_of,
    has_spans,
    reads_whole,
)
from assay.reading.line_files import LineFile
from assay.reading.numbers import is_number
from assay.reading.subtopics import of_iterations
from assay.tables.judgments import Judgments, SubtopicJudgments, written_grade
from assay.tables.run import DocumentRun, Run, Table
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

RUN = lines.LineFields(
    "a TREC run",
    ("topic", "Q0", "document", "rank", "score", "tag"),
    numbers=("score",),
    wholes=("rank",),
    like_judgments=True,
    complete=True,
    word="tag",
)
# A line with a passage (offset:length) among the fields after the grade.
HIGHLIGHTED = re.compile(rb"(?m)^(?!#)[ \t\v\f]*\S+([ \t\v\f]+\S+){3,5}[ \t\v\f]+[0-9]+:[0-9]+(?!\S).*$")
# A line with at least five fields, as a run without tags has.
FIVE_FIELDS = re.compile(rb"(?m)^[^\S\n]*+(?:\S++[^\S\n]++){4}+\S")
QRELS = lines.LineFields("TREC qrels", ("topic", "iteration", "document", "grade"), grades=("grade",), complete=True)


class Trec(LineFile):
    """A run has six fields per line; judgments ("qrels") have four.

    - Fields are separated by spaces or tabs. Assay ignores what follows the last field of a line. Ids have no
      whitespace: a run with an extra field is refused if the rank is a word or the tag is a number.
    - Empty lines, and lines that begin with `#`, are skipped. Line ends may be those of Unix, Windows or old Macs.
    - Files must be UTF-8. A byte order mark at the beginning is skipped.
    - Ids of topics and documents are text: `7` and `07` are two topics. They have at most 65,535 bytes.
    - A rank is a whole number. A grade may be any number, for example 0.5: measures of gain use it as it is, and others
      count grades of at least their `rel` as relevant. A score must be finite, not NaN or infinity.
    - The scores give the order of the results. Assay uses the rank only with `--ties rank`, to order equal scores;
      otherwise it checks only the ranks of the first lines.
    - The lines of a topic may be scattered, but Assay reads a run faster, and in less memory, if they are together.
    - A document may appear only once in a topic, in runs and in judgments.
    - The second field of judgments has no meaning, except in TREC's diversity tasks, where it is the subtopic and a
      document may appear once with each. Assay reads it as the subtopic, and says so in a note, if a document has
      several of them in a topic, or if a measure needs subtopics, for example alpha_nDCG. If it has several values but
      neither applies, a note says so.
    - A negative grade means that a document was in the pool but was not judged.
    """

    name = "trec"
    title = "TREC files"
    writes_runs_of = ("documents",)
    writes_judgments = True
    writes_subtopics = True
    only_documents = True
    run_fields = RUN
    judgments_fields = QRELS

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise anything that no other format recognises."""
        return True

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Tell from the fields of the first line whether a file is a run or judgments.

        Many blank lines may come before it.
        """
        for _, fields in lines.walk(source):
            return "run" if is_like_a_run(fields) else "judgments"
        raise source.fault("the input is empty; expected a run or judgments")

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield a run as blocks of whole topics."""
        if not request.ranks:
            refuse_bad_ranks(source)
        return super().run_blocks(source, request)

    def run_of(self, block: bytes, source: Source, request: Request) -> Run | None:
        """Return the part of a run in a padded block of lines; None if it has no line."""
        fields = ("topic", "document", "score", *(("rank",) if request.ranks else ()))
        columns = lines.block_columns(block, RUN, fields, source)
        if not columns:
            return None
        columns["topic"] = columns["topic"].in_streaks()
        return DocumentRun(source.label, places=lines.finder(source, RUN), **columns)

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the judgments of a qrels file."""
        check_not_a_run(source)
        return qrels(source, request.subtopics)

    def table_of(self, source: Source, kind: FileKind) -> Run | Judgments | None:
        """Return the table of a whole file, for a check. A run that the user calls judgments is read as judgments."""
        return qrels(source) if kind == "judgments" else super().table_of(source, kind)

    def misfit(self, fields: list[str], declared: lines.LineFields) -> str | None:
        """Return what is wrong with a line, also if it is a judgment of passages; None if nothing is."""
        return (like_passages(fields) if declared is QRELS else None) or super().misfit(fields, declared)

    def refuse_more_fields(self, source: Source) -> None:
        """Raise an error if a run has fields after its tag, because it may return parts of documents."""
        for number, line in enumerate(with_line_feeds(source.head()).split(b"\n")[:-1], 1):
            if len(fields := line.split()) > len(RUN.fields) and not line.startswith(b"#"):
                what = (
                    f"expected {len(RUN.fields)} fields for whole documents, 7 with a path, or 8 with offset and length"
                )
                raise source.fault(f"{what}; found {len(fields)}: {quote(line.decode(errors='replace'))}", number)

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a file with a run."""
        from assay.reading.format import run_lines

        return run_lines(columns, name, tag, RUN.name, repeat(""))

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a qrels file."""
        from assay.reading.columns import graded_columns, subtopic_columns
        from assay.reading.format import NOT_IN_LINES, content_of_lines, refuse, refuse_in_lines

        columns = subtopic_columns(judgments) if isinstance(judgments, SubtopicJudgments) else graded_columns(judgments)
        # a document without a subtopic gets subtopic 0
        columns["subtopic"] = [name or "0" for name in columns.get("subtopic", ["0"] * len(columns["topic"]))]
        refuse_in_lines(columns, QRELS.name, judgments.name)
        refuse(columns["subtopic"], QRELS.name, "subtopic", NOT_IN_LINES, judgments.name)
        rows = zip(*(columns[field] for field in ("topic", "subtopic", "document", "grade")), strict=True)
        written = (f"{topic} {subtopic} {document} {written_grade(grade)}" for topic, subtopic, document, grade in rows)
        return content_of_lines(written, judgments.name)


def qrels(source: Source, subtopics: bool = False) -> Judgments:
    """Return the judgments of a qrels file; `subtopics`: a measure needs the second field as the subtopic."""
    columns = lines.all_columns(source, QRELS, QRELS.fields, refuse_passage_lines, in_streaks=("topic", "iteration"))
    if not columns:
        raise source.fault("the input is empty; expected judgments")
    rows = Table(source.label, columns["topic"], columns["document"], lines.finder(source, QRELS))
    judgments = of_iterations(rows, columns["grade"], columns["iteration"], subtopics, "the second field")
    noted = *fifth_field_noted(source), *ranks_noted(source), *spans_noted(source)
    return replace(judgments, notes=(*judgments.notes, *noted))


def fifth_field_noted(source: Source) -> list[str]:
    """Note that a fifth number in the first lines is ignored. It may be the grade of a document in a sample."""
    rows = [fields_of(line) for line in Head(source.head()).first_lines]
    if not rows or not all(len(row) == 5 and reads_whole(row[4]) for row in rows):
        return []
    what = "Assay reads the fourth field as the grade and ignores the fifth"
    return [f"{what}; if this is a sample with strata, pass format=sampled"]


def ranks_noted(source: Source) -> list[str]:
    """Note that judgments look like a run."""
    what = "the third field counts 1, 2, 3 in each topic, so this looks like a run with missing columns"
    is_run = has_ranks_as_documents(source)
    return [f"{what} (topic document rank score); expected {' '.join(RUN.fields)}"] if is_run else []


def spans_noted(source: Source) -> list[str]:
    """Note that judgments look like spans of documents whose ids are numbers."""
    if not has_spans(Head(source.head())):
        return []
    what = "the third field is less than the fourth, so these may be spans (topic document start end)"
    return [f"{what}; if so, convert them to jsonl with format=spans"]


def has_ranks_as_documents(source: Source) -> bool:
    """Return whether the first lines have four fields, and the third counts up from 1 in each topic."""
    rows = [line.split() for line in list(Head(source.head()).lines())[:FIRST_LINES]]
    last: dict[str, int] = {}
    for row in rows:
        rank = last.get(row[0], 0) + 1
        if len(row) != len(QRELS.fields) or row[2] != str(rank):
            return False
        last[row[0]] = rank
    # a document may have the name 1
    return max(last.values(), default=0) > 2 and len({row[1] for row in rows}) > 1


def refuse_passage_lines(block: LineBlock, source: Source) -> None:
    """Raise an error about a judgment of passages.

    It has the fields of qrels and more, so its rsize would be read as the grade.
    """
    if b":" in block.content and (line := HIGHLIGHTED.search(block.content)):
        fields = [field.decode(errors="replace") for field in line[0].split()]
        raise source.fault(str(like_passages(fields)), block.line_at(line.start()))


def like_passages(fields: list[str]) -> str | None:
    """Return why a line that looks like a judgment of passages cannot be one of qrels; None if it does not."""
    if not HIGHLIGHTED.search(" ".join(fields).encode(errors="replace")):
        return None
    from assay.reading.formats import fol

    wrong = fol.QRELS.misfit(fields, fol.QRELS.fields)
    what = f"this looks like {fol.QRELS.name} ({' '.join(fol.QRELS.fields)} bep offset:length)"
    return f"{what}{f', but {wrong}' if wrong else ''}; expected TREC qrels ({' '.join(QRELS.fields)})"


def check_not_a_run(source: Source) -> None:
    """Raise an error if the judgments are a run.

    A run has the fields of qrels and more, so its ranks would be read as grades.
    """
    head = source.head()
    for number, line in enumerate(head.splitlines() if FIVE_FIELDS.search(head) else (), 1):
        fields = [field.decode(errors="surrogateescape") for field in line.split()]
        if line.startswith(b"#") or not is_like_a_run(fields):
            continue
        if not RUN.misfit([*fields, ""], RUN.fields):
            what = f"this looks like a run ({' '.join(RUN.fields)}); expected judgments ({' '.join(QRELS.fields)})"
            what += f": {ORDER_OF_INPUTS}"
            raise source.fault(what, number)


def refuse_bad_ranks(source: Source) -> None:
    """Raise an error if a rank in the first lines shows that the values are in other fields than expected.

    The ranks of a run are not read if they are not wanted, because that takes time. So a word such as `-` is accepted,
    but not a fraction, nor a word if the tag is a number: then the scores are elsewhere.
    """
    at, head = RUN.fields.index("rank"), source.head()
    if b"\0" in head:
        # this is not a text, as the reader says
        return
    for line in with_line_feeds(head).split(b"\n"):
        fields = line.split(None, at + 1)
        # the last line may be cut off, even within the rank
        if len(fields) < at + 2 or fields[at].isdigit() or line.startswith(b"#"):
            continue
        values = line.decode(errors="replace").split()
        is_misplaced = is_number(values[at]) or (len(values) >= len(RUN.fields) and RUN.is_shifted(values))
        if is_misplaced and lines.wrong_whole(values[at]):
            # another line before this one may be wrong too
            raise lines.first_fault(source, RUN, RUN.fields)


def is_like_a_run(fields: list[str]) -> bool:
    """Return whether a line has the fields of a run, not of judgments; the tag may be missing, as people forget it."""
    return len(fields) >= len(RUN.fields) or (len(fields) == len(RUN.fields) - 1 and fields[1].upper() == "Q0")


FORMAT = Trec()
