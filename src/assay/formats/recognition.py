"""What a file is, told from its first bytes: its format, and whether it holds a run or judgments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Literal

from assay.files.source import Source
from assay.formats import lines, trec
from assay.formats.column_names import NAMES, SPAN_FIELDS, column, span_columns
from assay.formats.numbers import is_number

Kind = Literal["run", "judgments"]
TREC = "trec"
HIGHLIGHTED = rb"(?m)^[ \t\v\f]*(\S+[ \t\v\f]+){3}(-?[0-9]+[ \t\v\f]+){3}[0-9]+:[0-9]+(\s|$)"
XML = rb"<(\?xml|!DOCTYPE|!--|inex-|efficiency-submission|assessments)"
SEPARATORS = {"csv": ",", "tsv": "\t"}


def recognise(source: Source, kind: Kind | None = None) -> str:
    """The format of a file, from its first bytes; `kind` tells what is expected there."""
    head = source.head()
    # text may begin with these four letters too
    if head.startswith(b"PAR1") and b"\0" in head:
        return "parquet"
    head = head.lstrip()
    if re.match(XML, head):
        return "inex"
    if re.match(rb'[{[]\s*["{[]', head):
        return "jsonl"
    first = head.split(b"\n", 1)[0].split(b"\r", 1)[0].decode(errors="replace")
    separators = {} if first.startswith("#") else SEPARATORS
    header = (name for name, separator in separators.items() if is_header(first.split(separator)))
    return next(header, None) or of_lines(head, kind)


def is_header(parts: list[str]) -> bool:
    """Whether the parts of a line are the names of columns: some are known, and none is a number."""
    names = [part.strip().strip('"') for part in parts]
    fields = NAMES.keys() - SPAN_FIELDS
    return len(names) > 1 and any(column(names, field) for field in fields) and not any(map(is_number, names))


def first_lines(head: bytes) -> list[str]:
    """The first lines that are neither blank nor comments; the last may be cut short."""
    return list(islice(_lines(head), 2))


def _lines(head: bytes) -> Iterator[str]:
    for line in _unix(head).split(b"\n"):
        if not line.startswith(b"#") and line.strip():
            yield line.decode(errors="replace")


def _unix(head: bytes) -> bytes:
    return head.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in head else head


def of_lines(head: bytes, kind: Kind | None) -> str:
    """The format of a file without names of columns, from its first lines."""
    found = first_lines(head)
    if not found or has_highlights(head):
        return "fol" if found else TREC
    if kind != "run" and is_gold(found[0].split("\t")):
        return "genomics"
    return TREC if kind == "judgments" else of_run(found)


def of_run(found: list[str]) -> str:
    """The format of a run, from its first lines. A tag that has blanks makes no other format of it."""
    fields = split(found[0])
    if len(fields) > 6 and fields[6].startswith("/"):
        return "elements"
    if len(fields) > 7 and all(map(is_place, fields[6:8])):
        return "fol"
    if len(fields) > 6 and is_genomics_run(fields):
        return "genomics"
    return "spans" if are_spans(found) else TREC


def split(line: str) -> list[str]:
    """The fields of a line, between blanks as a reader of bytes knows them."""
    return [field.decode() for field in line.encode().split()]


def is_whole(text: str) -> bool:
    """Whether a text is a whole number."""
    return lines.wrong_whole(text.strip()) is None


def has_highlights(head: bytes) -> bool:
    """Whether lines are judgments with highlighted text: one has a passage, or in all of them nothing is highlighted."""
    if b":" in head and re.search(HIGHLIGHTED, _unix(head)):
        return True
    lines_of = list(takewhile(is_not_highlighted, _lines(head)))
    # the last line may have been cut
    return bool(lines_of) and len(lines_of) >= sum(1 for _ in _lines(head)) - 1


def is_not_highlighted(line: str) -> bool:
    """Whether a line is one of judgments with highlighted text that says that nothing is."""
    fields = split(line)
    return len(fields) == 5 and fields[1].upper() == "Q0" and fields[3] == "0" and is_whole(fields[4])


def is_place(text: str) -> bool:
    """Whether a text is an offset or a length: a whole number, or an X where that is not known."""
    return text.upper() == "X" or is_whole(text)


def is_gold(values: list[str]) -> bool:
    """Whether a line is one of Genomics judgments, and not one of qrels with a further field."""
    return len(values) == 5 and is_document(values[1]) and all(map(is_whole, values[2:4])) and not is_number(values[4].strip())


def is_genomics_run(fields: list[str]) -> bool:
    """Whether a line is one of a Genomics run, and not one of a TREC run whose tag has blanks."""
    return is_document(fields[1]) and is_number(fields[3]) and all(map(is_whole, (fields[2], *fields[4:6])))


def is_document(text: str) -> bool:
    """Whether the second field of a line is a document, and not the Q0 or the iteration of a TREC file."""
    return text.upper() != "Q0" and re.fullmatch("0*", text) is None


def are_spans(found: list[str]) -> bool:
    """Whether lines are those of a run of spans, and not of a TREC run between tabs, whose second field is always the same."""
    first, second = ([*found, ""][at].split("\t") for at in (0, 1))
    if len(first) != 6 or not all(is_whole(first[at]) for at in (1, 3, 4)) or not is_number(first[5].strip()):
        return False
    return first[:2] != second[:2]


def kind_of(source: Source, form: str) -> Kind:
    """Whether a file of a format holds a run or judgments."""
    if form == "inex":
        from assay.formats.inex import root

        return "judgments" if root(source)[0] == "assessments" else "run"
    if form in (TREC, "fol", "elements", "genomics", "spans"):
        head = source.head()
        if not first_lines(head):
            raise source.fault("is empty; expected a run or judgments")
        return "judgments" if are_judgments(head, form) else "run"
    from assay.formats.records import names_of

    return kind_of_columns(names_of(source, form))


def are_judgments(head: bytes, form: str) -> bool:
    """Whether the first lines of a file of lines are those of judgments."""
    first = first_lines(head)[0]
    if form == "spans":
        return len(first.split("\t")) == 4
    if form == "genomics":
        return is_gold(first.split("\t"))
    return has_highlights(head) if form == "fol" else form == TREC and not trec.is_like_a_run(split(first))


def kind_of_columns(names: list[str]) -> Kind:
    """Whether a table holds a run or judgments: by its columns, a grade under any name but score, or spans with neither."""
    grade, score = column(names, "grade"), column(names, "score")
    if grade and grade != score:
        return "judgments"
    return "judgments" if span_columns(names) and not (score or column(names, "rank")) else "run"
