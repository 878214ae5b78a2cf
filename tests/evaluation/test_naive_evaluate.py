"""`assay evaluate` on random TREC files against naive code.

There are ties, topics that are missing on either side and unjudged documents; and files that must be refused, for
documents that stand twice, lines that are short, and topics that do not meet.
"""

import math
import random

import pytest

import assay
from assay.vocabulary import TOPICS
from helpers.files import written
from helpers.naive_documents import Refused, evaluated
from helpers.random_trec import random_files
from helpers.samples import sample


@pytest.mark.parametrize("topics", TOPICS)
def test_every_value_and_every_refusal_is_that_of_the_naive_program(topics, folder):
    number = {"scored": 0, "refused": 0}
    for seed in range(sample(25, 5000)):
        rng = random.Random(f"{topics} {seed}")
        judgments, run = random_files(rng, "qrels")
        options = {"ties": rng.choice(["docno", "input", "rank"]), "topics": topics}
        options |= {"depth": rng.choice([None, None, 1, 3, 7]), "judged_only": rng.random() < 0.2}
        if options["ties"] == "rank":
            run = with_ranks(rng, run)
        files = written(judgments, "judgments"), written(run, "run")
        try:
            expected = evaluated(judgments, run, **options)
        except Refused as refusal:
            with pytest.raises(assay.InputError) as caught:
                assay.evaluate(*files, "AP", **options)
            assert str(caught.value).startswith(str(refusal)), (seed, options)
            number["refused"] += 1
            continue
        names = ["AP", *(name for row in list(expected.values())[:1] for name in row if name != "AP")]
        scores = assay.evaluate(*files, names, **options)
        ours = {topic: {name: scores["run", name, topic] for name in names} for topic in scores.topics}
        # a topic that does not count has no value
        ours = {topic: row for topic, row in ours.items() if not all(map(math.isnan, row.values()))}
        assert ours == {topic: pytest.approx(row, abs=1e-12) for topic, row in expected.items()}, (seed, options)
        number["scored"] += 1
    assert min(number.values()) > 0


def with_ranks(rng: random.Random, run: str) -> str:
    """The run with a rank of its own in each line."""
    rows = [line.split() for line in run.split("\n")]
    ranks = iter(rng.sample(range(10_000), len(rows)))
    return "\n".join(" ".join([*row[:3], str(next(ranks)), *row[4:]] if len(row) > 3 else row) for row in rows)
