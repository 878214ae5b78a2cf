"""Chroma's evaluation of chunking: questions with excerpts, in CSV."""

from __future__ import annotations

import csv
import io
import json

from assay.errors import quoted
from assay.files.plain_text import text_of
from assay.files.source import Source
from assay.formats.heads import Head
from assay.formats.objects import Chunk
from assay.formats.text_format import TextFormat, needed
from assay.formats.text_rows import TextRows
from assay.vocabulary import FileKind

COLUMNS = {"question", "references", "corpus_id"}


class ChromaQuestions(TextFormat):
    """`questions_df.csv` of Chroma's evaluation of chunking: a `question`, its `references`, a JSON list of excerpts with
    `content`, `start_index` and `end_index`, and the `corpus_id`, which is the document. A topic is the question itself."""

    name = "chroma"
    title = "Chroma's questions"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """The columns question, references and corpus_id."""
        return kind != "run" and {name.strip().strip('"') for name in head.first.split(",")} >= COLUMNS

    def text_rows(self, source: Source, kind: FileKind) -> TextRows:
        """A row an excerpt."""
        rows = TextRows(kind, source.label, "line")
        reader = csv.DictReader(io.StringIO(text_of(source)), strict=True)
        topics: dict[str, int] = {}
        try:
            for record in reader:
                line = reader.line_num
                topic, excerpts = record["question"], self._excerpts(record["references"], line, source)
                if topic in topics:
                    raise source.fault(f"question {quoted(topic)} comes again (first on line {topics[topic]})", line)
                topics[topic] = line
                for number, excerpt in enumerate(excerpts, 1):
                    where = f"line {line}, reference {number}"
                    start, end = (needed(excerpt, name, int, where, source) for name in ("start_index", "end_index"))
                    text = needed(excerpt, "content", str, where, source)
                    rows.add({"query_id": topic}, Chunk(text, (record["corpus_id"],), start, end), line)
        except csv.Error as error:
            raise source.fault(f"cannot be read: {error}", reader.line_num) from None
        rows.without_gold([topic for topic in topics if topic not in {record["query_id"] for record in rows.records}])
        return rows

    def _excerpts(self, references: str, line: int, source: Source) -> list[object]:
        try:
            excerpts = json.loads(references)
        except ValueError:
            excerpts = None
        if not isinstance(excerpts, list):
            raise source.fault(f"references are {quoted(references or '')}; expected a JSON list of excerpts", line)
        return excerpts


FORMAT = ChromaQuestions()
