"""`assay trec_eval` against trec_eval 9 itself on random files and options, where a program of that name is found.

The variable TREC_EVAL may name it. A crash of the original has no output to compare; an abort must be a refusal here.
"""

import os
import random
import shutil
import signal
import subprocess

import pytest

from assay.compat.trec_eval import trec_eval
from helpers.files import written
from helpers.random_trec import MEASURES, random_files, random_options, random_z_scores
from helpers.samples import sample

ORIGINAL = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")


@pytest.mark.skipif(not ORIGINAL, reason="no trec_eval is on the path, and TREC_EVAL does not name one")
@pytest.mark.parametrize("form", MEASURES)
@pytest.mark.parametrize("first", range(0, sample(100, 5000), 100))
def test_output_and_status_are_those_of_the_original(folder, form, first):
    for seed in range(first, first + 100):
        rng = random.Random(f"{form} {seed}")
        judgments, run = random_files(rng, form)
        arguments = random_options(rng, form)
        if rng.random() < 0.1:
            arguments += ["-Z", written(random_z_scores(rng, judgments), "z-scores")]
        arguments += [written(judgments, "judgments"), written(run, "run")]
        theirs = subprocess.run([ORIGINAL, *arguments], capture_output=True, check=False)
        ours = trec_eval(arguments)
        if theirs.returncode == -signal.SIGABRT:
            assert ours.status == 4, (seed, arguments)
        elif theirs.returncode >= 0:
            assert (ours.out, ours.status) == (theirs.stdout, theirs.returncode), (seed, arguments, ours.err)


@pytest.mark.parametrize("version", ["9", "10"])
@pytest.mark.parametrize("form", MEASURES)
def test_the_size_of_the_blocks_does_not_show(folder, form, version, monkeypatch):
    for seed in range(sample(8, 400)):
        rng = random.Random(f"{form} {version} {seed}")
        judgments, run = random_files(rng, form)
        arguments = [
            "--like",
            version,
            *random_options(rng, form),
            written(judgments, "judgments"),
            written(run, "run"),
        ]
        whole = trec_eval(arguments)
        with monkeypatch.context() as patched:
            patched.setattr("assay.files.source.BLOCK", rng.choice([8, 40, 150]))
            assert trec_eval(arguments) == whole, (seed, arguments)
