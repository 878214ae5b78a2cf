"""The words of the command line: the library speaks of its parameters, the command line of options."""

from importlib import import_module
from pathlib import Path

import click
import pytest

import assay
from assay.cli.commands import main
from assay.cli.common import in_options
from assay.cli.overview import ENTRIES
from helpers.commands import invoke, python
from helpers.files import written


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        (
            "lengths are unknown: pass documents=, or judgments",
            "lengths are unknown: pass --documents, or judgments",
        ),
        ("these are elements; their passages need documents=", "these are elements; their passages need --documents"),
        ("pass judged_only=; pass topics_file=", "pass --judged-only; pass --topics-file"),
        ("write it as in nxCG(quant=strict, overlap=off)@10", "write it as in nxCG(quant=strict, overlap=off)@10"),
        ("alpha=2 is out of range; expected a number from 0 to 1", "alpha=2 is out of range; expected a number from 0 to 1"),
        ("pass nothing=", "pass nothing="),
        ("pass depth=, fusion= with size=, or strata=", "pass --depth, --fusion with --size, or --strata"),
        ("pass columns=, for example text=", "pass --column, for example text="),
        (
            """'AP;R(chars=9)' names 2 measures; pass a list: ["AP", "R(chars=9)"]""",
            "'AP;R(chars=9)' names 2 measures; write -m AP -m 'R(chars=9)'",
        ),
    ],
)
def test_a_parameter_that_should_be_given_is_printed_as_an_option(message, printed):
    with click.Context(main):
        assert in_options(message) == printed


def test_the_library_asks_for_a_parameter_and_the_command_for_an_option(tmp_path):
    run = tmp_path / "elements.run"
    run.write_text("1 Q0 d 1 9 tag /a[1]\n")
    what = f"{run}: the run returns elements, and fol needs their offsets; pass "
    with pytest.raises(assay.InputError) as refused:
        assay.convert(str(run), "fol")
    assert str(refused.value) == f"{what}documents="
    assert invoke("convert", run, "--to", "fol").stderr == f"{what}--documents\n"


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("--kind", "Error: No such option '--kind'.\n"),
        ("--colum", "did you mean: assay chart judgments.qrels bm25.run --column curve -o chart.svg\n"),
    ],
)
def test_only_an_option_that_is_near_to_what_was_typed_is_proposed(typed, printed):
    done = invoke("chart", "judgments.qrels", "bm25.run", typed, "curve", "-o", "chart.svg")
    assert done.exit_code == 2
    assert done.stderr.endswith(printed)


def test_every_command_is_known_before_its_module_is_loaded():
    names = [f"assay.cli.{file.stem}" for file in Path(assay.__file__).parent.glob("cli/*_commands.py")]
    there = {
        name: {each.name for each in vars(import_module(name)).values() if isinstance(each, click.Command)}
        for name in names
    }
    assert there == {
        module: {name for name, entry in ENTRIES.items() if entry.home == module} for module in there
    }
    assert all(main.get_command(click.Context(main), each) for commands in there.values() for each in commands)


def test_a_command_that_is_near_to_what_was_typed_is_proposed():
    printed = python("-m", "assay", "recall_base", "a b").stderr
    assert printed.endswith("Error: No such command 'recall_base'.\ndid you mean: assay recall-base 'a b'\n")


# Names of runs.


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["bm25.run", "dense.run"], ["bm25", "dense"]),
        (["Okapi=bm25.run", "dense.run"], ["Okapi", "dense"]),
        (["one=bm25.run", "two=bm25.run"], ["one", "two"]),
        (["bm25.run", "Embedding=dense.run", "--names", "tag"], ["BM25-tag", "Embedding"]),
    ],
)
def test_a_run_is_named_by_its_file_its_tag_or_the_user(folder, words, names):
    written("1 0 d 1\n", "q")
    written("1 Q0 d 1 1 BM25-tag\n", "bm25.run")
    written("1 Q0 d 1 1 dense-tag\n", "dense.run")
    done = invoke("evaluate", "q", *words, "-m", "AP", "--as", "tsv")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()[1:]] == names


@pytest.mark.parametrize(
    "words",
    [
        ["audit", "q", "one=r", "two=s", "-m", "AP"],
        ["why", "q", "one=r", "--topic", "1", "-m", "AP"],
        ["fuse", "one=r", "two=s"],
        ["pool", "one=r", "two=s", "--depth", "2", "--as", "json"],
        ["pool-bias", "q", "one=r", "two=s", "--group", "one=ours"],
        ["gate", "q", "one=r", "--require", "AP >= 0"],
    ],
)
def test_every_command_that_takes_runs_takes_names_for_them(folder, words):
    written("1 0 d 1\n2 0 d 1\n2 0 e 0\n", "q")
    written("1 Q0 d 1 1 t\n2 Q0 d 1 1 t\n", "r")
    written("1 Q0 d 1 1 t\n2 Q0 e 1 1 t\n", "s")
    done = invoke(*words)
    assert (done.exit_code, "no such file" in done.stderr) == (0, False), done.stderr
    if words[0] in ("why", "pool-bias"):
        assert "one" in done.stdout


def test_a_file_whose_name_has_an_equals_sign_is_that_file(folder):
    written("1 0 d 1\n", "q")
    written("1 Q0 d 1 1 t\n", "k=60.run")
    assert invoke("evaluate", "q", "k=60.run", "-m", "AP", "--as", "tsv").stdout == "run\tAP\nk=60\t1.0\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["A=r", "A=s"], "run A was given twice\n"),
        (["A=nothing.run"], "nothing.run: no such file\n"),
        (
            ["j", "--names", "tag"],
            "j:1: the file has no tags, so a tag cannot name the run; expected lines such as `topic Q0 document rank score tag`\n",
        ),
    ],
)
def test_names_that_do_not_work_are_refused(folder, words, message):
    written("1 0 d 1\n", "q")
    for name in "rs":
        written("1 Q0 d 1 1 t\n", name)
    written('{"topic": "1", "document": "d", "score": 1}\n', "j")
    assert invoke("evaluate", "q", *words, "-m", "AP").stderr == message


def test_a_submission_to_inex_has_its_run_id_for_a_tag(folder):
    from assay.files.source import Source, tag_of

    path = written('<inex-submission participant-id="1" run-id="focused-2" task="Focused">\n', "s.xml")
    assert tag_of(Source(path)) == "focused-2"
