"""What is said where a cluster cannot do what it is asked: the cause, in one line, and soon."""

import socket

import pytest

import assay
from assay.cli.evaluate_commands import refuse_absent_master
from assay.spark.cluster import cause_of, refuse_remote

# As Spark 4.3 says it, shortened where it goes on.
SAID = [
    (
        "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
        '  File "worker.py", line 14, in main\n    process()\nModuleNotFoundError: No module named \'assay\'\n',
        "ModuleNotFoundError: No module named 'assay'",
    ),
    (
        'Traceback (most recent call last):\n  File "own.py", line 1, in f\nKeyError: 7\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "own.py", line 3, in f\nZeroDivisionError: here\nand more\n',
        "ZeroDivisionError: here",
    ),
    (
        "An error occurred while calling o47.collectToPython.\n: org.apache.spark.SparkException: Job aborted due to stage "
        "failure: Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task 0.0 in stage 0.0 (TID 0) (192.0.2.2 "
        "executor driver): org.apache.spark.SparkException: Python worker exited unexpectedly (crashed).\n"
        "\tat org.apache.spark.api.python.BasePythonRunner\n",
        "Python worker exited unexpectedly (crashed).",
    ),
    (
        "An error occurred while calling o31.parquet.\n: java.lang.IllegalStateException: Cannot call methods on a stopped "
        "SparkContext.\n\tat org.apache.spark\n",
        "Cannot call methods on a stopped SparkContext.",
    ),
    ("[PATH_NOT_FOUND] Path does not exist: s3a://logs/run. SQLSTATE: 42K03", "[PATH_NOT_FOUND] Path does not exist: s3a://logs/run. SQLSTATE: 42K03"),
    ("", "RuntimeError"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "cause"), SAID, ids=[cause for _, cause in SAID])
def test_the_cause_is_the_line_that_tells_it(said, cause):
    assert cause_of(RuntimeError(said)) == cause


def test_a_master_that_does_not_answer_is_refused_before_spark_is_started():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(assay.UsageError) as refused:
        refuse_absent_master(master)
    assert str(refused.value) == (
        f"no answer from {master}: Connection refused; check that the cluster is running and that this is its address"
    )


def test_one_of_several_masters_is_enough_and_other_clusters_are_not_asked():
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody, somebody = free.getsockname()[1], listening.getsockname()[1]
        refuse_absent_master(f"spark://127.0.0.1:{nobody},127.0.0.1:{somebody}")
    for master in ("", "yarn", "local[2]", "k8s://https://host:443"):
        refuse_absent_master(master)


@pytest.mark.parametrize("master", ["spark://host", "spark://host:port"])
def test_what_is_no_address_of_a_master_is_refused(master):
    with pytest.raises(assay.UsageError) as refused:
        refuse_absent_master(master)
    assert str(refused.value) == f"'{master}' is not the address of a cluster; expected for example spark://host:7077"


def test_clustered_tables_over_spark_connect_are_refused_with_what_to_do():
    with pytest.raises(assay.UsageError) as refused:
        refuse_remote(object())
    assert str(refused.value) == (
        "clustered=True cannot be checked over Spark Connect, which does not show where rows are; leave out clustered=, or use a session on the cluster itself"
    )
