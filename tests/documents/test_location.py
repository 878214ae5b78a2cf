"""Texts found in documents, against a naive program and on real data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.documents import search as occurrences
from assay.documents import search as searching
from assay.documents.location import AFTER, FIRST, SAID, Located, Span, between_ellipses, found_in_documents, tolerances
from assay.documents.lookup import Documents
from assay.documents.search import TextsToSearch, codes_of, tolerances_needed
from helpers.naive_locating import every_place
from helpers.places import DATA
from helpers.samples import sample

CHROMA = DATA / "spans" / "chroma-chunking-eval"
COVID = DATA / "spans" / "covid-qa"


def found(texts: list[str], documents: dict[str, str], ids: Iterable[str | None] | None = None, starts=None) -> Located:
    def some(names: list[str]) -> Iterator[tuple[str, str]]:
        return ((name, documents[name]) for name in names if name in documents)

    return found_in_documents(
        texts, list(ids) if ids is not None else ["d"] * len(texts), some, lambda: iter(documents.items()), starts
    )


def places(text: str, document: str) -> list[tuple[int, int]]:
    return [span[1:3] for span in found([text], {"d": document}).spans[0]]


@pytest.mark.parametrize(
    ("text", "document", "start", "end", "tolerated"),
    [
        ("two", "one two three", 4, 7, []),
        ("one  two", "0 one\n two 3", 2, 10, ["whitespace"]),
        ("  two ", "one two", 4, 7, ["whitespace"]),
        ("cafe\u0301", "un café noir", 3, 7, ["Unicode form"]),
        ("café", "un cafe\u0301 noir", 3, 8, ["Unicode form"]),
        ("first office", "0 ﬁrst oﬃce 3", 2, 11, ["Unicode form"]),
        ("a\u00a0b", "0 a b", 2, 5, ["whitespace"]),
        ("it's a \"test\" - yes", "so it’s a “test” – yes!", 3, 22, ["quotes and dashes"]),
        ("hyphenation", "hyphen\u00adation", 0, 12, ["soft hyphens"]),
        ("Hello World", "say hello world", 4, 15, ["case"]),
        ("straße", "STRASSE", 0, 7, ["case"]),
        ("HE  SAID “NO”", "then he said \"no\"", 5, 17, ["whitespace", "quotes and dashes", "case"]),
        ("𝐀 🦊", "🦊🦊 A  🦊", 3, 7, ["whitespace", "Unicode form"]),
    ],
)
def test_a_text_is_found_with_what_must_be_tolerated_and_no_more(text, document, start, end, tolerated):
    (span,) = found([text], {"d": document}).spans[0]
    assert (span.start, span.end, tolerances(span.tolerated)) == (start, end, tolerated)
    assert span.how == ("normalized" if tolerated else "exact")


@pytest.mark.parametrize(("text", "document"), [
    ("two", "one"), ("", "one"), (" \n", "one  \n"), ("f", "ﬁ"), ("cafe", "café"), ("\u00ad", "one"), ("one", ""),
    ("one two", "onetwo"), ("longer than all", "longer"),
])  # fmt: skip
def test_what_is_not_there_is_missing(text, document):
    assert found([text], {"d": document}).spans == [()]


def test_of_several_places_the_least_tolerant_is_taken():
    (span,) = found(["the cat"], {"d": "The Cat. The cat. the  cat. THE CAT"}).spans[0]
    assert span == Span(0, 18, 26, 1)


def test_of_several_places_the_first_is_taken_that_is_not_before_the_text_before_it():
    document = "a b. x y. a b. x y. a b."
    spans = [span[0] for span in found(["x y.", "a b.", "a b.", "a b.", "y. a"], {"d": document}).spans]
    assert [(span.start, span.places, span.why) for span in spans] == [
        (5, 2, FIRST), (10, 3, AFTER), (20, 3, AFTER), (0, 3, FIRST), (7, 2, AFTER),
    ]  # fmt: skip
    assert {span.how for span in spans} == {"ambiguous"}
    # a part of the text before it begins where that does
    spans = [span[0] for span in found(["b. x y", "b", "y"], {"d": document}).spans]
    assert [span.start for span in spans] == [2, 2, 7]


def test_each_document_has_an_order_of_its_own():
    documents = {"d1": "a b a b", "d2": "a b a b"}
    spans = found(["b", "b", "a", "a"], documents, ["d1", "d2", "d1", "d2"]).spans
    assert [span[0][:2] for span in spans] == [(0, 2), (1, 2), (0, 4), (1, 4)]


def test_where_it_is_said_a_text_starts_decides_between_several_places():
    spans = [span[0] for span in found(["ab"] * 4, {"d": "ab ab ab"}, starts=[3, 6, 4, None]).spans]
    assert [(span.start, span.how, span.why) for span in spans] == [
        (3, "exact", SAID), (6, "exact", SAID), (0, "ambiguous", FIRST), (3, "ambiguous", AFTER),
    ]  # fmt: skip


def test_without_a_document_all_are_searched_and_the_one_before_comes_first():
    documents = {"d1": "one two same", "d2": "three same four", "d3": "FIVE"}
    answer = found(["three", "same", "one", "same", "five", "six"], documents, [None] * 6)
    names = [answer.names[span[0].document] if span else None for span in answer.spans]
    assert names == ["d2", "d2", "d1", "d1", "d3", None]
    assert [span[0].places for span in answer.spans if span] == [1, 2, 1, 2, 1]


def test_texts_with_and_without_a_document_may_be_mixed():
    documents = {"d1": "one two", "d2": "two three"}
    answer = found(["two", "three", "two", "One"], documents, ["d2", None, "d1", None])
    at = [(answer.names[span[0].document], span[0].start) for span in answer.spans]
    assert at == [("d2", 0), ("d2", 4), ("d1", 4), ("d1", 0)]
    assert found(["two", "two"], documents, ["no", "d1"]).spans[0] == ()


@pytest.mark.parametrize(("text", "expected"), [
    ("one ... three", ["one", "three"]), ("one…three", ["one", "three"]), ("one [...] three (…) five", ["one", "three", "five"]),
    ("one . . . three", ["one", "three"]), ("… one", ["one"]), ("one", []), ("one. Two.", []), ("...", []), ("1.. 2", []),
])  # fmt: skip
def test_a_text_is_parted_at_its_ellipses(text, expected):
    assert between_ellipses(text) == expected


def test_the_parts_around_an_ellipsis_stand_in_order_in_one_document():
    documents = {"d1": "three one", "d2": "three one two Three four three"}
    assert [span[1:3] for span in found(["one ... three"], documents, ["d2"]).spans[0]] == [(6, 9), (25, 30)]
    assert [span[0] for span in found(["one ... three"], documents, [None]).spans[0]] == [1, 1]
    assert found(["one ... three"], documents, ["d1"]).spans == [()]
    # what stands there with its ellipsis is one place
    assert places("one ... two", "zero one ... two") == [(5, 16)]
    assert places("one…two", "zero one...two") == [(5, 14)]


letters = st.text("ab B'’-–é\u0301\u00ad\n.ﬁfi", max_size=30)


@given(letters, letters, st.data())
@settings(max_examples=sample(60, 5000))
def test_every_place_is_one_of_the_naive_program(document, text, data):
    if data.draw(st.booleans()) and document:
        start = data.draw(st.integers(0, len(document) - 1))
        text = document[start : data.draw(st.integers(start, len(document)))]
    if between_ellipses(text):
        return
    expected = every_place(text, document)
    spans = found([text], {"d": document}).spans[0]
    assert bool(spans) == bool(expected)
    if spans:
        assert spans[0][1:3] == expected[0]
        assert spans[0].places == len(expected)


@given(
    st.lists(st.text("ab", max_size=40), max_size=5),
    st.sets(st.text("ab", min_size=1, max_size=40), min_size=1),
    st.data(),
)
def test_every_occurrence_is_found_whatever_the_blocks(documents, texts, data):
    texts = sorted(texts)
    names = {f"d{number}": document for number, document in enumerate(documents)}
    expected = [
        [(name, at) for name, text in names.items() for at in range(len(text)) if text.startswith(wanted, at)]
        for wanted in texts
    ]
    block = data.draw(st.integers(1, 50))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "BLOCK", block)
        patch.setattr(occurrences, "BLOCK", block)
        answer = found(texts, names, [None] * len(texts))
    for spans, wanted in zip(answer.spans, expected, strict=True):
        assert bool(spans) == bool(wanted)
        if spans:
            assert (answer.names[spans[0].document], spans[0].start) in wanted
            assert spans[0].places == len(wanted)


@given(st.text("ab", max_size=200), st.lists(st.text("ab", min_size=1, max_size=70), min_size=1))
def test_occurrences_are_those_of_str_find(text, texts):
    wanted, none_full = TextsToSearch.of(map(codes_of, texts)), np.zeros(len(texts), np.bool_)
    occurring = [zip(part.text.tolist(), part.start.tolist(), strict=True) for part in wanted.within(codes_of(text), none_full)]
    assert sorted(chain.from_iterable(occurring)) == [
        (number, at) for number, one in enumerate(texts) for at in range(len(text)) if text.startswith(one, at)
    ]


@given(letters, letters)
def test_a_difference_has_no_kind_too_many(first, second):
    kinds = tolerances_needed(first, second)
    assert kinds is None or list(kinds) == sorted(set(kinds))
    assert tolerances_needed(first, first) == (0,)


@pytest.mark.shared("spans/chroma-chunking-eval")
def test_the_excerpts_of_chroma_stand_where_they_were_published():
    gold = [json.loads(line) for line in (CHROMA / "gold.jsonl").read_text("utf-8").splitlines()]
    documents = dict(Documents(CHROMA / "corpora", cache=False).texts())
    texts, ids = [row["text"] for row in gold], [row["doc_id"] for row in gold]
    answer = found(texts, documents, ids, [row["start"] for row in gold])
    assert [(answer.names[span[0].document], *span[0][1:3]) for span in answer.spans] == [
        (row["doc_id"], row["start"], row["end"]) for row in gold
    ]
    assert len(gold) == 790
    # nothing else said, those that stand in one place are there
    answer = found(texts, documents, [None] * len(texts))
    assert Counter(span[0].how for span in answer.spans) == {"exact": 693, "ambiguous": 97}
    single = [(row, span[0]) for row, span in zip(gold, answer.spans, strict=True) if span[0].how == "exact"]
    assert all((answer.names[span.document], span.start) == (row["doc_id"], row["start"]) for row, span in single)


@pytest.mark.shared("spans/covid-qa")
def test_the_wrong_offsets_of_covid_qa_are_found_and_where_each_text_stands():
    data = json.loads((COVID / "200423_covidQA.json").read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in data for paragraph in article["paragraphs"]]
    documents = {str(paragraph["document_id"]): paragraph["context"] for paragraph in paragraphs}
    answers = [
        (str(paragraph["document_id"]), answer["text"], answer["answer_start"])
        for paragraph in paragraphs for question in paragraph["qas"] for answer in question["answers"]
    ]
    ids, texts, starts = (list(column) for column in zip(*answers, strict=True))
    spans = [span[0] for span in found(texts, documents, ids, starts).spans]
    assert all(
        documents[name][span.start : span.end] == text for (name, text, _), span in zip(answers, spans, strict=True)
    )
    moved = [span.start - start for span, start in zip(spans, starts, strict=True) if span.start != start]
    assert (len(answers), len(moved)) == (1380, 234)
    assert Counter(moved).most_common(3) == [(-1, 195), (3, 28), (2, 10)]
