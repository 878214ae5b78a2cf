"""Budgets as prompts are built: the last result is cut, or reading stops before it, or it is skipped."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from helpers.commands import invoke
from helpers.samples import sample

GOLD = [
    {"query_id": "q", "doc_id": "d", "start": 0, "end": 10},
    {"query_id": "q", "doc_id": "e", "start": 0, "end": 30},
]
# with 95 characters the second result is too long for what is left, and the third and the fourth are not
RUN = {"q": [("d", 0, 40), ("x", 0, 60), ("e", 0, 30), ("d", 5, 25)]}


def value(measure, **rules):
    return assay.evaluate(GOLD, RUN, measure, **rules)[measure]


def test_the_last_result_is_cut_or_left_out_or_skipped():
    assert value("R(chars=95)") == 10 / 40 and value("R(chars=110)") == (10 + 10) / 40
    assert value("R(chars=95, fit=stop)") == value("R(chars=110, fit=stop)") == 10 / 40
    assert value("R(chars=95, fit=skip)") == 1
    # only what was read is paid for
    assert value("P(chars=95, fit=stop)") == 10 / 40
    assert value("P(chars=95, fit=skip)") == 40 / 90
    assert value("NumRet(chars=95, fit=skip)") == 90
    assert value("Redundancy(chars=95, fit=skip)") == 20 / 90


def test_results_that_fit_exactly_are_read():
    assert value("NumRet(chars=100, fit=stop)") == 100
    assert value("NumRet(chars=99, fit=stop)") == 40
    assert value("NumRet(chars=39, fit=stop)") == 0
    assert value("NumRet(chars=39, fit=skip)") == 30


def test_text_of_a_result_that_was_skipped_is_new_where_it_is_read():
    gold = [{"query_id": "q", "doc_id": "d", "start": 10, "end": 20}]
    run = {"q": [("d", 0, 50), ("d", 10, 30)]}
    assert assay.evaluate(gold, run, "R(chars=30, fit=skip)")["R(chars=30, fit=skip)"] == 1
    assert assay.evaluate(gold, run, "Redundancy(chars=30, fit=skip)")["Redundancy(chars=30, fit=skip)"] == 0


def test_what_is_new_is_not_known_before_it_is_known_what_is_skipped():
    assert value("R(chars=80, fit=stop)", overlap="new") == 10 / 40
    with pytest.raises(assay.UsageError) as refused:
        value("R(chars=80, fit=skip)", overlap="new")
    assert str(refused.value) == 'fit=skip requires overlap="paid" if results overlap'
    assert value("R(chars=80, fit=skip)", overlap="drop") == 1


def test_a_fit_is_one_of_three():
    with pytest.raises(assay.UsageError, match=r"^R\(fit=whole\): choose from cut, stop, skip$"):
        value("R(chars=80, fit=whole)")


# A second implementation: sets of characters, one result after the other.


def read_whole(results, cost, budget, fit):
    """The results that are read."""
    read, left = [], budget
    for result in results:
        if cost(result) <= left:
            read.append(result)
            left -= cost(result)
        elif fit == "stop":
            break
    return read


def recall_and_precision(results, gold):
    paid = [(document, at) for document, start, end in results for at in range(start, end)]
    hits = len(gold & set(paid))
    return hits / len(gold), hits / len(paid) if paid else 0.0


def new_text(results):
    """How much of each result no earlier one has."""
    seen, sizes = set(), []
    for document, start, end in results:
        text = {(document, at) for at in range(start, end)}
        sizes.append(len(text - seen))
        seen |= text
    return sizes


TEXTS = {"a": "a bb ccc dddd  eeeee f gg hhh", "b": "bb b bbb   b bb bbbbb b b bbb"}
ENDS = {name: [match.end() for match in re.finditer(r"\S+", text)] for name, text in TEXTS.items()}
LONG = min(map(len, TEXTS.values()))


@st.composite
def spans(draw):
    start = draw(st.integers(0, LONG - 2))
    return draw(st.sampled_from("ab")), start, draw(st.integers(start + 1, LONG))


def tokens(result):
    document, start, end = result
    return sum(start < place <= end for place in ENDS[document])


@settings(max_examples=sample(25, 500))
@given(
    results=st.lists(st.lists(spans(), min_size=1, max_size=6), min_size=1, max_size=3),
    gold=st.lists(spans(), min_size=1, max_size=3),
    budget=st.integers(1, 40),
    fit=st.sampled_from(["stop", "skip"]),
    k=st.sampled_from([None, 2, 3]),
)
def test_a_second_implementation_agrees(results, gold, budget, fit, k):
    judged = [
        {"query_id": str(number), "doc_id": document, "start": start, "end": end}
        for number in range(len(results))
        for document, start, end in gold
    ]
    run = {str(number): each for number, each in enumerate(results)}
    at = "" if k is None else f"@{k}"
    names = [f"{name}({unit}={budget}, fit={fit}){at}" for unit in ("chars", "tokens") for name in "RP"]
    scores = assay.evaluate(judged, run, names, documents=TEXTS, tokenizer="words")
    relevant = {(document, place) for document, start, end in gold for place in range(start, end)}
    costs = (lambda result: result[2] - result[1], tokens)
    for number, each in enumerate(results):
        expected = [
            value
            for cost in costs
            for value in recall_and_precision(read_whole(each[:k], cost, budget, fit), relevant)
        ]
        assert scores.values[0, :, number].tolist() == pytest.approx(expected)


@settings(max_examples=sample(12, 200))
@given(results=st.lists(spans(), min_size=1, max_size=6), gold=spans(), budget=st.integers(1, 40))
def test_where_only_new_text_is_paid_for_reading_stops_by_what_is_new(results, gold, budget):
    document, start, end = gold
    judged = [{"query_id": "1", "doc_id": document, "start": start, "end": end}]
    name = f"R(chars={budget}, fit=stop)"
    found = assay.evaluate(judged, {"1": results}, name, overlap="new")[name]
    sizes = new_text(results)
    read = [result for number, result in enumerate(results) if sum(sizes[: number + 1]) <= budget]
    assert found == pytest.approx(recall_and_precision(read, {(document, at) for at in range(start, end)})[0])


def test_a_fit_is_saved_and_compared(folder):
    gold = "".join(f'{{"query_id": "{n}", "doc_id": "d", "start": {n}, "end": 30}}\n' for n in range(5))
    run = "".join(f'{{"query_id": "{n}", "doc_id": "d", "start": 0, "end": {20 + n}, "score": 1}}\n' for n in range(5))
    (folder / "gold.jsonl").write_text(gold)
    (folder / "run.jsonl").write_text(run)
    done = invoke("evaluate", "gold.jsonl", "run.jsonl", "-m", "R(chars=22, fit=stop)", "--save", "scores.json")
    assert done.exit_code == 0, done.stderr
    assert [str(measure) for measure in assay.read_scores("scores.json").measures] == ["R(chars=22, fit=stop)"]


def test_scores_that_were_saved_before_there_were_fits_can_be_compared(folder):
    assay.evaluate(GOLD, RUN, ["R(chars=95)", "R(chars=95, fit=stop)"]).save("scores.json")
    saved = json.loads((folder / "scores.json").read_text())
    cut, stop = saved["measures"]
    assert "fit" not in cut["parameters"] and stop["parameters"]["fit"] == "stop"


def test_why_shows_what_was_read():
    shown = assay.why(GOLD, RUN, "R(chars=70, fit=skip)").show("tsv").splitlines()
    ranks = [line.split("\t")[3] for line in shown[1:]]
    assert [rank for rank in ranks if rank] == ["1", "3"]


def test_a_list_that_ends_before_the_budget_is_noted_once_for_all_fits():
    measures = ["R(chars=500, fit=stop)", "R(chars=500, fit=skip)", "R(chars=500)"]
    ended = [note for note in assay.evaluate(GOLD, RUN, measures).notes if "list ends" in note]
    assert ended == [
        "run: 1 of 1 result list ends before 500 characters (shortest 150, longest 150); "
        "retrieve more or use a smaller budget before you compare runs"
    ]
