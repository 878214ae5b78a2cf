"""Tokens of documents: where each ends. A tokenizer is any function of a text that gives the (start, end) of each
token.

words               runs of characters that are not blank; needs nothing
FILE.json           a file of Hugging Face's tokenizers, where that package is installed
tiktoken:NAME       an encoding or a model of tiktoken, where that package is installed
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, UsageError, listed, quoted
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

Tokenizer = Callable[[str], Sequence[tuple[int, int]]]
KNOWN = "words, a .json file of Hugging Face's tokenizers, tiktoken:NAME, or in Python a function of a text"


def tokenizer_of(given: str | Tokenizer) -> Tokenizer:
    """The tokenizer that a name, or a function itself, stands for."""
    if callable(given):
        return given
    if given == "words":
        return words_of
    if str(given).endswith(".json"):
        return of_file(str(given))
    kind, _, name = str(given).partition(":")
    if kind == "tiktoken" and name:
        return of_tiktoken(name)
    raise UsageError(f"unknown tokenizer {quoted(str(given))}; expected {KNOWN}")


def words_of(text: str) -> list[tuple[int, int]]:
    """Runs of characters that are not blank."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def of_file(path: str) -> Tokenizer:
    """The tokenizer of a file of Hugging Face's `tokenizers`."""
    try:
        from tokenizers import Tokenizer as FromFile  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError:
        raise UsageError(f"to read {path} takes the package tokenizers: pip install tokenizers") from None
    try:
        encoder = FromFile.from_file(path)
    except Exception as error:
        raise InputError(f"is no file of tokenizers: {error}", path) from None
    return lambda text: encoder.encode(text, add_special_tokens=False).offsets  # type: ignore[no-any-return,unused-ignore]


def of_tiktoken(name: str) -> Tokenizer:
    """An encoding of tiktoken, or that of a model."""
    try:
        import tiktoken  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError:
        raise UsageError(f"tiktoken:{name} takes the package tiktoken: pip install tiktoken") from None
    try:
        known = name in tiktoken.list_encoding_names()
        encoding = tiktoken.get_encoding(name) if known else tiktoken.encoding_for_model(name)
    except Exception as error:
        raise UsageError(f"tiktoken:{name} cannot be had: {error}") from None

    def tokens(text: str) -> list[tuple[int, int]]:
        starts = encoding.decode_with_offsets(encoding.encode_ordinary(text))[1]
        return list(zip(starts, [*starts[1:], len(text)], strict=True))

    return tokens


class TokenEnds:
    """Where the tokens of documents end; each document is read and tokenised once, whoever asks."""

    def __init__(self, documents: DocumentCollection, tokenizer: Tokenizer):
        self.documents, self.tokenizer = documents, tokenizer
        self._known: dict[str, Ints] = {}
        self._lock = threading.Lock()

    def of(self, names: list[str]) -> list[Ints]:
        """The ends of each document's tokens, in order."""
        with self._lock:
            unknown = [name for name in dict.fromkeys(names) if name not in self._known]
            if unknown:
                for name, text in self.documents.texts(unknown):
                    self._known[name] = self._ends(name, text)
            lacking = [name for name in unknown if name not in self._known]
        if lacking:
            which = listed(lacking, 3)
            raise InputError(f"has no document {which}; to count tokens takes the text", self.documents.label)
        return [self._known[name] for name in names]

    def _ends(self, name: str, text: str) -> Ints:
        try:
            tokens: Any = self.tokenizer(text)
        except Exception as error:
            raise UsageError(f"the tokenizer failed at document {name}: {type(error).__name__}: {error}") from error
        try:
            ends = np.fromiter((end for _, end in tokens), np.int64)
        except (TypeError, ValueError, OverflowError):
            expected = "expected the (start, end) of each token"
            raise UsageError(f"the tokenizer gave {shortened_tokens(tokens)} for document {name}; {expected}") from None
        if len(ends) and (np.any(np.diff(ends) < 0) or ends[0] < 0 or ends[-1] > len(text)):
            what = f"tokens of document {name} that are not in order, or not within its {len(text):,} characters"
            raise UsageError(f"the tokenizer gave {what}: {shortened_tokens(tokens)}")
        return ends


def shortened_tokens(tokens: object) -> str:
    """What a tokenizer gave, as far as a message has room for it."""
    text = repr(tokens)
    return text if len(text) <= 60 else f"{text[:60]}…"
