"""What Spark measures against what one machine does."""

from random import Random

import numpy as np
import polars as pl

import assay


def same(there, here):
    """The values of each topic and over all topics are the same numbers, and the notes the same lines."""
    collected = there.collect()
    assert (collected.systems, collected.topics) == (here.systems, here.topics)
    assert [str(measure) for measure in there.measures] == [str(measure) for measure in here.measures]
    np.testing.assert_array_equal(collected.values, here.values)
    assert collected.missing == here.missing
    assert there.means.equals(here.means)
    assert there.show("tsv") == here.show("tsv")
    assert there.notes == here.notes
    there.unpersist()


def measured_alike(spark, judgments, runs, measures=None, **rules):
    """Frames are measured on Spark as on one machine."""
    there = {name: spark.createDataFrame(run.to_arrow()) for name, run in runs.items()}
    judged = spark.createDataFrame(judgments.to_arrow())
    same(
        assay.spark.evaluate(judged, there, measures, spark=spark, **rules),
        assay.evaluate(judgments, runs, measures, **rules),
    )


def random_documents(seed, topics=40):
    """Judgments and two runs with tied scores; some topics are judged only, others only in a run, or have nothing
    relevant.
    """
    rng = Random(seed)
    documents = [f"d{number}" for number in range(30)]
    judged = [
        (f"q{topic}", document, 0 if topic % 11 == 3 else rng.choice([-1, 0, 0, 1, 2, 3 if topic == 7 else 1]))
        for topic in range(topics)
        for document in rng.sample(documents, rng.randint(1, 12))
    ]
    runs = {}
    for name in ("first", "second"):
        rows = [
            (f"q{topic}", document, rng.choice([0.1, 0.2, 0.3, 1 / 3, 0.7]), rank)
            for topic in range(5, topics + 4)
            if rng.random() < 0.9
            for rank, document in enumerate(rng.sample(documents, rng.randint(1, 25)), 1)
        ]
        runs[name] = pl.DataFrame(rows, ["topic", "document", "score", "rank"], orient="row")
    return pl.DataFrame(judged, ["topic", "document", "grade"], orient="row"), runs
