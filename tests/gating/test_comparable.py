"""A gate fails closed: what cannot be compared is an error, with what differs."""

from dataclasses import replace

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.evaluation.provenance import MeasureFacts
from helpers.files import written

GOLD = {f"q{topic}": {"d1": 1, "d2": 1, "d3": 0} for topic in range(8)}
RUN = {f"q{topic}": {"d1": 3, "d3": 2, "d2": 1} for topic in range(8)}
TEXTS = {"d": "Rye keeps longer than wheat, and barley does not rise."}
SPANS = [{"topic": f"q{topic}", "document": "d", "start": 0, "end": 16} for topic in range(8)]
CHUNKS = [{"topic": f"q{topic}", "document": "d", "start": 4, "end": 20, "score": 1} for topic in range(8)]


def refused(before, gold=GOLD, run=RUN, measures=None, **rules) -> str:
    with pytest.raises(AssayError) as error:
        assay.gate(gold, {"now": run}, measures, not_worse_than=before, **rules)
    return str(error.value)


def test_the_same_passes():
    assert assay.gate(GOLD, {"now": RUN}, not_worse_than=assay.evaluate(GOLD, {"a": RUN}, "AP")).passed


def test_other_gold_is_refused():
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    other = GOLD | {"q3": {"d1": 1, "d2": 0, "d3": 0}}
    was = before.made_of().gold[:8]
    now = assay.evaluate(other, {"a": RUN}, "AP").made_of().gold[:8]
    assert refused(before, other) == (
        f"the baseline: the judgments changed since this baseline was saved ({was} then, {now} now); use the old judgments, or save a new baseline"
    )


def test_a_baseline_whose_measures_do_not_fit_the_judgments_is_refused():
    documents = {row["topic"]: {"d": 1} for row in SPANS}
    before = assay.evaluate(documents, {"a": CHUNKS}, "nDCG@10")
    why = "nDCG@10 counts documents, but judgments has highlighted text"
    assert refused(before, SPANS, CHUNKS) == (
        f"the baseline: this baseline has other judgments: {why}; use the old judgments, or save a new baseline"
    )
    # a measure that the user names has to be written in another way
    assert refused(before, SPANS, CHUNKS, "nDCG@10") == f"{why}; write nDCG(unit=document)@10"
    assert refused(before, SPANS, CHUNKS, require="nDCG@10 > 0") == f"{why}; write nDCG(unit=document)@10"


def test_a_baseline_of_given_values_is_refused(folder):
    path = written("topic,AP\n" + "".join(f"{topic},0.5\n" for topic in GOLD), "scores.csv")
    assert refused(path) == (
        "scores.csv: the values of this baseline were given, but Assay computed the values of the run; save a new baseline"
    )


def test_other_topics_are_refused():
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    without = {topic: grades for topic, grades in GOLD.items() if topic not in ("q1", "q2")}
    assert refused(before, without) == (
        "the baseline: no judgments here for 2 of the 8 topics in this baseline: q1, q2; use the same topics, or save a new baseline"
    )
    assert refused(assay.evaluate(without, {"a": RUN}, "AP")) == (
        "the baseline: this baseline lacks 2 of the 8 topics judged here: q1, q2; use the same topics, or save a new baseline"
    )


def test_documents_given_on_one_side_only_are_refused():
    before = assay.evaluate(SPANS, {"a": CHUNKS}, "R@5", documents=TEXTS)
    assert refused(before, SPANS, CHUNKS) == "the baseline: this baseline was measured with documents; pass documents="
    without = assay.evaluate(SPANS, {"a": CHUNKS}, "R@5")
    assert refused(without, SPANS, CHUNKS, documents=TEXTS) == (
        "the baseline: this baseline was measured without documents, the run with documents; "
        "measure both alike, or save a new baseline"
    )


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"overlap": "new"}, "overlap=paid, the run with new; pass overlap=paid, or save a new baseline"),
        ({"depth": 5}, "depth=none, the run with 5; measure both alike, or save a new baseline"),
        ({"topics": "relevant"}, "topics=judged, the run with relevant; pass topics=judged, or save a new baseline"),
        ({"judged_only": True}, "judged_only=False, the run with True; measure both alike, or save a new baseline"),
    ],
)
def test_other_rules_are_refused(rule, message):
    before = assay.evaluate(SPANS, {"a": CHUNKS}, "R@5")
    assert refused(before, SPANS, CHUNKS, **rule) == f"the baseline: this baseline was measured with {message}"


def changed(scores, **facts):
    """The same scores, as if something else were known of their measure."""
    provenance = scores.made_of()
    told = replace(provenance.measures[0], **facts)
    return replace(scores, provenance=lambda: replace(provenance, measures=[told]))


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"unit": "characters"}, "this baseline counts AP in characters, the run in documents; save a new baseline"),
        ({"version": "0"}, "this baseline has version 0 of AP, the run version 1; save a new baseline"),
        (
            {"parameters": {"rel": "2", "k": "None", "chars": "None", "tokens": "None", "unit": ""}},
            "this baseline has AP with rel=2, the run with 1; save a new baseline",
        ),
        ({"name": "P@5"}, "this baseline has no AP; choose from P@5"),
    ],
)
def test_another_unit_version_or_parameter_of_a_measure_is_refused(facts, message):
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    assert refused(changed(before, **facts)) == f"the baseline: {message}"


