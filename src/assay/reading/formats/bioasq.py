"""BioASQ: questions with snippets of articles, in gold and in the output of systems."""

import re

from assay.files.source import Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_of, objects_in, require_value
from assay.vocabulary import FileKind

QUESTIONS = re.compile(rb'\{\s*"questions"\s*:\s*\[')


class BioasqFile(TextFormat):
    """`questions[]` of BioASQ, either gold or the output of a system: each has an `id` and `snippets[]`. A snippet has
    the address of its `document`, a `text`, and offsets. The offsets count from the start of a section and include
    the last character, so Assay treats each section as a document, for example `23193260#abstract`, also for
    `BioASQAP`. If the given documents have an article under its number alone, Assay locates the snippets by their
    texts. Much of the published data has exclusive ends: Assay reads an end as exclusive if only then it fits the
    length of the text.
    """

    name = "bioasq"
    title = "BioASQ"
    holds = ("run", "judgments")

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise an object with a list of questions that have snippets."""
        start = head.stripped
        return QUESTIONS.match(start) is not None and (b'"snippets"' in start or b'"body"' in start)

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per snippet."""
        rows = Rows(kind, source.label, "snippet")
        without, topics = [], set()
        for q, question in enumerate(require_value(json_of(source), "questions", list, "the file", source), 1):
            topic = require_value(question, "id", str, f"question {q}", source)
            if topic in topics:
                raise source.fault(f"question {topic} appears twice; expected each once")
            topics.add(topic)
            snippets = objects_in(question.get("snippets"), f"question {q}: snippets", source)
            for s, snippet in enumerate(snippets):
                where = f"question {q}, snippet {s + 1}"
                number = require_value(snippet, "document", str, where, source).rstrip("/").rpartition("/")[2]
                section = require_value(snippet, "beginSection", str, where, source)
                start, last = (
                    require_value(snippet, name, int, where, source)
                    for name in ("offsetInBeginSection", "offsetInEndSection")
                )
                if snippet.get("endSection", section) != section:
                    raise source.fault(f"{where} begins in one section and ends in another; expected one section")
                text = snippet.get("text") if isinstance(snippet.get("text"), str) else None
                end = last if text is not None and len(text) == last - start else last + 1
                names = (f"{number}#{section}", number)
                score = -s if kind == "run" else None
                rows.add(topic=topic, document=names[0], documents=names, start=start, end=end, text=text, score=score)
            if not snippets:
                without.append(topic)
        rows.without_gold(without)
        return rows


FORMAT = BioasqFile()
