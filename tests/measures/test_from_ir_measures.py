"""What other packages hand over: measures of ir_measures, names of trec_eval and ranx, runs of ranx, trectools and
PyTerrier, datasets of ir_datasets."""

from __future__ import annotations

import random
import sys
from types import SimpleNamespace

import click
import pandas as pd
import pytest

import assay
from assay.cli.commands import main
from assay.cli.common import in_options, separate
from assay.measures.from_ir_measures import TAKEN
from assay.measures.notation import measures_of

JUDGMENTS = {"1": {"a": 3, "b": 0, "c": 1, "d": 2, "e": 0}, "2": {"a": 1, "f": 2, "g": 0}}
RUN = {
    "1": {"x": 9.0, "c": 8.0, "b": 7.0, "a": 6.0, "y": 5.0, "d": 4.0},
    "2": {"g": 3.0, "f": 2.0, "z": 1.0},
}


class LookAlike:
    """An object as a measure of ir_measures is: a name, and the parameters that were given."""

    def __init__(self, name, params):
        self.NAME, self.params = name, params

    def __repr__(self):
        return self.NAME


LookAlike.__module__ = "ir_measures.measures.base"

# What ir_measures 0.4.3 prints for each topic, with pytrec_eval-terrier 0.5.11, cwl-eval 1.0.12 and its gdeval.pl, which
# rounds to five digits.
PRINTED = [
    ("AP", {}, 0.5, 0.25),
    ("AP", {"cutoff": 3}, 0.16666666666666666, 0.25),
    ("AP", {"judged_only": True}, 0.8055555555555555, 0.25),
    ("P", {"judged_only": True, "cutoff": 3}, 0.6666666666666666, 0.3333333333333333),
    ("RR", {"rel": 2, "cutoff": 4}, 0.25, 0.5),
    ("R", {"rel": 2, "judged_only": True, "cutoff": 3}, 0.5, 1.0),
    ("Bpref", {}, 0.6666666666666666, 0.0),
    ("NumRet", {}, 6.0, 3.0),
    ("NumRet", {"rel": 1}, 3.0, 1.0),
    ("NumRel", {}, 3.0, 2.0),
    ("SetAP", {}, 0.5, 0.16666666666666666),
    ("SetF", {"beta": 2.0}, 0.75, 0.4285714285714286),
    ("SetF", {"beta": 0.5, "judged_only": True}, 0.8181818181818182, 0.5),
    ("SetP", {}, 0.5, 0.3333333333333333),
    ("SetP", {"relative": True}, 1.0, 0.5),
    ("SetR", {}, 1.0, 0.5),
    ("Success", {"cutoff": 2}, 1.0, 1.0),
    ("IPrec", {"recall": 0.3}, 0.5, 0.5),
    ("infAP", {}, 0.4999998148160494, 0.250002499950001),
    ("Judged", {"cutoff": 3}, 0.6666666666666666, 0.6666666666666666),
    ("nDCG", {"cutoff": 3}, 0.13249650743056282, 0.4796249331362629),
    ("nDCG", {"judged_only": True, "cutoff": 3}, 0.5250049893849101, 0.4796249331362629),
    ("nDCG", {"dcg": "exp-log2", "cutoff": 3}, 0.06717, 0.5213),
    ("nDCG", {"gains": {0: 0, 1: 4}, "cutoff": 3}, 0.36613900684151635, 0.23981246656813146),
    ("ERR", {"cutoff": 2}, 0.03125, 0.09375),
    ("Compat", {}, 0.3299410672134651, 0.3040496407576747),
    ("Compat", {"p": 0.8}, 0.24647864093682995, 0.27544910179640725),
    ("Compat", {"normalize": False}, 0.2722102025275785, 0.2719836400817996),
    ("RBP", {"rel": 1}, 0.32793599999999995, 0.15999999999999995),
    ("RBP", {"rel": 2, "p": 0.5}, 0.078125, 0.25),
    ("Accuracy", {}, 0.33333333333333337, 0.5),
    ("Accuracy", {"cutoff": 5}, 0.5, 0.5),
    ("NERR8", {"max_rel": 3, "cutoff": 3}, 0.12499999999999997, 0.2857142857142857),
    ("NERR9", {"max_rel": 3, "cutoff": 3}, 0.09677419354838708, 0.20689655172413793),
    ("NERR10", {"max_rel": 3}, 0.26862611073137393, 0.13043478260869557),
    ("NERR11", {"max_rel": 3}, 0.14833980163863736, 0.16266219345378286),
    ("NERR10", {"p": 0.5, "max_rel": 3, "min_rel": 1}, 0.06666666666666667, 0.14285714285714285),
]


