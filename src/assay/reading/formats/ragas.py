"""Logs of ragas and DeepEval: the texts that were retrieved for a question, and those that should have been."""

import re
from collections.abc import Iterator
from typing import Any

from assay.documents.line_index import lines_of
from assay.errors import quote
from assay.files.json_lines import json_object
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Head, Request
from assay.reading.lists import named_lists_by_topic, rows_by_topic
from assay.reading.records import record_of
from assay.reading.rows import OBJECTS, Rows
from assay.reading.text_format import TextFormat, json_of
from assay.tables.column_names import ASKED, LOG_IDS, LOG_TEXTS
from assay.tables.places import Place
from assay.vocabulary import FileKind

CONTEXTS: dict[FileKind, tuple[str, ...]] = {
    "run": (*LOG_TEXTS["run"], "contexts"),
    "judgments": LOG_TEXTS["judgments"],
}
NAMED = re.compile(rb'"(?:retrieved_contexts|retrieval_context|reference_contexts)"\s*:\s*\[')
# Lists of ids, with or without texts.
IDS = re.compile(rb'"(?:retrieved_context_ids|retrieved_ids|reference_context_ids|expected_ids)"\s*:\s*\[')

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
        """Recognise objects with lists of contexts."""
        content = head.stripped
        is_of_before = b'"question"' in content and BEFORE.search(content) is not None
        return content[:1] in (b"{", b"[") and (
            is_of_before or NAMED.search(content) is not None or IDS.search(content) is not None
        )

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "run" if the log has retrieved texts or ids, else "judgments"."""
        head = source.head()
        names = (*CONTEXTS["run"], *LOG_IDS["run"])
        return "run" if any(f'"{name}"'.encode() in head for name in names) else "judgments"

    def lists(self, source: Source, kind: FileKind) -> dict[str, Any] | None:
        """Return what the file has for each question if it has ids; else None."""
        if IDS.search(source.head()) is None:
            return None
        numbered = enumerate(self._records(source), 1)
        records = ((Place(source.label, number, "record"), each) for number, (_, each) in numbered)
        return named_lists_by_topic(records, kind)

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per text or id."""
        if (lists := self.lists(source, kind)) is not None:
            return rows_by_topic(lists, kind, source.label)
        rows = Rows(kind, source.label, OBJECTS[kind], by_topic=True)
        topics: dict[str, str] = {}
        without = []
        for where, record in self._records(source):
            topic = next((value for name in ASKED if isinstance(value := record.get(name), str) and value), None)
            if topic is None:
                raise source.fault(f"{where} has no question; expected one of {', '.join(ASKED)}")
            if topic in topics:
                raise source.fault(f"{where}: question {quote(topic)} appears twice (first in {topics[topic]})")
            topics[topic] = where
            texts = next((value for name in CONTEXTS[kind] if isinstance(value := record.get(name), list)), None)
            if texts is None:
                raise source.fault(f"{where} has no texts; expected a list under one of {', '.join(CONTEXTS[kind])}")
            for place, text in enumerate(texts):
                values = {"text": text} if isinstance(text, str) else record_of(text)
                if not values.get("text", "").strip():
                    raise source.fault(f"{where}, {rows.noun} {place + 1} is {quote(str(text))}; expected a text")
                rows.add(place + 1, **values | {"topic": topic, "score": -place if kind == "run" else None})
            if not texts:
                without.append(topic)
        rows.without_gold(without)
        return rows

    def _records(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        if source.head().lstrip().startswith(b"["):
            for number, record in enumerate(json_of(source), 1):
                if not isinstance(record, dict):
                    raise source.fault(f"record {number} is {quote(str(record))}; expected an object with a question")
                yield f"record {number}", record
            return
        for number, line in enumerate(lines_of(source), 1):
            if line.strip():
                yield f"line {number}", json_object(line, number, source)


FORMAT = EvaluationLog()
