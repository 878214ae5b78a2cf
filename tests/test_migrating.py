"""What docs/migrating.md says is so."""

import re

import assay
from helpers.pages import blocks
from helpers.places import ROOT

PAGE = (ROOT / "docs/migrating.md").read_text("utf-8")


def test_its_python_prints_what_it_says(capsys):
    for block in blocks("python", PAGE):
        exec(block, {})
        said = re.findall(r"print\(.*\)  # (.*)", block)
        assert capsys.readouterr().out.splitlines() == said


def test_the_measures_that_it_names_are_written_so():
    section = PAGE.partition("## ir_measures")[2].partition("| ir_measures | here |\n")[0]
    ours = re.findall(r"^\| `[^`]*`.*? \| `([^`]*)` \|", section, re.MULTILINE)
    assert len(ours) == 9
    for name in ours:
        assert str(assay.parse(name)) == name
