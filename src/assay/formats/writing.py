"""Runs and judgments -> files. Numbers are written so that they are read as the same numbers again."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from assay.errors import InputError, quoted
from assay.formats.records import BLANKS

Columns = dict[str, list[Any]]
# What a line of blanks and fields cannot hold, what a cell of a table cannot, and what XML cannot.
NOT_IN_LINES = re.compile(r"[ \t\n\r\v\f\0]")
NOT_IN_TABLES = re.compile(rf"^[{BLANKS}]|[{BLANKS}]\Z|[\r\0]")
NOT_IN_XML = re.compile(r"^\s|\s\Z|[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def refuse(texts: Iterable[str], what: str, field: str, strange: re.Pattern[str], label: str) -> None:
    """No text may hold what the format cannot."""
    for text in texts:
        if strange.search(text):
            raise InputError(f"{field} {quoted(text)} has blanks or other characters that {what} cannot hold", label)


def refuse_in_lines(columns: Columns, what: str, label: str) -> None:
    """Ids must be one field each, and no line may look like a comment."""
    for field in ("topic", "document", "path", "last"):
        refuse(columns.get(field, ()), what, field, NOT_IN_LINES, label)
    for text in columns["topic"]:
        if text.startswith(("#", "\ufeff")):
            raise InputError(f"topic {quoted(text)} begins as a comment does, which {what} cannot hold", label)


def joined(lines: Iterable[str], label: str) -> bytes:
    """Lines as the content of a file."""
    return encoded("".join(f"{line}\n" for line in lines), label)


def encoded(text: str, label: str) -> bytes:
    """Text as the content of a file."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InputError("has ids with halves of characters, which cannot be written", label) from None


# Runs; the columns are topic, document, rank, score, and where they are known start, length, path and last.


def trec_run(columns: Columns, label: str, tag: str) -> bytes:
    """A TREC run."""
    return _run_lines(columns, label, tag, "a TREC run", repeat(""))


def fol_run(columns: Columns, label: str, tag: str) -> bytes:
    """A run of passages."""
    places = (f" {start} {length}" for start, length in zip(columns["start"], columns["length"], strict=True))
    return _run_lines(columns, label, tag, "a run of passages", places)


def elements_run(columns: Columns, label: str, tag: str) -> bytes:
    """A run of elements."""
    lasts = columns.get("last") or repeat("")
    places = (f" {path} {last}" if last else f" {path}" for path, last in zip(columns["path"], lasts, strict=False))
    return _run_lines(columns, label, tag, "a run of elements", places)


def _run_lines(columns: Columns, label: str, tag: str, what: str, places: Iterable[str]) -> bytes:
    refuse_in_lines(columns, what, label)
    rows = zip(*(columns[field] for field in ("topic", "document", "rank", "score")), places, strict=False)
    return joined((f"{topic} Q0 {document} {rank} {score!r} {tag}{place}" for topic, document, rank, score, place in rows), label)


def genomics_run(columns: Columns, label: str, tag: str) -> bytes:
    """A Genomics run."""
    refuse_in_lines(columns, "a Genomics run", label)
    rows = zip(*(columns[field] for field in ("topic", "document", "rank", "score", "start", "length")), strict=True)
    return joined((f"{topic} {document} {rank} {score!r} {start} {length} {tag}"
                   for topic, document, rank, score, start, length in rows), label)  # fmt: skip


def inex_run(columns: Columns, label: str, tag: str) -> bytes:
    """A submission in XML: of elements where paths are known, else of offsets and lengths."""
    for field in ("topic", "document", "path", "last"):
        refuse(columns.get(field, ()), "XML", field, NOT_IN_XML, label)
    kind = "element" if "path" in columns else "fol"
    return joined(_inex_lines(columns, kind, tag), label)


def _inex_lines(columns: Columns, kind: str, tag: str) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<inex-submission participant-id="" run-id={quoteattr(tag)} task="" query="automatic" result-type="{kind}">'
    yield "<description></description>"
    yield "<collections><collection></collection></collections>"
    topic = None
    rows = zip(*(columns[field] for field in ("topic", "document", "rank", "score")), _inex_places(columns), strict=True)
    for name, document, rank, score, place in rows:
        if name != topic:
            yield from ["</topic>"] * (topic is not None)
            yield f"<topic topic-id={quoteattr(name)}>"
            topic = name
        yield f"<result><file>{escape(document)}</file>{place}<rank>{rank}</rank><rsv>{score!r}</rsv></result>"
    yield from ["</topic>"] * (topic is not None)
    yield "</inex-submission>"


