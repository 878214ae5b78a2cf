"""Standard output that is closed or full, a reader who has read enough, and Ctrl-C: an exit status, and one line at
most."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.places import ROOT

ASSAY = shlex.join([sys.executable, "-c", "from assay.cli import main; main()"])
EVALUATE = f"{ASSAY} evaluate examples/judgments.qrels examples/bm25.run"


def shell(command: str) -> tuple[str, int]:
    """What a command prints on standard error, and its exit status."""
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr, done.returncode


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@pytest.mark.parametrize(
    "command",
    [EVALUATE, f"{ASSAY} convert examples/bm25.run --to csv", f"{ASSAY} --help", f"{ASSAY} check examples/bm25.run"],
)
def test_nothing_printed_to_a_closed_standard_output_is_a_failure(command):
    assert shell(f"{command} >&-") == ("standard output: Bad file descriptor\n", 1)


@needs_full
@pytest.mark.parametrize(
    "command", [EVALUATE, f"{ASSAY} convert examples/bm25.run --to csv", f"{ASSAY} measures --help"]
)
def test_nothing_printed_to_a_full_disk_is_a_failure(command):
    assert shell(f"{command} > /dev/full") == ("standard output: No space left on device\n", 1)


def test_a_reader_who_has_read_enough_is_no_failure():
    assert shell(f"{ASSAY} measures | head -1 >/dev/null; exit ${{PIPESTATUS[0]}}") == ("", 0)


def test_standard_error_may_be_closed():
    assert shell(f"{EVALUATE} 2>&-") == ("", 0)


def test_ctrl_c_is_one_line_where_python_passes_over_what_is_raised():
    """A signal may come while something is deleted, and an error that is raised there is only shown."""
    code = """
import os, signal, sys
from assay import cli
class Deleted:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
def run():
    del deleted[0]
    print("went on")
deleted, cli.run = [Deleted()], run
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "interrupted\n", 130)


@pytest.mark.parametrize("at_once", [False, True])
def test_ctrl_c_is_one_line(at_once):
    command = ["-c", "from assay.cli import main; print('begun', file=__import__('sys').stderr, flush=True); main()"]
    process = subprocess.Popen(
        [sys.executable, *command, "evaluate", "-", "examples/bm25.run"], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None and process.stderr.readline() == "begun\n"
    # main() begins by setting what Ctrl-C does; later it waits for the judgments
    time.sleep(0.02 if at_once else 1)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (errors, process.returncode) == ("interrupted\n", 130)
