"""What is said where a cluster cannot be had."""

from importlib.util import find_spec

import pytest

from helpers.commands import invoke
from helpers.files import written

WORDS = "evaluate", "qrels", "run"


@pytest.mark.parametrize("option", [("--master", "local"), ("--partitions", "3")])
def test_what_is_told_of_a_cluster_needs_one(option):
    done = invoke(*WORDS, *option)
    assert (done.stderr, done.exit_code) == (f"{option[0]} requires --engine spark\n", 2)


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_what_is_saved_must_be_another_file_than_those_that_are_read(folder, engine):
    written("1 0 a 1\n", "qrels")
    done = invoke(*WORDS, "--engine", engine, "--save", "qrels")
    assert (done.stderr, done.exit_code) == ("qrels: the output is the same file as the input qrels; choose another file\n", 1)


@pytest.mark.skipif(find_spec("pyspark") is not None, reason="Spark is installed")
def test_without_spark_the_way_to_get_it_is_told():
    done = invoke(*WORDS, "--engine", "spark")
    message = "Spark is not installed; run pip install 'assay-ir[spark]' and install Java 17\n"
    assert (done.stderr, done.exit_code) == (message, 2)
