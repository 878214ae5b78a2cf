"""Whether Spark can be tested here, and one session for all tests of a module."""

import os
import shutil
import sys
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

ASKED_FOR = "ASSAY_SPARK"


def skipped_without_spark() -> None:
    """Skips a module of tests, and says why, unless Spark is to be tested and can be."""
    if not os.environ.get(ASKED_FOR):
        pytest.skip("Spark is tested by `make test-spark`", allow_module_level=True)
    if find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed", allow_module_level=True)
    if shutil.which("java") is None:
        pytest.skip("Java is not installed", allow_module_level=True)


@contextmanager
def session(folder, partitions=3, rows_a_batch=7):
    """A session of two threads, with batches that are so small that topics span several."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("tests of assay")
    settings = {
        "spark.ui.enabled": False,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": partitions,
        "spark.sql.execution.arrow.maxRecordsPerBatch": rows_a_batch,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder),
        "spark.ui.showConsoleProgress": False,
        # small tables are measured soonest with little compiling
        "spark.sql.codegen.wholeStage": False,
        "spark.sql.adaptive.enabled": False,
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()
