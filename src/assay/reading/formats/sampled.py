"""Judgments of a stratified sample (`topic iteration document stratum grade`), as TREC has for inferred measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.files.source import Source
from assay.reading.columns import graded_columns
from assay.reading.format import NOTHING_MORE, Head, Request, content_of_lines, fields_of, reads_whole, refuse_in_lines
from assay.reading.line_files import LineFile
from assay.reading.lines import LineFields, all_columns, finder
from assay.tables.judgments import Judgments, SampleJudgments, written_grade
from assay.vocabulary import TO_JUDGE, FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

FIELDS = ("topic", "iteration", "document", "stratum", "grade")
SAMPLED = LineFields("judgments of a sample", FIELDS, grades=("grade",))
NOTE = "Assay reads the fourth field as the stratum of a sample and the fifth as the grade"


class Sampled(LineFile):
    """Judgments of a stratified sample: the pool is divided into strata, and only some documents of each stratum are
    judged. A grade of -1 means that the document is in its stratum but was not sampled.

    Assay recognises such a file if no stratum is 0 and some grade is -1, and says so in a note. Otherwise the file
    looks like qrels with a fifth field; pass `--format sampled`. With `--checked` five fields are always a sample. The
    measures for samples are xinfAP, statAP, infNDCG and infP.
    """

    name = "sampled"
    title = "Judgments of a sample"
    holds = ("judgments",)
    writes_judgments = True
    writes_strata = True
    only_documents = True
    judgments_fields = SAMPLED

    @property
    def layouts(self) -> list[str]:
        """The fields of a line."""
        return [" ".join(FIELDS)]

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise lines of five fields whose fourth is never 0 and whose last is sometimes -1."""
        if kind == "run" or len(head.fields) != len(FIELDS):
            return False
        # this may be a run without tags
        if kind is None and head.fields[1].upper() == "Q0":
            return False
        rows = [fields_of(line) for line in head.whole_lines()]
        return all(map(is_sampled, rows)) and any(row[4] == "-1" for row in rows)

    def are_judgments(self, head: Head) -> bool:
        """Return True: this format has only judgments."""
        return True

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the judgments of a file, with the stratum of each."""
        columns = all_columns(source, SAMPLED, ("topic", "document", "stratum", "grade"))
        if not columns:
            raise source.fault("the input is empty; expected judgments")
        return SampleJudgments(
            source.label,
            columns["topic"],
            columns["document"],
            finder(source, SAMPLED),
            (NOTE,),
            grade=columns["grade"],
            strata=columns["stratum"],
        )

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with one line per document and its stratum."""
        if not isinstance(judgments, SampleJudgments):
            raise InputError(f"these judgments have no strata; {self.name} needs a sample with strata", judgments.name)
        columns = graded_columns(judgments)
        columns["stratum"] = judgments.strata.texts()
        refuse_in_lines(columns, SAMPLED.name, judgments.name)
        rows = zip(*(columns[field] for field in ("topic", "document", "stratum", "grade")), strict=True)
        written = (f"{topic} 0 {document} {stratum} {written_grade(grade)}" for topic, document, stratum, grade in rows)
        return content_of_lines(written, judgments.name)


def is_sampled(fields: list[str]) -> bool:
    """Return whether a line has a stratum of at least 1, and a grade of at least -1 or `?` (still to be judged)."""
    if len(fields) != len(FIELDS) or not reads_whole(fields[3]) or float(fields[3]) < 1:
        return False
    return fields[4] == TO_JUDGE or (reads_whole(fields[4]) and float(fields[4]) >= -1)


FORMAT = Sampled()
