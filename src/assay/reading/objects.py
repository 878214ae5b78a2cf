"""Chunks as frameworks hand them over, told by the shape of the object: no framework is imported.

LangChain's Document, LlamaIndex's NodeWithScore and TextNode, Haystack's Document, Chonkie's Chunk, the hits of vector
databases, named tuples, dataclasses and dicts: what differs between them are the names of a few values, which stand in
the object itself, in its metadata, or in the metadata of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from assay.errors import counted
from assay.tables.column_names import EVIDENCE, TEXT_COLUMNS, TableColumns, comparable_name

# Values as Python's own texts and numbers, whatever package they come from; and what of them can be written.

PLAIN = (str, int, float, bool, type(None))
# What pandas calls its values that are missing; pandas need not be installed.
MISSING = ("NaTType", "NAType")
# More digits Python does not like to write.
LARGEST = 10**4000


def plain_value(value: Any) -> Any:
    """A text or a number as Python's own, also where it is numpy's, or an array without dimensions holds it.

    What pandas has for a missing value is None; anything else is as it was given.
    """
    if type(value) in PLAIN:
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if type(value).__name__ in MISSING:
        return None
    if isinstance(value, str):
        # of an Enum that is a text, too
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, float | np.floating) else value


def is_missing(value: Any) -> bool:
    """Whether a plain value is none: None, or NaN, which stands for one in numbers."""
    if type(value).__name__ == "Decimal":
        return bool(value.is_nan())
    return value is None or (isinstance(value, float) and value != value)


def is_writable(number: int) -> bool:
    """Whether Python writes a whole number, which it does not where that has thousands of digits."""
    return -LARGEST < number < LARGEST


def is_whole_text(text: str) -> bool:
    """Whether a text has no half of a character, which no file can hold."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


TEXTS = ("page_content", "text", "content", "quote", "chunk", "excerpt", "passage", "snippet")
STARTS = (
    "start_index",
    "start_char_idx",
    "split_idx_start",
    "start",
    "start_char",
    "char_start",
    "span_start",
    "start_offset",
    "begin",
    "offset",
    "from",
)
ENDS = ("end_index", "end_char_idx", "end", "end_char", "char_end", "span_end", "end_offset", "to")
LENGTHS = ("length", "span_length")
# What names the document that a chunk was cut from, the best first.
DOCUMENTS = (
    "ref_doc_id", "doc_id", "document_id", "docno", "docid", "corpus_id", "corpus-id", "did", "source_id", "source",
    "file_path", "file_name", "filename", "file", "path", "document", "doc",
)  # fmt: skip
# More digits no offset has.
LONGEST_NUMBER = 15
# What a chunk itself is called, or a document where nothing else tells it.
OWN_IDS = ("chunk_id", "id", "id_", "_id")
# What holds values of a chunk: of frameworks, and of Qdrant, Elasticsearch, Weaviate and Milvus.
METADATA = ("metadata", "meta", "payload", "_source", "properties", "entity")
# What holds a chunk, beside its score.
INNER = ("node", "document")
# Without one of these a dict has a text only as its document, beside an id of that.
HOLD_TEXT = {*TEXTS, "node", *METADATA}
# Where a chunk was cut from another chunk, its offsets count from there.
PARENTS = ("parent_node", "__parent_id")

Get = Callable[[str], Any]


class Chunk(NamedTuple):
    """What an object tells: its text, what its document may be called, and its place there as far as it is told.

    `in_parent`: the place counts from the start of another chunk, not of the document. `own` are names of the chunk
    itself.
    """

    text: str | None
    documents: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None
    in_parent: bool = False
    own: tuple[str, ...] = ()

    @property
    def length_differs(self) -> bool:
        """Whether start and end tell another length than the text has; one with an ellipsis may have any."""
        if self.text is None or self.start is None or self.end is None or self.end - self.start == len(self.text):
            return False
        from assay.documents.location import between_ellipses

        return not between_ellipses(self.text)


