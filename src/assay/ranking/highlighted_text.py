"""HighlightedText: what is known of the judged documents of a ranking of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay.errors import UsageError
from assay.ranking.copied_text import CopiedText
from assay.ranking.judged_subtopics import JudgedSubtopics
from assay.ranking.span_texts import SpanTexts, given_source
from assay.tables.ids import Bools, Grades, Ints
from assay.tables.intervals import ListedText, Marks, Spans


def no_tokenizer() -> HighlightedText:
    """Highlighted text in tokens, where no tokenizer was given."""
    raise UsageError("to count tokens, give tokenizer=, and give documents=")


@dataclass(frozen=True, eq=False, repr=False)
class HighlightedText:
    """What is known of judged documents: their highlighted text, grade, length and best entry point (-1 is not known).

    `passages` are the highlighted spans as they were listed. `topic` tells the topic of each document, `total` all
    highlighted characters of each topic. `in_tokens` gives the same, counted in tokens. `source` has the texts, where
    documents were given; `subtopics` are those of the passages, where they were told. `copied` tells which characters
    are copies of others, where these count as much: a character that was seen elsewhere is then not new.
    """

    name: str
    marks: Marks
    passages: Spans
    grade: Grades
    length: Ints
    entry: Ints
    topic: Ints
    total: Ints
    in_tokens: Callable[[], HighlightedText] = no_tokenizer
    source: SpanTexts | None = None
    subtopics: JudgedSubtopics | None = None
    copied: CopiedText | None = None

    def passage_texts(self) -> list[str]:
        """The text of each passage."""
        return given_source(self.source).of(self.passages.document, self.passages.start, self.passages.end)

    @cached_property
    def number(self) -> Ints:
        """The number of different passages of each topic."""
        columns = self.passages.document, self.passages.start, self.passages.end
        document = np.unique(np.stack(columns), axis=1)[0]
        return np.bincount(self.topic[document], minlength=len(self.total))

    @cached_property
    def _listed(self) -> ListedText:
        return ListedText(self.passages, len(self.topic))

    @cached_property
    def listed_total(self) -> Ints:
        """The characters of the passages of each topic, as they are listed."""
        sizes = np.bincount(self.topic[self.passages.document], self.passages.size, minlength=len(self.total))
        return sizes.astype(np.int64)

    def as_listed(self, pieces: Spans, document: Ints) -> Ints:
        """How many characters of the passages each piece has, as they are listed: those of two passages count twice.

        `document` has the judgment of each result that pieces are of, -1 is none.
        """
        judged = np.flatnonzero(document[pieces.document] >= 0)
        shared = np.zeros(len(pieces), np.int64)
        shared[judged] = self._listed.within(replace(pieces[judged], document=document[pieces.document[judged]]))
        return shared

    def newly_highlighted(self, pieces: Spans, fresh: Bools, document: Ints) -> Ints:
        """How much highlighted text each piece is the first to show.

        `document` has the judgment of each result that pieces are of, -1 is none.
        """
        if self.copied is not None:
            piece, start, end = self.first_shown(pieces, fresh, document)
            return np.bincount(piece, end - start, minlength=len(pieces)).astype(np.int64)
        judged = np.flatnonzero(fresh & (document[pieces.document] >= 0))
        new = np.zeros(len(pieces), np.int64)
        new[judged] = self.marks.within(replace(pieces[judged], document=document[pieces.document[judged]]))
        return new

    def first_shown(self, pieces: Spans, fresh: Bools, document: Ints) -> tuple[Ints, Ints, Ints]:
        """The highlighted stretches that pieces are the first to show, in order: the number of the piece, start and
        end. The pieces are in the order in which they are read.
        """
        judged = np.flatnonzero(fresh & (document[pieces.document] >= 0))
        of_documents = replace(pieces[judged], document=document[pieces.document[judged]])
        piece, start, end = self.marks.shared(of_documents)
        if self.copied is not None:
            which, start, end = self.copied.first_seen(Spans(of_documents.document[piece], start, end))
            piece = piece[which]
        return judged[piece], start, end

    def known(self, column: Ints, what: str, document: Ints, advice: str = "") -> Ints:
        """A column of some documents, if all of it is known where there is highlighted text."""
        values = column[document]
        if np.any((values < 0) & (self.marks.size[document] > 0)):
            raise UsageError(f"{self.name}: {what} is not known, without which the measure cannot be computed{advice}")
        return values
