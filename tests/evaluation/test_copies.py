"""Verbatim copies of the evidence elsewhere in the documents, which are as good as the evidence."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.evaluation import copies as copies_counted
from helpers import naive_copies as naive
from helpers.commands import invoke
from helpers.places import DATA
from helpers.samples import sample

TEXTS = {
    "bridge": "The bridge opened in 1911. It has nine arches.",
    "guide": "A walk through town. The bridge opened in 1911. It is worth a stop.",
    "menu": "Soup of the day.",
}
GOLD = {"1": [("bridge", 0, 26)]}
WITH_ONE = "1 of 1 excerpt has copies elsewhere in the documents (1 with 1); a copy counts like its excerpt"


def test_a_copy_of_the_evidence_is_as_good_as_the_evidence():
    run = {"1": [("guide", 21, 47), ("menu", 0, 16)]}
    assert assay.evaluate(GOLD, run, ["R"], documents=TEXTS)["R"] == 0
    scores = assay.evaluate(GOLD, run, ["R", "P@1", "Success(unit=document)@1"], documents=TEXTS, copies=True)
    assert [scores["R"], scores["P@1"], scores["Success(unit=document)@1"]] == [1, 1, 1]
    assert scores.notes == [f"judgments: {WITH_ONE}"]


def test_what_was_read_at_one_place_gains_nothing_at_another():
    run = {"1": [("guide", 21, 47), ("bridge", 0, 26)]}
    scores = assay.evaluate(GOLD, run, ["R", "P@1", "P@2", "Redundancy"], documents=TEXTS, copies=True)
    assert [scores["R"], scores["P@1"], scores["P@2"]] == [1, 1, 0.5]
    # the text is that of another place, and so not returned again
    assert scores["Redundancy"] == 0


def test_evidence_may_be_read_in_parts_at_several_places():
    run = {"1": [("guide", 21, 31), ("bridge", 5, 26)]}
    scores = assay.evaluate(GOLD, run, ["R@1", "R@2", "P@2"], documents=TEXTS, copies=True)
    assert scores["R@1"] == 10 / 26
    assert scores["R@2"] == 1
    # characters 5 to 9 were read before
    assert scores["P@2"] == 26 / 31


def test_the_same_sentence_listed_as_evidence_twice_is_needed_once():
    gold = {"1": [("bridge", 0, 26), ("guide", 21, 47)]}
    assert assay.evaluate(gold, {"1": [("bridge", 0, 26)]}, ["R"], documents=TEXTS)["R"] == 0.5
    assert assay.evaluate(gold, {"1": [("bridge", 0, 26)]}, ["R"], documents=TEXTS, copies=True)["R"] == 1


@pytest.mark.parametrize("order", [1, -1])
def test_evidence_that_stands_in_one_place_does_not_part_the_copies_of_other_evidence(order):
    """The copy of "ab" at 1 to 3 is as good as the one that is listed, whichever excerpt is listed first."""
    gold = {"1": [("x", 0, 2), ("x", 3, 5)][::order]}
    scores = assay.evaluate(gold, {"1": [("x", 1, 3)]}, ["R", "P"], documents={"x": "cabab"}, copies=True)
    assert (scores["R"], scores["P"]) == (2 / 3, 1)


def test_documents_of_copies_are_named_as_the_judgments_name_theirs(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.md").write_text(text)
    gold, run = {"1": [("bridge.md", 0, 26)]}, {"1": [("guide.md", 21, 47)]}
    assert assay.evaluate(gold, run, ["R"], documents=tmp_path, copies=True)["R"] == 1
    # and where texts are looked for, they are found under that name
    run = {"1": [{"text": "town. The bridge opened in 1911."}]}
    assert assay.evaluate(gold, run, ["R"], documents=tmp_path, copies=True)["R"] == 1


def test_without_whitespace_copies_are_counted_without_them():
    run = {"1": [("guide", 21, 31)]}
    # "The bridge" of "The bridge opened in 1911."
    scores = assay.evaluate(GOLD, run, ["R"], documents=TEXTS, copies=True, whitespace="ignore")
    assert scores["R"] == 9 / 22


def test_an_excerpt_that_stands_everywhere_is_named():
    texts = {"a": "the " * 150, "b": "end"}
    scores = assay.evaluate({"1": [("a", 0, 3)]}, {"1": [("a", 400, 403)]}, ["R"], documents=texts, copies=True)
    assert scores["R"] == 1
    assert scores.notes == [
        "judgments: 1 of 1 excerpt has copies elsewhere in the documents (1 with 149); a copy counts like its excerpt; "
        "'the' occurs 150 times: is it evidence everywhere?"
    ]


def test_copies_that_overlap_are_not_told_as_faults_of_the_gold():
    scores = assay.evaluate({"1": [("a", 0, 3)]}, {"1": [("a", 2, 5)]}, ["R"], documents={"a": "ababa"}, copies=True)
    # the a in the middle is the last of the excerpt, or the first of its copy, as suits best
    assert scores["R"] == 1
    assert scores.notes == [f"judgments: {WITH_ONE}"]


def test_an_excerpt_that_stands_at_too_many_places_is_refused(monkeypatch):
    monkeypatch.setattr(copies_counted, "MOST", 100)
    with pytest.raises(assay.InputError) as error:
        assay.evaluate({"1": [("a", 0, 1)]}, {"1": [("a", 0, 1)]}, ["R"], documents={"a": "the " * 150}, copies=True)
    assert str(error.value) == (
        "judgments: the excerpts occur 150 times in the documents, 't' alone 150 times; expected excerpts that are evidence "
        "wherever they occur"
    )


def test_evidence_without_copies_is_said_to_have_none():
    scores = assay.evaluate({"1": [("menu", 0, 4)]}, {"1": [("menu", 0, 4)]}, ["R"], documents=TEXTS, copies=True)
    assert scores.notes == ["judgments: none of 1 excerpt has a copy elsewhere in the documents"]


@pytest.mark.parametrize(
    ("results", "recall", "precision"),
    [
        ([("b", 0, 4)], 1, 1), ([("b", 2, 6)], 1, 1), ([("a", 0, 4)], 1, 1),
        # two of the six characters are of a copy that overlaps, and find nothing more
        ([("b", 0, 6)], 1, 4 / 6), ([("b", 2, 4)], 0.5, 1), ([("b", 1, 5)], 0.75, 0.75),
        # the beginning is read at one place and the end at another, and what is read then finds nothing
        ([("b", 0, 2), ("a", 2, 4), ("b", 4, 6)], 1, 4 / 6),
        # of each of the copies that overlap there are two characters
        ([("b", 0, 2), ("b", 4, 6)], 0.5, 0.5),
    ],
)  # fmt: skip
def test_a_copy_is_as_good_wherever_it_begins_and_where_copies_overlap_a_character_counts_once(results, recall, precision):
    texts = {"a": "abab", "b": "ababab"}
    scores = assay.evaluate({"1": [("a", 0, 4)]}, {"1": results}, ["R", "P"], documents=texts, copies=True)
    assert (scores["R"], scores["P"]) == (recall, pytest.approx(precision))


def test_copies_of_two_excerpts_may_both_begin_within_others():
    texts = {"a": "abab 1212", "b": "ababab 121212"}
    gold, run = {"1": [("a", 0, 4), ("a", 5, 9)]}, {"1": [("b", 2, 6), ("b", 9, 13)]}
    assert assay.evaluate(gold, run, "R", documents=texts, copies=True)["R"] == 1


@settings(max_examples=sample(12, 500))
@given(text=st.text("ab", min_size=2, max_size=30), data=st.data())
def test_every_copy_of_an_excerpt_is_all_of_it_and_no_more_is_found_by_reading_further(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    at = data.draw(st.sampled_from([at for _, at in naive.places(text[start:end], {"a": text})]))
    run = {"1": [("a", at, at + end - start), ("a", 0, len(text))]}
    scores = assay.evaluate({"1": [("a", start, end)]}, run, ["R@1", "P@1", "R"], documents={"a": text}, copies=True)
    assert [scores["R@1"], scores["P@1"], scores["R"]] == [1, 1, 1]


def test_a_row_of_one_letter_takes_neither_long_nor_much_memory():
    """Its copies have 999,000,000 characters, none of which is made a row of a table."""
    with pytest.raises(assay.InputError) as error:
        assay.evaluate({"1": [("a", 0, 1000)]}, {"1": [("a", 0, 9)]}, "R", documents={"a": "a" * 1_000_000}, copies=True)
    assert str(error.value) == (
        f"judgments: copies of '{'a' * 39}…' overlap each other in the documents (999,000,000 characters; the limit is 250,000); expected excerpts that are evidence wherever they occur"
    )
    # copies that do not overlap are not of these
    scores = assay.evaluate({"1": [("a", 0, 5)]}, {"1": [("a", 70, 75)]}, "R", documents={"a": "abcd " * 60_000}, copies=True)
    assert scores["R"] == 1


words = st.lists(st.sampled_from(["ab", "ba", "c", " "]), min_size=2, max_size=8).map("".join) | st.text(
    "ab", min_size=2, max_size=14
)
texts_of_documents = st.fixed_dictionaries({"x": words, "y": words, "z": words})


@st.composite
def spans(draw, texts):
    document = draw(st.sampled_from("xyz"))
    start = draw(st.integers(0, len(texts[document]) - 1))
    return document, start, draw(st.integers(start + 1, len(texts[document])))


@pytest.mark.parametrize("overlap", ["paid", "new"])
@settings(max_examples=sample(8, 300))
@given(data=st.data())
def test_values_are_those_of_a_plain_search_and_sets_of_characters(overlap, data):
    texts = data.draw(texts_of_documents)
    few = st.lists(spans(texts), min_size=1, max_size=4, unique=True)
    gold, run = data.draw(few), data.draw(few)
    names = ["R@1", "R@3", "P@1", "P@3", "R(chars=4)", "P(chars=4)"]
    scores = assay.evaluate({"1": gold}, {"1": run}, names, documents=texts, copies=True, overlap=overlap)
    untils = [{"k": 1}, {"k": 3}, {"chars": 4}]
    values = [naive.recall_and_precision(run, gold, texts, overlap, **until) for until in untils]
    expected = [values[0][0], values[1][0], values[0][1], values[1][1], values[2][0], values[2][1]]
    assert [scores[name] for name in names] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=sample(8, 300))
@given(data=st.data())
def test_of_several_sets_each_has_its_own_copies(data):
    texts = data.draw(texts_of_documents)
    few = st.lists(spans(texts), min_size=1, max_size=3, unique=True)
    sets, run = {"p": data.draw(few), "q": data.draw(few)}, data.draw(few)
    rows = [
        {"query_id": "1", "doc_id": document, "start": start, "end": end, "set": name}
        for name, gold in sets.items()
        for document, start, end in gold
    ]
    scores = assay.evaluate(rows, {"1": run}, ["R@2", "P@2"], documents=texts, copies=True)
    values = [naive.recall_and_precision(run, gold, texts, "paid", k=2) for gold in sets.values()]
    assert scores["R@2"] == pytest.approx(max(recall for recall, _ in values), abs=1e-12)
    assert scores["P@2"] == pytest.approx(max(precision for _, precision in values), abs=1e-12)


def test_what_copies_cannot_be_had_of_is_refused():
    run = {"1": [("guide", 21, 47)]}
    refused = {
        "copies of the evidence are found in the documents; pass documents=": (GOLD, ["R"], {}),
        "judgments: these judgments have no highlighted text; copies=True needs it": (
            {"1": {"bridge": 1}}, ["AP"], {"documents": TEXTS},
        ),
        "ChromaRecall@5 cannot count copies; choose from R, P, F, IoU, AiP (in characters), or leave out copies=": (
            GOLD, ["ChromaRecall@5"], {"documents": TEXTS},
        ),
        "P(unit=token)@5 cannot count copies; choose from R, P, F, IoU, AiP (in characters), or leave out copies=": (
            GOLD, ["P(unit=token)@5"], {"documents": TEXTS, "tokenizer": "words"},
        ),
    }  # fmt: skip
    for message, (gold, measures, options) in refused.items():
        with pytest.raises(assay.AssayError) as error:
            assay.evaluate(gold, run, measures, copies=True, **options)
        assert str(error.value) == message


def test_commands_take_copies_and_a_report_refuses_them(tmp_path):
    (tmp_path / "documents.jsonl").write_text(
        "".join(json.dumps({"doc_id": name, "text": text}) + "\n" for name, text in TEXTS.items())
    )
    gold, run = tmp_path / "gold.jsonl", tmp_path / "run.jsonl"
    gold.write_text('{"query_id": "1", "doc_id": "bridge", "start": 0, "end": 26}\n')
    run.write_text('{"query_id": "1", "doc_id": "guide", "start": 21, "end": 47, "score": 1}\n')
    done = invoke("evaluate", gold, run, "-m", "R", "--copies")
    assert done.output == "copies of the evidence are found in the documents; pass --documents\n"
    assert done.exit_code == 2
    done = invoke("evaluate", gold, run, "-m", "R", "--copies", "--documents", tmp_path / "documents.jsonl")
    assert done.stdout == "run\tR\nrun\t1.0\n"
    assert done.stderr == f"note: {gold}: {WITH_ONE}\n"
    done = invoke("report", gold, run, "--copies", "-o", tmp_path / "report.html")
    assert done.output == "a report shows the evidence only at its own offsets; leave out --copies\n"
    done = invoke("evaluate", gold, run, "--copies", "--engine", "spark")
    assert done.output == "a cluster cannot find copies of the evidence; leave out --copies\n"


def test_a_gate_tells_that_copies_counted_before(tmp_path):
    run = {"1": [("guide", 21, 47)]}
    assay.evaluate(GOLD, run, ["R"], documents=TEXTS, copies=True).save(tmp_path / "before.json")
    with pytest.raises(assay.AssayError) as error:
        assay.gate(GOLD, run, not_worse_than=tmp_path / "before.json", documents=TEXTS)
    assert str(error.value) == (
        f"{tmp_path / 'before.json'}: this baseline was measured with copies=True, the run with none; pass copies=True, or save a new "
        "baseline"
    )


@pytest.mark.shared("spans/chroma-chunking-eval")
def test_every_copy_of_chromas_excerpts_is_found():
    # counted by str.find over the five corpora
    folder = DATA / "spans" / "chroma-chunking-eval"
    scores = assay.evaluate(
        folder / "gold.jsonl", folder / "runs" / "bm25-rec200-0.tsv", ["R@5"], documents=folder / "corpora", copies=True
    )
    assert scores.notes[0] == (
        f"{folder / 'gold.jsonl'}: 97 of 790 excerpts have copies elsewhere in the documents (66 with 1, 15 with 2, "
        "13 with 3, 3 with 5); a copy counts like its excerpt"
    )