def chunk_of(given: Any) -> Chunk | None:
    """The chunk that an object is; None where it is none. Of a pair (chunk, score) it is the chunk alone."""
    given = bare(given)
    if (
        given is None
        or isinstance(given, str | bytes | Real | list | set)
        or (isinstance(given, tuple) and not hasattr(given, "_asdict"))
    ):
        return None
    values = values_of(given)
    text = first(values, TEXTS, is_text)
    text = text_in_parts(values("content")) if text is None else text
    start, end = (first(values, names, is_place) for names in (STARTS, ENDS))
    names = [str(name) for each in DOCUMENTS if is_name(name := values(each))]
    if text is None and len(names) > 1 and " " in names[-1] and is_text(values("document")):
        # where ids are told too, a document is its text
        text = names.pop()
    own = tuple(str(name) for each in OWN_IDS if is_name(name := values(each)))
    if text is None and start is None and not names:
        # a hit with nothing but an id
        names = list(own[:1])
    if text is None and start is None and not names:
        return None
    in_parent = any(values(name) is not None for name in PARENTS) and (whole(values("__level")) or 2) > 1
    if in_parent and not isinstance(values("ref_doc_id"), str):
        # the source of a chunk of a chunk is that chunk
        names = [name for name in names if name not in (values("source_id"), values("__parent_id"))]
    place, behind = whole(start), whole(end)
    if place is not None and place < 0:
        place = None
    if behind is None and place is not None:
        length = whole(first(values, LENGTHS, is_place))
        behind = place + length if length is not None else place + len(text) if text is not None else None
    return Chunk(text, tuple(dict.fromkeys(names)), place, behind, in_parent, own)


def may_have_text(given: Any) -> bool:
    """Whether an object is worth a closer look, as the names in a dict tell soon."""
    if type(given) is not dict:
        return True
    if not HOLD_TEXT.isdisjoint(given) or isinstance(given.get("document"), Mapping):
        return True
    return "document" in given and sum(name in given for name in DOCUMENTS) > 1


def is_scored(given: Any) -> bool:
    """Whether an object is a pair of something and its score."""
    is_pair = isinstance(given, tuple | list) and len(given) == 2 and not hasattr(given, "_asdict")
    return is_pair and isinstance(score := plain_value(given[1]), Real) and not isinstance(score, bool)


def score_beside(given: Any) -> Any:
    """The score that an object has, or that stands beside it; None where there is none."""
    if is_scored(given):
        return given[1]
    return None if isinstance(given, str | list | tuple) else values_of(given)("score")


def bare(given: Any) -> Any:
    """An object without the score that stands beside it: (document, score), or a node or a document with a score."""
    if is_scored(given):
        given = given[0]
    if isinstance(given, Mapping):
        return next((inner for name in INNER if isinstance(inner := given.get(name), Mapping)), given)
    inner = getattr(given, "node", None)
    return given if inner is None or callable(inner) else inner


def holds_chunk(record: Mapping[str, Any]) -> bool:
    """Whether a record has a text, not itself, but in something that it holds."""
    if not any(isinstance(record.get(name), Mapping) for name in (*INNER, *METADATA)):
        return False
    chunk = chunk_of(record)
    return chunk is not None and chunk.text is not None


def values_of(given: Any) -> Get:
    """What finds a value by its name, in the object or else in its metadata."""

    def attribute(name: str) -> Any:
        try:
            value = getattr(given, name, None)
        except Exception:
            # a property of another's object may fail as it likes
            return None
        return None if callable(value) else value

    own: Get = given.get if isinstance(given, Mapping) else attribute
    metadata = next((value for name in METADATA if isinstance(value := own(name), Mapping)), None)
    if not metadata:
        return own
    of_metadata = values_of(metadata)

    def own_or_metadata(name: str) -> Any:
        here = own(name)
        return of_metadata(name) if here is None else here

    return own_or_metadata


def text_in_parts(content: Any) -> str | None:
    """The text of a list of parts, as OpenAI's search returns it; None where there is none."""
    if not isinstance(content, list) or not content:
        return None
    texts = [values_of(part)("text") for part in content if part is not None and not isinstance(part, str | Real)]
    return "".join(texts) if texts and len(texts) == len(content) and all(map(is_text, texts)) else None


def first(values: Get, names: tuple[str, ...], fits: Callable[[Any], bool]) -> Any:
    """The first value under one of some names that fits."""
    return next((value for name in names if fits(value := values(name))), None)


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_name(value: Any) -> bool:
    """Whether a value can be an id."""
    if isinstance(value, int):
        return not isinstance(value, bool) and is_writable(value)
    return isinstance(value, str) and value != ""


