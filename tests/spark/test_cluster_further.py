"""Subtopics, strata, groups of topics and saved scores: on Spark as on one machine."""

import warnings
from random import Random

import polars as pl
import pytest

import assay
from assay.cli.evaluate_commands import session_at
from helpers.clusters import measured_alike, random_documents, same
from helpers.commands import invoke
from helpers.places import ROOT
from helpers.spark_session import skipped_without_spark

skipped_without_spark()

EXAMPLES = ROOT / "examples"
# alpha is no power of two, so that the order of a sum shows in its last bits
NOVELTY = ["alpha_nDCG(alpha=0.3)@5", "ERR_IA(alpha=0.3)@5", "nERR_IA", "NRBP(alpha=0.3, beta=0.7)", "AP_IA", "P_IA@5"]
NOVELTY += ["StRecall@3", "nNRBP(alpha=0.7)", "AP"]


def random_subtopics(seed, column="subtopic", topics=25):
    """Grades of documents for some of seven subtopics; some topics have documents of grade 0 only, without any."""
    rng = Random(seed)
    rows = []
    for topic in range(topics):
        for document in rng.sample(range(20), rng.randint(1, 9)):
            if topic % 6 == 5:
                rows.append((f"q{topic}", f"d{document}", 0, "1" if column == "iteration" else None))
                continue
            for subtopic in rng.sample("abcdefg", rng.randint(1, 5)):
                rows.append((f"q{topic}", f"d{document}", rng.choice([0, 1, 1, 2]), subtopic))
    rng.shuffle(rows)
    return pl.DataFrame(rows, ["topic", "document", "grade", column], orient="row")


def test_subtopics_in_a_table_are_measured_as_on_one_machine(spark):
    _, runs = random_documents(3, topics=25)
    measured_alike(spark, random_subtopics(1), runs, NOVELTY)


@pytest.mark.parametrize("measures", [NOVELTY, None])
def test_an_iteration_is_taken_for_the_subtopic_where_one_machine_does(spark, measures):
    _, runs = random_documents(4, topics=25)
    judgments = random_subtopics(2, "iteration")
    here = assay.evaluate(judgments, runs, measures)
    assert any("Assay reads column iteration as the subtopic, because" in note for note in here.notes)
    measured_alike(spark, judgments, runs, measures)


def test_an_iteration_that_tells_no_subtopic_is_passed_over(spark):
    judgments, runs = random_documents(5, topics=12)
    measured_alike(spark, judgments.with_columns(iteration=pl.col("document")), runs, ["AP"])


def test_subtopics_in_a_file_are_measured_as_on_one_machine(spark, tmp_path):
    rows = random_subtopics(6, "iteration").rows()
    qrels = tmp_path / "diversity.qrels"
    qrels.write_text("".join(f"{topic} {subtopic} {document} {grade}\n" for topic, document, grade, subtopic in rows))
    _, runs = random_documents(6, topics=25)
    there = {name: spark.createDataFrame(run.to_arrow()) for name, run in runs.items()}
    same(
        assay.spark.evaluate(str(qrels), there, NOVELTY, spark=spark),
        assay.evaluate(str(qrels), runs, NOVELTY),
    )


def test_aspects_of_passages_are_measured_as_on_one_machine(spark):
    rng = Random(7)
    judged = []
    for topic in range(20):
        for _ in range(rng.randint(1, 6)):
            start = rng.randrange(300)
            aspect = rng.choice("abcd") if topic > 2 else None
            judged.append((f"{topic}", f"d{rng.randrange(4)}", start, start + rng.randint(1, 90), aspect))
    returned = {
        (f"{topic}", f"d{rng.randrange(4)}", start := rng.randrange(300), start + rng.randint(1, 150), rng.random())
        for topic in range(20)
        for _ in range(8)
    }
    # on a cluster passages stand by their offsets
    judged.sort(key=lambda row: row[:4])
    gold = pl.DataFrame(judged, ["topic", "document", "start", "end", "subtopic"], orient="row")
    run = pl.DataFrame(sorted(returned), ["topic", "document", "start", "end", "score"], orient="row")
    measured_alike(spark, gold, {"run": run}, ["ASPECT", "PASSAGE", "PASSAGE2", "AiP"])


