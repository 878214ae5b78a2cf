"""Large runs, whose blocks threads share: the values, notes and errors are those of a run in one block."""

import os
import subprocess
import sys
from random import Random

import numpy as np
import pytest

import assay
from assay.evaluation.measuring import unless_scattered
from assay.files.source import BLOCK
from assay.files.threads import in_threads
from helpers.files import windows, written
from helpers.samples import sample

MEASURES = ["AP", "nDCG@5", "P@3", "RR", "ERR"]


@pytest.fixture
def in_blocks(monkeypatch):
    """Small blocks, and three threads that share them."""
    monkeypatch.setattr("assay.files.source.BLOCK", 1 << 9)
    monkeypatch.setattr("assay.files.threads.cores", lambda: 3)


def in_three_ways(judgments, runs, **rules):
    """What an evaluation gives if threads share small blocks, if one thread measures these, and if a file is one block.
    """
    given = []
    for size, mapped in (1 << 9, in_threads), (1 << 9, map), (1 << 20, map):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("assay.files.source.BLOCK", size)
            patched.setattr("assay.files.threads.cores", lambda: 3)
            patched.setattr("assay.evaluation.evaluate.in_threads", mapped)
            try:
                given.append(assay.evaluate(judgments, runs, MEASURES, **rules))
            except assay.AssayError as error:
                given.append(error)
    return given


def same(shared, alone, whole):
    if isinstance(shared, Exception):
        assert (type(shared), str(shared)) == (type(alone), str(alone)) == (type(whole), str(whole))
        return
    for other in (alone, whole):
        assert (shared.systems, shared.topics, shared.missing) == (other.systems, other.topics, other.missing)
        np.testing.assert_array_equal(shared.values, other.values)
        assert shared.show("tsv") == other.show("tsv")
    # a topic that stands in several blocks changes the order in which topics are named
    assert (shared.notes, len(shared.notes)) == (alone.notes, len(whole.notes))


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
def test_blocks_are_measured_in_threads_as_in_one(seed, tmp_path):
    rng = Random(seed)
    topics = [str(number) for number in range(sample(20, 60))]
    rng.shuffle(topics)
    judgments = written(random_judgments(rng, topics), tmp_path / "judgments")
    lines = random_run(rng, topics, rng.choice(FAULTS)).splitlines(keepends=True)
    if seed % 6 == 1:
        rng.shuffle(lines)
    if seed % 6 == 2:
        # a topic that stands in two pieces
        lines.append(lines.pop(0))
    content = "".join(lines)
    run = written(windows(content) if seed % 6 == 3 else content, tmp_path / "a.run")
    same(*in_three_ways(judgments, run, ties=rng.choice(["docno", "rank", "input"])))


def test_the_first_block_is_read_once_to_see_whether_topics_stand_together():
    read = []
    blocks = [lambda number=number: read.append(number) for number in range(3)]
    for block in unless_scattered(iter(blocks)):
        block()
    assert read == [0, 1, 2]


@pytest.mark.parametrize("seed", range(sample(2, 40)))
def test_several_runs_are_measured_in_threads_as_in_one(seed, tmp_path):
    rng = Random(seed)
    topics = [f"t{number}" for number in range(sample(15, 40))]
    judgments = written(random_judgments(rng, topics), tmp_path / "judgments")
    runs = [
        written(random_run(rng, topics, rng.choice(FAULTS) if number == 3 else None), tmp_path / f"{number}.run")
        for number in range(5)
    ]
    same(*in_three_ways(judgments, runs))


def test_progress_reaches_the_end(in_blocks, tmp_path):
    rng = Random(0)
    topics = [str(number) for number in range(40)]
    judgments = written(random_judgments(rng, topics), tmp_path / "judgments")
    runs = [written(random_run(rng, topics), tmp_path / f"{number}.run") for number in range(4)]
    for given in (runs, runs[0]):
        told = []
        assay.evaluate(judgments, given, MEASURES, progress=told.append)
        sizes = [os.path.getsize(path) for path in [judgments, *(given if given is runs else [given])]]
        # more often than a run is done, and to the end
        assert len(told) > len(sizes)
        assert max(told) == sum(sizes)


LARGE = "q{topic} Q0 document-{document} {document} {score} a-tag-that-is-long\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Judgments and a run of several blocks."""
    folder = tmp_path_factory.mktemp("large")
    lines = [
        LARGE.format(topic=topic, document=document, score=5000 - document)
        for topic in range(80)
        for document in range(5000)
    ]
    judgments = "".join(f"q{topic} 0 document-{topic + 7} 1\n" for topic in range(80))
    return written(judgments, folder / "judgments"), written("".join(lines), folder / "large.run")


def test_the_command_line_and_python_measure_a_large_run(large):
    assert os.path.getsize(large[1]) > 2 * BLOCK
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
