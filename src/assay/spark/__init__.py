"""Past one machine: `assay.spark.evaluate` is `assay.evaluate` for tables that Apache Spark holds or can read.

It needs pyspark and Java 17: pip install 'assay-ir[spark]'.
"""

from assay.spark.cluster import ClusterScores as ClusterScores
from assay.spark.cluster import evaluate as evaluate

__all__ = ["ClusterScores", "evaluate"]