def is_place(value: Any) -> bool:
    """Whether a value tells an offset, also that it is not known."""
    return whole(value) is not None


def whole(value: Any) -> int | None:
    """A whole number, also where it is written as a text; None where it is none."""
    if type(value) is int:
        return value
    value = plain_value(value)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        digits = value.strip().removeprefix("-")
        return int(value) if digits.isdecimal() and len(digits) <= LONGEST_NUMBER else None
    if not isinstance(value, Real):
        return None
    number = float(value)
    return int(value) if math.isfinite(number) and number.is_integer() else None  # type: ignore[call-overload]


# Whether the scores and ranks of chunks agree with the order of the list in which they stand, which is the ranking.


def order_noted(lists: Mapping[Any, Sequence[Any]], label: str) -> list[str]:
    """That the order of the list counts, where scores or ranks tell another: of scores it may be either way round, as
    those of distances rise.
    """
    scores = [numbers(map(score_beside, chunks)) for chunks in lists.values()]
    ranks = [numbers(map(rank_of, chunks)) for chunks in lists.values()]
    # those that are all alike do neither
    rising = sum(rises(each) and not rises(each[::-1]) for each in scores)
    falling = sum(rises(each[::-1]) and not rises(each) for each in scores)
    torn = sum(not rises(each) and not rises(each[::-1]) for each in scores)
    misranked = sum(not rises(each) for each in ranks)
    told = {
        f"the scores neither fall nor rise in {counted(torn, 'topic')}": torn,
        f"the scores fall in {counted(falling, 'topic')} and rise in {rising:,}": not torn and falling and rising,
        f"the ranks do not rise in {counted(misranked, 'topic')}": misranked,
    }
    return [f"{label}: {what}; the order of the list counts" for what, is_so in told.items() if is_so]


def rank_of(given: Any) -> Any:
    """The rank that a chunk tells; None where it tells none."""
    return None if isinstance(given, str) or is_scored(given) else values_of(given)("rank")


def numbers(values: Iterable[Any]) -> list[Any]:
    """Values that are all numbers; none where any is not."""
    listed = list(values)
    return listed if all(isinstance(value, Real) for value in listed) else []


def rises(values: Sequence[Any]) -> bool:
    """Whether no value is lower than the one before it."""
    return all(before <= after for before, after in pairwise(values))


# Judgments that tell all evidence of a question in one record: a list of quotations, each of which becomes a record.

MAY_HAVE_QUOTATIONS = {*TEXT_COLUMNS, *EVIDENCE}
# The name of a text that comes before all others.
USUAL_TEXT = "page_content"
# What may be a list of parts that are one text together.
IN_PARTS = "content"


def quotations_in(given: Any) -> list[Any]:
    """A record of judgments once for each quotation that it has, under the usual name of a text; others as they are."""
    if not isinstance(given, Mapping) or MAY_HAVE_QUOTATIONS.isdisjoint(given):
        return [given]
    name = TableColumns([key for key in given if isinstance(key, str)]).text
    if name is None:
        return [given]
    if comparable_name(name) in EVIDENCE:
        # a question without evidence has none of it
        return [] if given[name] is None else each_quotation(given, name, USUAL_TEXT)
    is_one_text = name == IN_PARTS and not are_strings(given[name])
    return [given] if is_one_text else each_quotation(given, name, name)


def each_quotation(record: Mapping[str, Any], name: str, under: str) -> list[Mapping[str, Any]]:
    """A record once for each of the quotations that it has by some name, each of them under another; quotations may be
    dicts that tell a document too. The record as it is where it has neither a quotation nor a list of them.
    """
    quotes = record[name]
    quotes = quotes.tolist() if hasattr(quotes, "tolist") else quotes
    quotes = quotes if isinstance(quotes, list | tuple) else [quotes]
    if not all(isinstance(each, str | Mapping) for each in quotes):
        return [record]
    rest = {other: value for other, value in record.items() if other != name}
    return [rest | (dict(each) if isinstance(each, Mapping) else {under: each}) for each in quotes]


def are_strings(given: Any) -> TypeGuard[list[str]]:
    """Whether something is a list of strings."""
    return isinstance(given, list) and all(isinstance(each, str) for each in given)
