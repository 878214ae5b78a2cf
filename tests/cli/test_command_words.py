"""The words of the command line: the library speaks of its parameters, the command line of options."""

import ast
from importlib import import_module
from pathlib import Path

import click
import pytest

import assay
from assay.cli.commands import MODULES, main
from assay.cli.common import in_options
from helpers.commands import invoke, python


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        (
            "lengths are not known: give documents=, or judgments",
            "lengths are not known: give --documents, or judgments",
        ),
        ("these are elements; their passages need documents=", "these are elements; their passages need --documents"),
        ("give judged_only=; give topics_file=", "give --judged-only; give --topics-file"),
        ("write it as in nxCG(quant=strict, overlap=off)@10", "write it as in nxCG(quant=strict, overlap=off)@10"),
        ("alpha=2 is wrong; expected a number from 0 to 1", "alpha=2 is wrong; expected a number from 0 to 1"),
        ("give nothing=", "give nothing="),
    ],
)
def test_a_parameter_that_should_be_given_is_printed_as_an_option(message, printed):
    with click.Context(main):
        assert in_options(message) == printed


def test_the_library_asks_for_a_parameter_and_the_command_for_an_option(tmp_path):
    run = tmp_path / "elements.run"
    run.write_text("1 Q0 d 1 9 tag /a[1]\n")
    what = f"{run}: returns elements; where they are is known only from the documents: give "
    with pytest.raises(assay.InputError) as refused:
        assay.convert(str(run), "fol")
    assert str(refused.value) == f"{what}documents="
    assert invoke("convert", run, "--to", "fol").stderr == f"{what}--documents\n"


def test_no_message_of_the_library_names_an_option():
    rooms = [path for path in Path(assay.__file__).parent.glob("*/*.py") if path.parent.name not in ("cli", "compat")]
    nodes = [node for path in rooms for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [text for text in texts if " --" in text] == []


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("--kind", "Error: No such option '--kind'.\n"),
        ("--colum", "Error: No such option '--colum'. Did you mean '--column'?\n"),
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
    assert there == {module: set(commands) for module, commands in MODULES.items()}
    assert all(main.get_command(click.Context(main), each) for commands in there.values() for each in commands)


def test_a_command_that_is_near_to_what_was_typed_is_proposed():
    assert "No such command 'recall_base'. Did you mean 'recall-base'?" in python("-m", "assay", "recall_base").stderr
