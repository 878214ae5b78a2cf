"""The tape: calls from outside are recorded, give the same when they are run again, and a difference is shown."""

import json
import os
import sqlite3
import subprocess
import sys
import zlib

import pytest

from helpers.places import ROOT

pytest.importorskip("cloudpickle")

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


def test_calls_are_recorded_and_replayed_and_a_difference_is_shown(tmp_path):
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "tape")])
    environment = os.environ | {"PYTHONPATH": path, "ASSAY_TAPE": str(tmp_path)}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]

    def python(*words):
        done = subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    (tmp_path / "test_some.py").write_text(CALLS)
    status, printed = python("-m", "pytest", "-q", "-p", "record", "-p", "no:cacheprovider", "test_some.py")
    assert status == 0, printed
    replay = ("-W", "ignore", str(ROOT / "tests" / "tape" / "replay.py"), ".")
    status, printed = python(*replay, "--base")
    assert status == 0 and "0 calls dropped that do not give the same twice" in printed, printed
    tape = sqlite3.connect(tmp_path / "tape.sqlite")
    [(key, before)] = tape.execute("select key, before from calls where kind = 'function evaluate'").fetchall()
    outcome = json.loads(zlib.decompress(before))
    assert [outcome["value"]["means"][f"{name} Float64"] for name in ("AP", "Half")] == [[0.5.hex()], [0.25.hex()]]
    outcome["value"]["notes"] = ["another"]
    tape.execute("update calls set before = ? where key = ?", (zlib.compress(json.dumps(outcome).encode()), key))
    tape.commit()
    status, printed = python(*replay)
    assert status == 1 and "5 calls give the same, 0 differ as intended, 1 differ otherwise" in printed, printed
    shown = (tmp_path / "differences.txt").read_text()
    assert "evaluate(read_judgments({'1': {'b': 1}})" in shown
    assert '.value.notes\n    before: ["another"]\n    after:  []' in shown
