"""Spark and one machine give the same values to the bit, whatever is judged."""

import sys
from random import Random

import numpy as np
import polars as pl
import pytest

import assay
from helpers.clusters import measured_alike, random_documents, same
from helpers.commands import invoke
from helpers.places import ROOT
from helpers.samples import sample
from helpers.spark_session import skipped_without_spark

skipped_without_spark()

EXAMPLES = ROOT / "examples"
FOCUSED, GRADED = EXAMPLES / "focused", EXAMPLES / "graded"
MEASURES = ["AP", "nDCG@10", "P@5", "RR", "ERR", "GMAP", "NumRel", "bpref", "RBP(p=0.8)"]


def test_the_examples_are_measured_as_on_one_machine(spark):
    runs = sorted(map(str, EXAMPLES.glob("*.run")))
    judgments = str(EXAMPLES / "judgments.qrels")
    same(assay.spark.evaluate(judgments, runs, MEASURES, spark=spark), assay.evaluate(judgments, runs, MEASURES))


@pytest.mark.parametrize(
    "rules",
    [{}, {"ties": "rank", "topics": "relevant"}, {"topics": "common", "depth": 7}, {"judged_only": True}],
    ids=str,
)
def test_random_runs_with_ties_missing_and_unjudged_topics_are_measured_as_on_one_machine(spark, rules):
    for seed in range(sample(1, 5)):
        measured_alike(spark, *random_documents(seed), MEASURES, **rules)


def test_the_expected_value_over_ties_is_that_of_one_machine(spark):
    measured_alike(spark, *random_documents(8), ["AP", "nDCG", "RR"], ties="expected")


def random_spans(seed, topics=25):
    """Highlighted text, and a run of passages that overlap and tie."""
    rng = Random(seed)

    def span(longest):
        start = rng.randrange(400)
        return start, start + rng.randint(1, longest)

    judged = [
        (f"{topic}", f"d{rng.randrange(6)}", *span(120), 1) for topic in range(topics) for _ in range(rng.randint(1, 5))
    ]
    returned = {
        (f"{topic}", f"d{rng.randrange(6)}", *span(200), rng.choice([0.5, 1.5, 2.5]))
        for topic in range(3, topics + 2)
        for _ in range(rng.randint(1, 12))
    }
    return (
        pl.DataFrame(judged, ["topic", "document", "start", "end", "grade"], orient="row"),
        {"run": pl.DataFrame(sorted(returned), ["topic", "document", "start", "end", "score"], orient="row")},
    )


@pytest.mark.parametrize("overlap", ["paid", "new", "drop"])
def test_spans_that_overlap_are_measured_as_on_one_machine(spark, overlap):
    measures = ["P@5", "R@5", "AiP", "iP@0.1", "R(chars=200)", "Budget@0.5", "Redundancy", "AP(unit=document)"]
    measured_alike(spark, *random_spans(3), measures, overlap=overlap)


def test_highlighted_text_in_files_is_measured_as_on_one_machine(spark):
    given = str(FOCUSED / "highlights.qrels"), [str(FOCUSED / "passages.run"), str(FOCUSED / "elements.run")]
    documents = str(FOCUSED / "documents")
    measures = ["AiP", "P@1", "R", "R(tokens=50)", "AP(unit=document)"]
    rules = {"documents": documents, "tokenizer": "words"}
    same(assay.spark.evaluate(*given, measures, spark=spark, **rules), assay.evaluate(*given, measures, **rules))


def test_assessed_elements_are_measured_as_on_one_machine(spark):
    given = str(GRADED / "assessments"), sorted(map(str, (GRADED / "runs").iterdir()))
    there = assay.spark.evaluate(*given, task="CO.Thorough", spark=spark, partitions=2)
    same(there, assay.evaluate(*given, task="CO.Thorough"))


def test_assessed_elements_in_tables_are_measured_as_those_in_files(spark):
    given = str(GRADED / "assessments"), sorted(map(str, (GRADED / "runs").iterdir()))
    judgments = assay.read_judgments(given[0])
    elements, names = judgments.elements, list(zip(judgments.topic.texts(), judgments.document.texts(), strict=True))
    columns = elements.path, elements.exhaustivity.tolist(), elements.specificity.tolist(), elements.size.tolist()
    rows = [(*names[row], *values) for row, *values in zip(elements.row.tolist(), *columns, strict=True)]
    fields = "topic string, document string, path string, exhaustivity int, specificity double, size int"
    runs = {}
    for path in given[1]:
        run = assay.read_run(path)
        results = zip(run.topic.texts(), run.document.texts(), run.path.texts(), run.score.tolist(), strict=True)
        returned = "topic string, document string, path string, score double"
        runs[run.name] = spark.createDataFrame(list(results), returned)
    there = assay.spark.evaluate(spark.createDataFrame(rows, fields), runs, task="CO.Thorough", spark=spark).collect()
    here = assay.evaluate(*given, task="CO.Thorough")
    np.testing.assert_allclose(there.values, here.values, rtol=1e-14)


