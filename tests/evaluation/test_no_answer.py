"""Questions that have no answer, on purpose: they count in no mean, and a note says what was returned for them."""

import json

import pandas as pd
import polars as pl
import pytest

import assay

DOCUMENTS = {
    "ferry": "The ferry leaves the old pier at seven, and in winter at eight.",
    "oven": "An oven of clay holds its heat for nine hours. Bread goes in first.",
}
GOLD = [
    {"query_id": "q1", "doc_id": "ferry", "start": 0, "end": 40},
    {"query_id": "q2", "doc_id": "oven", "start": 10, "end": 30},
    {"query_id": "q3", "answerable": False},
    {"query_id": "q4", "answerable": False},
]
RUN = [
    {"query_id": "q1", "doc_id": "ferry", "start": 20, "end": 60, "score": 0.9},
    {"query_id": "q2", "doc_id": "oven", "start": 15, "end": 45, "score": 0.8},
    {"query_id": "q3", "doc_id": "oven", "start": 15, "end": 45, "score": 0.6},
    {"query_id": "q3", "doc_id": "oven", "start": 0, "end": 10, "score": 0.2},
]
RECALL = [0.5, 0.75]
TOLD = "run: 2 questions have no answer and are left out of all means; the run returned 2 results for 1 of them"


def lists(run):
    by_topic = {}
    for row in run:
        by_topic.setdefault(row["query_id"], []).append({name: row[name] for name in row if name != "query_id"})
    return by_topic


def evaluated(gold, run=RUN, **options):
    scores = assay.evaluate(gold, run, "R@1", **options)
    return scores.topics, scores.values[0, 0].tolist(), scores["R@1"], scores.notes


@pytest.mark.parametrize("form", ["records", "polars", "pandas", "jsonl", "csv", "parquet"])
def test_a_column_says_that_a_question_has_no_answer(form, tmp_path):
    path = tmp_path / f"gold.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    elif form in ("csv", "parquet"):
        getattr(pl.DataFrame(GOLD), f"write_{form}")(path)
    frames = {"records": GOLD, "polars": pl.DataFrame(GOLD), "pandas": pd.DataFrame(GOLD)}
    assert evaluated(frames.get(form, str(path))) == (["q1", "q2"], RECALL, 0.625, [f"{TOLD}, mean top score 0.6"])


@pytest.mark.parametrize(
    "flag",
    [{"answerable": "false"}, {"has_answer": 0}, {"no_answer": True}, {"unanswerable": "yes"}, {"is_impossible": 1}],
)
def test_the_column_has_several_names(flag):
    gold = [*GOLD[:2], {"query_id": "q3", **flag}]
    told = "run: 1 question has no answer and is left out of all means; the run returned 2 results for it, mean top score 0.6"
    assert evaluated(gold)[2:] == (0.625, [told])


def test_the_score_of_the_first_in_a_list_is_told_if_it_has_one():
    assert evaluated(GOLD, lists(RUN))[3] == [f"{TOLD}, mean top score 0.6"]
    spans = {topic: [(each["doc_id"], each["start"], each["end"]) for each in found] for topic, found in lists(RUN).items()}
    assert evaluated(GOLD, spans)[3] == [TOLD]


def test_no_score_is_told_of_runs_that_have_none(tmp_path):
    ranked = [{name: value for name, value in row.items() if name != "score"} for row in RUN]
    for topic in {row["query_id"] for row in RUN}:
        for rank, row in enumerate((row for row in ranked if row["query_id"] == topic), 1):
            row["rank"] = rank
    assert evaluated(GOLD, ranked)[3] == [TOLD]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({topic: [[*row.values()][:3] for row in found] for topic, found in lists(RUN).items()}))
    assert evaluated(GOLD, str(path))[3] == [TOLD]


def test_of_pairs_with_scores_the_highest_is_told():
    gold = [{"query_id": "q1", "doc_id": "a", "start": 0, "end": 5}, {"query_id": "q2", "answerable": False}]
    run = {"q1": [("c1", 0.9)], "q2": [("c1", 0.5), ("c2", 0.8)]}
    (told,) = assay.evaluate(gold, run, "R", chunks={"c1": ("a", 0, 5), "c2": ("a", 6, 10)}).notes
    assert told.endswith("the run returned 2 results for it, mean top score 0.8")


def test_nothing_returned_is_told_too():
    assert evaluated(GOLD, RUN[:2])[3] == [
        "run: 2 questions have no answer and are left out of all means; the run returned nothing for them"
    ]


def test_quotations_and_lists_by_topic_may_say_it():
    quotes = {"q1": [{"quote": DOCUMENTS["ferry"][:40]}], "q2": [{"quote": DOCUMENTS["oven"][10:30]}]}
    by_topic = {**quotes, "q3": [{"no_answer": True}]}
    records = [{"query_id": topic, **quote} for topic, [quote] in quotes.items()]
    for gold in (by_topic, [*records, {"query_id": "q3", "quote": None, "no_answer": True}]):
        assert evaluated(gold, documents=DOCUMENTS)[:3] == (["q1", "q2"], RECALL, 0.625)


def test_grades_of_documents_may_say_it():
    gold = [{"qid": "q1", "docid": "d", "grade": 1}, {"qid": "q2", "no_answer": True}]
    scores = assay.evaluate(gold, {"q1": {"d": 1.0}, "q2": {"d": 0.5}}, "P@1")
    assert scores["P@1"] == 1


REFUSED = {
    "evidence in the same row": (
        {"query_id": "q5", "doc_id": "oven", "start": 1, "end": 4, "answerable": False},
        "judgments: record 5: question 'q5' is marked as having no answer, but has evidence; remove one of these",
    ),
    "evidence in another row": (
        {"query_id": "q1", "answerable": False},
        "judgments: question 'q1' is marked as having no answer, but has evidence in other rows; remove one of these",
    ),
    "neither true nor false": (
        {"query_id": "q5", "answerable": "maybe"},
        "judgments: record 5: answerable is 'maybe'; expected true or false",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_contradictions_are_refused(case):
    row, told = REFUSED[case]
    with pytest.raises(assay.InputError) as refused:
        evaluated([*GOLD, row])
    assert str(refused.value) == told


def test_a_check_names_the_questions_without_an_answer(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    notes = assay.check(str(path)).notes
    assert "questions without an answer: q3, q4" in notes
    assert not [note for note in notes if "not used" in note]