def _inex_places(columns: Columns) -> Iterator[str]:
    if "path" not in columns:
        yield from (f'<fol offset="{start}" length="{length}"/>'
                    for start, length in zip(columns["start"], columns["length"], strict=True))  # fmt: skip
        return
    for path, last in zip(columns["path"], columns.get("last") or repeat(""), strict=False):
        yield f"<passage start={quoteattr(path)} end={quoteattr(last)}/>" if last else f"<path>{escape(path)}</path>"


# Judgments


def trec_judgments(columns: Columns, label: str) -> bytes:
    """TREC's qrels."""
    refuse_in_lines(columns, "TREC qrels", label)
    rows = zip(columns["topic"], columns["document"], columns["grade"], strict=True)
    return joined((f"{topic} 0 {document} {grade}" for topic, document, grade in rows), label)


def fol_judgments(columns: Columns, label: str) -> bytes:
    """Judgments of passages; the columns are topic, document, rsize, length, bep, and passages, pairs of start and end."""
    refuse_in_lines(columns, "judgments of passages", label)
    return joined(map(_fol_line, *(columns[field] for field in ("topic", "document", "rsize", "length", "bep", "passages"))), label)


def genomics_judgments(columns: Columns, label: str) -> bytes:
    """Gold passages of TREC Genomics, without aspects; documents of which nothing is relevant have no place there."""
    refuse_in_lines(columns, "Genomics judgments", label)
    rows = zip(*(columns[field] for field in ("topic", "document", "start", "end")), strict=True)
    lines = (f"{topic}\t{document}\t{start}\t{end - start}\tNONE" for topic, document, start, end in rows if end > start)
    return joined(lines, label)


def _fol_line(topic: str, document: str, rsize: int, length: int, bep: int, passages: list[tuple[int, int]]) -> str:
    spans = "".join(f" {start}:{end - start}" for start, end in passages)
    return f"{topic} Q0 {document} {rsize} {length}" + (f" {bep}{spans}" if spans else "")


# Tables


def csv_table(columns: Columns, label: str, separator: str = ",", header: bool = True) -> bytes:
    """Values between commas, with the names of the columns."""
    for field in ("topic", "document"):
        refuse(columns[field], "CSV", field, NOT_IN_TABLES, label)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    if header:
        writer.writerow(columns)
    rows = ([repr(value) if isinstance(value, float) else value for value in row] for row in zip(*columns.values(), strict=True))
    writer.writerows(rows)
    return encoded(out.getvalue(), label)


def tsv_table(columns: Columns, label: str) -> bytes:
    """Values between tabs, with the names of the columns."""
    return csv_table(columns, label, "\t")


def spans_table(columns: Columns, label: str) -> bytes:
    """Spans between tabs, without names of columns."""
    return csv_table(columns, label, "\t", header=False)


def json_table(columns: Columns, label: str) -> bytes:
    """An object a line."""
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return joined((json.dumps({name: value for name, value in row.items() if value is not None}, ensure_ascii=False)
                   for row in rows), label)  # fmt: skip


def parquet_table(columns: Columns, label: str) -> bytes:
    """A Parquet file."""
    import polars as pl

    for field in ("topic", "document"):
        encoded("".join(columns[field]), label)
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


RUNS: dict[str, Callable[[Columns, str, str], bytes]] = {
    "trec": trec_run, "fol": fol_run, "elements": elements_run, "inex": inex_run, "genomics": genomics_run,
}  # fmt: skip
JUDGMENTS: dict[str, Callable[[Columns, str], bytes]] = {
    "trec": trec_judgments, "fol": fol_judgments, "genomics": genomics_judgments,
}  # fmt: skip
TABLES: dict[str, Callable[[Columns, str], bytes]] = {
    "spans": spans_table, "csv": csv_table, "tsv": tsv_table, "jsonl": json_table, "parquet": parquet_table,
}  # fmt: skip
