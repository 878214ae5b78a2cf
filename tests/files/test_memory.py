"""Memory stays within a bound that does not depend on what the lines of a file look like: two gigabytes that unpack
from a few megabytes are read in half a gigabyte, or refused. ASSAY_TESTS=full asks for all of it; else the files are
smaller, and so is the bound.
"""

import gzip
import shlex
import subprocess
import sys

import pytest

from helpers.samples import FULL

# Bytes of a file when it is unpacked, and megabytes of memory for all of Assay.
SIZE, MOST = (2 << 30, 500) if FULL else (48 << 20, 300)
# What begins each file, and whether it is judgments.
HEADS = {
    "trec": (b"1 Q0 d1 1 2.5 t\n", False),
    "qrels": (b"1 0 d1 1\n", True),
    "passages": (b"1 Q0 d1 1 2.5 t 0 5\n", False),
    "highlights": (b"1 Q0 d1 5 100 0 3:5\n", True),
    "elements": (b"1 Q0 d1 1 2.5 t /a[1]\n", False),
    "csv": (b"topic,document,score\n1,d1,2.5\n", False),
    "graded csv": (b"topic,document,grade\n1,d1,1\n", True),
    "jsonl": (b'{"topic": "1", "document": "d1", "score": 2.5}\n', False),
    "json": (b'[{"topic": "1", "document": "d1", "score": 2.5}', False),
    "xml": (
        b'<inex-submission run-id="x"><topic topic-id="1"><result><file>d1</file><path>/a[1]</path></result></topic>',
        False,
    ),
}
FILLINGS = {
    "blank lines": b"\n", "old Mac's lines": b"\r", "one line": b"x", "blanks": b" ", "NULs": b"\0", "comments": b"#" * 200 + b"\n",
    "words": b"word\n",
}  # fmt: skip
SOON = [
    ("trec", "blank lines"), ("trec", "NULs"), ("qrels", "words"), ("highlights", "old Mac's lines"), ("csv", "words"),
    ("graded csv", "comments"), ("jsonl", "one line"), ("jsonl", "words"), ("json", "blanks"), ("xml", "blank lines"),
]  # fmt: skip
CASES = [(head, filling) for head in HEADS for filling in FILLINGS] if FULL else SOON
# What the system counts as the most memory of a process may be that of the one which started it; this line is not.
PROGRAM = """
from assay.cli import run
status = run()
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak.split()[1], status)
"""
# Runs it for each line of words that it reads, in a process of its own that need not load the modules again.
PROGRAMS = """
import os, sys
import assay.cli.commands, lxml.etree, numpy, polars
for line in sys.stdin:
    if not os.fork():
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        program, sys.argv[1:] = sys.argv[1], line.split()
        exec(program)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    os.wait()
    print(flush=True)
"""


@pytest.fixture(scope="module")
def assay(tmp_path_factory):
    """A folder, and a function that runs a command there and returns what it printed on standard output and on standard error."""
    folder = tmp_path_factory.mktemp("memory")
    python = [sys.executable, "-c", PROGRAMS, PROGRAM]
    with subprocess.Popen(python, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def run(*words):
            print(*words, file=process.stdin, flush=True)
            process.stdout.readline()
            return (folder / "out").read_text(), (folder / "err").read_text()

        yield folder, run
        process.stdin.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is told in other units elsewhere")
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_memory_does_not_depend_on_what_lines_look_like(case, assay):
    folder, run = assay
    head, filling = case
    content, judged = HEADS[head]
    block = gzip.compress(FILLINGS[filling] * ((1 << 20) // len(FILLINGS[filling])), 1)
    with open(folder / "large.gz", "wb") as out:
        out.write(gzip.compress(content))
        for _ in range(SIZE >> 20):
            out.write(block)
    (folder / "small").write_text("1 Q0 d1 1 2.5 t\n" if judged else "1 0 d1 1\n")
    printed, errors = run("evaluate", *(("large.gz", "small") if judged else ("small", "large.gz")))
    peak, status = printed.split()[-2:]
    assert int(peak) >> 10 < MOST
    assert status == "0" or errors.startswith("large.gz:")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is told in other units elsewhere")
def test_standard_input_is_not_kept_in_memory(folder):
    with open("small", "w") as small:
        small.write("1 0 d1 1\n")
    command = f"{sys.executable} -c {shlex.quote(PROGRAM)} evaluate small - -m AP"
    shell = f"(echo 1 Q0 d1 1 2.5 t; head -c {SIZE} /dev/zero | tr '\\0' '\\n'; echo 2 Q0 d1 1 1 t) | {command}"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=True)
    assert "1.0" in done.stdout and "Traceback" not in done.stderr
    assert int(done.stdout.split()[-2]) >> 10 < MOST // 2
