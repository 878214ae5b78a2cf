"""LegalBench-RAG: questions with snippets of files."""

import re

from assay.errors import count_noun
from assay.files.source import Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_of, require_value
from assay.vocabulary import FileKind

TESTS = re.compile(rb'\{\s*"tests"\s*:\s*\[')


class LegalBenchFile(TextFormat):
    """`tests[]` of LegalBench-RAG: a `query` and its `snippets[]`. A snippet has a `file_path`, which is the document,
    a `span` with start and end, and optionally the `answer`, which is the text of the span. The topic is the query
    itself.
    """

    name = "legalbench"
    title = "LegalBench-RAG"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise an object with a list of tests."""
        return TESTS.match(head.stripped) is not None

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per snippet."""
        rows = Rows(kind, source.label, "snippet")
        without, topics, again = [], set(), 0
        for t, test in enumerate(require_value(json_of(source), "tests", list, "the file", source), 1):
            topic = require_value(test, "query", str, f"test {t}", source)
            again += topic in topics
            topics.add(topic)
            snippets = require_value(test, "snippets", list, f"test {t}", source)
            for s, snippet in enumerate(snippets, 1):
                where = f"test {t}, snippet {s}"
                name = require_value(snippet, "file_path", str, where, source)
                span = require_value(snippet, "span", list, where, source)
                if len(span) != 2 or not all(type(place) is int for place in span):
                    raise source.fault(f"{where}: span is {span}; expected a start and an end")
                text = snippet.get("answer")
                start, end = span
                known = text if isinstance(text, str) else None
                rows.add(topic=topic, document=name, start=start, end=end, text=known)
            if not snippets:
                without.append(topic)
        rows.without_gold(without)
        if again:
            what = (
                f"{count_noun(again, 'test')} repeat the query of an earlier test; Assay counts their snippets together"
            )
            rows.notes.append(f"{source.label}: {what}")
        return rows


FORMAT = LegalBenchFile()