@pytest.mark.parametrize(("name", "params", "first", "second"), PRINTED)
def test_a_measure_of_ir_measures_keeps_its_meaning(name, params, first, second):
    (measure,) = measures_of([LookAlike(name, params)])
    scores = assay.evaluate(JUDGMENTS, RUN, [measure])
    rounded = 6e-6 if name == "ERR" or params.get("dcg") == "exp-log2" else 1e-12
    assert scores[measure, "1"] == pytest.approx(first, abs=rounded)
    assert scores[measure, "2"] == pytest.approx(second, abs=rounded)


def test_runs_can_be_compared_by_a_mean_without_unjudged_results():
    (measure,) = measures_of([LookAlike("AP", {"judged_only": True})])
    other = {topic: {name: -score for name, score in results.items()} for topic, results in RUN.items()}
    scores = assay.evaluate(JUDGMENTS, {"run": RUN, "other": other}, [measure])
    # the condensed list of topic 1 is d a b c, of topic 2 f g: AP 1/3 (1 + 1 + 3/4) and 1/2
    assert assay.compare(scores, measure, test="t").means == pytest.approx([(29 / 36 + 1 / 4) / 2, (11 / 12 + 1 / 2) / 2])


def test_where_gdeval_rounds_we_do_not():
    (measure,) = measures_of(LookAlike("ERR", {"cutoff": 5}))
    # 1/2 · 1/16 + 1/4 · 15/16 · 7/16 by the formula, with grades of up to 4; c stands at rank 2 and a at rank 4
    assert assay.evaluate(JUDGMENTS, RUN, [measure])[measure, "1"] == 1 / 2 * 1 / 16 + 1 / 4 * 15 / 16 * 7 / 16


def test_what_has_another_meaning_here_has_another_name():
    shown = {
        ("ERR", ("cutoff", 2)): "ERR(max=4)@2",
        ("SetF", ("beta", 4.0)): "SetF(beta=2)",
        ("NumRet", ("rel", 1)): "NumRelRet",
        ("SetP", ("relative", True)): "RelativeP",
        ("AP", ("judged_only", True)): "AP(judged_only=True)",
        ("Compat", ("p", 0.8)): "Compatibility(p=0.8, depth=0)",
        ("Accuracy", ("cutoff", 5)): "PairAccuracy@5",
    }
    for (name, given), ours in shown.items():
        assert str(*measures_of(LookAlike(name, dict([given])))) == ours


def test_a_measure_that_is_not_known_is_refused():
    with pytest.raises(assay.UsageError) as refused:
        measures_of(LookAlike("Nothing", {}))
    assert str(refused.value) == "Nothing of ir_measures has no equivalent in Assay; `assay measures` lists all"
    with pytest.raises(assay.UsageError) as refused:
        measures_of(LookAlike("RR", {"depth": 3}))
    what = "RR of ir_measures: RR has no parameter 'depth' here; it takes rel, k, unit"
    assert str(refused.value) == what


