"""The plugin of pytest: what a test that uses it looks like, and that it costs nothing where it is not used."""

import os
import subprocess
import sys

import pytest

import assay
from assay.gating.pytest_plugin import AssayInTests
from helpers.files import written
from helpers.places import ROOT

GOLD = {f"q{topic}": {"d1": 1, "d2": 1} for topic in range(6)}
GOOD = {f"q{topic}": {"d1": 3, "d2": 2} for topic in range(6)}
BAD = {f"q{topic}": {"d1": 3, "d9": 2} for topic in range(6)}

USED = f"""
GOLD, GOOD, BAD = {GOLD!r}, {GOOD!r}, {BAD!r}

def test_good(assay):
    assay.assert_gate(GOLD, {{"new": GOOD}}, not_worse_than="baseline.json", topics_file="topics.tsv")

def test_bad(assay):
    assay.assert_gate(GOLD, {{"new": BAD}}, not_worse_than="baseline.json", topics_file="topics.tsv")

def test_other(assay):
    assert assay.evaluate(GOLD, BAD, "R@2")["R@2"] == 0.5
"""


def test_a_test_that_fails_shows_the_worst_topics_with_their_questions(folder):
    assay.evaluate(GOLD, {"old": GOOD}, "R@2").save("baseline.json")
    written("".join(f"q{topic}\tquestion {topic}\n" for topic in range(6)), "topics.tsv")
    written(USED, "test_used.py")
    words = ["-m", "pytest", "-q", "-p", "assay.gating.pytest_plugin", "-p", "no:cacheprovider", "test_used.py"]
    # no other plugin is needed, and they take their time
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=alone)
    assert "1 failed, 2 passed" in done.stdout
    shown = [line.removeprefix("E").strip() for line in done.stdout.splitlines() if line.startswith(("E", ">"))]
    assert shown[0].split()[1].startswith("assay.assert_gate(GOLD,")
    assert shown[1] == "AssertionError: new failed: 1 of 1 check"
    assert "q0      question 0   1.0000   0.5000" in shown


def test_the_fixture_is_the_package_and_gives_the_gate():
    fixture = AssayInTests()
    assert fixture.evaluate is assay.evaluate
    assert fixture.assert_gate(GOLD, {"new": GOOD}, require="R@2 >= 1").passed
    with pytest.raises(AttributeError, match="assay has no 'nothing'"):
        _ = fixture.nothing


def test_the_plugin_is_an_entry_point_of_the_package():
    assert '[project.entry-points.pytest11]\nassay = "assay.gating.pytest_plugin"\n' in (ROOT / "pyproject.toml").read_text(
        "utf-8"
    )
