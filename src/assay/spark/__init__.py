"""Past one machine: `assay.spark.evaluate` is `assay.evaluate` for tables that Apache Spark holds or can read.

It needs pyspark and Java 17: pip install 'assay-ir[spark]'.
"""

from assay.spark.cluster import evaluate as evaluate
from assay.spark.cluster_scores import ClusterScores as ClusterScores

__all__ = ["ClusterScores", "evaluate"]