def test_ir_measures_itself_is_taken_and_its_provider_gives_the_same():
    ir_measures = pytest.importorskip("ir_measures")
    from assay.compat.ir_measures import provider

    measures = [ir_measures.AP, ir_measures.nDCG @ 3, ir_measures.P(judged_only=True) @ 3, ir_measures.NumRet(rel=1)]
    theirs = ir_measures.pytrec_eval.calc_aggregate(measures, JUDGMENTS, RUN)
    assert provider.calc_aggregate(measures, JUDGMENTS, RUN) == pytest.approx(theirs, abs=1e-12)
    assert provider.calc_aggregate(measures, JUDGMENTS, {}) == dict.fromkeys(measures, 0)
    objects = [each for each in vars(ir_measures).values() if hasattr(each, "SUPPORTED_PARAMS")]
    assert set(TAKEN) <= {each.NAME for each in objects if not isinstance(each, type)}


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        # trec_eval
        ("map", "AP"), ("ndcg_cut_10", "nDCG@10"), ("ndcg_cut.10", "nDCG@10"), ("P_5", "P@5"), ("recall_100", "R@100"),
        ("recip_rank", "RR"), ("map_cut_20", "AP@20"), ("iprec_at_recall_0.10", "IPrec@0.1"), ("11pt_avg", "IPrec11"),
        ("Rprec_mult_0.20", "Rprec(mult=0.2)"), ("set_F", "SetF"), ("set_F_4", "SetF(beta=2)"), ("num_q", "NumQ"),
        ("gm_map", "GMAP"), ("success_1", "Success@1"), ("relative_P_5", "RelativeP@5"), ("set_relative_P", "RelativeP"),
        ("Rndcg", "RnDCG"), ("ndcg_rel", "nDCGrel"), ("bpref", "bpref"), ("infAP", "infAP"), ("unj_10", "Unjudged@10"),
        ("utility.1,-1,0,2", "Utility(d=2)"), ("11pt_avg..25,.5", "IPrec11(levels=0.25;0.5)"), ("P_10", "P@10"),
        ("ndcg.1=3,2=9", "nDCG(gains=1:3;2:9)"), ("iprec_at_recall..25", "IPrec@0.25"),
        # ranx
        ("hit_rate@5", "Success@5"), ("ndcg@10", "nDCG@10"), ("ndcg@10-l2", "nDCG(gains=1:0)@10"), ("mrr", "RR"),
        ("map@100-l2", "AP(rel=2)@100"), ("precision@5", "P@5"), ("recall@5-l3", "R(rel=3)@5"), ("r-precision", "Rprec"),
        ("f1@5", "F@5"), ("ndcg_burges@3", "nDCG(dcg=exp)@3"), ("dcg@3", "DCG@3"),
    ],
)  # fmt: skip
def test_names_of_trec_eval_and_ranx_are_understood(theirs, ours):
    assert str(assay.parse(theirs)) == ours


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("P.5,10", "P@5 P@10"), ("ndcg_cut.5,10", "nDCG@5 nDCG@10"), ("ndcg_cut_5,10", "nDCG@5 nDCG@10"), ("unj", "Unjudged@5 Unjudged@10 Unjudged@20"),
        ("iprec_at_recall..10,.2", "IPrec@0.1 IPrec@0.2"), ("success.1,5", "Success@1 Success@5"),
        ("iprec_at_recall", "IPrec@0 IPrec@0.1 IPrec@0.2 IPrec@0.3 IPrec@0.4 IPrec@0.5 IPrec@0.6 IPrec@0.7 IPrec@0.8 IPrec@0.9 IPrec@1"),
        ("ndcg_cut", "nDCG@5 nDCG@10 nDCG@15 nDCG@20 nDCG@30 nDCG@100 nDCG@200 nDCG@500 nDCG@1000"),
        ("P(rel=2)@5,map,11pt_avg,P.5,10", "P(rel=2)@5 AP IPrec11 P@5 P@10"),
    ],
)  # fmt: skip
def test_a_name_of_trec_eval_with_several_parameters_is_several_measures(theirs, ours):
    assert [str(measure) for measure in measures_of(separate((theirs,)))] == ours.split()
    assert [str(measure) for measure in assay.evaluate(JUDGMENTS, RUN, separate((theirs,))).measures] == ours.split()


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ("relstring.20", "relstring.20 of trec_eval is a text, not a number; `assay trec_eval -m relstring.20` prints it"),
        ("runid", "runid of trec_eval is the name of a run; every table shows it"),
        ("all_trec", "all_trec of trec_eval is a group of measures; `assay trec_eval -m all_trec` prints all of them; here, name each measure"),
        ("prefs_simp", "prefs_simp of trec_eval compares preferences; `assay trec_eval -R qrels_prefs -m prefs_simp` prints it"),
        ("map_avgjg", "map_avgjg of trec_eval needs groups of assessors; `assay trec_eval -R qrels_jg -m map_avgjg` prints it"),
        ("hits@10", "hits of ranx is a number of results; use NumRelRet, P or R, or HitRate for whether there is a hit"),
        ("Hits@10", "Hits of ranx is a number of results; use NumRelRet, P or R, or HitRate for whether there is a hit"),
        ("context_recall", "context_recall of ragas and DeepEval asks a language model; RagasRecall counts ids, and RagasTextRecall compares texts"),
        ("rbp.95@10", "rbp.95 of ranx multiplies by the grade itself; RBP(p=0.95) is binary, and RBP(p=0.95, graded=True) takes shares of the highest grade"),
        ("P.5,10", "'P.5,10' names 2 measures: P@5, P@10"),
        ("P@5,10", "'P@5,10' names several measures: P@5, P@10"),
        ("ep/gr", "'ep/gr' names 2 measures: Aep, iAep"),
        ("Accuracy@10", "Accuracy has no cut-off; write it without @10, or PairAccuracy@10 for the Accuracy of ir_measures"),
        ("ERR_IA(judged_only=True)@10", "ERR_IA(judged_only=True)@10: pass judged_only=True to the evaluation, not to the measure"),
        ("AP(judged_only=5)", "'AP(judged_only=5)': judged_only=5; expected True or False"),
    ],
)  # fmt: skip
def test_a_name_that_is_no_measure_here_is_refused_with_what_to_write(theirs, said):
    with pytest.raises(assay.UsageError) as refused:
        assay.parse(theirs)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        ("NumRet(rel=2)", "NumRelRet(rel=2)"), ("SetP(relative=True, rel=2)", "RelativeP(rel=2)"), ("SetP(relative=False)", "SetP"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg=exp)@10"), ("nDCG(gains={0:0, 1:4})@10", "nDCG(gains=0:0;1:4)@10"),
        ("nDCG(cutoff=10)", "nDCG@10"), ("Compat(p=0.8,normalize=False)", "Compatibility(p=0.8, normalise=False)"),
        ("AP(judged_only=True)@5", "AP(judged_only=True)@5"), ("RR(rel=2,judged_only=True)", "RR(judged_only=True, rel=2)"),
        ("AP(judged_only=False)", "AP"), ("NERR8@10", "NERR8@10"), ("NERR10(p=0.8)", "NERR10(p=0.8)"), ("NERR11", "NERR11"),
        ("PairAccuracy@10", "PairAccuracy@10"), ("MAP_IA", "AP_IA"), ("SetRelP", "RelativeP"), ("α_nDCG@5", "alpha_nDCG@5"),
    ],
)  # fmt: skip
def test_what_is_typed_as_for_ir_measures_is_understood_and_its_name_here_too(typed, ours):
    measure = assay.parse(typed)
    assert str(measure) == ours
    assert assay.parse(ours) == measure


