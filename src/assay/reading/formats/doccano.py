"""doccano: texts with labelled spans, one text per line."""

import json
import re

from assay.errors import quote
from assay.files.source import Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, document_of_task, json_lines, require_value, topic_of_label
from assay.reading.values import whole
from assay.vocabulary import FileKind

LABELS = ("label", "labels", "entities")
SPANS = re.compile(rb'"(?:labels?|entities)"\s*:\s*\[\s*(?:\[\s*\d|\{[^}]*"start_offset")')


class DoccanoFile(TextFormat):
    """The JSONL export of doccano: a `text` and its `label`, a list of `[start, end, name]`, or its `entities` with
    `start_offset`, `end_offset` and `label`. The topic is the `question`, `query` or `query_id` of the object, or
    else the name of the label. The document id is the `doc_id`, `document_id` or file name, or else the `id`. The
    text is the document, so `--documents` is not needed.
    """

    name = "doccano"
    title = "doccano"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise lines with a text and a list of labelled spans."""
        start = head.stripped
        return start.startswith(b"{") and b'"text"' in start and SPANS.search(start) is not None

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per labelled span."""
        rows = Rows(kind, source.label, "line")
        without = []
        for number, where, row in json_lines(source):
            text = require_value(row, "text", str, where, source)
            meta = row["meta"] if isinstance(row.get("meta"), dict) else {}
            data = meta | row
            document = document_of_task(data, str(row.get("id", number)))
            rows.texts[document] = text
            spans = next((value for name in LABELS if isinstance(value := row.get(name), list)), [])
            for span in spans:
                start, end, label = span_of(span)
                if start is None or end is None or not 0 <= start <= end:
                    raise source.fault(f"a label is {quote(json.dumps(span))}; expected [start, end, name]", number)
                words = text[start:end] if end <= len(text) else None
                for topic in topic_of_label(data, [label]):
                    rows.add(number, topic=topic, document=document, start=start, end=end, text=words)
            if not spans:
                without += topic_of_label(data, [])
        rows.without_gold(without)
        return rows


def span_of(span: object) -> tuple[int | None, int | None, str]:
    """Return the start, the end and the name of a label."""
    if isinstance(span, list) and len(span) == 3:
        return whole(span[0]), whole(span[1]), str(span[2])
    if isinstance(span, dict):
        return whole(span.get("start_offset")), whole(span.get("end_offset")), str(span.get("label"))
    return None, None, ""


FORMAT = DoccanoFile()
