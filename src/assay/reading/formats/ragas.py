"""Logs of ragas and DeepEval: what was retrieved for a question, and what should have been, as texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.documents.line_index import lines_of
from assay.errors import quoted
from assay.files.json_lines import json_object
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Request
from assay.reading.heads import Head
from assay.reading.records import record_of
from assay.reading.rows import OBJECTS, Rows
from assay.reading.text_format import TextFormat, json_of
from assay.vocabulary import FileKind

QUESTIONS = ("user_input", "question", "input", "query")
CONTEXTS: dict[FileKind, tuple[str, ...]] = {
    "run": ("retrieved_contexts", "retrieval_context", "contexts"),
    "judgments": ("reference_contexts", "ground_truth_contexts", "expected_context", "context"),
}
NAMED = re.compile(rb'"(?:retrieved_contexts|retrieval_context|reference_contexts)"\s*:\s*\[')

# What ragas called it before version 0.2, beside a question.
BEFORE = re.compile(rb'"contexts"\s*:\s*\[\s*"')


class EvaluationLog(TextFormat):
    """Logs of ragas and DeepEval, JSONL or a JSON list: a question (`user_input`, `question` or `input`), the texts
    that were retrieved for it, best first (`retrieved_contexts`, `retrieval_context` or `contexts`), and those that
    should have been (`reference_contexts`). One file is a run and judgments at once, so it can be given twice. The
    texts have no places: they are found in the `--documents`. A topic is the question itself."""

    name = "ragas"
    title = "Logs of ragas and DeepEval"
    holds = ("run", "judgments")

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Objects with lists of contexts."""
        content = head.stripped
        is_of_before = b'"question"' in content and BEFORE.search(content) is not None
        return content[:1] in (b"{", b"[") and (is_of_before or NAMED.search(content) is not None)

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """A run, unless it has nothing that was retrieved."""
        head = source.head()
        return "run" if any(f'"{name}"'.encode() in head for name in CONTEXTS["run"]) else "judgments"

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """A row a text."""
        rows = Rows(kind, source.label, OBJECTS[kind], by_topic=True)
        topics: dict[str, str] = {}
        without = []
        for where, record in self._records(source):
            topic = next((value for name in QUESTIONS if isinstance(value := record.get(name), str) and value), None)
            if topic is None:
                raise source.fault(f"{where} has no question; expected one of {', '.join(QUESTIONS)}")
            if topic in topics:
                raise source.fault(f"{where}: question {quoted(topic)} comes again (first in {topics[topic]})")
            topics[topic] = where
            texts = next((value for name in CONTEXTS[kind] if isinstance(value := record.get(name), list)), None)
            if texts is None:
                raise source.fault(f"{where} has no texts; expected a list under one of {', '.join(CONTEXTS[kind])}")
            for place, text in enumerate(texts):
                values = {"text": text} if isinstance(text, str) else record_of(text)
                if not values.get("text", "").strip():
                    raise source.fault(f"{where}, {rows.noun} {place + 1} is {quoted(str(text))}; expected a text")
                rows.add(place + 1, **values | {"topic": topic, "score": -place if kind == "run" else None})
            if not texts:
                without.append(topic)
        rows.without_gold(without)
        return rows

    def _records(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        if source.head().lstrip().startswith(b"["):
            for number, record in enumerate(json_of(source), 1):
                if not isinstance(record, dict):
                    raise source.fault(f"record {number} is {quoted(str(record))}; expected an object with a question")
                yield f"record {number}", record
            return
        for number, line in enumerate(lines_of(source), 1):
            if line.strip():
                yield f"line {number}", json_object(line, number, source)


FORMAT = EvaluationLog()