def test_every_name_of_ir_measures_is_taken_or_told_apart():
    ir_measures = pytest.importorskip("ir_measures")
    objects = {name: each for name, each in vars(ir_measures).items() if hasattr(each, "SUPPORTED_PARAMS")}
    typed = [name for name, each in objects.items() if not isinstance(each, type)]
    assert len(typed) > 50
    for name in {*typed, *(str(objects[name]) for name in typed)}:
        assert assay.parse(name)


def test_the_option_is_named_where_a_measure_cannot_be_of_judged_results_only():
    asked = "pass judged_only=True to the evaluation, not to the measure"
    with click.Context(main):
        assert in_options(asked) == "pass --judged-only to the evaluation, not to the measure"


def test_a_level_that_a_measure_does_not_have_is_refused():
    with pytest.raises(assay.UsageError) as refused:
        assay.parse("num_ret-l2")
    assert str(refused.value) == "NumRet has no level of relevance; write it without -l2"


class Ranx:
    """A run or judgments as ranx holds them."""

    def __init__(self, content, name=None):
        self.content, self.name = content, name

    def to_dict(self):
        return self.content


Ranx.__module__ = "ranx.data_structures.run"


def test_runs_and_judgments_of_ranx_are_taken():
    judged, run = Ranx(JUDGMENTS), Ranx(RUN, "bm25")
    scores = assay.evaluate(judged, [run, Ranx(RUN)], ["AP"])
    assert scores.systems == ["bm25", "run 2"]
    assert scores["bm25", "AP", "1"] == 0.5
    assert assay.evaluate(judged, run, ["AP"]).systems == ["bm25"]
    assert assay.evaluate(judged, {"mine": run}, ["AP"]).systems == ["mine"]
    assert assay.Evaluator(judged, ["AP"])(run)["AP"] == 0.375
    assert (len(assay.read_run(run)), len(assay.read_judgments(judged))) == (9, 8)


