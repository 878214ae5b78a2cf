"""evaluate and Scores: what counts, what is said, and how it is shown."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import assay
from assay import AP, Measure, P, Scores, nDCG, ratio
from assay.compat.pytrec_eval import RelevanceEvaluator
from assay.measures.notation import listing

JUDGMENTS = {"1": {"a": 1, "b": 0}, "2": {"a": 2, "c": 1}, "10": {"a": 0}}
BM25 = {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 3.0, "a": 2.0}, "99": {"a": 1.0}}
DENSE = {"1": {"b": 1.0, "a": 1.0}, "2": {"c": 1.0}, "10": {"z": 1.0}}
BOTH = {"bm25": BM25, "dense": DENSE}


def test_values_by_system_measure_and_topic():
    scores = assay.evaluate(JUDGMENTS, BOTH, [AP, nDCG @ 10])
    assert scores["bm25", AP, "2"] == 0.25
    assert scores["bm25", "AP"] == (1 + 0.25 + 0) / 3
    assert scores["dense", AP, 1] == 0.5
    assert scores.values.shape == (2, 2, 3)


def test_topics_stand_in_their_natural_order():
    assert assay.evaluate(JUDGMENTS, BM25).topics == ["1", "2", "10"]
    assert assay.evaluate({"b": {"d": 1}, "a": {"d": 1}, "10": {"d": 1}}, {"a": {"d": 1}}).topics == ["10", "a", "b"]


@pytest.mark.parametrize(
    ("policy", "mean"),
    [("judged", (1 + 0.25 + 0) / 3), ("relevant", (1 + 0.25) / 2), ("common", (1 + 0.25) / 2)],
)
def test_topics_that_count(policy, mean):
    assert assay.evaluate(JUDGMENTS, BM25, AP, topics=policy)[AP] == mean


def test_a_policy_of_error_refuses_what_differs():
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(JUDGMENTS, {"bm25": BM25}, AP, topics="error")
    assert str(caught.value) == "the topics of bm25 and judgments differ: the run lacks 10"
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 1}, "2": {"a": 1}}}, AP, topics="error")
    assert str(caught.value) == "the topics of r and judgments differ: the run has unjudged topics 2"
    assert assay.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, AP, topics="error")[AP] == 1


def test_what_was_decided_is_said_once():
    assert assay.evaluate(JUDGMENTS, BOTH, AP).notes == [
        "judgments: 1 of 3 topics has nothing relevant and scores 0: 10",
        "bm25: 1 of 3 judged topics is missing from the run and scores as if nothing was retrieved: 10",
        "bm25: 1 topic of the run has no judgments and is left out: 99",
        "dense: tied scores could change values in 1 topic; Assay breaks ties by document id",
    ]


@pytest.mark.parametrize("topics", ["judged", "relevant"])
def test_topics_without_the_grade_that_a_measure_needs_are_named(topics):
    gold = {"1": {"a": 1, "b": 2}, "2": {"a": 1}, "3": {"a": 0}}
    run = {"1": {"b": 2, "a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    measures = ["AP(rel=2)", "P(rel=2)@1", "RR(rel=3)", "AP", "nDCG"]
    zero = "scores 0" if topics == "judged" else "is left out"
    assert assay.evaluate(gold, run, measures, topics=topics).notes == [
        f"judgments: 1 of 3 topics has nothing relevant and {zero}: 3",
        "judgments: 1 of 3 topics has grades above 0 but none of 2 or higher, so nothing is relevant there for "
        "AP(rel=2), P(rel=2)@1: 2",
        "judgments: 2 of 3 topics have grades above 0 but none of 3 or higher, so nothing is relevant there for "
        "RR(rel=3): 1, 2",
    ]


def test_nothing_is_said_where_nothing_was_decided():
    assert assay.evaluate({"1": {"a": 1}}, {"1": {"a": 1, "b": 0.5}}, AP).notes == []


@pytest.mark.parametrize(
    ("run", "noted"),
    [
        ({"a": 1, "b": 1}, True),  # relevant and judged not relevant
        ({"a": 1, "x": 1}, True),  # relevant and unjudged
        ({"b": 1, "x": 1}, False),  # neither is relevant
        ({"a": 1, "c": 1}, False),  # the same grade
        ({"a": 1, "d": 1}, True),  # relevant, of another grade
        ({"a": 2, "b": 1, "x": 1}, False),
    ],
)
def test_ties_are_noted_where_they_could_matter(run, noted):
    scores = assay.evaluate({"t": {"a": 1, "b": 0, "c": 1, "d": 2}}, {"t": run}, AP)
    assert bool(scores.notes) == noted


def test_ties_are_broken_as_asked():
    judgments = {"t": {"b": 1}}
    run = pl.DataFrame({"topic": ["t"] * 3, "document": ["b", "c", "a"], "score": [1.0, 1.0, 1.0], "rank": [3, 2, 1]})
    found = {
        rule: assay.evaluate(judgments, run, "RR", ties=rule)["RR"] for rule in ("docno", "input", "rank", "expected")
    }
    assert found == {"docno": 1 / 2, "input": 1, "rank": 1 / 3, "expected": pytest.approx((1 + 1 / 2 + 1 / 3) / 3)}


def test_document_ids_are_compared_by_bytes():
    judgments = {"t": {"D9": 1, "é": 1}}
    assert assay.evaluate(judgments, {"t": {"D9": 1, "D10": 1, "D100": 1}}, "RR")["RR"] == 1
    assert assay.evaluate(judgments, {"t": {"z": 1, "é": 1}}, "RR")["RR"] == 1


def test_depth_and_judged_only():
    judgments = {"t": {"a": 1, "b": 0, "c": 1}}
    run = {"t": {"x": 5, "b": 4, "y": 3, "a": 2, "c": 1}}
    assert assay.evaluate(judgments, run, ["RR", "NumRet"], depth=3).values[0, :, 0].tolist() == [0, 3]
    condensed = assay.evaluate(judgments, run, ["RR", "NumRet", "P@3"], judged_only=True)
    assert condensed.values[0, :, 0].tolist() == [1 / 2, 3, 2 / 3]
    # as trec_eval: first cut, then leave out what was not judged
    assert assay.evaluate(judgments, run, ["RR", "NumRet"], judged_only=True, depth=4).values[0, :, 0].tolist() == [
        1 / 2,
        2,
    ]


def test_negative_grades_are_in_the_pool_but_not_judged():
    judgments = {"t": {"a": -1, "b": 1, "c": 0}}
    run = {"t": {"a": 3, "b": 2, "c": 1}}
    scores = assay.evaluate(judgments, run, ["Judged@3", "bpref", "AP", "NumNonRelJudgedRet"])
    assert scores.values[0, :, 0].tolist() == [2 / 3, 1, 1 / 2, 1]


def test_a_measure_of_ones_own_works_like_the_others():
    @dataclass(frozen=True)
    class FirstIsRelevant(Measure):
        """Whether the first result is relevant."""

        rel: int = 1
        k: int | None = None

        def __call__(self, ranking):
            top = ranking.top(self.k or 1)
            return ratio(top.total(top.relevant(self.rel)), 1)

    scores = assay.evaluate(
        JUDGMENTS, BOTH, [FirstIsRelevant, FirstIsRelevant(rel=2) @ 2, "FirstIsRelevant(rel=2)", AP]
    )
    assert [str(measure) for measure in scores.measures] == [
        *("FirstIsRelevant", "FirstIsRelevant(rel=2)@2", "FirstIsRelevant(rel=2)", "AP"),
    ]
    assert scores["bm25", FirstIsRelevant, "1"] == 1
    assert scores["bm25", "FirstIsRelevant(rel=2)@2", "2"] == 1
    assert "FirstIsRelevant" in listing()
    assert assay.explain("FirstIsRelevant").startswith("FirstIsRelevant\n\nWhether the first result is relevant.")


def test_a_measure_that_gives_the_wrong_shape_is_refused():
    class Wrong(Measure):
        """Gives one number for all."""

        def __call__(self, ranking):
            return np.zeros(7)

    with pytest.raises(assay.UsageError, match="Wrong must return one finite number for each topic"):
        assay.evaluate(JUDGMENTS, BM25, Wrong)


def test_frames():
    scores = assay.evaluate(JUDGMENTS, BOTH, [AP, P @ 1])
    assert scores.means.columns == ["run", "AP", "P@1"]
    assert scores.per_topic.filter(pl.col("run") == "dense")["P@1"].to_list() == [0, 1, 0]
    assert scores.to_pandas().shape == (2, 3)
    assert scores.to_pandas(per_topic=True)["topic"].tolist() == ["1", "2", "10"] * 2


def test_only_topics_that_count_are_shown():
    scores = assay.evaluate(JUDGMENTS, BOTH, AP, topics="common")
    assert scores.per_topic["topic"].to_list() == ["1", "2", "1", "2", "10"]


SHOWN = {
    "text": "run       AP   NumRet\n─────────────────────\nbm25   0.625        4\n",
    "tsv": "run\tAP\tNumRet\nbm25\t0.625\t4\n",
    "csv": "run,AP,NumRet\nbm25,0.625,4\n",
    "md": "| run | AP | NumRet |\n| --- | ---: | ---: |\n| bm25 | 0.625 | 4 |\n",
    "latex": "% needs \\usepackage{booktabs}\n{\\noindent\\small\\setlength{\\tabcolsep}{4pt}%\n\\begin{tabular}{@{}lrr@{}}\n\\toprule\nrun & AP & NumRet \\\\\n\\midrule\n"
    "bm25 & 0.625 & 4 \\\\\n\\bottomrule\n\\end{tabular}}\n",
    "html": "<table>\n<thead><tr><th>run</th><th>AP</th><th>NumRet</th></tr></thead>\n<tbody>\n<tr><td>bm25</td>"
    '<td style="text-align: right">0.625</td><td style="text-align: right">4</td></tr>\n</tbody>\n</table>\n',
}


@pytest.mark.parametrize("form", SHOWN)
def test_forms(form):
    scores = assay.evaluate(JUDGMENTS, {"bm25": BM25}, [AP, "NumRet"], topics="common")
    assert scores.show(form, digits=3) == SHOWN[form]


def test_json_holds_every_value_in_full():
    scores = assay.evaluate(JUDGMENTS, BOTH, [AP])
    records = json.loads(scores.show("json", per_topic=True))
    assert records[:4] == [
        {"run": "bm25", "measure": "AP", "topic": "1", "value": 1.0},
        {"run": "bm25", "measure": "AP", "topic": "2", "value": 0.25},
        {"run": "bm25", "measure": "AP", "topic": "10", "value": 0.0},
        {"run": "bm25", "measure": "AP", "topic": "all", "value": (1 + 0.25) / 3},
    ]
    assert [record["run"] for record in json.loads(scores.show("json"))] == ["bm25", "dense"]


def test_names_cannot_break_a_table():
    name = "a|b\t<script>&_%\n\x1b[31m"
    scores = assay.evaluate({"1": {"a": 1}}, {name: {"1": {"a": 1}}}, AP)
    assert "a\\|b" in scores.show("md")
    assert "<script>" not in scores.show("html")
    assert "\x1b" not in scores.show("text") and "\n\x1b" not in scores.show("text")
    assert r"\&\_\%" in scores.show("latex")


def test_scores_show_themselves():
    scores = assay.evaluate(JUDGMENTS, BOTH, AP)
    assert repr(scores).splitlines()[2].split() == ["bm25", "0.4167"]
    assert repr(scores).endswith(scores.notes[-1])
    assert scores._repr_html_().startswith("<table>")
    assert isinstance(scores, Scores)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("tfidf", AP), "no run 'tfidf'; choose from bm25, dense"),
        (("bm25", "P@3"), "P@3 was not measured; choose from AP"),
        (("bm25", AP, "7"), "no topic '7'; choose from 1, 2, 10"),
        ((AP,), "several runs; name one of bm25, dense"),
    ],
)
def test_asking_for_what_is_not_there(asked, message):
    scores = assay.evaluate(JUDGMENTS, BOTH, AP)
    with pytest.raises(assay.UsageError) as caught:
        scores[asked if len(asked) > 1 else asked[0]]
    assert str(caught.value) == message


def test_one_run_needs_no_name():
    scores = assay.evaluate(JUDGMENTS, {"bm25": BM25}, [AP])
    assert scores[AP] == scores["bm25", AP]
    assert scores[AP, "2"] == scores["bm25", AP, "2"] == 0.25


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("foo", "AP"), "no run 'foo'; choose from bm25"),
        (("foo", AP), "no run 'foo'; choose from bm25"),
        (("nDCG", "AP"), "no run 'nDCG'; choose from bm25"),
        (("foo", "2"), "no run 'foo'; choose from bm25"),
        (("AP", "7"), "no topic '7'; choose from 1, 2, 10"),
        (("nDCG@5", "2"), "nDCG@5 was not measured; choose from AP"),
        ("foo", "unknown measure 'foo'; `assay measures` lists all"),
    ],
)
def test_of_one_run_what_is_not_there_is_said_to_be_what_it_was_asked_as(asked, message):
    scores = assay.evaluate(JUDGMENTS, {"bm25": BM25}, [AP])
    with pytest.raises(assay.UsageError) as caught:
        scores[asked]
    assert str(caught.value) == message


def test_counts_keep_their_fractions():
    judgments = {str(i): {"a": 1, "b": 0} for i in range(300)}
    run = {str(i): {"a": 2.0, "b": 1.0 if i < 200 else 2.0} for i in range(300)}
    scores = assay.evaluate(judgments, {"x": run}, ["NumRelRet"], ties="expected", depth=1)
    assert (
        scores["NumRelRet"]
        == scores.per_topic["NumRelRet"].sum()
        == scores.to_pandas(per_topic=True)["NumRelRet"].sum()
        == 250
    )


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ([{"query_id": "1", "doc_id": "a", "score": 0.4}], ["run"]),
        ([("1", "a", 0.4)], ["run"]),
        ([{"1": {"a": 0.4}}, {"1": {"a": 0.4}}], ["run 1", "run 2"]),
        ({"x": {"1": {}}, "y": {"1": {"a": 1}}}, ["x", "y"]),
        ({"1": {}, "2": {"a": 1}}, ["run"]),
    ],
)
def test_what_is_one_run_and_what_are_several(runs, names):
    if names == ["x", "y"]:
        with pytest.raises(assay.InputError, match="x"):
            assay.evaluate(JUDGMENTS, runs, AP)
    else:
        assert assay.evaluate(JUDGMENTS, runs, AP).systems == names


def test_a_list_is_a_ranking_and_a_set_is_relevant():
    judgments = {"q1": {"c2", "c9"}, "q2": ["c1"]}
    run = {"q1": ["c1", "c2", "c3"], "q2": ["c1"]}
    scores = assay.evaluate(judgments, run, ["RR", "R@5", "HitRate@1"])
    assert scores.systems == ["run"]
    assert scores.values[0].tolist() == [[0.5, 1], [0.5, 1], [0, 1]]
    with pytest.raises(assay.InputError, match="run: result 2: document c1 is retrieved twice for topic q1"):
        assay.evaluate(judgments, {"q1": ["c1", "c1"]}, "RR")


def test_two_runs_of_one_name_are_refused():
    with pytest.raises(assay.UsageError, match="two runs have the same name; rename one"):
        assay.evaluate(JUDGMENTS, {1: BM25, "1": DENSE}, AP)


def test_a_measure_that_fails_is_named():
    class Fails(Measure):
        """Divides by zero."""

        def __call__(self, ranking):
            return 1 / 0

    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(JUDGMENTS, BM25, Fails)
    assert str(caught.value) == "Fails cannot be computed: ZeroDivisionError: division by zero"


@pytest.mark.parametrize("given", ["x", ["x", "y"], None, object(), [[1], [2, 3]]])
def test_a_measure_that_gives_no_numbers_is_named(given):
    class Words(Measure):
        """Gives no numbers."""

        def __call__(self, ranking):
            return given

    with pytest.raises(assay.UsageError, match=r"^Words (cannot be computed: |must return one finite number for each topic)"):
        assay.evaluate(JUDGMENTS, BM25, Words)


def test_a_linear_measure_may_not_use_the_rank_of_an_open_tie():
    class Mine(assay.Linear):
        """Uses a rank that is not known."""

        def __call__(self, ranking):
            return ranking.total(ranking.relevant(1) / ranking.rank)

    with pytest.raises(
        assay.UsageError, match="with ties=expected a measure can use gain, share and discount, but not rank"
    ):
        assay.evaluate(JUDGMENTS, BM25, Mine, ties="expected")


@pytest.mark.parametrize(
    ("given", "noted"), [({"depth": 1}, False), ({"depth": 2}, True), ({"judged_only": True}, False)]
)
def test_ties_are_noted_only_where_they_count(given, noted):
    judgments, run = {"t": {"a": 1, "r": 1}}, {"t": {"r": 2, "a": 1, "x": 1}}
    assert bool(assay.evaluate(judgments, run, AP, **given).notes) == noted


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_many_runs_give_the_same_bits_on_any_number_of_threads(monkeypatch, threads):
    rng = np.random.default_rng(3)
    judgments = {t: {f"d{d}": int(rng.integers(0, 3)) for d in range(30)} for t in range(20)}
    runs = {f"r{n}": {t: {f"d{d}": float(rng.random()) for d in range(40)} for t in range(20)} for n in range(6)}
    alone = np.stack([assay.evaluate(judgments, run).values[0] for run in runs.values()])
    monkeypatch.setattr("assay.files.threads.cores", lambda: threads)
    assert assay.evaluate(judgments, runs).values.tobytes() == alone.tobytes()


def test_scores_whose_difference_no_number_holds_give_no_warning():
    scores = [1e308, -1e308, 1.7e308, -1.7e308]
    run = {"1": {f"d{number}": scores[number % 4] * (1 - number / 1000) for number in range(100)}}
    first = max(run["1"], key=run["1"].get)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert assay.evaluate({"1": {first: 1}}, run, "RR")["RR"] == 1
        assert RelevanceEvaluator({"1": {first: 1}}, {"recip_rank"}).evaluate(run)["1"]["recip_rank"] > 0
