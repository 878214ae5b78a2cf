"""The same table gives the same values, notes and errors on Spark as on one machine, whatever types its columns have."""

from datetime import date
from decimal import Decimal

import polars as pl
import pytest

import assay
from helpers.clusters import measured_alike
from helpers.spark_session import skipped_without_spark

skipped_without_spark()

JUDGED = pl.DataFrame({"topic": ["1", "1", "2"], "document": ["a", "b", "c"], "grade": [1, 0, 2]})
RUN = pl.DataFrame({"topic": ["1", "1", "2"], "document": ["b", "a", "c"], "score": [0.1, 0.30000000000000004, 7.0]})


@pytest.mark.parametrize(
    "run",
    [
        RUN.with_columns(pl.col("score").cast(pl.String)),
        RUN.with_columns(score=pl.Series([" 1e-1", "2", "+3.5 "])),
        RUN.with_columns(score=pl.Series([Decimal("0.1"), Decimal("0.3"), Decimal("7.0")])),
        RUN.with_columns(pl.col("score").cast(pl.Float32)),
        RUN.with_columns(score=pl.Series([1, 2, 3], dtype=pl.Int8)),
        RUN.with_columns(pl.col("topic").cast(pl.Int32)),
        RUN.with_columns(pl.col("topic").cast(pl.Float64)),
        RUN.with_columns(rank=pl.Series(["2", "1", "1"])),
        RUN.with_columns(run=pl.Series(["x", "y", "x"])),
    ],
    ids=["text", "blanks", "decimal", "float", "int8", "int topic", "float topic", "text rank", "several runs"],
)
def test_a_run_is_measured_as_on_one_machine(spark, run):
    measured_alike(spark, JUDGED, {"first": run, "second": RUN}, ["AP", "nDCG"])


@pytest.mark.parametrize(
    "judged",
    [
        JUDGED.with_columns(pl.col("grade").cast(pl.String)),
        JUDGED.with_columns(grade=pl.Series(["0.25", "0", "4"])),
        JUDGED.with_columns(annotator=pl.Series([1, 2, 1])),
        pl.DataFrame({"topic": ["1", "2"], "document": ["a", "c"], "start": ["3", "10"], "end": ["9", "12"]}),
        pl.DataFrame({"topic": ["1", "2"], "document": ["a", "c"], "start": [3, 10], "end": [9, 12], "label": ["x", "y"]}),
        pl.DataFrame({"topic": ["1", "2"], "document": ["a", "c"], "start": [3, 10], "end": [9, 12], "judgment": ["x", None]}),
        pl.DataFrame({"topic": ["1", "2"], "document": ["a", "c"], "start": [3, 10], "end": [9, 12], "label": pl.Series([None, None], dtype=pl.String)}),
        pl.DataFrame({"topic": ["1", "2"], "document": ["a", "c"], "start": [3, 10], "end": [9, 12], "label": [float("nan"), None]}),
    ],
    ids=[
        "text", "fractions as text", "annotators by number", "offsets as text", "classes of spans", "classes as judgment", "empty labels", "labels that are NaN",
    ],
)
def test_judgments_are_measured_as_on_one_machine(spark, judged):
    run = RUN.with_columns(start=pl.lit(0), end=pl.lit(11)) if "start" in judged.columns else RUN
    measured_alike(spark, judged, {"run": run})


