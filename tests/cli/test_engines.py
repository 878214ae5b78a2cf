"""What is said where a cluster cannot be had."""

from importlib.util import find_spec

import pytest

from helpers.commands import invoke

WORDS = "evaluate", "qrels", "run"


@pytest.mark.parametrize("option", [("--master", "local"), ("--partitions", "3")])
def test_what_is_told_of_a_cluster_needs_one(option):
    done = invoke(*WORDS, *option)
    assert (done.stderr, done.exit_code) == (f"{option[0]} goes with --engine spark\n", 2)


def test_groups_of_topics_are_measured_on_one_machine_only():
    done = invoke(*WORDS, "--engine", "spark", "--by", "corpus", "--topics-file", "topics.tsv")
    message = "groups of topics are measured on one machine only; leave out --by and --topics-file\n"
    assert (done.stderr, done.exit_code) == (message, 2)


def test_scores_are_saved_on_one_machine_only():
    done = invoke(*WORDS, "--engine", "spark", "--save", "baseline.json")
    assert (done.stderr, done.exit_code) == ("scores are saved on one machine only; leave out --save\n", 2)


@pytest.mark.skipif(find_spec("pyspark") is not None, reason="Spark is installed")
def test_without_spark_the_way_to_get_it_is_told():
    done = invoke(*WORDS, "--engine", "spark")
    message = "Spark is not installed; expected pip install 'assay-ir[spark]', and Java 17\n"
    assert (done.stderr, done.exit_code) == (message, 2)
