"""The passage nearest to a text: compared with every substring of small documents, and what is said to differ."""

from __future__ import annotations

import random

import pytest

from assay.documents.near import NearPassage, differences, nearest_passages
from helpers.samples import sample

WORDS = ["the", "a", "of", "river", "bridge", "tannery", "ladder", "bakers", "leaven", "kitchen", "storm", "cable", "bench",
         "people", "morning", "harbour", "mast", "ball", "skipper", "ticket"]  # fmt: skip


def nearest(texts: list[str], documents: dict[str, str], names: list[str | None] | None = None) -> list[NearPassage | None]:
    def some(wanted):
        return ((name, documents[name]) for name in wanted if name in documents)

    return nearest_passages(texts, names or [None] * len(texts), some, lambda: iter(documents.items()))


def folded(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").replace("–", "-").split())


def distances(pattern: str, text: str) -> list[int]:
    """The edit distance of a pattern to each beginning of a text, by the textbook's table."""
    row = list(range(len(text) + 1))
    for number, letter in enumerate(pattern, 1):
        before, row, least = row, [number], number
        for corner, above, other in zip(before, before[1:], text, strict=False):
            # as min() of the three, which would take three times as long
            least = (above if above < least else least) + 1
            changed = corner + (letter != other)
            least = changed if changed < least else least
            row.append(least)
    return row


def likeness(first: str, second: str) -> float:
    return 1 - distances(first, second)[-1] / max(len(first), len(second))


def best_of_all_substrings(pattern: str, text: str) -> float:
    """The likeness of the best of all substrings, each compared."""
    pattern, text = folded(pattern), folded(text)
    best = 0.0
    for start in range(len(text)):
        for length, distance in enumerate(distances(pattern, text[start : start + 2 * len(pattern)])):
            best = max(best, 1 - distance / max(length, len(pattern)))
    return best


def altered(words: list[str], chance: random.Random) -> str:
    """Words of which some are changed, left out, doubled or misspelt."""
    out = []
    for word in words:
        way = chance.random()
        if way < 0.1:
            out.append(chance.choice(WORDS))
        elif way < 0.2:
            out.append(word[1:] + "x")
        elif way < 0.25:
            out += [word, word]
        elif way < 0.9:
            out.append(word if way < 0.8 else word.upper())
    return " ".join(out) or "x"


@pytest.mark.parametrize("seed", range(sample(2, 200)))
def test_the_passage_is_as_good_as_the_best_of_all_substrings(seed):
    chance = random.Random(seed)
    documents = {
        name: " ".join(chance.choices(WORDS, k=30)).replace(" the ", " the\n ").capitalize() for name in ("one", "two")
    }
    texts = []
    for _ in range(3):
        words = documents[chance.choice(["one", "two"])].split()
        at = chance.randrange(len(words) - 8)
        texts.append(altered(words[at : at + chance.randint(5, 8)], chance))
    for text, passage in zip(texts, nearest(texts, documents), strict=True):
        best = max(best_of_all_substrings(text, document) for document in documents.values())
        if passage is None:
            assert best < 0.65
            continue
        assert passage.text == documents[passage.document][passage.start : passage.end]
        assert passage.likeness == pytest.approx(likeness(folded(text), folded(passage.text)), abs=1e-12)
        assert 0.6 <= passage.likeness <= best
        assert passage.likeness >= best - 0.1


def test_words_may_have_characters_beyond_the_first_65536():
    document = "See here: " + "".join(map(chr, range(0x20000, 0x20014))) + ", and no more."
    (passage,) = nearest(["".join(map(chr, [*range(0x20000, 0x20009), *range(0x2000A, 0x20014)]))], {"d": document})
    assert passage is not None
    assert document[passage.start : passage.end] == document[10:30]


def test_offsets_are_those_of_the_original_text():
    document = "Intro.\n\n  The\u00a0ﬁrst  “bridge”\twas – in short – opened late. End."
    (passage,) = nearest(['the first "bridge" was - in brief - opened late'], {"d": document})
    assert passage is not None
    assert document[passage.start : passage.end] == "The\u00a0ﬁrst  “bridge”\twas – in short – opened late"
    assert passage.likeness == pytest.approx(1 - 5 / 47)


def test_the_document_that_is_named_comes_first_and_others_where_it_has_nothing_good():
    documents = {"a": "We crossed the old stone bridge at dawn.", "b": "We crossed the old stone bridges at dawn."}
    text = "We crossed the old stone bridgess at dawn."
    found = nearest([text] * 3, documents, ["a", "b", "gone"])
    assert [passage and passage.document for passage in found] == ["a", "b", "b"]
    (elsewhere,) = nearest(["crossed the old stone bridgess"], documents | {"c": "Nothing here."}, ["c"])
    assert elsewhere is not None and elsewhere.document == "b"


def test_what_is_less_alike_than_three_fifths_is_not_shown():
    document = "The bridge was opened late in the storm by the mayor."
    assert nearest(["A bridge of sighs and whispers closed early"], {"d": document}) == [None]
    assert nearest(["zebra", "", "…", "?!"], {"d": document}) == [None] * 4


def test_texts_without_spaces_between_words_are_found():
    document = "東京は日本の首都であり、世界最大の都市の一つである。大阪は西日本の中心である。"
    (passage,) = nearest(["東京は日本の古都であり、世界最大の都市"], {"d": document})
    assert passage is not None
    assert (passage.start, passage.end) == (0, 19)


def test_pieces_that_differ_are_whole_words():
    assert differences("The old bridge was closed.", "the bridge, was closed on Monday.") == [
        ("old bridge", "bridge,"), ("closed.", "closed on Monday.")
    ]  # fmt: skip


@pytest.mark.parametrize(("document", "markup"), [
    ('<p>The <b>bridge</b> was opened &amp; blessed by the <a href="https://a.example/bishop">bishop</a>.</p>', "HTML markup"),
    ("The bridge <i>was</i> opened<br>&amp; blessed by the bishop.", "HTML markup"),
    ("## Bridges\nThe **bridge** was _opened_ & blessed by the [bishop](https://a.example/of/the/town).", "Markdown markup"),
    ("> The `bridge` was opened\n> & blessed by the bishop.", "Markdown markup"),
])  # fmt: skip
def test_markup_that_the_text_does_not_have_is_recognised(document, markup):
    text = "The bridge was opened & blessed by the bishop."
    (passage,) = nearest([text], {"d": f"Before it. {document} And after it."})
    assert passage is not None and passage.markup == markup
    assert passage.text.startswith(("The", "<b>")) and passage.text.rstrip(".").endswith(("bishop", "</a>", ")"))
    assert " ".join(passage.unmarked.split()) == text
    assert passage.unmarked_likeness == 1
    (plain,) = nearest(["The bridge was opened and blessed by the bishop."], {"d": text})
    assert plain is not None and plain.markup == ""


def test_a_passage_with_markup_is_not_given_up_for_one_that_is_less_alike():
    text = "The bridge was opened and blessed by the bishop."
    marked = '<p>The <b>bridge</b> was <a href="https://a.example/a/long/address/of/a/page">opened</a> and blessed by the bishop.</p>'
    found = nearest([text] * 2, {"a": marked, "b": "A bridge was open, and blessed by no bishop."}, ["a", None])
    assert [passage and (passage.document, passage.markup) for passage in found] == [("a", "HTML markup")] * 2


def test_a_letter_with_an_accent_counts_as_one_character():
    document = "The naïve façade of the old café in Genève was painted."
    (passage,) = nearest(["The naive façade of the old café in Genève was restored."], {"d": document})
    assert passage is not None
    assert passage.likeness == pytest.approx(likeness("the naive façade of the old café in genève was restored.", folded(document)))