SPANS = pl.DataFrame({"topic": ["1", "2"], "document": ["a", "c"], "start": [3, 10], "end": [9, 12]})
FAULTS = [
    (JUDGED, RUN.with_columns(score=pl.Series(["1", "high", "2"])), "run: {}: score 'high' is not a number", ("row 2", "topic 1, document a")),
    (JUDGED, RUN.with_columns(score=pl.Series(["1", "", "2"])), "run: {}: score is missing", ("row 2", "topic 1, document a")),
    (JUDGED, RUN.with_columns(topic=pl.Series([1.0, 1.5, 2.0])), "run: {}: topic 1.5 is neither text nor a whole number", ("row 2", "topic 1.5, document a")),
    (JUDGED, RUN.head(1).with_columns(score=pl.lit(date(2024, 1, 1))), "run: {}: score datetime.date(2024, 1, 1) is neither text nor a number", ("row 1", "topic 1, document b")),
    (JUDGED, RUN.head(1).with_columns(document=pl.lit(True)), "run: {}: document True is neither text nor a whole number", ("row 1", "topic 1, document True")),
    (JUDGED.with_columns(grade=pl.Series(["1", "yes", "2"])), RUN, "judgments: {}: grade 'yes' is not a number", ("row 2", "topic 1, document b")),
    (SPANS.with_columns(label=pl.Series(["yes", "Not relevant"])), RUN, "judgments: {}: grade 'yes' is not a whole number", ("row 1", "topic 1, document a")),
    (SPANS.with_columns(end=pl.Series([1, 12])), RUN, "judgments: {}: start 3 is after end 1", ("row 1", "topic 1, document a")),
    (SPANS.with_columns(score=pl.lit(0.5)), RUN, "judgments: this looks like a run, because it has a score for each span; expected judgments: pass judgments first, then the runs", None),
    (JUDGED.rename({"document": "title"}), RUN, "judgments: no document column; the columns are topic, title, grade; if column title has quotes, pass columns=, for example text=title, and pass documents=", None),
]  # fmt: skip


@pytest.mark.parametrize(("judged", "run", "message", "places"), FAULTS, ids=[message for _, _, message, _ in FAULTS])
def test_what_one_machine_refuses_is_refused_in_the_same_words(spark, judged, run, message, places):
    here, there = places or ("", "")
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(judged, {"run": run})
    assert str(refused.value) == message.format(here)
    frames = [spark.createDataFrame(table.to_arrow()) for table in (judged, run)]
    with pytest.raises(assay.InputError) as refused:
        assay.spark.evaluate(frames[0], {"run": frames[1]}, spark=spark).collect()
    assert str(refused.value) == message.format(there)


def failed_tasks(spark):
    tracker = spark.sparkContext.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup(None) for stage in tracker.getJobInfo(job).stageIds]
    return sum(info.numFailedTasks for stage in stages if (info := tracker.getStageInfo(stage)))


def test_a_bad_row_comes_back_as_data_and_fails_no_task(spark):
    before = failed_tasks(spark)
    run = spark.createDataFrame([("1", "a", float("nan")), ("2", "b", 1.0)], "topic string, document string, score double")
    scores = assay.spark.evaluate(spark.createDataFrame(JUDGED.to_arrow()), run, "AP", spark=spark)
    for asked in (lambda: scores["AP"], lambda: scores.per_topic, lambda: scores.notes, scores.collect):
        with pytest.raises(assay.InputError) as refused:
            asked()
        assert str(refused.value) == "run: topic 1, document a: score 'nan' is not a finite number"
    assert failed_tasks(spark) == before


ASSESSED = pl.DataFrame(
    [("1", "d", "/a[1]", 2, 0.5, 80), ("1", "d", "/a[1]/p[1]", 1, 1.0, 40), ("1", "e", "/a[1]", 0, 0.0, 60), ("2", "e", "/a[1]/p[2]", -1, 1.0, 9)],
    ["topic", "document", "path", "exhaustivity", "specificity", "size"],
    orient="row",
)  # fmt: skip
ELEMENTS = pl.DataFrame(
    [("1", "d", "/a[1]/p[1]", 3.0), ("1", "e", "/a[1]", 2.0), ("1", "d", "/a[1]", 1.0), ("2", "e", "/a[1]/p[2]", 1.0)],
    ["topic", "document", "path", "score"],
    orient="row",
)
GRADES = ASSESSED.with_columns(exhaustivity=pl.Series([3, 1, 0, 2]), specificity=pl.Series([3, 1, 0, 2]))


@pytest.mark.parametrize(
    "judged",
    [
        ASSESSED,
        ASSESSED.drop("size"),
        ASSESSED.with_columns(pl.all().cast(pl.String)),
        GRADES,
        GRADES.with_columns(pl.all().cast(pl.String)),
        GRADES.with_columns(pl.col("specificity").cast(pl.Float64)),
        ASSESSED.reverse(),
    ],
    ids=["shares", "no sizes", "shares as text", "grades", "grades as text", "grades as floats", "any order"],
)
def test_a_table_of_assessed_elements_is_measured_as_on_one_machine(spark, judged):
    measured_alike(spark, judged, {"run": ELEMENTS}, ["nxCG(overlap=off)@2", "MAep(overlap=off)"])
