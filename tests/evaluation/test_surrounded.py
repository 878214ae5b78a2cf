"""Texts that hold a passage of a document and more around it: they count by the passage, and pay for all of it."""

from __future__ import annotations

import random

import pytest

import assay
from assay.errors import InputError
from helpers.samples import sample

DOCUMENTS = {
    "bakery": "The oven is lit at two. The leaven was brought in a jam jar from a kitchen in Lublin.\nIt is fed each evening, and "
    "nobody may skip it. The bakers sell out by noon, and on Sundays by ten.",
    "ferry": "The ferry leaves at noon. In a storm the skipper hangs a black ball from the mast of the harbour office.",
}
BAKERY = DOCUMENTS["bakery"]
LEAVEN = BAKERY.index("The leaven")
GOLD = {"q": [("bakery", LEAVEN, LEAVEN + 30)]}
CHUNK = BAKERY[LEAVEN : LEAVEN + 100].strip()
CONTEXT = "This chunk is from a guide to shops, and tells how bread is made."
NOTE = (
    "run: 1 of 1 text holds a passage of a document with other text around it; only the passage can be relevant, but the whole text uses up the budget"
)


@pytest.mark.parametrize("text", [
    f"{CONTEXT}\n\n{CHUNK}", f"{CONTEXT} {CHUNK}", f"{CHUNK}\n--\n{CONTEXT}", f"{CONTEXT}\n{CHUNK.replace(' ', '  ')}\n(end)",
])  # fmt: skip
@pytest.mark.parametrize("document", ["bakery", None])
def test_the_passage_counts_and_all_of_the_text_is_paid_for(text, document):
    run = {"q": [{"text": text, "doc_id": document} if document else text]}
    scores = assay.evaluate(GOLD, run, ["R@1", "P@1"], documents=DOCUMENTS)
    recall, precision = scores.values.ravel().tolist()
    assert recall == 1
    spaces = CHUNK.count(" ") if "  " in text else 0
    # blanks of the document that the text has twice are those of the document
    assert precision == pytest.approx(30 / (len(text) - spaces), abs=0.002)
    assert scores.notes[1] == NOTE


def test_what_is_before_a_passage_is_read_before_it():
    text = f"{CONTEXT}\n{CHUNK}"
    at = len(CONTEXT) + 1
    for budget in (10, at, at + 12, at + 30, len(text), 1000):
        measures = [f"R(chars={budget})", f"P(chars={budget})"]
        recall, precision = assay.evaluate(GOLD, {"q": [text]}, measures, documents=DOCUMENTS).values.ravel()
        seen = min(max(budget - at, 0), 30)
        assert (recall, precision) == pytest.approx((seen / 30, seen / min(budget, len(text))))


def test_a_chunk_that_a_run_returns_by_its_id_pays_for_what_its_text_has_around_a_passage():
    texts = {"1": f"{CONTEXT}\n{CHUNK}", "2": f"{DOCUMENTS['ferry'][:60]}\n{CONTEXT}", "3": BAKERY[-40:]}
    measures = ["R", "P", "R(chars=90)", "P(chars=90)", "R(chars=180, fit=skip)", "R(tokens=15)"]
    options = {"documents": DOCUMENTS, "tokenizer": "words"}
    order = ["3", "2", "1"]
    by_id = assay.evaluate(GOLD, {"q": order}, measures, chunks=texts, **options)
    by_text = assay.evaluate(GOLD, {"q": [texts[each] for each in order]}, measures, **options)
    assert by_id.values.tolist() == by_text.values.tolist()
    length = sum(map(len, texts.values()))
    assert by_id["P"] == pytest.approx(30 / length)


def test_what_is_around_a_passage_is_paid_for_in_tokens():
    text = f"one two three\n{CHUNK}"
    words = CHUNK.split()
    for budget in (2, 3, 5, 100):
        values = assay.evaluate(GOLD, {"q": [text]}, f"R(tokens={budget})", documents=DOCUMENTS, tokenizer="words").values
        read = " ".join(words[: max(budget - 3, 0)])
        assert values.item() == pytest.approx(min(len(read), 30) / 30)


