"""Time and memory of focused evaluation: millions of spans from Parquet, a real INEX run, XML documents. See README.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
INEX = HERE.parents[1] / "shared" / "data" / "inex"
SIZES = (100_000, 300_000, 1_000_000)
RESULTS, SEED = 10, 20
MEASURES = ["AiP", "iP@0.01", "P@5", "R@5", "AgP"]
# Each is a process of its own, from the start of the interpreter to the printed value.
EVALUATE = """
import json, resource, sys
import assay
scores = assay.evaluate(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([peak, scores.values.mean(axis=2)[0].tolist()]))
"""
READ = """
import json, sys, time
from assay.documents.lookup import Documents
names = json.loads(sys.argv[2])
begin = time.perf_counter()
length = Documents(sys.argv[1]).lengths(names).sum()
print(json.dumps([time.perf_counter() - begin, int(length)]))
"""


def spans(topics: int, overlap: bool) -> tuple[Path, Path]:
    """Judgments with two highlighted spans a topic, and a run with ten results of a few documents each, made once."""
    import numpy as np
    import polars as pl

    DATA.mkdir(exist_ok=True)
    judgments = DATA / f"spans-{topics}.parquet"
    run = DATA / f"run-{topics}{'-overlap' if overlap else ''}.parquet"
    random = np.random.default_rng(SEED + overlap)

    def named(prefix: str, numbers: np.ndarray) -> pl.Series:
        return pl.select(pl.concat_str(pl.lit(prefix), pl.Series(numbers).cast(pl.String))).to_series()

    def documents(topic: np.ndarray) -> pl.Series:
        return named("d", (topic * 3 + random.integers(0, 6, len(topic))) % 500_000)

    if not judgments.exists():
        topic = np.repeat(np.arange(topics), 2)
        start = random.integers(0, 9_000, len(topic))
        end = start + random.integers(50, 400, len(topic))
        columns = {"topic": named("q", topic), "document": documents(topic), "start": start, "end": end}
        pl.DataFrame(columns).write_parquet(judgments)
    if not run.exists():
        topic, rank = np.repeat(np.arange(topics), RESULTS), np.tile(np.arange(RESULTS), topics)
        start = random.integers(0, 3_000, len(topic)) if overlap else rank * 1_000 + random.integers(0, 500, len(topic))
        end = start + (random.integers(200, 1_500, len(topic)) if overlap else random.integers(100, 500, len(topic)))
        columns = {
            "topic": named("q", topic),
            "document": documents(topic),
            "start": start,
            "end": end,
            "score": 1.0 / (rank + 1),
        }
        pl.DataFrame(columns).write_parquet(run)
    return judgments, run


def timed(code: str, *arguments: str) -> tuple[float, list]:
    """The seconds a process takes, and what it printed."""
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return time.perf_counter() - begin, json.loads(done.stdout)


def of_spans(sizes: tuple[int, ...]) -> None:
    print(f"{'topics x 10 spans':>22} {'results':>10} {'seconds':>8} {'s / million':>11} {'peak MB':>8}")
    for overlap in (False, True):
        for topics in sizes:
            files = spans(topics, overlap)
            seconds, (peak, _) = timed(EVALUATE, *map(str, files), json.dumps(MEASURES))
            name = f"{topics:,}{' overlapping' if overlap else ''}"
            print(
                f"{name:>22} {topics * RESULTS:>10,} {seconds:>8.2f} "
                f"{seconds / topics / RESULTS * 1e6:>11.2f} {peak:>8.0f}"
            )


def of_inex() -> None:
    if not INEX.is_dir():
        print("the INEX run is not there")
        return
    judgments, run = INEX / "inex2009-2010.technion.qrels.gz", INEX / "bert.focused.fol.run.gz"
    files = [str(judgments), str(run)]
    for words in (["evaluate", *files, "--task", "focused"], ["inex_eval", "-f", "-q", "-c", *files]):
        command = [str(Path(sys.executable).parent / "assay"), *words]
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            times.append(time.perf_counter() - begin)
        print(
            f"assay {words[0]}: the real INEX run of 36,619 results in {sorted(times)[2]:.2f} s "
            "(official program: 0.5 s)"
        )


def of_documents(number: int = 1_000) -> None:
    from random import Random

    random = Random(SEED)
    words = [
        "crust",
        "crumb",
        "starter",
        "levain",
        "oven",
        "steam",
        "flour",
        "water",
        "salt",
        "dough",
        "bench",
        "proof",
        "score",
    ]
    with tempfile.TemporaryDirectory() as folder:
        size = 0
        for document in range(number):
            paragraphs = (
                f"<p>{' '.join(random.choices(words, k=60))} <it>{random.choice(words)}</it></p>" for _ in range(60)
            )
            sections = "".join(
                f"<sec><st>crust</st>{''.join(next(paragraphs) for _ in range(6))}</sec>" for _ in range(10)
            )
            text = f"<article><bdy>{sections}</bdy></article>"
            size += len(text)
            (Path(folder) / f"{document}.xml").write_text(text)
        names = json.dumps([str(document) for document in range(number)])
        for what in ("read", "from the cache"):
            _, (seconds, _) = timed(READ, folder, names)
            print(
                f"{number:,} XML documents of {size / 1e6:.0f} MB {what}: "
                f"{seconds:.2f} s, {size / 1e6 / seconds:.0f} MB/s"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", choices=["spans", "inex", "documents"], nargs="+", default=["spans", "inex", "documents"]
    )
    parser.add_argument("--topics", type=int, nargs="+", default=SIZES)
    given = parser.parse_args()
    if "spans" in given.only:
        of_spans(tuple(given.topics))
    if "inex" in given.only:
        of_inex()
    if "documents" in given.only:
        of_documents()


if __name__ == "__main__":
    main()
