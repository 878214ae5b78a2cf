"""Chunks as frameworks hand them over, told by the shape of the object: no framework is imported.

LangChain's Document, LlamaIndex's NodeWithScore and TextNode, Haystack's Document, Chonkie's Chunk, the hits of vector
databases, named tuples, dataclasses and dicts: what differs between them are the names of a few values, which stand in
the object itself, in its metadata, or in the metadata of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, NamedTuple

from assay.formats.plain_values import is_writable, plain_value

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
        from assay.documents.locating import between_ellipses

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
