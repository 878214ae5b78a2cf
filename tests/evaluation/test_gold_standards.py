"""Alternative sets of evidence and several annotators: what they are worth, and what is said of them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.ranking.gold_standards import select_annotators
from helpers import naive_gold as naive
from helpers.commands import invoke
from helpers.places import DATA
from helpers.samples import sample

SPANS = DATA / "spans"
MEASURES = {
    "R@2": (naive.recall, {"k": 2}),
    "P@2": (naive.precision, {"k": 2}),
    "F@3": (naive.f, {"k": 3}),
    "R(chars=7)": (naive.recall, {"chars": 7}),
    "Budget@0.5": (naive.budget, {"share": 0.5, "least": True}),
}


@st.composite
def spans(draw):
    start = draw(st.integers(0, 12))
    return draw(st.sampled_from("ab")), start, start + draw(st.integers(1, 8))


rows_of_gold = st.lists(
    st.tuples(st.sampled_from("123"), spans(), st.sampled_from(["x", "y"]), st.sampled_from(["ann", "bob", "eve"])),
    min_size=1, max_size=12,
).map(lambda rows: [(topic, *span, of_set, annotator) for topic, span, of_set, annotator in rows])  # fmt: skip
runs = st.dictionaries(st.sampled_from("123"), st.lists(spans(), min_size=1, max_size=5), min_size=1)
FIELDS = ("query_id", "doc_id", "start", "end", "set", "annotator")


def records(rows):
    return [dict(zip(FIELDS, row, strict=True)) for row in rows]


@pytest.mark.parametrize("overlap", ["paid", "new"])
@pytest.mark.parametrize("annotators", ["mean", "best", "union", "ann"])
@settings(max_examples=sample(5, 300))
@given(rows=rows_of_gold, run=runs)
def test_values_are_those_of_plain_sets_of_characters(overlap, annotators, rows, run):
    topics = sorted({row[0] for row in rows if annotators != "ann" or row[5] == "ann"})
    if not set(topics) & set(run):
        return
    scores = assay.evaluate(records(rows), run, list(MEASURES), overlap=overlap, annotators=annotators)
    assert scores.topics == topics
    for name, (measure, options) in MEASURES.items():
        for topic in topics:
            expected = naive.value(measure, rows, run, topic, annotators, overlap=overlap, **options)
            assert scores[name, topic] == pytest.approx(expected, abs=1e-12), (name, topic)


GOLD = [
    {"query_id": "1", "doc_id": "a", "start": 0, "end": 10, "set": "x", "annotator": "ann"},
    {"query_id": "1", "doc_id": "a", "start": 20, "end": 30, "set": "y", "annotator": "ann"},
    {"query_id": "1", "doc_id": "b", "start": 0, "end": 40, "set": "x", "annotator": "bob"},
    {"query_id": "2", "doc_id": "a", "start": 0, "end": 10, "set": "x", "annotator": "ann"},
]
RUN = {"1": [("a", 20, 30), ("b", 0, 10)], "2": [("a", 5, 10)]}


@pytest.mark.parametrize(
    ("annotators", "recall"),
    [
        # of ann's two sets the second is found; a quarter of bob's is
        (None, {"1": (1 + 0.25) / 2, "2": 0.5}),
        ("mean", {"1": (1 + 0.25) / 2, "2": 0.5}),
        ("best", {"1": 1, "2": 0.5}),
        ("ann", {"1": 1, "2": 0.5}),
        ("bob", {"1": 0.25}),
        # y has 10 characters, all of which are found; x has 50
        ("union", {"1": 1, "2": 0.5}),
    ],
)
def test_the_best_set_counts_and_annotators_are_combined_as_is_asked(annotators, recall):
    scores = assay.evaluate(GOLD, RUN, ["R"], annotators=annotators)
    assert {topic: scores["R", topic] for topic in scores.topics} == recall


def test_less_is_better_where_it_is_a_cost():
    scores = assay.evaluate(GOLD, RUN, ["Budget@0.2", "R@1"], annotators="best")
    # all of ann's second set is needed from the first character on; the fifth of bob's from the eleventh
    assert scores["Budget@0.2", "1"] == 2
    assert assay.evaluate(GOLD, RUN, ["Budget@0.2"], annotators="bob")["Budget@0.2", "1"] == 18


def test_what_was_done_is_said_where_nobody_chose():
    scores = assay.evaluate(GOLD, RUN, ["R"])
    assert scores.notes == [
        "judgments: 1 of 2 topics has several annotators; values are means over the annotators; pass annotators=best or "
        "annotators=union, or the name of an annotator, to change that",
        "judgments: 1 of 2 topics has several sets of evidence; Assay scores the best set",
    ]
    assert assay.evaluate(GOLD, RUN, ["R"], annotators="mean").notes == scores.notes[1:]
    alone = [row for row in GOLD if row["query_id"] == "2"]
    assert assay.evaluate(alone, {"2": RUN["2"]}, ["R"]).notes == []


@pytest.mark.parametrize(
    ("names", "where"),
    [(("set_id", "annotator_id"), "jsonl"), (("alternative", "user"), "csv"), (("Set", "Annotator"), "tsv")],
)
def test_the_labels_are_read_from_files_under_their_usual_names(names, where, tmp_path):
    rows = [
        {names[0] if key == "set" else names[1] if key == "annotator" else key: row[key] for key in row} for row in GOLD
    ]
    file = tmp_path / f"gold.{where}"
    separator = {"csv": ",", "tsv": "\t"}.get(where, "")
    lines = [json.dumps(row) if where == "jsonl" else separator.join(map(str, row.values())) for row in rows]
    file.write_text("\n".join([*([separator.join(rows[0])] if separator else []), *lines]) + "\n")
    assert assay.evaluate(file, RUN, ["R"])["R", "1"] == 0.625
    converted = tmp_path / "again.csv"
    converted.write_bytes(assay.convert(file, "csv"))
    assert assay.evaluate(converted, RUN, ["R"])["R", "1"] == 0.625


def test_a_format_without_labels_holds_all_evidence_as_one_and_that_is_said():
    notes = []
    assert assay.convert(GOLD, "trec", kind="judgments", notes=notes) == b"1 0 a 1\n1 0 b 1\n2 0 a 1\n"
    assert notes == [
        "judgments: trec cannot represent sets of evidence or annotators; Assay wrote all evidence as one set",
        "judgments: trec cannot represent highlighted text; Assay wrote the grades of documents",
    ]


def test_labels_of_quotations_count_too():
    documents = {"a": "one two three four five six"}
    quotes = {"q": [{"text": "one two", "set": 1}, {"text": "five six", "set": 2}]}
    assert assay.evaluate(quotes, {"q": [("a", 0, 7)]}, ["R"], documents=documents)["R"] == 1
    rows = [
        {"query_id": "q", "quote": "one two", "annotator": "ann"},
        {"query_id": "q", "quote": "five six", "annotator": "bob"},
    ]
    assert assay.evaluate(rows, {"q": [("a", 0, 7)]}, ["R"], documents=documents)["R"] == 0.5


def test_whole_documents_have_sets_and_annotators_too():
    judged = [("1", "a", 1, "ann"), ("1", "b", 1, "ann"), ("1", "b", 0, "bob"), ("1", "c", 2, "bob")]
    gold = [dict(zip(("topic", "document", "grade", "annotator"), row, strict=True)) for row in judged]
    run = {"1": {"a": 3, "d": 2, "c": 1}}
    assert assay.evaluate(gold, run, ["R", "Judged"], annotators="ann")["R"] == 0.5
    assert assay.evaluate(gold, run, ["R"], annotators="bob")["R"] == 1
    assert assay.evaluate(gold, run, ["R"])["R"] == 0.75
    assert assay.evaluate(gold, run, ["R"], annotators="union")["R"] == pytest.approx(2 / 3)
    # of the three results each judged one
    assert assay.evaluate(gold, run, ["Judged"])["Judged"] == pytest.approx(1 / 3)


def test_a_document_without_evidence_belongs_to_all():
    nothing = {"query_id": "1", "doc_id": "c", "start": 0, "end": 0, "grade": 0}
    graded = [row | {"grade": 1} for row in GOLD]
    scores = assay.evaluate([*graded, nothing], RUN | {"1": [("c", 0, 5), *RUN["1"]]}, ["R", "Judged"])
    assert scores["R", "1"] == 0.625
    assert scores["Judged", "1"] == pytest.approx((2 / 3 + 2 / 3) / 2)


def test_an_annotator_who_found_nothing_counts_unless_only_relevant_topics_do():
    graded = [row | {"grade": 1} for row in GOLD[:2]]
    nothing = {"query_id": "1", "doc_id": "a", "start": 0, "end": 0, "grade": 0, "set": "x", "annotator": "bob"}
    assert assay.evaluate([*graded, nothing], RUN, ["R"])["R", "1"] == 0.5
    assert assay.evaluate([*graded, nothing], RUN, ["R"], topics="relevant")["R", "1"] == 1


def test_evidence_with_and_without_a_label_is_refused():
    bare = {key: value for key, value in GOLD[0].items() if key != "annotator"}
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate([*GOLD, bare], RUN, ["R"])
    what = (
        "topic 1 has evidence with annotator and evidence without it; expected annotator for all evidence, or for none"
    )
    assert str(refused.value) == f"judgments: {what}"


def test_a_document_that_is_judged_twice_by_one_annotator_is_refused():
    row = {"topic": "1", "document": "a", "grade": 1, "annotator": "ann"}
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate([row, row | {"grade": 0}], {"1": {"a": 1}}, ["P"])
    assert str(refused.value) == "judgments: document a is judged twice for topic 1 by annotator ann in one set"


@pytest.mark.parametrize(
    ("gold", "annotators", "what"),
    [
        (GOLD, "joe", "judgments has no annotator 'joe'; choose from mean, best, union or ann, bob"),
        ({"1": [("a", 0, 4)]}, "mean", "annotators=mean requires judgments with annotators, but judgments has none"),
    ],
)
def test_annotators_that_are_not_there_are_refused(gold, annotators, what):
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(gold, RUN, ["R"], annotators=annotators)
    assert str(refused.value) == what


def test_check_tells_how_many_annotators_and_sets_there_are(tmp_path):
    file = tmp_path / "gold.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    printed = invoke("check", file).stdout
    assert (
        "  annotators: 2 (ann, bob), several in 1 of 2 topics\n  sets of evidence: several in 1 of 2 topics\n"
        in printed
    )


@pytest.mark.shared("spans")
@pytest.mark.parametrize("annotators", ["mean", "best", "union"])
@pytest.mark.parametrize("overlap", ["paid", "new"])
def test_real_evidence_of_doctors_is_measured_as_plain_sets_of_characters(annotators, overlap):
    folder = SPANS / "evidence-inference-v2"
    told = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()]
    rows = [(row["query_id"], row["doc_id"], row["start"], row["end"], "", row["annotator"]) for row in told]
    run = {}
    for line in (folder / "runs" / "bm25-rec800-400.tsv").read_text("utf-8").splitlines():
        topic, _, document, start, end, _ = line.split("\t")
        run.setdefault(topic, []).append((document, int(start), int(end)))
    run = {topic: results[:5] for topic, results in run.items()}
    scores = assay.evaluate(folder / "gold.jsonl", run, ["R@5", "P@5"], annotators=annotators, overlap=overlap)
    for topic in scores.topics[:40]:
        for name, measure in (("R@5", naive.recall), ("P@5", naive.precision)):
            options = {"overlap": overlap, "k": 5}
            assert scores[name, topic] == pytest.approx(
                naive.value(measure, rows, run, topic, annotators, **options), abs=1e-12
            )


@pytest.mark.shared("spans")
def test_the_alternative_answers_of_clapnq_are_sets():
    told = [json.loads(line) for line in (SPANS / "clapnq" / "gold.jsonl").read_text("utf-8").splitlines()]
    rows = [(row["query_id"], row["doc_id"], row["start"], row["end"], row["answer"], "") for row in told]
    run = {row[0]: [(row[1], 0, 300)] for row in rows}
    scores = assay.evaluate(SPANS / "clapnq" / "gold.jsonl", run, ["R", "P"], columns={"set": "answer"})
    assert "139 of 299 topics have several sets of evidence" in " ".join(scores.notes)
    for topic in scores.topics:
        for name, measure in (("R", naive.recall), ("P", naive.precision)):
            assert scores[name, topic] == pytest.approx(
                naive.value(measure, rows, run, topic, overlap="paid"), abs=1e-12
            )


def test_err_takes_the_highest_grade_of_all_judgments_whoever_gave_it():
    """(2^1 − 1) / 2^3 for each annotator of topic 2, and (2^3 − 1) / 2^3 for topic 1."""
    judgments = [
        {"topic": "1", "document": "a", "grade": 3, "annotator": "al"},
        {"topic": "2", "document": "a", "grade": 1, "annotator": "al"},
        {"topic": "2", "document": "a", "grade": 1, "annotator": "bo"},
    ]
    scores = assay.evaluate(judgments, {"1": {"a": 1.0}, "2": {"a": 1.0}}, "ERR")
    assert scores.values[0, 0].tolist() == [7 / 8, 1 / 8]


def test_a_part_without_annotators_has_no_judgments_of_one_of_them():
    rows = [("1", "a", 0, 5), ("1", "b", 2, 9), ("2", "a", 2, 9)]
    names = ("query_id", "doc_id", "start", "end")
    judgments = assay.read_judgments([dict(zip(names, row, strict=True)) for row in rows])
    part = select_annotators(judgments, "ann")
    assert (len(part), len(part.highlights.row)) == (0, 0)
    assert len(select_annotators(judgments, "union")) == 3
