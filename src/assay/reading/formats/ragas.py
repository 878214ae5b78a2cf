"""Logs of ragas and DeepEval: the texts that were retrieved for a question, and those that should have been."""

import json
import re
from collections.abc import Iterator
from typing import Any

from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Head, Request
from assay.reading.lists import CONTEXTS, is_named_log, is_row, named_lists_by_topic, rows_by_topic
from assay.reading.recognition import BRACKETS
from assay.reading.records import flat
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_lines, json_of
from assay.tables.column_names import LOG_IDS
from assay.tables.places import Place
from assay.vocabulary import FileKind

NAMED = re.compile(
    rb'"(?:retrieved_contexts|retrieval_context|reference_contexts|retrieved_context_ids|retrieved_ids|'
    rb'reference_context_ids|expected_ids)"\s*:\s*\['
)
# The name of the list in ragas before version 0.2, next to a question.
BEFORE = re.compile(rb'"contexts"\s*:\s*\[\s*"')


class EvaluationLog(TextFormat):
    """Logs of ragas and DeepEval, as JSONL or a JSON list. Each record has a question (`user_input`, `question` or
    `input`), the retrieved texts, best first (`retrieved_contexts`, `retrieval_context` or `contexts`), and the
    texts that should have been retrieved (`reference_contexts`). It may have ids instead of texts, or beside them
    for `--chunks`: `retrieved_context_ids` and `reference_context_ids`, or LlamaIndex's `retrieved_ids` and
    `expected_ids`. One file is both a run and judgments, so pass it twice. The texts have no offsets: Assay locates
    them in the `--documents`. The topic is the question itself.
    """

    name = "ragas"
    title = "Logs of ragas and DeepEval"
    holds = ("run", "judgments")

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise objects with lists of contexts, whose names are not in a row with a document."""
        content = head.stripped
        is_of_before = b'"question"' in content and BEFORE.search(content) is not None
        if content[:1] not in BRACKETS or not (is_of_before or NAMED.search(content)):
            return False
        first = first_object(content)
        if first is None:
            return True
        if {"question", "contexts"} <= first.keys():
            return not is_row(flat(first))
        return any(is_named_log(flat(first), each) for each in self.holds)

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "run" if the log has retrieved texts or ids, else "judgments"."""
        head = source.head()
        names = (*CONTEXTS["run"], *LOG_IDS["run"])
        return "run" if any(f'"{name}"'.encode() in head for name in names) else "judgments"

    def lists(self, source: Source, kind: FileKind) -> dict[str, Any]:
        """Return what the file has for each question."""
        return named_lists_by_topic(self._records(source), kind)

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per text or id."""
        return rows_by_topic(self.lists(source, kind), kind, source.label)

    def _records(self, source: Source) -> Iterator[tuple[Place, Any]]:
        if source.head().lstrip().startswith(b"["):
            for number, record in enumerate(json_of(source), 1):
                yield Place(source.label, number, "record"), record
            return
        yield from ((Place(source.label, number), record) for number, _, record in json_lines(source))


def first_object(content: bytes) -> dict[str, Any] | None:
    """Return the first object of a file of JSON from its first bytes; None if it is longer than these."""
    try:
        first, _ = json.JSONDecoder().raw_decode(content.lstrip(b"[ \t\r\n").decode(errors="replace"))
    except ValueError:
        return None
    return first if isinstance(first, dict) else None


FORMAT = EvaluationLog()
