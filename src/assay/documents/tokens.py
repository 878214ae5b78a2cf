"""Tokenizers, and the offsets at which the tokens of documents end.

A tokenizer is any function that takes a text and returns the (start, end) of each token.

words               runs of characters between whitespace, with their punctuation; needs no package
chars:4             every 4 characters (or any other number), as an estimate; needs no package
FILE.json           a file of Hugging Face's package tokenizers, which must be installed
tiktoken:NAME       an encoding or a model of the package tiktoken, which must be installed

In Python also a `tokenizers.Tokenizer`, or a `PreTrainedTokenizerFast` of transformers, which contains one.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError, UsageError, list_names, quote
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

Tokenizer = Callable[[str], Sequence[tuple[int, int]]]
KNOWN = (
    "words, chars:4, a Hugging Face tokenizer.json, tiktoken:NAME, or in Python a tokenizer object or a function of "
    "a text"
)


def tokenizer_of(given: Any) -> Tokenizer:
    """Return the tokenizer for a name or a Hugging Face tokenizer; a function is returned unchanged."""
    if (encoder := encoder_of(given)) is not None:
        return offsets_of(encoder)
    if callable(given):
        return cast(Tokenizer, given)
    if given == "words":
        return words_of
    if str(given).endswith(".json"):
        return of_file(str(given))
    kind, _, name = str(given).partition(":")
    if kind == "tiktoken" and name:
        return of_tiktoken(name)
    if kind == "chars":
        if not (name.isascii() and name.isdecimal() and int(name)):
            what = f"{quote(str(given))} has no number of characters"
            raise UsageError(f"{what}; expected 1 or more, for example chars:4")
        return partial(characters_of, number=int(name))
    raise UsageError(f"unknown tokenizer {quote(str(given))}; expected {KNOWN}")


def words_of(text: str) -> list[tuple[int, int]]:
    """Return the runs of characters between whitespace."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def characters_of(text: str, number: int) -> list[tuple[int, int]]:
    """Return tokens of `number` characters each; the last token has the rest."""
    return [(start, min(start + number, len(text))) for start in range(0, len(text), number)]


def encoder_of(given: object) -> Any:
    """Return a copy of a Hugging Face tokenizer without truncation and padding, or None if it is something else.

    Takes the tokenizers of transformers too, which contain one.
    """
    given = getattr(given, "backend_tokenizer", given)
    if not all(hasattr(type(given), name) for name in ("from_str", "to_str", "encode")):
        return None
    kind: Any = type(given)
    return without_limits(kind.from_str(kind.to_str(given)))


def without_limits(encoder: Any) -> Any:
    """Turn off truncation and padding: many tokenizers are saved so that they stop after 512 tokens."""
    encoder.no_truncation()
    encoder.no_padding()
    return encoder


def offsets_of(encoder: Any) -> Tokenizer:
    """Return a function that takes a text and returns the offsets of a Hugging Face tokenizer."""
    return lambda text: encoder.encode(text, add_special_tokens=False).offsets  # type: ignore[no-any-return,unused-ignore]


def of_file(path: str) -> Tokenizer:
    """Load a tokenizer from a file of Hugging Face's package `tokenizers`."""
    try:
        from tokenizers import Tokenizer as FromFile  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError:
        raise UsageError(f"reading {path} needs the package tokenizers: pip install tokenizers") from None
    try:
        encoder = FromFile.from_file(path)
    except Exception as error:
        raise InputError(f"not a Hugging Face tokenizer file: {error}", path) from None
    return offsets_of(without_limits(encoder))


def of_tiktoken(name: str) -> Tokenizer:
    """Return the tiktoken encoding with this name, or that of the model with this name."""
    try:
        import tiktoken  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError:
        raise UsageError(f"tiktoken:{name} needs the package tiktoken: pip install tiktoken") from None
    try:
        known = name in tiktoken.list_encoding_names()
        encoding = tiktoken.get_encoding(name) if known else tiktoken.encoding_for_model(name)
    except Exception as error:
        raise UsageError(f"cannot load tiktoken's {name}: {error} (no network, or no such vocabulary?)") from None

    def tokens(text: str) -> list[tuple[int, int]]:
        starts = encoding.decode_with_offsets(encoding.encode_ordinary(text))[1]
        return list(zip(starts, [*starts[1:], len(text)], strict=True))

    return tokens


class TokenEnds:
    """The offsets at which the tokens of documents end; each document is read and tokenised only once."""

    def __init__(self, documents: DocumentCollection, tokenizer: Tokenizer):
        self.documents, self.tokenizer = documents, tokenizer
        self._known: dict[str, Ints] = {}
        self._lock = threading.Lock()

    def of(self, names: list[str]) -> list[Ints]:
        """Return the offsets at which the tokens of each document end, in ascending order."""
        with self._lock:
            unknown = [name for name in dict.fromkeys(names) if name not in self._known]
            if unknown:
                for name, text in self.documents.texts(unknown):
                    self._known[name] = self._ends(name, text)
            lacking = [name for name in unknown if name not in self._known]
        if lacking:
            which = list_names(lacking, 3)
            raise InputError(f"there is no document {which}; counting tokens needs its text", self.documents.label)
        return [self._known[name] for name in names]

    def count(self, texts: list[str]) -> Ints:
        """Return how many tokens each text has; the texts do not come from a document."""
        return np.array([len(self._ends("around a passage", text)) if text else 0 for text in texts], np.int64)

    def _ends(self, name: str, text: str) -> Ints:
        try:
            tokens: Any = self.tokenizer(text)
        except Exception as error:
            raise UsageError(f"the tokenizer failed at document {name}: {type(error).__name__}: {error}") from error
        try:
            ends = np.fromiter((end for _, end in tokens), np.int64)
        except (TypeError, ValueError, OverflowError):
            expected = "expected the (start, end) of each token"
            what = f"the tokenizer returned {shortened_tokens(tokens)} for document {name}"
            raise UsageError(f"{what}; {expected}") from None
        if len(ends) and (np.any(np.diff(ends) < 0) or ends[0] < 0 or ends[-1] > len(text)):
            what = f"tokens of document {name} out of order or outside its {len(text):,} characters"
            raise UsageError(f"the tokenizer returned {what}: {shortened_tokens(tokens)}")
        return ends


def shortened_tokens(tokens: object) -> str:
    """Return what a tokenizer returned, short enough for a message."""
    text = repr(tokens)
    return text if len(text) <= 60 else f"{text[:60]}…"
