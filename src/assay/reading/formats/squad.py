"""SQuAD and formats like it: questions about paragraphs, with answers that are spans of the paragraphs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import quote
from assay.files.source import Source
from assay.reading.columns import spans_by_document
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_lines, json_of, objects_in, require_value
from assay.tables.judgments import Judgments
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

NESTED = re.compile(rb'"(?:paragraphs|qas)"\s*:')
FLAT = re.compile(rb'"answer_start"\s*:\s*\[')


class SquadFile(TextFormat):
    """SQuAD and formats like it: questions about paragraphs, with answers that are spans of the paragraphs.
    `data[].paragraphs[]` have a `context` and `qas[]`, whose `answers[]` have a `text` and an `answer_start`; or
    JSONL with `context`, `question` and `answers` as two lists. Each context is a document, so `--documents` is not
    needed. Its id is its `document_id`, or else its title, followed by a number if an article has several
    paragraphs. The topic is the id of the question, or else the question. Assay leaves out questions without an
    answer, and a note counts them. COVID-QA, NewsQA and TyDi QA are published in this format. `assay convert` writes
    one paragraph per document and needs `--documents`.
    """

    name = "squad"
    title = "SQuAD"
    writes_judgments = True
    writes_irrelevant = False

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise articles with paragraphs, or lines with a context and the starts of answers."""
        start = head.stripped
        return (
            start.startswith(b"{")
            and b'"context"' in start
            and (NESTED.search(start) is not None or FLAT.search(start) is not None)
        )

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per answer."""
        rows = Rows(kind, source.label, "answer")
        questions: dict[str, str] = {}
        without = []
        for document, context, asked, answers in self._questions(source):
            rows.texts[document] = context
            topic, question = asked
            if questions.setdefault(topic, question) != question:
                what = f"question {topic} is {quote(question)} here, but {quote(questions[topic])} before"
                raise source.fault(f"{what}; expected one text per id")
            for text, start in answers:
                rows.add(topic=topic, document=document, start=start, end=start + len(text), text=text)
            if not answers:
                without.append(topic)
        rows.without_gold(without)
        return rows

    def _questions(self, source: Source) -> Iterator[tuple[str, str, tuple[str, str], list[tuple[str, int]]]]:
        if NESTED.search(source.head()) is None:
            yield from self._flat(source)
            return
        articles = require_value(json_of(source), "data", list, "the file", source)
        for a, article in enumerate(articles, 1):
            paragraphs = require_value(article, "paragraphs", list, f"article {a}", source)
            for p, paragraph in enumerate(paragraphs, 1):
                where = f"article {a}, paragraph {p}"
                context = require_value(paragraph, "context", str, where, source)
                name = paragraph.get("document_id", article.get("title") or f"article {a}")
                title = f"{name}" if "document_id" in paragraph or len(paragraphs) == 1 else f"{name} {p}"
                for q, asked in enumerate(require_value(paragraph, "qas", list, where, source), 1):
                    here = f"{where}, question {q}"
                    question = require_value(asked, "question", str, here, source)
                    answers = [
                        (
                            require_value(answer, "text", str, here, source),
                            require_value(answer, "answer_start", int, here, source),
                        )
                        for answer in objects_in(asked.get("answers"), f"{here}: answers", source)
                    ]
                    yield title, context, (str(asked.get("id", question)), question), answers

    def _flat(self, source: Source) -> Iterator[tuple[str, str, tuple[str, str], list[tuple[str, int]]]]:
        named: dict[str, str] = {}
        for number, where, row in json_lines(source):
            context = require_value(row, "context", str, where, source)
            question = require_value(row, "question", str, where, source)
            answers = require_value(row, "answers", dict, where, source)
            texts, starts = (require_value(answers, name, list, where, source) for name in ("text", "answer_start"))
            if (
                len(texts) != len(starts)
                or not all(isinstance(text, str) for text in texts)
                or not all(type(start) is int for start in starts)
            ):
                what = "the answers are not texts with a start each"
                raise source.fault(f"{what}; expected lists of the same length under text and answer_start", number)
            title = str(row.get("document_id") or row.get("title") or "paragraph")
            # an article has many paragraphs without names of their own, so number them
            name = named.setdefault(context, title if title not in named.values() else f"{title} {len(named) + 1}")
            yield name, context, (str(row.get("id", question)), question), list(zip(texts, starts, strict=True))

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with one paragraph per document, and the topics that were judged in it."""
        articles = []
        for document, text, by_topic in spans_by_document(judgments, documents, self.title):
            questions = [
                {
                    "id": topic,
                    "question": topic,
                    "is_impossible": not spans,
                    "answers": [{"text": text[start:end], "answer_start": start} for start, end in spans],
                }
                for topic, spans in by_topic.items()
            ]
            articles.append(
                {"title": document, "paragraphs": [{"context": text, "document_id": document, "qas": questions}]}
            )
        content: dict[str, Any] = {"version": "2.0", "data": articles}
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")


FORMAT = SquadFile()
