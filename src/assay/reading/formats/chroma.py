"""Chroma's evaluation of chunking: questions with excerpts, in CSV."""

import json

from assay.errors import quote
from assay.files.source import Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, require_value
from assay.reading.texts import records_of
from assay.vocabulary import FileKind

COLUMNS = ("question", "corpus_id", "references")


class ChromaQuestions(TextFormat):
    """`questions_df.csv` of Chroma's chunking evaluation. Each row has a `question`, its `references` (a JSON list of
    excerpts with `content`, `start_index` and `end_index`), and the `corpus_id`, which is the document. The topic is
    the question itself.
    """

    name = "chroma"
    title = "Chroma's questions"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise the columns question, references and corpus_id."""
        return kind != "run" and {name.strip().strip('"') for name in head.first.split(",")} >= set(COLUMNS)

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per excerpt."""
        rows = Rows(kind, source.label, "line")
        topics: dict[str, int | None] = {}
        for line, record in records_of(source):
            where = f"line {line}"
            topic, document, references = (require_value(record, name, str, where, source) for name in COLUMNS)
            if topic in topics:
                raise source.fault(f"question {quote(topic)} appears twice (first on line {topics[topic]})", line)
            topics[topic] = line
            for number, excerpt in enumerate(self._excerpts(references, line, source), 1):
                here = f"{where}, reference {number}"
                start, end = (require_value(excerpt, name, int, here, source) for name in ("start_index", "end_index"))
                text = require_value(excerpt, "content", str, here, source)
                rows.add(line, topic=topic, document=document, start=start, end=end, text=text)
        rows.without_gold(topics)
        return rows

    def _excerpts(self, references: str, line: int | None, source: Source) -> list[object]:
        try:
            excerpts = json.loads(references)
        except (ValueError, RecursionError):
            excerpts = None
        if not isinstance(excerpts, list):
            raise source.fault(f"references are {quote(references)}; expected a JSON list of excerpts", line)
        return excerpts


FORMAT = ChromaQuestions()
