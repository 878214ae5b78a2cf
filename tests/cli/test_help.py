"""What the help shows: options in groups, commands in groups, and examples that work."""

import glob
import shlex
import signal
import subprocess
import sys

import click
import pytest

from assay.cli.command import OWN, SHORT_LIST
from assay.cli.commands import main
from assay.cli.overview import COMMANDS, ENTRIES
from assay.options import GROUPS
from helpers.commands import invoke, on_a_terminal

WIDTH = 80


def shown_options(name: str) -> list[click.Option]:
    """The options that the help of a command shows."""
    params = main.get_command(click.Context(main), name).params
    return [each for each in params if isinstance(each, click.Option) and not each.hidden]


@pytest.mark.parametrize("name", ENTRIES)
def test_many_options_are_shown_in_groups(name):
    options = shown_options(name)
    shown = invoke(name, "--help").stdout if name not in ("trec_eval", "inex_eval") else ""
    headings = [line[:-1] for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    if len(options) + 1 <= SHORT_LIST:
        assert headings in ([OWN], [])
        return
    assert set(headings) == {option.group for option in options} | {"Output"}
    shared = [heading for heading in headings if heading in GROUPS]
    assert shared == sorted(shared, key=GROUPS.index)


def test_the_groups_of_an_evaluation_are_in_order():
    shown = invoke("evaluate", "--help").stdout
    assert [shown.index(f"\n{group}:\n") for group in GROUPS] == sorted(shown.index(f"\n{group}:\n") for group in GROUPS)


def test_measures_come_first_then_what_only_the_command_has():
    shown = invoke("compare", "--help").stdout
    places = [shown.index(f"\n{group}:\n") for group in ("Measures", "Significance tests", "Topics and ties", "Output")]
    assert places == sorted(places)


def test_what_is_rarely_needed_is_at_the_end_of_its_group():
    lines = invoke("evaluate", "--help").stdout.split("\nOutput:\n")[1].split("\nCluster:")[0].splitlines()
    names = [line.split()[0].rstrip(",") for line in lines if line.startswith("  -")]
    assert names == ["-q", "--save", "--as", "--digits", "--quiet", "--spreadsheet-safe", "-h"]


def test_many_choices_are_listed_in_the_text_where_they_wrap():
    shown = invoke("evaluate", "--help").stdout
    assert "--format NAME " in shown
    assert "Choose from trec, sampled, fol," in " ".join(shown.split())


@pytest.mark.parametrize("words", [["--help"], []])
def test_the_list_of_commands_fits_a_narrow_terminal(words):
    shown = invoke(*words).stdout
    assert [line for line in shown.splitlines() if len(line) > WIDTH] == []
    for group, entries in COMMANDS.items():
        assert group in shown
        for name, entry in entries.items():
            assert f"  {name:11}  {entry.summary}\n" in shown


def test_without_arguments_every_command_has_an_example():
    done = invoke()
    assert done.exit_code == 0
    assert "assay examples bread && cd bread" in done.stdout
    assert [name for name, entry in ENTRIES.items() if f"$ {entry.example}\n" not in done.stdout] == []


@pytest.fixture(scope="module")
def bread(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first") / "bread"
    assert invoke("examples", folder).exit_code == 0
    return folder


@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in ("assess", "examples")])
def test_the_example_of_a_command_works_on_the_shipped_files(name, bread, monkeypatch):
    monkeypatch.chdir(bread)
    program, *words = shlex.split(ENTRIES[name].example)
    assert (program, words[0]) == ("assay", name)
    done = invoke(*(file for word in words for file in sorted(glob.glob(word)) or [word]))
    assert done.exit_code == 0, done.stderr
    assert done.stdout or name in ("chart", "report", "convert", "fuse")


def test_the_demo_of_assess_starts(bread, monkeypatch):
    pytest.importorskip("uvicorn")
    monkeypatch.setenv("BROWSER", "true")
    words = shlex.split(ENTRIES["assess"].example)[1:]
    process = subprocess.Popen([sys.executable, "-m", "assay", *words], cwd=bread, stderr=subprocess.PIPE, text=True)
    try:
        assert ": open http://127.0.0.1:" in process.stderr.readline()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_headings_are_bold_on_a_terminal_only(bread):
    assert "\x1b" not in invoke().stdout
    assert "\x1b[1mMeasure runs" in on_a_terminal([sys.executable, "-m", "assay"], bread)
