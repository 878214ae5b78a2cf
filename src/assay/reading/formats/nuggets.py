"""Nuggets of TREC's RAG track: the facts that an answer or a passage supports."""

import re
from typing import Any

from assay.errors import quote
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Head, Request
from assay.reading.lines import refused_grade
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_lines, objects_in
from assay.vocabulary import GRADE_WORDS, FileKind

NUGGETS = re.compile(rb'"nuggets"\s*:\s*\[')
EXPECTED = "expected support, partial_support or not_support"


class NuggetFile(TextFormat):
    """Nugget assignments of nuggetizer and of TREC's RAG track. Each line has a `qid`, the `run_id` of an answer (or
    the `docid` of a passage), and `nuggets[]`, each with an `assignment`: `support` (grade 1), `partial_support`
    (0.5), `not_support` (0), or `failed` if a model could not judge, which is unscored. Nugget 2 of the answer of
    run r is document `r#2`. The file serves as judgments and also as a run that returns all its nuggets, so `P` is
    the share of nuggets that an answer supports: `assay evaluate model.jsonl model.jsonl -m P -m "P(rel=0.5)"`.
    Vital and okay nuggets count the same.
    """

    name = "nuggets"
    title = "Nuggets of TREC RAG"
    holds = ("judgments", "run")

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise lines with a qid and nuggets."""
        start = head.stripped
        return start.startswith(b"{") and b'"qid"' in start and NUGGETS.search(start) is not None

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "judgments"; the caller reads the file as a run by asking for one."""
        return "judgments"

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per nugget of an answer."""
        rows = Rows(kind, source.label, "line")
        for number, where, record in json_lines(source):
            topic = id_under(record, ("qid",), where, source)
            answer = id_under(record, ("run_id", "docid"), where, source)
            for place, nugget in enumerate(objects_in(record.get("nuggets"), f"{where}: nuggets", source), 1):
                known = {"topic": topic, "document": f"{answer}#{place}"}
                if kind == "run":
                    rows.add(number, **known, score=-place)
                else:
                    rows.add(number, **known, grade=grade_of(nugget, f"{where}, nugget {place}", source))
        return rows


def grade_of(nugget: dict[str, Any], where: str, source: Source) -> float:
    """Return the grade of an assignment."""
    assigned = str(nugget.get("assignment"))
    if refused_grade(assigned):
        raise source.fault(f"{where}: assignment is {quote(assigned)}; {EXPECTED}")
    return GRADE_WORDS[assigned.lower()] if assigned.lower() in GRADE_WORDS else float(assigned)


def id_under(record: dict[str, Any], names: tuple[str, ...], where: str, source: Source) -> str:
    """Return the id that a record has under one of these names; raise an error if it has none."""
    found = next((record[name] for name in names if isinstance(record.get(name), str | int)), "")
    if isinstance(found, bool) or found == "":
        raise source.fault(f"{where} has no {' or '.join(names)}; expected one")
    return str(found)


FORMAT = NuggetFile()
