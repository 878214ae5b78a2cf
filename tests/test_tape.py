"""The tape: calls from outside are recorded, give the same when they are run again, and a difference is shown."""

import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import zlib

import pytest

from helpers.places import ROOT
from helpers.samples import ASKED

pytest.importorskip("cloudpickle")

SPEC = importlib.util.spec_from_file_location("replay", ROOT / "tests" / "tape" / "replay.py")
replay = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(replay)

CALLS = """
import assay
from helpers.commands import invoke

class Half(assay.Measure):
    "Half of what AP gives."
    def __call__(self, ranking):
        return assay.AP()(ranking) / 2

def test_calls(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 2 x\\n1 Q0 b 2 1 x\\n")
    judgments = assay.read_judgments({"1": {"b": 1}})
    assay.evaluate(judgments, tmp_path / "run", [assay.AP, Half()]).to_dict()
    invoke("check", tmp_path / "run")
    invoke("check", tmp_path / "missing")
    assay.fuse({"x": {"1": {"a": 1.0}}, "y": {"1": (result for result in [("b", 1.0)])}})
"""


@pytest.mark.skipif(not ASKED, reason="starts Python ten times; run it with ASSAY_TESTS=more")
def test_calls_are_recorded_and_replayed_and_a_difference_is_shown(tmp_path, monkeypatch, capsys):
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "tape")])
    environment = os.environ | {"PYTHONPATH": path, "ASSAY_TAPE": str(tmp_path)}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    # no other plugin is needed, and they take their time
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

    def python(*words):
        done = subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def replayed(*options):
        # the calls themselves run in processes that it starts
        for name in ("PYTHONPATH", "ASSAY_TAPE"):
            monkeypatch.setenv(name, environment[name])
        monkeypatch.setattr(sys, "argv", ["replay", str(tmp_path), *options])
        return replay.main(), capsys.readouterr().out

    (tmp_path / "test_some.py").write_text(CALLS)
    status, printed = python("-m", "pytest", "-q", "-p", "record", "-p", "no:cacheprovider", "test_some.py")
    assert status == 0, printed
    status, printed = replayed("--base")
    assert status == 0 and "0 calls dropped that do not give the same twice" in printed, printed
    tape = sqlite3.connect(tmp_path / "tape.sqlite")
    [(key, before)] = tape.execute("select key, before from calls where kind = 'function evaluate'").fetchall()
    outcome = json.loads(zlib.decompress(before))
    assert [outcome["value"]["means"][f"{name} Float64"] for name in ("AP", "Half")] == [[0.5.hex()], [0.25.hex()]]
    outcome["value"]["notes"] = ["another"]
    tape.execute("update calls set before = ? where key = ?", (zlib.compress(json.dumps(outcome).encode()), key))
    tape.commit()
    # as a program, because what it shows of a difference are objects with classes of their own
    status, printed = python("-W", "ignore", str(ROOT / "tests" / "tape" / "replay.py"), ".")
    assert status == 1 and "5 calls give the same, 0 differ as intended, 1 differ otherwise" in printed, printed
    shown = (tmp_path / "differences.txt").read_text()
    assert "evaluate(read_judgments({'1': {'b': 1}})" in shown
    assert '.value.notes\n    before: ["another"]\n    after:  []' in shown
    status, printed = replayed("--again", "--numbers")
    assert status == 0 and "6 calls give the same, 0 differ as intended, 0 differ otherwise" in printed, printed


@pytest.mark.parametrize(
    "path, before, after, counts",
    [
        (".value.means.AP Float64[0]", 0.5.hex(), 0.25.hex(), True),
        (".value.means.AP Float64[0]", 0.5.hex(), None, True),
        (".value.per_topic.AP Float64", [0.5.hex()], [0.5.hex(), 0.5.hex()], True),
        (".value.show", "run   AP\nx   0.5000", "run   AP\nx   0.2500", True),
        (".value.show", "run   AP(rel=0.5)\nx   0.5000", "run   AP\nx   0.5000", False),
        (".value.show", "noticed with a chance of 0.8", "80% power", False),
        (".value", '{"AP": 0.5}', '{"AP": 0.25}', True),
        (".value", r"x & 0.5 & 1.0 \\", r"x & 0.5 & 0.9 \\", True),
        (".value.notes", [], ["2 of 3 results are not judged"], False),
        (".stdout", "run\t0.5000", "run\t0.2500", True),
        (".stdout", "a run\t0.5000", "run\t0.5000", False),
        (".written.{TMP0}/run.csv", "a,0.5", "a,0.25", True),
        (".stderr", "0.5", "0.25", False),
        (".status", 0, 1, True),
        (".error", "(nothing)", ["InputError", "no topic column"], True),
        (".error[0]", "InputError", "KeyError", True),
        (".error[1]", "1.5 is wrong", "expected 2.5", False),
    ],
)
def test_numbers_and_refusals_count_where_words_may_differ(path, before, after, counts):
    assert replay.changes_numbers((path, before, after)) is counts


def test_a_line_of_intended_differences_may_name_its_call():
    line = replay.Intended("\\n0\\.5\\n0\\.25$\ta copy counts once\tcopies=True")
    leaf = ".value.means.R Float64[0]", "0.5", "0.25"
    assert line.covers("function evaluate", "evaluate('gold', 'run', copies=True)", leaf)
    assert not line.covers("function evaluate", "evaluate('gold', 'run')", leaf)
    assert not line.covers("function evaluate", "evaluate('gold', 'run', copies=True)", (*leaf[:2], "0.75"))