class Trectools:
    """A run or judgments as trectools holds them: a frame in an attribute."""

    def __init__(self, **frame):
        self.__dict__.update(frame)


Trectools.__module__ = "trectools.trec_run"


def test_runs_and_judgments_of_trectools_are_taken():
    rows = [(topic, name, score) for topic, results in RUN.items() for name, score in results.items()]
    grades = [(topic, name, grade) for topic, judged in JUDGMENTS.items() for name, grade in judged.items()]
    run = Trectools(run_data=pd.DataFrame(rows, columns=["query", "docid", "score"]))
    judged = Trectools(qrels_data=pd.DataFrame(grades, columns=["query", "docid", "rel"]))
    assert assay.evaluate(judged, run, ["AP"])["AP"] == 0.375
    tagged = Trectools(run_data=run.run_data.assign(system="bm25"))
    assert assay.evaluate(judged, tagged, ["AP"]).systems == ["bm25"]
    assert assay.evaluate(judged, [tagged, run], ["AP"]).systems == ["bm25", "run 2"]


def test_runs_and_judgments_of_the_packages_themselves_are_taken(tmp_path):
    ranx, trectools = pytest.importorskip("ranx"), pytest.importorskip("trectools")
    path, run = tmp_path / "judgments.qrels", tmp_path / "bm25.run"
    path.write_bytes(assay.convert(JUDGMENTS, "trec", kind="judgments"))
    run.write_bytes(assay.convert(RUN, "trec", kind="run"))
    given = [
        (ranx.Qrels(JUDGMENTS), ranx.Run(RUN, name="bm25")),
        (trectools.TrecQrel(str(path)), trectools.TrecRun(str(run))),
    ]
    for judged, results in given:
        assert assay.evaluate(judged, results, ["AP"])["AP"] == 0.375
    assert assay.evaluate(*given[0], ["ndcg@3-l2"]).values.mean() == pytest.approx(ranx.evaluate(*given[0], "ndcg@3-l2"))
    assert trectools.TrecEval(given[1][1], given[1][0]).get_map() == 0.375


def test_frames_of_pyterrier_are_taken():
    rows = [(topic, place, name, place, score, "what is bread")
            for topic, results in RUN.items() for place, (name, score) in enumerate(results.items())]  # fmt: skip
    grades = [(topic, name, grade) for topic, judged in JUDGMENTS.items() for name, grade in judged.items()]
    run = pd.DataFrame(rows, columns=["qid", "docid", "docno", "rank", "score", "query"])
    judged = pd.DataFrame(grades, columns=["qid", "docno", "label"])
    assert assay.evaluate(judged, run, ["AP"])["AP"] == 0.375


