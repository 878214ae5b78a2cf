"""A Spark session for those who have none: on the cluster of an address, or as Spark is set up on this machine."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

from assay.errors import UsageError, shortened
from assay.files.silence import silent
from assay.spark.inputs import refuse_no_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session_at(master: str | None) -> SparkSession:
    """A session that says nothing but what Assay says.

    master: as Spark names clusters, spark://host:7077, yarn or local[4]; by default the one that Spark is set up for.
    """
    refuse_no_spark()
    from pyspark.sql import SparkSession

    if master is None or master.startswith("local"):
        # workers on this machine are of the Python that is running
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # pandas 3 is as good for what is asked of it here
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = SparkSession.builder.appName("assay").config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.showConsoleProgress", False)
    try:
        with silent():
            return (builder if master is None else builder.master(master)).getOrCreate()
    except Exception as error:
        # whatever Spark, Java or the network says
        why = shortened((str(error).splitlines() or [type(error).__name__])[0], 200)
        raise UsageError(f"Spark does not start: {why}; expected Java 17, and a cluster where master= says") from None
