"""What may be asked of an evaluation beside judgments, runs and measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from assay.errors import UsageError
from assay.files.source import Source
from assay.options import OF_EVALUATION, EvaluationOptions, complete
from assay.reading.read import opened_documents
from assay.reading.schema import told_columns
from assay.vocabulary import TOPICS

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.documents.tokens import TokenEnds
    from assay.evaluation.provenance import Provenance
    from assay.reading.chunk_ids import ChunkTables


# What finds out what scores were made of; how that is reported is in provenance.py, which is loaded only then.


class Origin:
    """What finds out what scores were made of, once, when it is asked. A copy for another process knows it already."""

    def __init__(self, find: Callable[[], Provenance]):
        self._find: Callable[[], Provenance] | None = find
        self._known: Provenance | None = None

    def __call__(self) -> Provenance:
        """What the scores were made of."""
        if self._find is not None:
            self._known, self._find = self._find(), None
        assert self._known is not None
        return self._known

    def __getstate__(self) -> dict[str, Any]:
        return {"_known": self(), "_find": None}


def fingerprint_of(content: bytes) -> str:
    """What names a tokenizer that is known by its content."""
    from hashlib import blake2b

    return f"tokenizer of {blake2b(content, digest_size=16).hexdigest()}"


def tokenizer_named(tokenizer: object) -> str | None:
    """What names a tokenizer; of one in a file, or of Hugging Face, what is in it."""
    if tokenizer is None or (isinstance(tokenizer, str) and not os.path.isfile(tokenizer)):
        return tokenizer
    from assay.documents.tokens import encoder_of

    if isinstance(tokenizer, str):
        return fingerprint_of(Source(tokenizer).whole())
    if (encoder := encoder_of(tokenizer)) is not None:
        return fingerprint_of(encoder.to_str().encode())
    kind = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    # what is built into Python may tell no module, as str.split
    return f"{getattr(kind, '__module__', None) or 'builtins'}.{kind.__qualname__}"


class Options:
    """The options that `assay.options` declares, each as an attribute: those that are given, and the others by default.

    What is made of them, as the documents that are opened, is made once, and when it is asked for.
    """

    def __init__(self, **given: Unpack[EvaluationOptions]):
        self.__dict__.update(complete(given))

    if TYPE_CHECKING:
        # an attribute has the type that its declaration tells, which cannot be said of all of them at once
        def __getattr__(self, name: str) -> Any: ...

    @property
    def all(self) -> dict[str, Any]:
        """All options by their names."""
        return {name: self.__dict__[name] for name in OF_EVALUATION}

    @cached_property
    def collection(self) -> DocumentCollection | None:
        """The documents."""
        return opened_documents(self.documents)

    @cached_property
    def chunk_tables(self) -> ChunkTables | None:
        """The chunks that runs return by their ids."""
        if self.chunks is None:
            return None
        from assay.reading.chunk_ids import ChunkTables

        return ChunkTables.of(self.chunks)

    @cached_property
    def told_columns(self) -> Mapping[str, str]:
        """The columns of tables, by field."""
        return told_columns(self.columns)

    @cached_property
    def tokens(self) -> TokenEnds | None:
        """The tokens of the documents, where a tokenizer is given."""
        if self.tokenizer is None:
            return None
        if self.whitespace == "ignore":
            what = "tokens are counted in texts with their whitespace"
            raise UsageError(f"{what}; leave out whitespace=ignore or the tokenizer")
        if self.collection is None:
            raise UsageError("a tokenizer needs the texts; pass documents=")
        from assay.documents.tokens import TokenEnds, tokenizer_of

        return TokenEnds(self.collection, tokenizer_of(self.tokenizer))

    def decisions(self, overlap: str) -> dict[str, Any]:
        """What must be the same for values to be compared; `overlap` as it was in the end, perhaps by the task."""
        told = self.all | {"overlap": overlap, "tokenizer": tokenizer_named(self.tokenizer)}
        deciding = {name: option for name, option in OF_EVALUATION.items() if option.changes_values}
        always = [name for name, option in deciding.items() if option.always_saved]
        where_set = [name for name in sorted(deciding) if name not in always and deciding[name].is_set(told[name])]
        return {name: told[name] for name in [*always, *where_set]}


def refuse_unknown_policy(topics: str) -> None:
    """Which topics count is told by one of some words."""
    if topics not in TOPICS:
        raise UsageError(f"unknown value {topics!r} of topics; choose from {', '.join(TOPICS)}")