def test_an_experiment_of_pyterrier_itself_has_the_same_values_and_the_same_tests():
    terrier = pytest.importorskip("pyterrier")
    from pyterrier.measures import AP, RR, P, nDCG  # objects of ir_measures

    rng = random.Random(1)
    documents = [f"d{number}" for number in range(30)]
    judged = [(str(topic), name, rng.choice([0, 0, 1, 2])) for topic in range(12) for name in rng.sample(documents, 15)]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    topics = pd.DataFrame({"qid": list(map(str, range(12))), "query": "bread"})
    pipelines = {}
    for system in ("bm25", "dense"):
        rows = [(str(topic), "bread", name, rng.random()) for topic in range(12) for name in rng.sample(documents, 20)]
        results = terrier.model.add_ranks(pd.DataFrame(rows, columns=["qid", "query", "docno", "score"]))
        pipelines[system] = terrier.Transformer.from_df(results)
    measures = [AP, AP(rel=2), nDCG @ 10, P @ 5, RR]
    names = [str(measure) for measure in measures]
    told = terrier.Experiment(list(pipelines.values()), topics, qrels, measures, names=list(pipelines), baseline=0)
    scores = assay.evaluate(qrels, {name: pipeline(topics) for name, pipeline in pipelines.items()}, measures)
    assert scores.values.mean(axis=2) == pytest.approx(told[names].to_numpy(float))
    tested = [scores.compare(baseline="bm25", measure=measure, test="t").pairs[0].p for measure in measures]
    assert tested == pytest.approx([told[f"{name} p-value"][1] for name in names])


def dataset(judgments):
    rows = [SimpleNamespace(query_id=topic, doc_id=name, relevance=grade)
            for topic, judged in judgments.items() for name, grade in judged.items()]  # fmt: skip
    return SimpleNamespace(has_qrels=lambda: bool(rows), qrels_iter=lambda: iter(rows))


def test_judgments_may_be_a_dataset_of_ir_datasets(monkeypatch):
    datasets = {"bread": dataset(JUDGMENTS), "topics-only": dataset({})}
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=datasets.__getitem__))
    assert assay.evaluate("irds:bread", RUN, ["AP"])["AP"] == 0.375
    for name, what in (
        ("nothing", "irds:nothing: ir_datasets has no dataset of this name"),
        ("topics-only", "irds:topics-only: this dataset has no judgments; expected one with qrels"),
    ):
        with pytest.raises(assay.InputError) as refused:
            assay.evaluate(f"irds:{name}", RUN, ["AP"])
        assert str(refused.value) == what


@pytest.mark.parametrize("fails", ["load", "qrels_iter"])
def test_a_dataset_that_cannot_be_had_is_one_line(monkeypatch, fails):
    def offline(*_):
        raise ConnectionError("HTTPSConnectionPool(host='x'): Max retries exceeded\nmore")

    broken = SimpleNamespace(has_qrels=lambda: True, qrels_iter=offline)
    load = offline if fails == "load" else {"bread": broken}.__getitem__
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=load))
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate("irds:bread", RUN, ["AP"])
    why = "HTTPSConnectionPool(host='x'): Max retries exceeded"
    assert str(refused.value) == f"irds:bread: ir_datasets cannot load this dataset: {why} (no network?)"


def test_without_ir_datasets_its_name_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate("irds:bread", RUN, ["AP"])
    assert str(refused.value) == "irds:bread needs the package ir_datasets: pip install ir_datasets"


def test_grades_may_be_texts():
    assert assay.evaluate({"1": {"a": "2", "b": "0"}}, {"1": {"b": 2.0, "a": 1.0}}, ["DCG"])["DCG"] == 2 / 1.584962500721156
