"""Annotations in the Web Annotation model of the W3C, which select text by its position."""

import json
from collections.abc import Iterator
from typing import Any

from assay.errors import quote
from assay.files.json_lines import json_object
from assay.files.line_blocks import numbered_lines
from assay.files.source import Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_of
from assay.reading.values import whole
from assay.vocabulary import FileKind

# Keys that hold the annotations of a collection, and keys of a body that give the topic.
LISTS = ("items", "rows", "annotations", "@graph")
TAGS = ("value", "source", "id")


class WebAnnotations(TextFormat):
    """W3C Web Annotations, as annotation tools and Hypothesis write them: a list of annotations, a page with `items`,
    or JSONL. A `target` has a `source`, which is the document, and a `TextPositionSelector` with `start` and `end`.
    A `TextQuoteSelector` has the text; with `--documents` it is enough. The topic is the `tags`, the `bodyValue` or
    the `value` of the body. If all annotations have a `creator` or a `user`, these are the annotators.
    """

    name = "web_annotation"
    title = "Web Annotation"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise a selector of text."""
        start = head.stripped
        is_json = start[:1] in (b"{", b"[")
        return is_json and (b'"TextPositionSelector"' in start or b'"TextQuoteSelector"' in start)

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per target."""
        rows = Rows(kind, source.label, "annotation")
        told = []
        for number, annotation in enumerate(annotations_in(source), 1):
            where = f"annotation {number}"
            topics = topics_of_annotation(annotation)
            if not topics:
                raise source.fault(f"{where} has no tags and no body with a value; expected a topic")
            targets = annotation.get("target")
            for target in targets if isinstance(targets, list) else [targets]:
                selected = selected_text(target, annotation, where, source)
                told += [(number, topic, creator_of(annotation), selected) for topic in topics]
        # if only some annotations had an annotator, the others would count as those of another annotator
        is_known = all(annotator for _, _, annotator, _ in told)
        for number, topic, annotator, selected in told:
            rows.add(number, topic=topic, annotator=annotator if is_known else None, **selected)
        return rows


def annotations_in(source: Source) -> Iterator[dict[str, Any]]:
    """Yield the annotations of a file: from a list, a page or collection, or one per line."""
    lines = list(numbered_lines(source))
    if len(lines) > 1 and all(line.strip().startswith(b"{") and line.strip().endswith(b"}") for _, line in lines[:2]):
        yield from (json_object(line, number, source) for number, line in lines)
        return
    content = json_of(source)
    first = content.get("first") if isinstance(content, dict) else None
    pages = [first, content] if isinstance(first, dict) else [content]
    for page in pages:
        held = page
        if isinstance(page, dict):
            held = next((page[name] for name in LISTS if isinstance(page.get(name), list)), [page])
        for each in held if isinstance(held, list) else [page]:
            if not isinstance(each, dict):
                raise source.fault(f"cannot read {quote(json.dumps(each))}; expected an annotation")
            if "target" in each:
                yield each


def topics_of_annotation(annotation: dict[str, Any]) -> list[str]:
    """Return the topics of an annotation."""
    if isinstance(tags := annotation.get("tags"), list) and tags:
        return [str(tag) for tag in tags]
    if isinstance(value := annotation.get("bodyValue"), str) and value:
        return [value]
    bodies = annotation.get("body")
    topics = []
    for body in bodies if isinstance(bodies, list) else [bodies]:
        value = next((body[name] for name in TAGS if body.get(name)), "") if isinstance(body, dict) else body
        topics += [value] if isinstance(value, str) and value else []
    return topics


def creator_of(annotation: dict[str, Any]) -> str:
    """Return who made an annotation; empty if that is not given."""
    creator = annotation.get("creator") or annotation.get("user")
    if isinstance(creator, dict):
        creator = next((creator[name] for name in ("name", "nickname", "id") if creator.get(name)), "")
    return creator if isinstance(creator, str) else ""


def selected_text(target: object, annotation: dict[str, Any], where: str, source: Source) -> dict[str, Any]:
    """Return the document, the span and the text that a target selects."""
    if not isinstance(target, dict):
        raise source.fault(f"{where} has the target {quote(json.dumps(target))}; expected one with a selector")
    document = target.get("source") or annotation.get("uri")
    if isinstance(document, dict):
        document = document.get("id")
    if not isinstance(document, str) or not document:
        raise source.fault(f"{where} has a target without a source; expected the id of the document")
    start = end = text = None
    for selector in selectors(target.get("selector")):
        if selector.get("type") == "TextPositionSelector":
            start, end = whole(selector.get("start")), whole(selector.get("end"))
            if start is None or end is None:
                raise source.fault(f"{where} has the selector {quote(json.dumps(selector))}; expected start and end")
        elif selector.get("type") == "TextQuoteSelector" and isinstance(selector.get("exact"), str):
            text = selector["exact"]
    if start is None and text is None:
        raise source.fault(f"{where} selects no text; expected a TextPositionSelector")
    return {"document": document, "start": start, "end": end, "text": text}


def selectors(selector: object) -> Iterator[dict[str, Any]]:
    """Yield all selectors of a target, including those that refine another."""
    for each in selector if isinstance(selector, list) else [selector]:
        if isinstance(each, dict):
            yield each
            yield from selectors(each.get("refinedBy"))


FORMAT = WebAnnotations()
