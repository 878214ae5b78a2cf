"""Evaluation on Apache Spark: rows a second and core, bytes a row, a topic far too large, faults in mid-job, and the
command on one machine beside the same on Spark, from its start to its end.

    python benchmarks/spark.py                     # all of it; ten million rows take some minutes
    python benchmarks/spark.py --only command --rows 0.1 10 100
    python benchmarks/spark.py --only growth --rows 1 3
    python benchmarks/spark.py --only faults

Needs pyspark and Java 17: pip install 'assay-ir[spark]'. Data and logs are made in a folder that is removed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

RESULTS, MEASURES, MILLION = 100, ["AP", "nDCG@10", "P@10", "RR", "R@100"], 1_000_000
PARTITION_ROWS = 250_000
KINDS = ["growth", "skew", "faults", "command"]
TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def session(folder: Path, master: str = "local[2]", **settings: Any) -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("assay").config("spark.log.level", "OFF")
    usual = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.ui.showConsoleProgress": False,
        "spark.ui.port": 4567,
    }
    for name, value in {**usual, **settings}.items():
        builder = builder.config(name, str(value))
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def write_data(spark: Any, folder: Path, rows: int) -> None:
    """A run of 100 results a topic, the rows of a topic all over the table, and two judged documents a topic."""
    from pyspark.sql import functions

    topics = rows // RESULTS
    topic = functions.concat(functions.lit("q"), functions.lpad((functions.col("id") % topics).cast("string"), 8, "0"))
    document = functions.concat(functions.lit("d"), functions.lpad(functions.col("id").cast("string"), 9, "0"))
    run = spark.range(rows).select(topic.alias("topic"), document.alias("document"), functions.rand(7).alias("score"))
    run.write.mode("overwrite").parquet(str(folder / "run"))
    grade = functions.lit(1).alias("grade")
    judged = spark.range(2 * topics).select(topic.alias("topic"), document.alias("document"), grade)
    judged.write.mode("overwrite").parquet(str(folder / "judged"))


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they did."""
    try:
        # a process is the child of the thread that started it
        lists = [children.read_text().split() for children in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    started = [int(child) for children in lists for child in children]
    return [*started, *(each for child in started for each in descendants(child))]


def cpu_seconds(pids: list[int]) -> float:
    """Seconds of all cores that processes, and those that they started and that have ended, have taken."""
    total = 0
    for pid in pids:
        try:
            total += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
        except OSError:
            continue
    return total / TICKS


def peak_megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024 if "VmHWM" in status else 0.0


def shuffled_bytes(spark: Any) -> int:
    """Bytes shuffled by all stages so far."""
    url = f"{spark.sparkContext.uiWebUrl}/api/v1/applications/{spark.sparkContext.applicationId}/stages"
    with urllib.request.urlopen(url) as answer:
        stages = json.load(answer)
    return sum(each["shuffleWriteBytes"] for each in stages)


def bytes_on_disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


def measured(
    spark: Any, judged: Any, run: Any, rows: int, on_disk: int = 0, clustered: bool = False
) -> dict[str, float]:
    """What an evaluation takes, from the call to the means."""
    import assay.spark

    jvm = spark.sparkContext._gateway.proc.pid
    before, begin = shuffled_bytes(spark), time.perf_counter()
    cpu = cpu_seconds([jvm, *descendants(jvm)])
    how = {"clustered": clustered, "partitions": max(2, rows // PARTITION_ROWS)}
    scores = assay.spark.evaluate(judged, {"run": run}, MEASURES, spark=spark, **how)
    means = scores.means.row(0)
    seconds, used = time.perf_counter() - begin, cpu_seconds([jvm, *descendants(jvm)]) - cpu
    workers = [peak_megabytes(pid) for pid in descendants(jvm) if "pyspark" in Path(f"/proc/{pid}/cmdline").read_text()]
    scores.unpersist()
    return {
        "million rows": rows / MILLION,
        "seconds": seconds,
        "cpu seconds": used,
        "million rows a cpu second": rows / used / MILLION,
        "bytes on disk a row": on_disk / rows,
        "bytes shuffled a row": (shuffled_bytes(spark) - before) / rows,
        "worker peak MB": max(workers, default=0),
        "AP": means[1],
    }


def shown(title: str, records: list[dict[str, float]]) -> None:
    print(f"\n{title}")
    print("\t".join(records[0]))
    for record in records:
        numbers = (f"{value:.15g}" if name == "AP" else f"{value:.3g}" for name, value in record.items())
        print("\t".join(numbers), flush=True)


def growth(folder: Path, millions: list[float]) -> None:
    """Shuffled tables, and the same tables bucketed by topic, of more and more rows."""
    with session(folder) as spark:
        # Java compiles what is used often, and workers are started: once before anything is timed
        write_data(spark, folder, 50_000)
        measured(spark, str(folder / "judged"), str(folder / "run"), 50_000)
        shuffled, clustered = [], []
        for million in millions:
            rows = int(million * MILLION)
            write_data(spark, folder, rows)
            on_disk = bytes_on_disk(folder / "judged") + bytes_on_disk(folder / "run")
            shuffled.append(measured(spark, str(folder / "judged"), str(folder / "run"), rows, on_disk))
            for name in ("judged", "run"):
                frame = spark.read.parquet(str(folder / name)).repartition(max(2, rows // PARTITION_ROWS), "topic")
                bucketed = frame.write.bucketBy(max(2, rows // PARTITION_ROWS), "topic").sortBy("topic")
                bucketed.mode("overwrite").saveAsTable(f"bucketed_{name}")
            tables = spark.table("bucketed_judged"), spark.table("bucketed_run")
            clustered.append(measured(spark, *tables, rows, bytes_on_disk(folder / "warehouse"), clustered=True))
            shown("shuffled", shuffled[-1:])
            shown("bucketed by topic", clustered[-1:])
        here = local(folder)
        print(f"\non one machine\t{here[0]:.3g} s\tAP {here[1]:.15g}, the same bits: {here[1] == shuffled[-1]['AP']}")


def local(folder: Path) -> tuple[float, float]:
    """Seconds and AP of an evaluation on one machine."""
    import polars as pl

    import assay

    begin = time.perf_counter()
    judged, run = (pl.read_parquet(folder / name / "*.parquet") for name in ("judged", "run"))
    value = assay.evaluate(judged, {"run": run}, MEASURES)["run", "AP"]
    return time.perf_counter() - begin, value


def skew(folder: Path, millions: list[float]) -> None:
    """One topic with nearly all results: what its worker takes."""
    from pyspark.sql import functions

    records = []
    for million in millions:
        # a worker's peak is that of its life: each size gets new ones
        with session(folder) as spark:
            rows = int(million * MILLION)
            write_data(spark, folder, 100_000)
            document = functions.concat(functions.lit("x"), functions.lpad(functions.col("id").cast("string"), 9, "0"))
            topic, score = functions.lit("q00000000").alias("topic"), functions.rand(8).alias("score")
            large = spark.range(rows).select(topic, document.alias("document"), score)
            run = spark.read.parquet(str(folder / "run")).unionByName(large)
            records.append(measured(spark, str(folder / "judged"), run, rows))
    shown("one topic of so many results", records)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A standalone master with two workers of one core each, on this machine."""
    import pyspark

    home, port = Path(pyspark.__file__).parent, 7177
    env = os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    url = f"spark://127.0.0.1:{port}"

    def started(*words: str) -> subprocess.Popen[bytes]:
        log = (folder / f"{words[0].rpartition('.')[2]}.log").open("ab")
        return subprocess.Popen([str(home / "bin/spark-class"), *words], env=env, stdout=log, stderr=log)

    deploy = "org.apache.spark.deploy"
    processes = [started(f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")]
    try:
        wait_for("127.0.0.1", port)
        for number in range(2):
            words = "--cores", "1", "--memory", "2g", "--webui-port", "0", "--work-dir", str(folder / f"work{number}")
            processes.append(started(f"{deploy}.worker.Worker", *words, url))
        yield url, processes[1:]
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(20)


def wait_for(host: str, port: int, seconds: int = 120) -> None:
    """Waits until something listens."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            socket.create_connection((host, port), 1).close()
            return
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"nothing listens at {host}:{port}")


def named(pids: list[int], words: str) -> list[int]:
    """The processes of which the command has some words."""
    alive = [pid for pid in pids if Path(f"/proc/{pid}/cmdline").exists()]
    return [pid for pid in alive if words in Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")]


def faults(folder: Path, million: float) -> None:
    """A Python worker and an executor are killed in mid-job: the values of all topics are the same bits."""
    import polars as pl

    import assay
    import assay.spark

    rows = int(million * MILLION)
    with session(folder) as spark:
        write_data(spark, folder, rows)
    judged, run = (pl.read_parquet(folder / name / "*.parquet") for name in ("judged", "run"))
    here = assay.evaluate(judged, {"run": run}, MEASURES)
    with cluster(folder) as (master, workers), session(folder, master, **{"spark.executor.memory": "1g"}) as spark:
        paths = str(folder / "judged"), {"run": str(folder / "run")}
        scores = assay.spark.evaluate(*paths, MEASURES, spark=spark, partitions=40)
        outcome: list[Any] = []
        job = threading.Thread(target=lambda: outcome.append(scores.collect()))
        job.start()
        killed: list[str] = []
        while job.is_alive() and len(killed) < 2:
            running = [each for worker in workers for each in descendants(worker.pid)]
            # a daemon starts the workers: those are killed whose parent is one
            python = [child for each in named(running, "pyspark.daemon") for child in descendants(each)]
            executors = named(running, "CoarseGrainedExecutorBackend")
            done = completed_tasks(spark)
            if not killed and python and done > 4:
                os.kill(python[0], signal.SIGKILL)
                killed.append(f"a Python worker after {done} tasks")
            elif killed and executors and done > 12:
                os.kill(executors[0], signal.SIGKILL)
                killed.append(f"an executor after {done} tasks")
            time.sleep(0.05)
        job.join()
        failed = failed_tasks(spark)
    there = outcome[0]
    same = bool((there.values == here.values).all() and there.means.equals(here.means) and there.topics == here.topics)
    print(f"\nkilled: {'; '.join(killed) or 'nothing'}\ntasks that failed: {failed}\nthe same bits: {same}")


def command(folder: Path, millions: list[float]) -> None:
    """The command on one machine and on Spark, with the rows of each topic all over the table: with the start of
    Python and Java, and the memory of all processes together.
    """
    engines = {"one machine": [], "spark": ["--engine", "spark", "--master", "local[*]"]}
    records = []
    for million in millions:
        rows = int(million * MILLION)
        with session(folder) as spark:
            write_data(spark, folder, rows)
        for name, words in engines.items():
            further = ["--partitions", str(max(2, rows // PARTITION_ROWS))] if words else []
            records.append({"engine": name, "million rows": million, **watched(folder, [*words, *further])})
    print("\nthe command\n" + "\t".join(records[0]))
    for record in records:
        print("\t".join(f"{value:.3g}" if isinstance(value, float) else value for value in record.values()), flush=True)


def watched(folder: Path, words: list[str]) -> dict[str, Any]:
    """What a command takes, with all that it starts."""
    measures = [word for name in MEASURES for word in ("-m", name)]
    given = [sys.executable, "-m", "assay", "evaluate", str(folder / "judged"), str(folder / "run"), *measures]
    begin, peak, cpu = time.perf_counter(), 0.0, 0.0
    env = os.environ | {"SPARK_LOCAL_DIRS": str(folder), "SPARK_LOCAL_IP": "127.0.0.1"}
    process = subprocess.Popen([*given, *words, "--quiet"], env=env, stdout=subprocess.PIPE, text=True)
    while process.poll() is None:
        pids = [process.pid, *descendants(process.pid)]
        peak, cpu = max(peak, megabytes(pids)), max(cpu, cpu_seconds(pids))
        time.sleep(0.2)
    value = process.communicate()[0].splitlines()[1].split()[1] if process.returncode == 0 else "failed"
    return {"cpu seconds": cpu, "seconds": time.perf_counter() - begin, "peak MB": peak, "AP": value}


def megabytes(pids: list[int]) -> float:
    """The memory of processes, of which what they share counts once."""
    total = 0
    for pid in pids:
        try:
            told = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(told.partition("\nPss:")[2].split()[0]) if "\nPss:" in told else 0
    return total / 1024


def tasks(spark: Any, what: str) -> int:
    """How many tasks there were so far of some state."""
    tracker = spark.sparkContext.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup(None) for stage in tracker.getJobInfo(job).stageIds]
    return sum(getattr(info, what) for stage in stages if (info := tracker.getStageInfo(stage)))


def completed_tasks(spark: Any) -> int:
    return tasks(spark, "numCompletedTasks")


def failed_tasks(spark: Any) -> int:
    return tasks(spark, "numFailedTasks")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    options.add_argument("--rows", nargs="+", type=float, default=[1, 3, 10], help="millions of rows of each size")
    options.add_argument("--skew", nargs="+", type=float, default=[1, 10], help="millions of results of a topic")
    options.add_argument("--fault-rows", type=float, default=3, help="millions of rows while processes are killed")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-spark-") as name:
        if "growth" in given.only:
            growth(Path(name), given.rows)
        if "skew" in given.only:
            skew(Path(name), given.skew)
        if "faults" in given.only:
            faults(Path(name), given.fault_rows)
        if "command" in given.only:
            command(Path(name), given.rows)


if __name__ == "__main__":
    main()
