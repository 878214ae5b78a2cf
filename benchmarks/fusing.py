"""Time and memory of fusing 10 runs of 1,000 topics x 1,000 results, files in and a run out; and against ranx.

    python benchmarks/fusing.py                 # the methods of METHODS, and a small sample beside ranx
    python benchmarks/fusing.py --topics 100

Runs in the environment that it is started with; ranx takes part where it is installed there. The data is made once.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys

from run import DATA, HERE, Result, files, measure

METHODS = ("rrf", "combmnz", "borda", "condorcet")
RUNS, SMALL = 10, 50
ASSAY = """
import sys, assay
method, *runs = sys.argv[1:]
print(len(assay.fuse(runs, method)))
"""
# the second time, when it has compiled itself
RANX = """
import sys, time
from ranx import Run, fuse
method, *runs = sys.argv[1:]
for _ in range(2):
    begin = time.perf_counter()
    fused = fuse([Run.from_file(run, kind="trec") for run in runs], norm="min-max", method=method)
print("seconds", time.perf_counter() - begin)
"""


def timed(name: str, script: str, method: str, topics: int) -> None:
    """Print what a fresh process needs."""
    result = Result()
    measure([sys.executable, "-c", script, method, *files(topics, 100, RUNS)[1:]], False, result)
    print(f"  {name:<24}{topics:8,}{result.seconds[0]:10.2f}{result.cpu[0]:13.2f}{result.megabytes[0]:9.0f}")


def main() -> None:
    """Make the data, and fuse it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--topics", type=int, choices=(100, 1000), default=1000)
    topics = options.parse_args().topics
    DATA.mkdir(exist_ok=True)
    made = (f"{size}-100-many" for size in (SMALL, topics))
    subprocess.run([sys.executable, HERE / "data.py", DATA, *made], check=True)
    print(f"{RUNS} runs, 1,000 results a topic")
    print(f"  {'program':<24}{'topics':>8}{'seconds':>10}{'cpu seconds':>13}{'peak MB':>9}")
    for method in METHODS:
        timed(f"assay {method}", ASSAY, method, topics)
    timed("assay rrf", ASSAY, "rrf", SMALL)
    if importlib.util.find_spec("ranx"):
        timed("ranx rrf, warm", RANX, "rrf", SMALL)


if __name__ == "__main__":
    main()