@pytest.mark.parametrize("overlap", ["paid", "new"])
@pytest.mark.parametrize("seed", range(sample(3, 100)))
def test_budgets_are_those_of_a_reader_of_the_texts(seed, overlap):
    chance = random.Random(seed)
    places = [(start := chance.randrange(120), start + chance.randint(40, 70)) for _ in range(4)]
    texts = [f"{'X' * chance.randint(1, 30)}\n{BAKERY[start:end].strip()}\n{'Y' * chance.randint(1, 30)}" for start, end in places]
    budget = chance.randrange(20, 300)
    # each character that a reader sees: its place in the document, or none
    seen, read, found = set(), 0, 0
    for text, (start, end) in zip(texts, places, strict=True):
        passage = BAKERY[start:end].strip()
        at, begin = text.index("\n") + 1, BAKERY.index(passage)
        for number in range(len(text)):
            place = begin + number - at if at <= number < at + len(passage) else None
            costs = place is None or overlap == "paid" or place not in seen
            if read >= budget:
                break
            read += costs
            if place is not None and place not in seen:
                seen.add(place)
                found += LEAVEN <= place < LEAVEN + 30
    run = {"q": [{"text": text, "doc_id": "bakery"} for text in texts]}
    values = assay.evaluate(
        GOLD, run, [f"R(chars={budget})", f"P(chars={budget})"], documents=DOCUMENTS, overlap=overlap
    ).values.ravel()
    assert values.tolist() == pytest.approx([found / 30, found / read])


def test_offsets_of_the_passage_are_believed_beside_a_text_with_more():
    chunk = {"doc_id": "bakery", "start": LEAVEN, "end": LEAVEN + 62, "text": f"{CONTEXT}\n{BAKERY[LEAVEN : LEAVEN + 62]}"}
    scores = assay.evaluate(GOLD, {"q": [chunk]}, ["R@1", "P@1"], documents=DOCUMENTS)
    assert scores.values.ravel().tolist() == [1, 30 / (len(CONTEXT) + 63)]
    assert scores.notes == [NOTE]


def test_a_passage_that_is_a_small_part_of_a_text_does_not_place_it():
    text = f"{CONTEXT} In a jam jar. {CONTEXT}"
    with pytest.raises(InputError) as caught:
        assay.evaluate(GOLD, {"q": [text]}, "R@1", documents=DOCUMENTS)
    assert str(caught.value) == (
        "run: could not find 1 of 1 text in documents (found 0 verbatim, 0 after normalizing whitespace or case, 0 in several places): topic q, result 1: 'This chunk is from a "
        "guide to shops, an…'; run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found"
    )


def test_evidence_with_more_around_it_is_not_placed():
    with pytest.raises(InputError):
        assay.evaluate({"q": [f"{CONTEXT}\n{CHUNK}"]}, {"q": [CHUNK]}, "R@1", documents=DOCUMENTS)


def test_whitespace_around_a_passage_does_not_count_if_whitespace_does_not():
    text = f"{CONTEXT}\n{CHUNK}"
    (precision,) = assay.evaluate(GOLD, {"q": [text]}, "P@1", documents=DOCUMENTS, whitespace="ignore").values.ravel()
    assert precision == len(BAKERY[LEAVEN : LEAVEN + 30].replace(" ", "")) / len("".join(text.split()))


def test_the_ceiling_says_that_it_counts_passages_alone():
    ceiling = assay.ceiling(GOLD, [{"text": f"{CONTEXT}\n{CHUNK}", "doc_id": "bakery"}], measures=["R@1"], documents=DOCUMENTS)
    assert ceiling["R@1"] == 1
    assert ceiling.notes[-1] == (
        "chunks: 1 of 1 text holds a passage of a document with other text around it; only the passage can be relevant, "
        "but the whole text uses up the budget; a ceiling charges only the passages, so it may be too high within a budget"
    )
