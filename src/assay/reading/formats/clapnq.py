"""CLAPNQ: questions with passages, and the sentences from which several annotators took their answers."""

import re

from assay.files.source import Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_lines, objects_in, require_value
from assay.vocabulary import FileKind

PASSAGES = re.compile(rb'"passages"\s*:\s*\[')


class ClapnqFile(TextFormat):
    """CLAPNQ, one object per line: an `id`, the question as `input`, `passages[]` with their `text`, and `output[]`,
    whose `selected_sentences` are the evidence. Each passage is a document. Its id is the id of the question,
    followed by a number from the second passage on. Assay locates the sentences in the passages. The sentences of
    each answer are a set of evidence, and finding one set is enough.
    """

    name = "clapnq"
    title = "CLAPNQ"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise lines with an input and passages."""
        start = head.stripped
        return (
            start.startswith(b"{")
            and b'"input"' in start
            and PASSAGES.search(start) is not None
            and b'"sentences"' in start
        )

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per selected sentence."""
        rows = Rows(kind, source.label, "line")
        without = []
        for number, where, row in json_lines(source):
            topic = str(row.get("id") or require_value(row, "input", str, where, source))
            names = []
            for p, passage in enumerate(require_value(row, "passages", list, where, source), 1):
                names.append(topic if p == 1 else f"{topic} {p}")
                rows.texts[names[-1]] = require_value(passage, "text", str, f"{where}, passage {p}", source)
            if not names:
                raise source.fault("the question has no passages; expected at least one", number)
            sentences = [
                (a, sentence)
                for a, answer in enumerate(objects_in(row.get("output"), f"{where}: output", source), 1)
                for sentence in require_value(answer, "selected_sentences", list, where, source)
                if isinstance(sentence, str) and sentence.strip()
            ]
            for a, sentence in sentences:
                # a sentence that is in no passage is reported when it is searched in the first
                name = next((name for name in names if sentence in rows.texts[name]), names[0])
                rows.add(number, topic=topic, document=name, text=sentence, set=str(a))
            if not sentences:
                without.append(topic)
        rows.without_gold(without)
        return rows


FORMAT = ClapnqFile()
