"""Large runs, which processes share: the values, notes and errors are those that threads give."""

import gzip
import os
import signal
import subprocess
import sys
from random import Random

import numpy as np
import pytest

import assay
from assay import Measure
from assay.evaluation.evaluate import evaluated
from assay.evaluation.measuring import unless_scattered
from helpers.files import windows, written
from helpers.samples import sample

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")

MEASURES = ["AP", "nDCG@5", "P@3", "RR", "ERR"]


@pytest.fixture
def processes(monkeypatch):
    """What is to be shared by processes here; `counted` tells how many of them were begun."""
    begun = []
    fork = os.fork
    monkeypatch.setattr("assay.files.sharing.LARGE", 1)
    monkeypatch.setattr("assay.files.source.BLOCK", 1 << 9)
    monkeypatch.setattr("assay.files.processes.cores", lambda: 3)
    monkeypatch.setattr("assay.files.processes.held_memory", lambda: 0)
    monkeypatch.setattr("os.fork", lambda: begun.append(1) or fork())
    return begun


@pytest.fixture
def undone(monkeypatch):
    """What other processes left undone."""
    from assay.files import processes

    items, done_here = [], processes.done_here
    monkeypatch.setattr(processes, "done_here", lambda work, item: items.append(item) or done_here(work, item))
    return items


def in_both_ways(monkeypatch, judgments, runs, **rules):
    """What an evaluation gives where processes share the work, and where threads do."""
    both = []
    for threads in (1, 2):
        monkeypatch.setattr("threading.active_count", lambda threads=threads: threads)
        try:
            both.append(assay.evaluate(judgments, runs, MEASURES, **rules))
        except assay.AssayError as error:
            both.append(error)
    return both


def same(one, other):
    if isinstance(one, Exception):
        assert (type(one), str(one)) == (type(other), str(other))
        return
    assert (one.systems, one.topics, one.missing) == (other.systems, other.topics, other.missing)
    np.testing.assert_array_equal(one.values, other.values)
    assert one.notes == other.notes
    assert one.show("tsv") == other.show("tsv")


