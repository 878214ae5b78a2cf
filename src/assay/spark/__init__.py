"""`assay.spark.evaluate`: `assay.evaluate` for tables in Apache Spark, or in files that Spark can read.

It needs pyspark and Java 17: pip install 'assay-ir[spark]'.
"""

from assay.spark.cluster import ClusterScores as ClusterScores
from assay.spark.cluster import evaluate as evaluate

__all__ = ["ClusterScores", "evaluate"]