@pytest.mark.parametrize("annotators", [None, "best", "union", "bo"])
def test_sets_and_annotators_are_measured_as_on_one_machine(spark, annotators):
    rng, rows = Random(6), []
    for topic in range(20):
        for who in ["al", "bo", "cy"][: 1 + topic % 3] if topic != 4 else ["al"]:
            for which in ["s1", "s2"][: 1 + topic % 2]:
                grades = [rng.choice([0, 1, 1, 2, 4 if topic == 8 else 1]) for _ in range(3)]
                rows += [(f"q{topic:02}", f"d{n}", grade, which, who) for n, grade in enumerate(grades)]
    judgments = pl.DataFrame(rows, ["topic", "document", "grade", "set", "annotator"], orient="row")
    run = [(f"q{topic:02}", f"d{n}", rng.random()) for topic in range(20) for n in range(5)]
    runs = {"run": pl.DataFrame(run, ["topic", "document", "score"], orient="row")}
    measured_alike(spark, judgments, runs, ["AP", "ERR", "nDCG"], annotators=annotators)


def test_grades_between_0_and_1_are_measured_as_on_one_machine(spark):
    judgments, runs = random_documents(2, topics=10)
    measured_alike(spark, judgments.with_columns(pl.col("grade") / 4), runs, ["nDCG", "ERR", "AP", "AP(rel=0.25)"])


def test_topics_that_share_a_key_are_kept_apart(spark, monkeypatch):
    from pyspark.sql import functions

    monkeypatch.setattr("assay.spark.cluster.topic_key", lambda topic: functions.crc32(topic) % 3)
    measured_alike(spark, *random_documents(4), MEASURES)


def test_parquet_is_read_by_spark_whatever_its_columns_are_called(spark, tmp_path):
    judgments, runs = random_documents(5)
    judgments.rename({"topic": "qid", "document": "doc_id"}).write_parquet(tmp_path / "judged.parquet")
    parts = tmp_path / "first"
    parts.mkdir()
    renamed = runs["first"].rename({"topic": "query_id", "document": "docno"})
    for number in range(3):
        renamed[number::3].write_parquet(parts / f"part-{number}.parquet")
    there = assay.spark.evaluate(str(tmp_path / "judged.parquet"), {"first": str(parts)}, ["AP"], spark=spark)
    here = assay.evaluate(judgments, {"first": runs["first"]}, ["AP"])
    assert there["first", "AP"] == there["AP"] == here["first", "AP"]
    values = {(row["run"], row["topic"]): row["AP"] for row in there.per_topic.collect()}
    assert values == {(run, topic): value for run, topic, value in here.per_topic.rows()}


def test_tables_that_are_bucketed_by_topic_are_not_shuffled(spark):
    judgments, runs = random_documents(6)
    for name, table in (("judged", judgments), ("returned", runs["first"])):
        frame = spark.createDataFrame(table.to_arrow())
        frame.write.bucketBy(4, "topic").sortBy("topic").mode("overwrite").saveAsTable(name)
    tables = spark.table("judged"), {"first": spark.table("returned")}
    there = assay.spark.evaluate(*tables, MEASURES, clustered=True, spark=spark)
    assert "Exchange" not in there._values._jdf.queryExecution().toString()
    same(there, assay.evaluate(judgments, {"first": runs["first"]}, MEASURES))


def test_tables_of_which_spark_does_not_know_that_they_are_clustered_are_refused(spark):
    judged, runs = random_documents(6)
    judgments, runs = (spark.createDataFrame(table.to_arrow()) for table in (judged, runs["first"]))
    with pytest.raises(assay.UsageError) as refused:
        assay.spark.evaluate(judgments, runs, "AP", clustered=True, spark=spark)
    assert str(refused.value) == (
        "clustered=True is for tables that are bucketed by their topic, into as many buckets each; "
        "Spark knows nothing of it here: write them with bucketBy, and read them as tables"
    )