def random_run(rng, topics, fault=None):
    """The lines of a run with tied scores; some topics are not in it, and some not judged."""
    lines = []
    for topic in rng.sample(topics, len(topics) * 3 // 4):
        for rank, document in enumerate(rng.sample(range(60), rng.randint(1, 50)), 1):
            lines.append(f"{topic} Q0 d{document} {rank} {rng.choice([rng.random(), 1, 2, 3]):.3g} tag\n")
    if fault:
        lines.insert(rng.randrange(len(lines)), fault)
    return "".join(lines)


def random_judgments(rng, topics):
    lines = [
        f"{topic} 0 d{document} {rng.choice([0, 0, 1, 2])}\n"
        for topic in topics[: len(topics) * 4 // 5]
        for document in rng.sample(range(60), 20)
    ]
    return "".join(lines)


FAULTS = [None, None, None, "3 Q0 d1 1 none tag\n", "3 Q0 d1 1\n", "\n   \n", "# a comment\n", "3 Q0 dé 1 0.5 tag\n"]


@pytest.mark.parametrize("seed", range(sample(6, 60)))
def test_a_run_is_measured_as_in_threads(seed, processes, undone, monkeypatch, tmp_path):
    rng = Random(seed)
    topics = [str(number) for number in range(60)]
    rng.shuffle(topics)
    judgments = written(random_judgments(rng, topics), tmp_path / "judgments")
    content = random_run(rng, topics, rng.choice(FAULTS))
    lines = content.splitlines(keepends=True)
    is_torn = seed % 6 in (1, 2)
    if seed % 6 == 1:
        rng.shuffle(lines)
    if seed % 6 == 2:
        # a topic that stands in two pieces
        lines.append(lines.pop(0))
    content = "".join(lines)
    run = written(windows(content) if seed % 6 == 3 else content, tmp_path / "a.run")
    shared, threaded = in_both_ways(monkeypatch, judgments, run, ties=rng.choice(["docno", "rank", "input"]))
    same(shared, threaded)
    assert len(processes) == 2
    assert not undone or is_torn


def test_only_the_first_process_reads_the_first_block_to_see_whether_topics_stand_together():
    read = []
    blocks = [lambda number=number: read.append(number) for number in range(3)]
    assert len(list(unless_scattered(iter(blocks), os.getpid() + 1))) == 3
    assert read == []
    assert len(list(unless_scattered(iter(blocks), os.getpid()))) == 3
    assert read == [0]


@pytest.mark.parametrize("seed", range(sample(4, 40)))
def test_several_runs_are_measured_as_in_threads(seed, processes, undone, monkeypatch, tmp_path):
    rng = Random(seed)
    topics = [f"t{number}" for number in range(40)]
    judgments = written(random_judgments(rng, topics), tmp_path / "judgments")
    runs = [
        written(random_run(rng, topics, rng.choice(FAULTS) if number == 3 else None), tmp_path / f"{number}.run")
        for number in range(5)
    ]
    shared, threaded = in_both_ways(monkeypatch, judgments, runs)
    same(shared, threaded)
    assert len(processes) == 2
    assert not undone


def test_progress_is_told_here_and_reaches_the_end(processes, monkeypatch, tmp_path):
    rng = Random(0)
    topics = [str(number) for number in range(40)]
    judgments = written(random_judgments(rng, topics), tmp_path / "judgments")
    runs = [written(random_run(rng, topics), tmp_path / f"{number}.run") for number in range(4)]
    monkeypatch.setattr("threading.active_count", lambda: 1)
    for given in (runs, runs[0]):
        told = []
        assay.evaluate(judgments, given, MEASURES, progress=told.append)
        sizes = [os.path.getsize(path) for path in [judgments, *(given if given is runs else [given])]]
        # more often than a run is done, and to the end
        assert len(told) > len(sizes)
        assert told[-1] == max(told) == sum(sizes)
    assert len(processes) == 4


@pytest.mark.parametrize("what", ["gzip", "csv", "kept", "memory", "small", "own"])
def test_what_is_not_a_large_file_of_lines_is_shared_by_threads(what, processes, monkeypatch, tmp_path):
    rng = Random(1)
    topics = [str(number) for number in range(40)]
    judgments = written(random_judgments(rng, topics), tmp_path / "judgments")
    content = random_run(rng, topics)
    rows = [line.split() for line in content.splitlines()]
    run = written(content, tmp_path / "a.run")
    monkeypatch.setattr("threading.active_count", lambda: 1)
    if what == "gzip":
        run = written(gzip.compress(content.encode()), tmp_path / "a.run.gz")
    elif what == "csv":
        table = "topic,document,score\n" + "".join(f"{row[0]},{row[2]},{row[4]}\n" for row in rows)
        run = written(table, tmp_path / "a.csv")
    elif what == "memory":
        run = assay.read_run(run)
    elif what == "small":
        monkeypatch.setattr("assay.files.sharing.LARGE", 1 << 24)
    if what == "own":

        class Returned(Measure):
            """Counts topics, in this process."""

            def __call__(self, ranking):
                seen.extend([1] * len(ranking))
                return ranking.retrieved

        seen = []
        assert len(assay.evaluate(judgments, run, Returned).topics) <= len(seen)
    elif what == "kept":
        assert len(evaluated(judgments, run, MEASURES, keep=lambda *block: 1).kept["a"]) > 1
    else:
        assay.evaluate(judgments, run, MEASURES)
    assert processes == []


LARGE = "q{topic} Q0 document-{document} {document} {score} a-tag-that-is-long\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Judgments and a run that is just large enough for processes."""
    folder = tmp_path_factory.mktemp("large")
    lines = [
        LARGE.format(topic=topic, document=document, score=5000 - document)
        for topic in range(80)
        for document in range(5000)
    ]
    judgments = "".join(f"q{topic} 0 document-{topic + 7} 1\n" for topic in range(80))
    return written(judgments, folder / "judgments"), written("".join(lines), folder / "large.run")


def test_the_command_line_and_python_measure_a_large_run(large):
    assert os.path.getsize(large[1]) > 1 << 24
    expected = sum(1 / (topic + 8) for topic in range(80)) / 80
    command = [sys.executable, "-W", "error", "-m", "assay", "evaluate", *large, "-m", "RR", "--as", "tsv"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(printed.stdout.split()[-1]) == pytest.approx(expected, abs=5e-5)
    assert printed.stderr == ""
    code = "import assay, sys; print(assay.evaluate(*sys.argv[1:], ['RR']).values.mean())"
    command = [sys.executable, "-W", "error", "-c", code, *large]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(printed.stdout) == pytest.approx(expected, rel=1e-12)
    assert printed.stderr == ""


def test_ctrl_c_ends_all_processes_in_one_line(large):
    code = (
        "import os, signal, sys\n"
        "import assay.files.processes as processes\n"
        "from assay.cli import main\n"
        "processes.cores = lambda: 2\n"
        "begun = processes.copied_process\n"
        "def interrupted():\n"
        "    process = begun()\n"
        "    if process:\n"
        "        print(process, flush=True)\n"
        "        os.killpg(0, signal.SIGINT)\n"
        "    return process\n"
        "processes.copied_process = interrupted\n"
        "sys.argv = ['assay', *sys.argv[1:]]\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, "evaluate", *large, "-m", "AP"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "interrupted\n")
    assert done.stdout.split()
    for process in map(int, done.stdout.split()):
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
