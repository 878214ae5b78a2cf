"""What must hold for every measure of text, once for all."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import UsageError
from assay.measures.notation import parse
from assay.ranking import kinds
from helpers import naive_focused as naive
from helpers.focused_tables import judgments_of, run_of
from helpers.measures import OURS

IN_CONTEXT = [
    f"{name}(score={score}){at}"
    for score in ("F", "F(beta=0.25)", "BEP", "BEP(A=10)", "Window(n=8)", "T2I(irr=3)")
    for name, at in (("AgP", ""), ("gP", "@2"))
]
TEXT = [
    "P",
    "P@2",
    "P(chars=9)",
    "R",
    "R@2",
    "R(chars=9)",
    "F",
    "F(beta=2)@3",
    "AP",
    "AP@2",
    "AP(chars=9)",
    "iP@0",
    "iP@0.1",
    "AiP",
    "IoU",
    "IoU@2",
    "IoU(chars=9)",
    "Redundancy",
    "Redundancy@2",
    "Redundancy(chars=9)",
    "RecallArea(chars=9)",
    "RecallArea(chars=30, scale=log)",
]
HITS = ["RR", "RR@2", "Success@2", "Judged@2", "SetP", "SetR", "SetF", "SetAP", "GMAP"]
DOCUMENTS = [
    f"{name}(unit=document)"
    for name in ("AP", "P", "R", "RR", "bpref", "nDCG", "Rprec", "infAP", "ERR", "Q", "IPrec11")
]
DOCUMENTS_ONLY = [cls for cls in OURS if kinds.DOCUMENTS in cls.kinds and kinds.TEXT not in cls.kinds]
EVERY = [*TEXT, *HITS, *IN_CONTEXT, *DOCUMENTS, "gR", "gR@2", "PASSAGE", "PASSAGE2"]
LESS_WHEN_PERFECT = (
    "T2I",
    "chars",
    "@2",
    "@3",
    "Judged",
    "PASSAGE",
    "BEP",
    "Window",
    "ERR",
    "infAP",
    "P(unit",
    "Success",
    "Redundancy",
    "Area",
)


def ideal(judged):
    """All highlighted text, document by document, from the best entry point where that is highlighted."""
    return {
        topic: [(document, *span) for document, facts in found.items() for span in merged(facts["spans"])]
        for topic, found in judged.items()
    }


def merged(spans):
    places = sorted({place for start, end in spans for place in range(start, end)})
    runs = []
    for place in places:
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


@given(naive.cases())
def test_values_lie_between_0_and_1(case):
    judged, run = case
    values = assay.evaluate(judgments_of(judged), run_of(run), EVERY).values
    assert np.isfinite(values).all()
    assert values.min() >= 0 and values.max() <= 1 + 1e-12


@given(naive.cases(overlapping_judgments=False))
def test_the_ideal_run_scores_1_but_where_reading_goes_on(case):
    judged, _ = case
    judged = {topic: found for topic, found in judged.items() if any(facts["spans"] for facts in found.values())}
    if not judged:
        return
    perfect = [name for name in EVERY if not any(part in name for part in LESS_WHEN_PERFECT)]
    scores = assay.evaluate(judgments_of(judged), run_of(ideal(judged)), perfect, overlap="reject")
    assert scores.values == pytest.approx(1, abs=1e-12), dict(
        zip(map(str, scores.measures), scores.values[0], strict=True)
    )


@given(naive.cases(overlapping_judgments=False))
def test_entering_at_the_best_point_scores_1(case):
    judged, _ = case
    judged = {topic: found for topic, found in judged.items() if any(facts["spans"] for facts in found.values())}
    if not judged:
        return
    entered = {
        topic: [(document, facts["bep"], facts["bep"]) for document, facts in found.items() if facts["spans"]]
        for topic, found in judged.items()
    }
    scores = assay.evaluate(judgments_of(judged), run_of(entered), ["AgP(score=BEP)", "AgP(score=Window(n=8))"])
    assert scores.values == pytest.approx(1, abs=1e-12)


@given(naive.cases(), st.integers(0, 2**32))
def test_the_order_of_lines_does_not_matter(case, seed):
    judged, run = case
    rows = [
        {"topic": topic, "document": document, "start": start, "end": end, "score": -(rank // 2)}
        for topic, results in run.items() for rank, (document, start, end) in enumerate(results)
    ]
    before = assay.evaluate(judgments_of(judged), {"run": rows}, EVERY).values
    shuffled = random.Random(seed).sample(rows, len(rows))
    assert assay.evaluate(judgments_of(judged), {"run": shuffled}, EVERY).values.tobytes() == before.tobytes()


@given(naive.cases())
def test_a_topic_does_not_depend_on_its_neighbours(case):
    judged, run = case
    among = assay.evaluate(judgments_of(judged), run_of(run), EVERY)
    for number, topic in enumerate(judged):
        if topic in run:
            alone = assay.evaluate(judgments_of({topic: judged[topic]}), run_of({topic: run[topic]}), EVERY)
            assert alone.values[0, :, 0].tobytes() == among.values[0, :, number].tobytes()


@given(naive.cases())
def test_results_beyond_all_highlighted_text_change_nothing_but_precision(case):
    judged, run = case
    longer = {topic: [*results, *((f"d{n}", 60, 70) for n in range(1, 5))] for topic, results in run.items()}
    unchanged = ["R", "AP", "iP@0", "iP@0.5", "AiP", "R@2", "RR", "PASSAGE2"]
    before, after = (assay.evaluate(judgments_of(judged), run_of(one), unchanged) for one in (run, longer))
    assert after.values == pytest.approx(before.values, abs=1e-12)
    precision = (assay.evaluate(judgments_of(judged), run_of(one), "P").values for one in (longer, run))
    assert np.all(np.less_equal(*precision))


@given(naive.cases(overlapping=False), st.integers(0, 7), st.integers(1, 20))
def test_splitting_a_result_into_adjacent_pieces_changes_no_in_context_score(case, which, where):
    judged, run = case
    split = {}
    for topic, results in run.items():
        at = which % len(results)
        document, start, end = results[at]
        middle = min(start + where, end)
        split[topic] = [*results[:at], (document, start, middle), (document, middle, end), *results[at + 1 :]]
    before, after = (
        assay.evaluate(judgments_of(judged), run_of(one), [*IN_CONTEXT, *DOCUMENTS, "gR@2"]) for one in (run, split)
    )
    assert after.values == pytest.approx(before.values, abs=1e-12)


@pytest.mark.parametrize("cls", DOCUMENTS_ONLY, ids=lambda cls: cls.__name__)
def test_a_measure_of_documents_tells_how_to_count_documents(cls):
    measure = parse("Accuracy(collection=100)" if cls.__name__ == "Accuracy" else cls.__name__)
    judged = judgments_of({"1": {"d": {"length": 9, "spans": [(2, 4)], "bep": 2}}})
    with pytest.raises(UsageError) as caught:
        assay.evaluate(judged, run_of({"1": [("d", 0, 4)]}), measure)
    instead = str(caught.value).rpartition("; write ")[2]
    assert str(caught.value) == f"{measure} counts documents, but judgments has highlighted text; write {instead}"
    assert parse(instead).unit == "document"
    assert np.isfinite(assay.evaluate(judged, run_of({"1": [("d", 0, 4)]}), instead).values).all()
