"""KILT: questions whose provenance is pages of Wikipedia, or spans in their paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, list_names, quote
from assay.files.source import Source
from assay.reading.format import Head, Request
from assay.reading.lines import WHOLE
from assay.reading.rows import Rows
from assay.reading.text_format import IdFormat, json_lines, objects_in, refuse_broken_ids
from assay.reading.values import is_name
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

PROVENANCE = re.compile(rb'"provenance"\s*:\s*\[')
PLACE = ("start_paragraph_id", "start_character", "end_paragraph_id", "end_character")


class KiltFile(IdFormat):
    """JSONL of KILT: an `id` and `output[]`, each with `provenance[]`, which names pages by their `wikipedia_id`. In
    gold, each output is a set of evidence, and finding one set is enough. In a run, the pages of the first output
    are the ranking. Offsets count from the start of a paragraph, so Assay needs the pages as `--documents`, with one
    paragraph per line. Without them it counts whole pages, and a note says so.
    """

    name = "kilt"
    title = "KILT"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise lines with provenance on pages of Wikipedia."""
        start = head.stripped
        return start.startswith(b"{") and PROVENANCE.search(start) is not None and b'"wikipedia_id"' in start

    def rows_with_texts(self, source: Source, kind: FileKind, request: Request) -> Rows:
        """Return one row per page, or per span in one."""
        questions = list(self._questions(source))
        rows = Rows(kind, source.label)
        for record in self._records(questions, rows, source, request.documents):
            rows.add(**record)
        refuse_broken_ids(rows, source)
        rows.without_gold(topic for topic, _ in questions)
        return rows

    def _records(
        self, questions: list[Any], rows: Rows, source: Source, documents: DocumentCollection | None
    ) -> Iterator[dict[str, Any]]:
        if rows.kind == "run":
            for topic, outputs in questions:
                ranking = dict.fromkeys(page for page, _ in outputs[0]) if outputs else {}
                yield from ({"topic": topic, "document": page, "score": -at} for at, page in enumerate(ranking))
            return
        places = [place for _, outputs in questions for output in outputs for _, place in output]
        if documents is not None and places and all(place is not None for place in places):
            yield from placed_records(questions, source, documents)
            return
        if any(place is not None for place in places):
            why = "pass documents= to find the paragraphs" if documents is None else "some evidence names only a page"
            rows.notes.append(f"{source.label}: Assay counts whole pages instead of paragraphs; {why}")
        for topic, outputs in questions:
            # answers from the same pages are one set
            different = dict.fromkeys(frozenset(page for page, _ in output) for output in outputs)
            for number, pages in enumerate(different, 1):
                for page in sorted(pages):
                    yield {"topic": topic, "document": page, "grade": 1, "set": str(number)}

    def _questions(self, source: Source) -> Iterator[tuple[str, list[list[tuple[str, list[int] | None]]]]]:
        """Yield the questions, each with the provenance of its outputs: pages, with places in them if given."""
        topics: dict[str, int] = {}
        for number, where, row in json_lines(source):
            if not is_name(topic := row.get("id")):
                raise source.fault("the question has no id; expected a key id", number)
            if str(topic) in topics:
                raise source.fault(f"question {topic} appears twice (first on line {topics[str(topic)]})", number)
            topics[str(topic)] = number
            outputs = []
            for output in objects_in(row.get("output"), f"{where}: output", source):
                told = objects_in(output.get("provenance"), f"{where}: provenance", source)
                outputs.append([(page_of(each, number, source), place_of(each)) for each in told])
            yield str(topic), [output for output in outputs if output]


def placed_records(questions: list[Any], source: Source, documents: DocumentCollection) -> Iterator[dict[str, Any]]:
    """Yield the evidence of questions, with its offsets in the pages."""
    pages = {page for _, outputs in questions for output in outputs for page, _ in output}
    begins = {name: paragraph_starts(text) for name, text in documents.texts(sorted(pages))}
    if lacking := sorted(pages - begins.keys()):
        what = f"there is no page {list_names(lacking)}, and {source.label} has evidence in it"
        raise InputError(what, documents.label)
    for topic, outputs in questions:
        for number, output in enumerate(outputs, 1):
            for page, (first, start, last, end) in output:
                if not 0 <= first <= last < len(begins[page]):
                    what = f"question {topic} has evidence in paragraph {last} of page {page}"
                    ask = f"which has {len(begins[page]):,}; are these the pages of the gold?"
                    raise source.fault(f"{what}, {ask}")
                place = {"start": begins[page][first] + start, "end": begins[page][last] + end}
                yield {"topic": topic, "document": page, **place, "set": str(number)}


def paragraph_starts(text: str) -> list[int]:
    """Return the offsets at which the paragraphs of a page begin; each line is a paragraph."""
    lines = text.removesuffix("\n").split("\n")
    return list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))


def page_of(provenance: dict[str, Any], number: int, source: Source) -> str:
    """Return the page of a provenance."""
    page = provenance.get("wikipedia_id")
    if not is_name(page):
        raise source.fault(f"wikipedia_id is {quote(str(page))}; expected the id of a page", number)
    return str(page)


def place_of(provenance: dict[str, Any]) -> list[int] | None:
    """Return the paragraph and the character of start and end; None if they are not given."""
    place = [provenance.get(name) for name in PLACE]
    is_known = all(type(each) is int and 0 <= each < WHOLE for each in place)
    return [each for each in place if each is not None] if is_known else None


FORMAT = KiltFile()
