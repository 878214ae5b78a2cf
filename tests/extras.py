"""Each extra of the package in an environment of its own, as a user has it: installed, and then tried by a small job.

    python tests/extras.py            # all of them, and Assay without any
    python tests/extras.py spark peers

What cannot be installed is told and passed over; a job that fails fails the whole.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTHING = "nothing"
# Seconds that an installation may take.
LONGEST = 300

RUN = """
import assay
judgments, run = {"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}}
"""
# Of each extra, what must work with it and nothing else.
JOBS = {
    NOTHING: """
assert assay.evaluate(judgments, run, "AP")["AP"] == 0.5
assay.chart(judgments, {"one": run, "two": {"1": ["a"]}}, measures="AP").save("chart.svg")
""",
    "dev": """
import hypothesis, mypy, nbclient, pandas, pyarrow, pytest, selenium, xdist
table = pandas.DataFrame({"topic": ["1", "1"], "document": ["b", "a"], "score": [2.0, 1.0]})
assert assay.evaluate(judgments, table, "AP")["AP"] == 0.5
""",
    "peers": """
import ir_measures, ir_measures.util
from cwl.ruler.cwl_ruler import CWLRuler
assert assay.evaluate(judgments, run, [ir_measures.AP])["AP"] == 0.5
""",
    "assess": """
import tempfile
from assay.assessing.server import Server
from assay.assessing.launch import Address, make_server, study_of_example
from assay.studies.study import open_study
from assay.documents.lookup import Documents
path, documents = study_of_example(tempfile.mkdtemp())
with open_study(path) as study:
    assert make_server(study, Documents(documents), Address(), 1)
""",
    "spark": """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
import assay.spark
spark = SparkSession.builder.master("local[1]").config("spark.ui.showConsoleProgress", False).getOrCreate()
table = spark.createDataFrame([("1", "b", 2.0), ("1", "a", 1.0)], "topic string, document string, score double")
assert assay.spark.evaluate(judgments, table, "AP", partitions=1)["AP"] == 0.5
""",
    "frameworks": """
import chonkie, haystack, langchain_text_splitters, llama_index.core
from langchain_core.documents import Document
chunk = Document("some text", metadata={"source": "a", "start_index": 0})
assert assay.evaluate({"1": [("a", 0, 4)]}, {"1": [chunk]}, "R")["R"] == 1
""",
    "clients": """
import chromadb, faiss, lancedb, numpy, qdrant_client
index = faiss.IndexFlatIP(2)
index.add(numpy.eye(2, dtype="float32"))
found = index.search(numpy.array([[0.2, 0.9]], dtype="float32"), 3)
assert assay.evaluate({"1": [("a", 0, 4)]}, {"1": found}, "R@1", chunks={0: ("a", 9, 12), 1: ("a", 0, 4)})["R@1"] == 1
""",
}


def python_in(folder: Path, extra: str) -> Path | None:
    """The Python of a new environment with Assay and an extra; None where that cannot be installed."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python, what = folder / "bin/python", str(ROOT) if extra == NOTHING else f"{ROOT}[{extra}]"
    words = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what]
    try:
        return python if subprocess.run(words, timeout=LONGEST, check=False).returncode == 0 else None
    except subprocess.TimeoutExpired:
        return None


def tried(extra: str) -> str:
    """What became of an extra."""
    with tempfile.TemporaryDirectory(prefix="assay-extra-") as name:
        python = python_in(Path(name) / "venv", extra)
        if python is None:
            return "could not be installed"
        job = [python, "-c", RUN + JOBS[extra]]
        return "works" if subprocess.run(job, cwd=name, check=False).returncode == 0 else "FAILED"


def main() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    if without := declared.keys() - JOBS.keys():
        raise SystemExit(f"no job tries the extra {min(without)}")
    outcomes = []
    for extra in sys.argv[1:] or JOBS:
        outcomes.append(tried(extra))
        print(f"{extra}: {outcomes[-1]}", flush=True)
    raise SystemExit("FAILED" in outcomes)


if __name__ == "__main__":
    main()
