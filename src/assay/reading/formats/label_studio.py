"""Label Studio: texts with regions that annotators have labelled."""

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
from assay.reading.text_format import TextFormat, document_of_task, json_of, objects_in, topic_of_label
from assay.reading.values import whole
from assay.tables.judgments import Judgments
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

TASKS = re.compile(rb"\[\s*\{")
RESULTS = re.compile(rb'"(?:annotations|completions|from_name|labels)"\s*:')


class LabelStudioFile(TextFormat):
    """The JSON export of Label Studio, in full (`annotations[].result[].value`) or short (JSON-MIN): regions with a
    `start`, an `end` and `labels`. The topic is the `question`, `query` or `query_id` in the data of a task, or else
    the label of the region. The document id is the `doc_id`, `document_id` or file name in the data, or else the
    number of the task. If the task has the text, Assay compares the regions with it. `assay convert` writes one task
    per topic and document and needs `--documents`.
    """

    name = "label_studio"
    title = "Label Studio"
    writes_judgments = True
    writes_irrelevant = False

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise a list of tasks with annotations or labels."""
        start = head.stripped
        return TASKS.match(start) is not None and RESULTS.search(start) is not None and b'"start"' in start

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per region."""
        rows = Rows(kind, source.label, "region")
        for t, task in enumerate(objects_in(json_of(source), "the file", source), 1):
            data = task["data"] if isinstance(task.get("data"), dict) else task
            document = document_of_task(data, str(task.get("id", t)))
            if isinstance(data.get("text"), str):
                rows.texts[document] = data["text"]
            for value in regions(task, f"task {t}", source):
                start, end = whole(value.get("start")), whole(value.get("end"))
                if start is None or end is None:
                    raise source.fault(
                        f"task {t}: a region has {quote(json.dumps(value))}; expected a start and an end"
                    )
                named = value.get("labels") or value.get("hypertextlabels")
                labels = [str(label) for label in named] if isinstance(named, list) else []
                text = value.get("text") if isinstance(value.get("text"), str) else None
                for topic in topic_of_label(data, labels) or [""]:
                    if not topic:
                        what = f"task {t}: a region has no label and its task has no question"
                        raise source.fault(f"{what}; expected one of them as the topic")
                    rows.add(topic=topic, document=document, start=start, end=end, text=text)
        return rows

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with one task per topic and document."""
        tasks: list[dict[str, Any]] = []
        for document, text, by_topic in spans_by_document(judgments, documents, self.title):
            for topic, spans in by_topic.items():
                result = [
                    {"from_name": "label", "to_name": "text", "type": "labels",
                     "value": {"start": start, "end": end, "text": text[start:end], "labels": ["relevant"]}}
                    for start, end in spans
                ]  # fmt: skip
                data = {"query_id": topic, "doc_id": document, "text": text}
                tasks.append({"id": len(tasks) + 1, "data": data, "annotations": [{"result": result}]})
        return (json.dumps(tasks, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")


def regions(task: dict[str, Any], where: str, source: Source) -> Iterator[dict[str, Any]]:
    """Yield the regions of a task: of annotations that were not cancelled, or of the short form."""
    for annotation in objects_in(task.get("annotations") or task.get("completions"), f"{where}: annotations", source):
        if not annotation.get("was_cancelled"):
            for result in objects_in(annotation.get("result"), f"{where}: result", source):
                if isinstance(value := result.get("value"), dict) and "start" in value:
                    yield value
    for values in task.values():
        if isinstance(values, list):
            yield from (each for each in values if isinstance(each, dict) and "start" in each and "labels" in each)


FORMAT = LabelStudioFile()
