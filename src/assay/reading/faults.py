"""Say what is wrong with a row. Every input asks here, so that the same row has the same fault in all of them.

Tables are checked column by column (cells.py), which tells only which rows are wrong; this module then says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import lt
from typing import Any

from assay.errors import list_names, quote, shorten
from assay.reading.lines import MAY_BE_LONG, WHOLE, refused_grade, refused_id, wrong_number, wrong_whole
from assay.reading.values import (
    BLANKS,
    is_blank,
    is_missing,
    is_no_number,
    is_whole_text,
    is_writable,
    plain_value,
)
from assay.tables.column_names import FACT_FIELDS, LABEL_FIELDS, SUBTOPIC_FIELDS
from assay.tables.ids import encoded_text
from assay.vocabulary import GRADE_WORDS, FileKind

# Whole numbers from 0 that a row may lack, and the other fields that a row is checked for after its place.
OPTIONAL = ("document_length", "bep", "size")
FURTHER = (
    "rank", *OPTIONAL, *LABEL_FIELDS, *FACT_FIELDS, *SUBTOPIC_FIELDS, "stratum", "path", "last", "exhaustivity",
    "specificity",
)  # fmt: skip
# Whole numbers below this one, those of 64 bits, are written with all their digits, also if a column holds floats.
LARGEST_WRITTEN = 1e19
# Floats from here on do not hold every whole number, so an id in one may be another id.
INEXACT = 2.0**53


@dataclass(frozen=True)
class RowCheck:
    """What the rows of one input need.

    `values` are the fields that must have a number: scores, ranks or grades. `has_starts`: the input has offsets;
    `are_parts`: it has offsets or texts. `end` is the field that should give the end. `further` are other fields, also
    a rank beside a score.
    """

    kind: FileKind
    values: tuple[str, ...] = ()
    has_starts: bool = False
    are_parts: bool = False
    end: str = "end"
    further: tuple[str, ...] = ()
    without_document: str = "document is missing"
    without_text: str = ""

    def fault(self, record: dict[str, Any]) -> str | None:
        """Return what is wrong with a row, or convert its ids and offsets in place.

        The order is ids, text, value, place, other fields.
        """
        if what := id_fault(record):
            return what
        if "text" not in record and "document" not in record and (self.has_starts or not self.are_parts):
            return self.without_document
        for field in self.values:
            if what := record.pop("order_fault", None) or value_fault(record, field, self.has_starts):
                return str(what)
        if what := place_fault(record, self.end):
            return what
        if "text" not in record and "start" not in record and self.are_parts:
            return "start is missing" if self.has_starts else self.without_text
        if self.kind == "judgments" and (what := empty_highlight(record)):
            return what
        return next(filter(None, (further_fault(record, name) for name in self.further)), None)

    def convert_plain_rows(self, records: list[dict[str, Any]]) -> bool:
        """Do what `fault` does to all rows at once if they are alike and certainly good, as those of most inputs are.

        Return whether it did. Otherwise the rows are unchanged.
        """
        fields = set(records[0]) if len(set(map(tuple, records))) == 1 else set()
        is_part = self.has_starts or self.are_parts
        place = ("start", "end" if "end" in fields else "text") if is_part else ()
        needed = {"topic", "document", *self.values, *place}
        if not needed <= fields <= needed | {"text", "documents", "own", "by_document", "in_parent", "made_up"}:
            return False
        columns = {name: [record[name] for record in records] for name in needed | (fields & {"text"})}
        for name, column in columns.items():
            expected = {str} if name in ("topic", "document", "text") else {int}
            kinds = set(map(type, column))
            if kinds != expected and not (name == "score" and kinds <= {int, float}):
                return False
            # the same few ids are in many rows
            is_good = str.strip if name == "text" else is_plain_id if expected == {str} else is_plain_number
            if not all(map(is_good, set(column) if is_good is is_plain_id else column)):
                return False
        if not is_part:
            return True
        if min(columns["start"]) < 0 or ("end" in fields and not all(map(lt, columns["start"], columns["end"]))):
            return False
        if "end" not in fields:
            for record, start, text in zip(records, columns["start"], columns["text"], strict=True):
                record["end"], record["end_of_text"] = start + len(text), True
        return True


def is_plain_id(text: str) -> bool:
    """Return whether a string is certainly a good id, as nearly all are; other questions take longer."""
    return text.isascii() and len(text) <= MAY_BE_LONG and not is_blank(text)


def id_fault(record: dict[str, Any]) -> str | None:
    """Return what is wrong with the ids or the text of a row, or convert the ids to strings in place."""
    for name in ("topic", "document"):
        value = record.get(name, "-")
        if type(value) is not str or not value.strip(BLANKS) or len(value) > MAY_BE_LONG:
            value, what = plain_id(record[name], name)
            if what:
                return what
            if value is None:
                del record[name]
            else:
                record[name] = value
        if name in record and not record[name].isascii() and not is_whole_text(record[name]):
            return f"{name} {record[name]!r} contains a lone surrogate, which is not valid Unicode"
    if "topic" not in record:
        return "topic is missing"
    if fault := record.pop("text_fault", None):
        return str(fault)
    text = record.get("text")
    if text is None or text.strip():
        return None
    if not text:
        return "the text is empty; expected at least one character"
    return None if "start" in record else "the text is only whitespace, which cannot be located; leave it out"


def value_fault(record: Mapping[str, Any], field: str, is_span: bool) -> str | None:
    """Return why the score, rank or grade of a row is not a number; None if it is one."""
    value = record.get(field)
    if is_plain_number(value) and (field == "score" or type(value) is int):
        return None
    value = plain_value(value)
    if field == "score":
        return wrong_score(value)
    if field == "grade" and (not is_span or grade_of_word(value) == grade_of_word(value)):
        return wrong_grade(value)
    return f"{field} is missing" if is_no_number(value) else whole_fault(field, value)


def is_plain_number(value: object) -> bool:
    """Return whether a value is certainly a good number, as nearly all are; other questions take longer."""
    return type(value) in (int, float) and -WHOLE < value < WHOLE  # type: ignore[operator]


def place_fault(record: dict[str, Any], end: str = "end") -> str | None:
    """Return what is wrong with the place of a row, or convert it to numbers in place and set an end that is missing.

    `end` is the field that should give the end.
    """
    for name in ("start", "end", "length"):
        if name in record and (what := offset_fault_of(record, name)):
            return what
        if name == "start" and name not in record and "end" in record and "text" not in record:
            return "start is missing"
    start, text = record.get("start"), record.get("text")
    length = record.pop("length", None)
    if start is None or start == -1:
        record.pop("start", None)
        record.pop("end", None)
        return None
    if "end" not in record:
        if length is None and text is None:
            return f"{end} is missing"
        record["end"] = start + (len(text or "") if length is None else length)
        if length is None:
            record["end_of_text"] = True
    size = record["end"] - start
    if size < 0:
        return f"start {start} is after end {record['end']}"
    if length is not None and length != size:
        return f"length {length} contradicts start {start} and end {record['end']}; expected length {size} or no length"
    return None


def offset_fault_of(record: dict[str, Any], name: str) -> str | None:
    """Return why an offset is not a whole number from 0, or convert it in place. A missing value is deleted."""
    if type(record[name]) is not int:
        value = plain_value(record[name])
        if is_no_number(value):
            del record[name]
            return None
        if what := whole_fault(name, value):
            return what
        record[name] = int(float(str(value).strip(BLANKS)))
    # LangChain writes -1 if it did not find the chunk in its document; then the end is not used
    is_unknown = record[name] == -1 and "text" in record and (name == "start" or record.get("start") == -1)
    if 0 <= record[name] < WHOLE or is_unknown:
        return None
    return offset_fault(name, record[name])


def empty_highlight(record: Mapping[str, Any]) -> str | None:
    """Return what is wrong with highlighted text that has no characters; None if it has some, or is not relevant."""
    start = record.get("start")
    if start is None or start != record["end"] or "text" in record:
        return None
    grade = plain_value(record.get("grade", 1))
    word = grade_of_word(grade)
    relevant = math.ceil(word) if word == word else float(grade)
    return f"the text from {start} to {start} is empty" if relevant >= 1 else None


def further_fault(record: Mapping[str, Any], field: str) -> str | None:
    """Return what is wrong with another field of a row: a fact about its document, a label, or an assessment."""
    value = plain_value(record.get(field))
    if field == "rank":
        # beside a score it is not used, but a list or an object is a mistake
        what = None if value is None else refused_cell(value)
        return f"{field} {what}" if what else None
    if field == "specificity":
        return wrong_value(field, value, wrong_number)
    if field == "exhaustivity":
        return f"{field} is missing" if is_no_number(value) else whole_fault(field, value)
    if field in OPTIONAL:
        return None if is_no_number(value) else offset_fault(field, value)
    text, what = plain_id(value, field)
    return f"{field} is missing" if field == "path" and text is None and not what else what


def no_offsets_or_text(keys: Iterable[str]) -> str:
    """Return the message about a row that has neither a text nor a place."""
    named = list(map(str, keys))
    of_keys = f"; the keys are {list_names(named, 12)}" if named else ""
    return f"no usable offsets and no text{of_keys}; expected a document, start and end, or a text"


# One value.


def plain_id(given: object, field: str) -> tuple[str | None, str | None]:
    """Return an id as a string, and why it is not one. Both are None if the id is missing."""
    value = plain_value(given)
    if is_missing(value) or is_blank(value):
        return None, None
    if isinstance(value, float) and value.is_integer():
        if abs(value) >= INEXACT:
            return None, f"{field} {python_text(given)} is a float, which loses digits of so large an id; expected text"
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None, f"{field} {python_text(given)} is neither text nor a whole number"
    if isinstance(value, int) and not is_writable(value):
        return None, f"{field} {python_text(value)} has too many digits for an id; expected text or a shorter number"
    return str(value), refused_id(field, len(encoded_text(str(value)))) if len(str(value)) > MAY_BE_LONG else None


def grade_of_word(value: object) -> float:
    """Return the grade that a word means; NaN for anything else."""
    return GRADE_WORDS.get(value.strip(BLANKS).lower(), math.nan) if isinstance(value, str) else math.nan


def offset_fault(field: str, value: Any) -> str | None:
    """Return why a value is not an offset, a whole number from 0; None if it is one."""
    if what := whole_fault(field, value):
        return what
    return f"{field} {quote(write_value(value))} is negative" if float(value) < 0 else None


def whole_fault(field: str, value: object) -> str | None:
    """Return why a value is not a whole number; None if it is one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return f"{field} {python_text(value)} is neither text nor a number"
    try:
        text = write_value(value)
        if reason := wrong_whole(text.strip(BLANKS)):
            return f"{field} {quote(text)} is {reason}"
    except (ValueError, OverflowError):
        return f"{field} {python_text(value)} is too large; expected at most 15 digits"
    return None