def random_sample(seed, topics=25):
    """Judgments of which a part was sampled, from ten strata of different sizes."""
    rng = Random(seed)
    rows = []
    for topic in range(topics):
        for document in rng.sample(range(30), rng.randint(2, 28)):
            stratum = min(document // 3, 9)
            grade = rng.choice([0, 1, 2, 3]) if rng.random() < 0.7 - stratum / 20 else -1
            rows.append((f"q{topic}", f"d{document}", grade, stratum))
    rng.shuffle(rows)
    return pl.DataFrame(rows, ["topic", "document", "grade", "stratum"], orient="row")


def test_strata_in_a_table_are_measured_as_on_one_machine(spark):
    _, runs = random_documents(8, topics=25)
    measured_alike(spark, random_sample(8), runs, ["xinfAP", "statAP", "infNDCG", "infNDCG@10", "infP@10", "infP(rel=2)@5", "AP"])


def test_strata_that_are_not_asked_for_and_have_nothing_unsampled_are_passed_over(spark):
    _, runs = random_documents(9, topics=25)
    judgments = random_sample(9).filter(pl.col("grade") >= 0)
    measured_alike(spark, judgments, runs)
    measured_alike(spark, judgments, runs, ["infNDCG"])


def test_strata_in_a_file_are_measured_as_on_one_machine(spark, tmp_path):
    rows = random_sample(10).rows()
    path = tmp_path / "sampled.qrels"
    path.write_text("".join(f"{topic} 0 {document} {stratum + 1} {grade}\n" for topic, document, grade, stratum in rows))
    _, runs = random_documents(10, topics=25)
    there = {name: spark.createDataFrame(run.to_arrow()) for name, run in runs.items()}
    same(assay.spark.evaluate(str(path), there, spark=spark), assay.evaluate(str(path), runs))


FAULTS = [
    (
        {"grade": [0, -1], "stratum": ["1", None]},
        "judgments: document b has no stratum, but others do; expected a stratum for every document or for none",
    ),
    (
        {"grade": [1, 1], "subtopic": ["s", "t"], "annotator": ["al", "bo"]},
        "judgments: these judgments have both subtopics and annotators or sets of evidence; expected only one of these",
    ),
    (
        {"grade": [1, 1], "subtopic": ["s", None]},
        "judgments: document b is relevant to topic 1 but has no subtopic; "
        "expected a subtopic for all relevant documents, or for none",
    ),
]


@pytest.mark.parametrize(("columns", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_what_one_machine_refuses_of_judgments_is_refused(spark, columns, message):
    judgments = pl.DataFrame({"topic": ["1", "1"], "document": ["a", "b"], **columns})
    run = {"1": {"a": 1.0, "b": 0.5}}
    for refusing in (
        lambda: assay.evaluate(judgments, run),
        lambda: assay.spark.evaluate(spark.createDataFrame(judgments.to_arrow()), run, spark=spark).collect(),
    ):
        with pytest.raises(assay.InputError) as refused:
            refusing()
        assert str(refused.value) == message


GROUPED = ["AP", "nDCG@10", "GMAP", "NumRel"]


def test_means_of_groups_are_those_of_one_machine(spark):
    judgments, runs = random_documents(11)
    groups = {f"q{topic}": topic % 3 for topic in range(38)} | {"q5": "", "elsewhere": 9}
    for topics in ("judged", "common"):
        here = assay.evaluate(judgments, runs, GROUPED, by=groups, topics=topics)
        there = assay.spark.evaluate(
            spark.createDataFrame(judgments.to_arrow()),
            {name: spark.createDataFrame(run.to_arrow()) for name, run in runs.items()},
            GROUPED,
            by=groups,
            topics=topics,
            spark=spark,
        )
        assert there.per_group.equals(here.per_group)
        assert there.show("json") == here.show("json")
        assert there.collect().show(per_topic=True) == here.show(per_topic=True)
        same(there, here)


def test_a_median_of_a_group_is_that_of_one_machine(spark):
    spans = [(f"{topic}", "d", topic % 7, 10 + topic % 5) for topic in range(12)]
    gold = pl.DataFrame(spans, ["topic", "document", "start", "end"], orient="row")
    run = gold.with_columns(start=pl.lit(0), end=pl.lit(14), score=pl.lit(1.0))
    groups = {str(topic): "odd" if topic % 2 else "even" for topic in range(12)}
    measured_alike(spark, gold, {"run": run}, ["Budget@0.5", "R"], by=groups)


def test_groups_of_other_topics_are_refused(spark):
    with pytest.raises(assay.InputError) as refused:
        assay.spark.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", by={"7": "x"}, spark=spark).show()
    assert str(refused.value) == "by: no judged topic has a group; expected topics such as 1"


def test_saved_scores_are_those_of_one_machine(spark, tmp_path):
    judgments, runs = random_documents(12)
    there = assay.spark.evaluate(
        spark.createDataFrame(judgments.to_arrow()),
        {name: spark.createDataFrame(run.to_arrow()) for name, run in runs.items()},
        ["AP", "P@5"],
        spark=spark,
    )
    there.collect().save(tmp_path / "there.json")
    assay.evaluate(judgments, runs, ["AP", "P@5"]).save(tmp_path / "here.json")
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()


def test_spans_that_are_saved_have_the_same_fingerprint(spark):
    focused = EXAMPLES / "focused"
    given = str(focused / "highlights.qrels"), str(focused / "passages.run"), "AiP"
    rules = {"documents": str(focused / "documents"), "whitespace": "ignore"}
    there = assay.spark.evaluate(*given, **rules, spark=spark).collect()
    assert there.made_of() == assay.evaluate(*given, **rules).made_of()


def test_the_command_groups_and_saves_as_on_one_machine(spark, tmp_path):
    topics = tmp_path / "topics.tsv"
    judgments = assay.read_judgments(EXAMPLES / "judgments.qrels")
    names = sorted(set(judgments.topic.texts()))
    topics.write_text("topic\tkind\n" + "".join(f"{name}\t{len(name) + number % 2}\n" for number, name in enumerate(names)))
    words = "evaluate", str(EXAMPLES / "judgments.qrels"), str(EXAMPLES / "bm25.run"), "-m", "AP,GMAP"
    words += "--by", "kind", "--topics-file", str(topics), "--save"
    there = invoke(*words, str(tmp_path / "there.json"), "--engine", "spark", "--partitions", "2")
    here = invoke(*words, str(tmp_path / "here.json"))
    assert (there.stdout, there.stderr, there.exit_code) == (here.stdout, here.stderr, 0)
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()


def test_a_session_of_the_command_says_nothing_of_its_own(spark):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert assay.spark.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", spark=session_at(None))["AP"] == 1
    assert told == []


@pytest.mark.parametrize("topics", ["judged", "common"])
def test_a_topic_with_an_empty_list_is_one_that_the_run_has(spark, topics):
    judgments = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    run = {"1": ["a"], "2": [], "4": []}
    there = assay.spark.evaluate(judgments, run, "AP", topics=topics, spark=spark)
    same(there, assay.evaluate(judgments, run, "AP", topics=topics))


def test_facts_and_fits_are_counted_as_on_one_machine(spark):
    gold = [
        {"query_id": "q", "doc_id": "d", "start": 0, "end": 10, "fact": "A"},
        {"query_id": "q", "doc_id": "d", "start": 100, "end": 140, "fact": "A"},
        {"query_id": "q", "doc_id": "e", "start": 0, "end": 20, "fact": "B"},
    ]
    run = [
        {"query_id": "q", "doc_id": "d", "start": 100, "end": 140, "score": 2.0},
        {"query_id": "q", "doc_id": "e", "start": 0, "end": 15, "score": 1.0},
    ]
    measures = ["FactRecall", "FactRecall(cover=0.7)", "R", "R(chars=50, fit=stop)"]
    there = assay.spark.evaluate(spark.createDataFrame(gold), {"run": spark.createDataFrame(run)}, measures, spark=spark)
    here = assay.evaluate(gold, {"run": run}, measures)
    assert [there["run", measure] for measure in measures] == [1 / 2, 1, 55 / 70, 40 / 70]
    assert there.notes == here.notes
    with_sets = spark.createDataFrame([{**row, "set": "1"} for row in gold])
    with pytest.raises(assay.InputError) as refused:
        assay.spark.evaluate(with_sets, {"run": spark.createDataFrame(run)}, measures, spark=spark)
    assert str(refused.value) == "judgments: these judgments have both a fact and a set column; expected only one of these"