def test_ties_cannot_be_left_in_an_order_that_is_not_there(spark):
    with pytest.raises(assay.UsageError) as refused:
        assay.spark.evaluate("qrels", "run", ties="input", spark=spark)
    assert str(refused.value) == (
        "rows of a table on a cluster have no order, and ties cannot be left in it; "
        "break ties by docno or rank, or leave them open with expected"
    )


JUDGED = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
FAULTS = [
    ([("1", "a", 1.0), ("1", "a", 2.0)], {}, "run: document a is retrieved twice for topic 1; give duplicates=first or duplicates=best to keep one"),
    ([("1", "a", 1.0), ("2", "b", float("nan"))], {}, "run: topic 2, document b: score 'nan' is not a finite number"),
    ([("1", "a", 1.0), ("2", None, 2.0)], {}, "run: topic 2, document None: document is missing"),
    ([("7", "a", 1.0), ("8", "a", 1.0)], {}, "run and judgments have no topic in common (7, 8 against 1, 2)"),
    ([("1", "a", 1.0)], {"topics": "error"}, "the topics of run and judgments differ: the run lacks 2"),
]


@pytest.mark.parametrize(("rows", "rules", "message"), FAULTS, ids=[message for *_, message in FAULTS])
def test_what_a_worker_refuses_is_one_line(spark, rows, rules, message):
    run = spark.createDataFrame(rows, "topic string, document string, score double")
    with pytest.raises(assay.InputError) as refused:
        assay.spark.evaluate(JUDGED, run, "AP", spark=spark, **rules).collect()
    assert str(refused.value) == message


def test_columns_are_taken_as_the_user_tells_and_must_be_there(spark):
    run = spark.createDataFrame([("1", "x", "a", 1.0)], "topic string, document string, chunk string, score double")
    scores = assay.spark.evaluate(JUDGED, run, "AP", columns={"document": "chunk"}, spark=spark)
    assert scores["AP"] == 0.5
    with pytest.raises(assay.UsageError) as refused:
        assay.spark.evaluate(JUDGED, run, "AP", columns={"document": "piece"}, spark=spark)
    assert str(refused.value) == "no input has the column 'piece' that you named for the document"


def test_a_measure_of_ones_own_is_sent_to_the_workers(spark):
    class Length(assay.Measure):
        """How many results there are, halved.

            Length = n / 2
        """

        def __call__(self, ranking):
            return ranking.retrieved / 2

    judgments, runs = random_documents(9)
    measured_alike(spark, judgments, runs, [Length()])


def test_the_command_prints_what_it_prints_on_one_machine(spark):
    words = "evaluate", str(EXAMPLES / "judgments.qrels"), str(EXAMPLES / "bm25.run"), "-m", "AP,GMAP"
    for further in ((), ("--per-topic",), ("--as", "json")):
        there, here = invoke(*words, *further, "--engine", "spark", "--partitions", "2"), invoke(*words, *further)
        assert (there.stdout, there.stderr, there.exit_code) == (here.stdout, here.stderr, 0)


def test_what_spark_cannot_read_is_told_in_one_line(spark):
    done = invoke("evaluate", "file:///no/such/judgments", str(EXAMPLES / "bm25.run"), "--engine", "spark")
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("Spark cannot do it: [PATH_NOT_FOUND] Path does not exist: file:/no/such/judgments")


def test_workers_with_another_version_of_assay_are_refused(spark, monkeypatch):
    monkeypatch.setattr("assay.spark.cluster.ASKED", set())
    monkeypatch.setattr("assay.spark.cluster.__version__", "7.0")
    with pytest.raises(assay.AssayError) as refused:
        assay.spark.evaluate(JUDGED, {"1": {"a": 1.0}}, "AP", spark=spark)
    wanted = "install assay-ir 7.0 in the Python that PYSPARK_PYTHON names for them"
    message = f"the workers have Assay {assay.__version__} ({sys.executable}), and this is Assay 7.0; {wanted}"
    assert str(refused.value) == message


def test_what_a_worker_cannot_do_is_told_by_its_cause(spark):
    class Failing(assay.Measure):
        """What no worker survives.

            Failing = ?
        """

        def __call__(self, ranking):
            raise SystemExit("enough")

    with pytest.raises(assay.AssayError) as refused:
        print(assay.spark.evaluate(JUDGED, {"1": {"a": 1.0}}, [Failing()], spark=spark)["run", "Failing"])
    assert str(refused.value) == "Spark cannot do it: SystemExit: enough"