def wrong_score(value: object) -> str | None:
    """Return why an object is not a score; None if it is one."""
    return wrong_value("score", value, wrong_number)


def wrong_grade(value: object) -> str | None:
    """Return why an object is not a grade; None if it is one."""
    return wrong_value("grade", value, refused_grade)


def wrong_value(field: str, value: object, why: Callable[[str], str | None]) -> str | None:
    """Return why an object is not a number; `why` says it of a string."""
    if value is None or is_blank(value):
        return f"{field} is missing"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return f"{field} {python_text(value)} is neither text nor a number"
    if isinstance(value, int) and not is_writable(value):
        return f"{field} {python_text(value)} is {why('1e999')}"
    text = write_value(value)
    reason = why(text.strip(BLANKS))
    return f"{field} {quote(text)} is {reason}" if reason else None


def write_value(value: object) -> str:
    """Return a value as an error writes it: 7.0, which a column made of 7, is 7."""
    is_whole = isinstance(value, float) and abs(value) < LARGEST_WRITTEN and value.is_integer()
    return f"{value:.0f}" if is_whole else str(value)


def refused_cell(value: object) -> str | None:
    """Return why a column cannot hold a value; None if it can."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return f"{python_text(value)} is neither text nor a number"
    if isinstance(value, str) and not is_whole_text(value):
        return f"{python_text(value)} contains a lone surrogate, which is not valid Unicode"
    if isinstance(value, int) and not is_writable(value):
        return f"{python_text(value)} has too many digits"
    return None


def python_text(value: object) -> str:
    """Return the repr of a value, shortened."""
    try:
        text = repr(value)
    except Exception:  # an integer with too many digits, or a foreign object whose repr fails
        text = f"of type {type(value).__name__}"
    return shorten(text, 60)