def test_a_measure_that_the_baseline_lacks_is_refused():
    before = assay.evaluate(GOLD, {"a": RUN}, ["AP", "P@2"])
    assert refused(before, measures="R@2") == "the baseline: this baseline has no R@2; choose from AP, P@2"


def test_a_topic_without_results_is_refused_unless_it_shall_count_0():
    short = {topic: results for topic, results in RUN.items() if topic != "q4"}
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    assert refused(before, run=short) == (
        "now: no results for 1 of 8 topics: q4; pass allow_missing= to score them 0"
    )
    assert refused(assay.evaluate(GOLD, {"a": short}, "AP")) == (
        "the baseline: no results for 1 of 8 topics: q4; pass allow_missing= to score them 0"
    )
    assert assay.gate(GOLD, {"now": short}, not_worse_than=before, allow_missing=True).checks[0].worst[0].topic == "q4"
    # a retriever that returned nothing says so with an empty list
    said_so = short | {"q4": {}}
    assert refused(before, run=said_so).startswith("now: no results for 1 of 8 topics: q4;")
    told = assay.gate(GOLD, {"now": said_so}, not_worse_than=before, allow_missing=True)
    assert told.checks[0].worst[0].after == 0


def test_topics_without_results_are_not_left_out_by_the_policy_common():
    short = {topic: results for topic, results in RUN.items() if topic != "q4"}
    before = assay.evaluate(GOLD, {"a": RUN}, "AP", topics="common")
    assert refused(before, run=short, topics="common") == (
        "now: no results for 1 of 8 topics: q4, which topics=common would leave out, but a gate does not; "
        "pass topics=judged and allow_missing= to score them 0"
    )
    with pytest.raises(assay.UsageError) as error:
        assay.gate(GOLD, {"now": short}, require="AP > 0", topics="common", allow_missing=True)
    assert str(error.value) == (
        "allow_missing scores topics without results 0, but topics=common leaves them out; pass topics=judged"
    )
    assert assay.gate(GOLD, {"now": RUN}, not_worse_than=before, topics="common").passed


def test_topics_that_do_not_count_need_no_results():
    gold = GOLD | {"q9": {"d1": 0}}
    before = assay.evaluate(gold, {"a": RUN}, "AP", topics="relevant")
    assert assay.gate(gold, {"now": RUN}, not_worse_than=before, topics="relevant").passed


def test_a_value_that_is_none_is_refused():
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    before.values[0, 0, 2] = float("nan")
    assert refused(before) == "the baseline: no value of AP for 1 topic: q2"


def test_a_demand_on_no_topics_at_all_is_refused():
    with pytest.raises(InputError) as error:
        assay.gate({"q1": {"d1": 0}}, {"now": {"q1": {"d1": 1}}}, require="AP <= 1", topics="relevant")
    assert str(error.value) == "now: no value of AP for any topic"


def test_an_infinite_value_is_refused():
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    before.values[0, 0, 2] = float("inf")
    assert refused(before) == "AP is infinite for 1 topic; it has no mean that could be tested"
    assert refused(before, means_only=True) == "AP cannot be compared: inf before, 0.833333 now; a gate compares only finite values"


def test_an_empty_run_is_refused(folder):
    (folder / "empty.run").write_text("")
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    with pytest.raises(InputError) as error:
        assay.gate(GOLD, "empty.run", not_worse_than=before)
    assert str(error.value) == "empty.run: the input is empty; expected a run"


def test_which_run_of_several_must_be_said():
    before = assay.evaluate(GOLD, {"a": RUN, "b": RUN}, "AP")
    assert refused(before) == "the baseline: this baseline has 2 runs: a, b; pass baseline= to choose one"
    assert refused(before, baseline="c") == "the baseline has no run 'c'; choose from a, b"
    assert assay.gate(GOLD, {"now": RUN}, not_worse_than=before, baseline="b").passed


def test_scores_that_do_not_tell_what_they_were_made_of_are_refused():
    before = replace(assay.evaluate(GOLD, {"a": RUN}, "AP"), provenance=None)
    assert refused(before) == "these scores lack their judgments and runs; expected scores from assay.evaluate"


def test_another_version_of_the_program_is_noted():
    before = assay.evaluate(GOLD, {"a": RUN}, "AP")
    older = replace(before.made_of(), program="0.0.9")
    gate = assay.gate(GOLD, {"now": RUN}, not_worse_than=replace(before, provenance=lambda: older))
    assert gate.notes == [f"the baseline: Assay 0.0.9 measured this baseline, Assay {assay.__version__} the run"]


def test_the_version_of_a_measure_within_a_measure_counts():
    facts = assay.evaluate(SPANS, {"a": CHUNKS}, "AgP(score=F)").made_of().measures[0]
    assert isinstance(facts, MeasureFacts)
    assert facts.version == "1+1"
