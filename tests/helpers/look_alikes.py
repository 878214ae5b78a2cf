"""Small classes of the shapes that the chunks of frameworks have."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple


class LangChainDocument:
    """page_content and metadata, as LangChain's Document."""

    def __init__(self, page_content: str, **metadata: Any):
        self.page_content, self.metadata, self.id = page_content, metadata, None


class LlamaNode:
    """start_char_idx, end_char_idx and ref_doc_id, as LlamaIndex's TextNode; what fails when it is asked for fails here
    too."""

    def __init__(self, text: str, start: int | None, end: int | None, document: str, parent: Any = None):
        self.text, self.start_char_idx, self.end_char_idx, self.ref_doc_id = text, start, end, document
        self.metadata: dict[str, Any] = {}
        self.parent_node = parent

    @property
    def source(self) -> str:
        raise ValueError("must not be asked for")

    def start(self) -> int:
        return 0


def with_score(node: LlamaNode, score: float) -> Any:
    """A NodeWithScore."""
    return SimpleNamespace(node=node, score=score, text=node.text, metadata=node.metadata)


@dataclass
class HaystackDocument:
    """content and meta, as Haystack's Document."""

    content: str
    meta: dict[str, Any] = field(default_factory=dict)
    id: str = "0c2d"
    score: float | None = None


class ChonkieChunk:
    """text, start_index and end_index, as Chonkie's Chunk; it does not know its document."""

    def __init__(self, text: str, start_index: int, end_index: int):
        self.text, self.start_index, self.end_index, self.token_count = text, start_index, end_index, 3
        self.metadata: dict[str, Any] = {}


class Passage(NamedTuple):
    """A named tuple."""

    doc_id: str
    start: int
    end: int


@dataclass
class Piece:
    """A dataclass of somebody's own."""

    text: str
    document_id: str
    start: int | None = None
