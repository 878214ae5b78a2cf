"""What the help shows: options in groups, commands in groups, and examples that work."""

import glob
import shlex
import signal
import subprocess
import sys
import tomllib

import click
import pytest

from assay.cli import help_commands
from assay.cli.command import OWN, SHORT_LIST
from assay.cli.commands import main
from assay.cli.overview import COMMANDS, ENTRIES
from assay.options import GROUPS
from assay.vocabulary import FAMILIES, FORMATS
from helpers.commands import invoke, on_a_terminal
from helpers.places import ROOT

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


# assay help


@pytest.mark.parametrize("name", help_commands.TOPICS)
def test_a_topic_is_explained_by_its_parts_of_pages(name):
    for part in help_commands.TOPICS[name].parts:
        assert len(help_commands.part_of_page(part)) > 100, part
    done = invoke("help", name)
    assert done.exit_code == 0
    assert len(done.stdout) > 200
    assert "](" not in done.stdout


def test_every_page_that_is_shown_is_in_the_wheel():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    included = build["force-include"]
    shown = {part.partition("#")[0] for topic in help_commands.TOPICS.values() for part in topic.parts}
    pages = {f"docs/{page}.md": f"assay/docs/{page}.md" for page in shown | {"measures", "formats"}}
    assert included == {"examples": "assay/examples", **pages}


def test_help_alone_lists_the_topics():
    done = invoke("help")
    assert done.exit_code == 0
    for name, topic in help_commands.TOPICS.items():
        assert f"  {name:12}  {topic.summary}\n" in done.stdout
    assert [line for line in done.stdout.splitlines() if len(line) > WIDTH] == []


def test_a_topic_that_is_an_option_too_begins_with_the_option():
    shown = " ".join(invoke("help", "ties").stdout.split())
    assert shown.startswith("--ties [docno|input|rank|expected] ")
    assert "Ties. A run often gives two documents the same score" in shown
    assert "NaN and infinite scores" not in shown


def test_other_words_for_a_topic_are_understood():
    assert invoke("help", "qrels").stdout == invoke("help", "judgments").stdout
    assert set(help_commands.OTHER_NAMES.values()) <= set(help_commands.TOPICS)
    assert set(help_commands.OTHER_NAMES) & set(help_commands.TOPICS) == set()


@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in help_commands.TOPICS])
def test_every_command_has_help(name):
    assert invoke("help", name).exit_code == 0


def test_help_on_a_command_is_what_the_command_shows():
    assert invoke("help", "evaluate").stdout == invoke("evaluate", "--help").stdout


@pytest.mark.parametrize("name", [name for names in FAMILIES.values() for name in names])
def test_every_measure_has_help(name):
    assert invoke("help", name).stdout.split()[0] == name


@pytest.mark.parametrize(("typed", "name"), [("ndcg@10", "nDCG"), ("map", "AP"), ("P(rel=2)@5", "P")])
def test_a_measure_is_found_however_it_is_written(typed, name):
    assert invoke("help", typed).stdout == invoke("help", name).stdout


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_help(name):
    assert f"({name})" in invoke("help", name).stdout.splitlines()[0]


def test_an_option_is_explained_for_each_command_that_takes_it():
    shown = invoke("help", "--depth").stdout
    assert "Taken by convert, fuse.\n" in shown
    assert "In Python depth=: " in shown


def test_an_unknown_topic_names_the_nearest():
    done = invoke("help", "ovrlap")
    assert done.exit_code == 2
    assert done.stderr.startswith("no help on 'ovrlap'; did you mean `assay help overlap`")
    assert done.stderr.endswith("? `assay help` lists the topics\n")
    assert invoke("help", "qqqqqqqq").stderr == "no help on 'qqqqqqqq'; `assay help` lists the topics\n"


def test_help_is_plain_in_a_pipe_and_styled_on_a_terminal(bread):
    assert "\x1b" not in invoke("help", "ties").stdout
    assert "\x1b[1m" in on_a_terminal([sys.executable, "-m", "assay", "help", "ties"], bread)
