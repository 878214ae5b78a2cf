"""What ids differ by that would meet without it."""

import pytest

from assay.tables.id_forms import difference


def apart(first, second):
    """What two sets of ids of one group differ by."""
    return difference([("", name) for name in first], [("", name) for name in second])


@pytest.mark.parametrize(
    ("first", "second", "words", "pair"),
    [
        (["corpora/finance.md"], ["finance"], "folder and ending", "'corpora/finance.md' vs 'finance'"),
        (["finance"], ["corpora/finance.md"], "folder and ending", "'finance' vs 'corpora/finance.md'"),
        (["C:\\texts\\a.txt", "C:\\texts\\b.txt"], ["b.txt"], "folder", "'C:\\\\texts\\\\b.txt' vs 'b.txt'"),
        (["docs/a"], ["a.md"], "folder and ending", "'docs/a' vs 'a.md'"),
        (["wiki.finance.md"], ["wiki.finance"], "ending", "'wiki.finance.md' vs 'wiki.finance'"),
        (["007", "010"], ["7", "10"], "leading zeros", "'007' vs '7'"),
        (["doc7"], ["doc007"], "leading zeros", "'doc7' vs 'doc007'"),
        (["PMC1"], ["pmc1"], "case", "'PMC1' vs 'pmc1'"),
        (["q1", "q2"], ["1", "2", "3"], "the prefix 'q'", "'q1' vs '1'"),
        (["1", "2"], ["doc-2", "doc-3"], "the prefix 'doc-'", "'2' vs 'doc-2'"),
        (["Q01"], ["1"], "leading zeros and the prefix 'Q'", "'Q01' vs '1'"),
        ([" 1"], ["1"], "whitespace", "' 1' vs '1'"),
        (["caf\u00e9"], ["cafe\u0301"], "Unicode form (NFC, NFD)", "'caf\u00e9' vs 'cafe\u0301'"),
        (["a%20b.md"], ["a b"], "percent encoding and ending", "'a%20b.md' vs 'a b'"),
        (["A/X.TXT"], ["x"], "folder, ending and case", "'A/X.TXT' vs 'x'"),
        (["doc_3#chunk_7", "doc_3#chunk_8"], ["doc_3"], "chunk number", "'doc_3#chunk_7' vs 'doc_3'"),
        (["doc_3"], ["doc_3::7", "doc_3::8"], "chunk number", "'doc_3' vs 'doc_3::7'"),
        (["a.md-chunk-0", "a.md-chunk-1"], ["a.md"], "chunk number", "'a.md-chunk-0' vs 'a.md'"),
        (["a_0", "a_1", "b_0"], ["a", "b"], "chunk number", "'a_0' vs 'a'"),
        (["faq/a.md#1", "faq/a.md#2"], ["a"], "chunk number, folder and ending", "'faq/a.md#1' vs 'a'"),
    ],
)
def test_a_difference_that_one_side_has_is_certain(first, second, words, pair):
    found = apart(first, second)
    assert (str(found), found.told, found.guess) == (words, f"differ only in {words} ({pair})", False)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (["news/1"], ["wiki/1"], "folder"),  # the two may be of different documents
        (["a.md"], ["a.txt"], "ending"),
        (["news/1"], ["doc-1"], "folder and the prefix 'doc-'"),
        (["a/readme", "b/readme"], ["readme"], "folder"),  # which of the two it would be is not known
    ],
)
def test_a_difference_that_both_sides_have_or_that_makes_ids_the_same_is_a_guess(first, second, words):
    found = apart(first, second)
    assert (str(found), found.guess) == (words, True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["7", "8"], ["1", "2"]),
        (["11", "12"], ["1", "2"]),  # a number is not cut in two
        (["openssl-3.0"], ["openssl-3"]),  # nor is a version
        (["abc"], ["bc"]),  # nor is a word
        (["x1", "y2"], ["1", "2"]),  # no prefix of all
        (["doc1.3"], ["doc1"]),  # a number is no ending
        (["a#1"], ["a#2"]),  # two chunks of one document are two things
        ([], ["1"]),
        (["1"], []),
    ],
)
def test_ids_that_would_not_meet_differ_by_nothing(first, second):
    assert apart(first, second) is None


def test_documents_are_compared_within_their_topics():
    assert difference([("1", "d1.md")], [("2", "d1")]) is None
    assert difference([("1", "d1.md"), ("2", "d1.md")], [("2", "d1")]).number == 1
