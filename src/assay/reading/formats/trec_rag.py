"""TREC RAG: queries with candidates, which are overlapping segments of documents."""

import re
from collections.abc import Iterator
from typing import Any

from assay.errors import quote
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Head, Request
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_lines, json_of, objects_in, require_value
from assay.reading.values import whole
from assay.vocabulary import FileKind

CANDIDATES = re.compile(rb'"candidates"\s*:\s*\[')


class TrecRagFile(TextFormat):
    """Results of TREC RAG: a `query` with a `qid`, and `candidates[]`, best first, each with a `docid`, a `score` and
    its `doc`, a segment with `start_char` and `end_char`. The document is the `docid` without the number of the
    segment (`msmarco_v2.1_doc_00_0#3_5` is a segment of `msmarco_v2.1_doc_00_0`). The file is JSONL or a JSON list.
    """

    name = "trec_rag"
    title = "TREC RAG"
    holds = ("run",)

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise queries with candidates."""
        start = head.stripped
        is_json = start[:1] in (b"{", b"[")
        return kind != "judgments" and is_json and CANDIDATES.search(start) is not None and b'"docid"' in start

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "run"."""
        return "run"

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per segment."""
        if kind != "run":
            raise source.fault("this is a run (TREC RAG); expected judgments")
        rows = Rows(kind, source.label, "result", by_topic=True)
        topics: set[str] = set()
        for where, record in queries_in(source):
            query = record.get("query")
            told = query.get("qid") if isinstance(query, dict) else record.get("qid", query)
            if not isinstance(told, str | int) or isinstance(told, bool) or told == "":
                raise source.fault(f"{where} has no query; expected one with a qid")
            topic = str(told)
            if topic in topics:
                raise source.fault(f"{where}: query {topic} appears twice; expected each once")
            topics.add(topic)
            for place, candidate in enumerate(objects_in(record.get("candidates"), f"{where}: candidates", source)):
                name = require_value(candidate, "docid", str, f"{where}, candidate {place + 1}", source)
                found = segment(candidate, name, f"{where}, {name}", source)
                rows.add(place + 1, topic=topic, score=-place, **found)
        return rows


def segment(candidate: dict[str, Any], name: str, where: str, source: Source) -> dict[str, Any]:
    """Return the document, the span and the text of a candidate."""
    doc = candidate["doc"] if isinstance(candidate.get("doc"), dict) else candidate
    start, end = (whole(doc.get(key)) for key in ("start_char", "end_char"))
    if start is None or end is None:
        told = quote(str({key: doc.get(key) for key in ("start_char", "end_char")}))
        raise source.fault(f"{where} has {told}; expected the start and end of the segment")
    text = doc.get("segment")
    known = text if isinstance(text, str) else None
    return {"document": name.partition("#")[0], "start": start, "end": end, "text": known}


def queries_in(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the queries of a file, each with its place in words."""
    if source.head().lstrip().startswith(b"["):
        yield from ((f"query {number}", record) for number, record in
                    enumerate(objects_in(json_of(source), "the file", source), 1))  # fmt: skip
        return
    yield from ((where, record) for _, where, record in json_lines(source))


FORMAT = TrecRagFile()
