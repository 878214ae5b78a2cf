"""Each option of an evaluation is declared once; signatures, commands, saved scores and what is refused derive from it."""

import inspect
import pickle
from typing import Annotated, TypedDict

import click
import pytest

import assay
import assay.spark.cluster
from assay.cli.commands import main
from assay.cli.options import as_typed
from assay.errors import UsageError
from assay.evaluation.evaluate import Options
from assay.options import (
    GROUPS,
    NEW_NAMES,
    OF_EVALUATION,
    OPTIONS,
    Option,
    declared_options,
    in_order_of_help,
    refuse_on_spark,
    shows,
)
from helpers.commands import invoke

# The functions that evaluate: with groups of topics, and without.
GROUPING = ("evaluate", "compare", "compare_groups", "significance_table", "baseline_table", "chance_of_best", "report")
WITHOUT_GROUPS = ("Evaluator", "correlate", "chart", "gate")
COMMANDS = ("evaluate", "compare", "correlate", "chart", "report", "gate")
# What a command has of its own: several tasks, and a file that was once given as --topics.
OWN = {"correlate": {"task"}, "report": {"topics"}}
# A value of each option that has neither words nor the type of a flag or a number.
OTHERS = {
    "documents": {"d": "a b"},
    "chunks": {"c": ("d", 0, 3)},
    "quant": ["strict"],
    "pools": ["275"],
    "annotators": "union",
    "columns": {"document": "chunk"},
    "tokenizer": "words",
    "by": {"1": "a"},
    "topics_file": "topics.tsv",
    "checked": "people.qrels",
}


def another(option: Option):
    """A value of an option that is not its default."""
    if option.words:
        return next(word for word in option.words if word != option.default)
    kind = option.plain_type
    return True if kind is bool else kind(1) if kind in (int, float) else OTHERS[option.name]


def parameters(command: str) -> dict[str, click.Parameter]:
    """The parameters of a command by their names."""
    return {str(each.name): each for each in main.get_command(click.Context(main), command).params}


@pytest.mark.parametrize("name", GROUPING)
def test_a_function_that_evaluates_shows_every_option(name):
    shown = inspect.signature(getattr(assay, name)).parameters
    assert {each: (shown[each].default, shown[each].annotation) for each in OPTIONS} == {
        each: (option.default, option.type) for each, option in OPTIONS.items()
    }


@pytest.mark.parametrize("name", WITHOUT_GROUPS)
def test_a_function_without_groups_of_topics_shows_every_option_of_an_evaluation(name):
    shown = inspect.signature(getattr(assay, name)).parameters
    assert {each: shown[each].default for each in OF_EVALUATION} == {
        each: option.default for each, option in OF_EVALUATION.items()
    }


def test_the_parameters_of_evaluate_are_its_own_and_the_options():
    own = ["judgments", "runs", "measures"]
    assert list(inspect.signature(assay.evaluate).parameters) == [*own, *OPTIONS, "progress"]
    spark = ["clustered", "partitions", "spark"]
    assert list(inspect.signature(assay.spark.evaluate).parameters) == [*own, *OPTIONS, *spark]


def test_help_tells_what_every_option_means():
    told = " ".join(assay.evaluate.__doc__.split())
    assert [name for name, option in OPTIONS.items() if f" {name}: {option.meaning}" not in told] == []
    assert max(map(len, assay.evaluate.__doc__.splitlines())) <= 120


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, tie="rank"),
        lambda: assay.evaluate("not there", "nor this", tie="rank"),
        lambda: assay.Evaluator({"1": {"a": 1}}, tie="rank"),
        lambda: assay.compare({"1": {"a": 1}}, {"1": {"a": 1}}, tie="rank"),
        lambda: assay.gate({"1": {"a": 1}}, {"1": {"a": 1}}, require="AP > 0", tie="rank"),
        lambda: assay.chart({"1": {"a": 1}}, {"1": {"a": 1}}, "means", "AP", tie="rank"),
        lambda: assay.spark.evaluate("not there", "nor this", tie="rank"),
    ],
)
def test_a_name_that_is_not_declared_is_refused(call):
    with pytest.raises(TypeError) as refused:
        call()
    assert str(refused.value).endswith("() got an unexpected keyword argument 'tie'; did you mean ties=?")


def test_a_function_names_itself_if_a_name_is_not_declared():
    with pytest.raises(TypeError, match=r"^why\(\) got an unexpected keyword argument 'measure'; did you mean measures=\?$"):
        assay.why({"1": {"a": 1}}, {"1": {"a": 1}}, measure="AP")
    with pytest.raises(TypeError, match=r"^compare\(\) got an unexpected keyword argument 'xyz'$"):
        assay.compare({"1": {"a": 1}}, {"1": {"a": 1}}, xyz=1)


def test_groups_of_topics_are_no_option_of_an_evaluator():
    with pytest.raises(UsageError, match=r"^by= does not apply here; pass it to assay.evaluate$"):
        assay.Evaluator({"1": {"a": 1}}, by={"1": "a"})
    with pytest.raises(TypeError, match=r"^Evaluator\(\) got an unexpected keyword argument 'buy'$"):
        assay.Evaluator({"1": {"a": 1}}, buy={"1": "a"})


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_evaluates_takes_every_option_as_it_is_declared(command):
    typed = parameters(command)
    for name in OF_EVALUATION.keys() - OWN.get(command, set()):
        option, given = OF_EVALUATION[name], typed[name]
        assert given.opts == [option.typed]
        assert given.help.startswith(option.help)
        if option.default is not None:
            assert given.get_default(click.Context(main)) == option.default
        if option.words:
            assert list(given.type.choices) == list(option.words)


def test_a_command_lists_the_options_group_by_group():
    listed = [name for name in parameters("evaluate") if name in OF_EVALUATION]
    assert listed == [option.name for option in in_order_of_help(OF_EVALUATION.values())]
    groups = [OF_EVALUATION[name].group for name in listed]
    assert groups == sorted(groups, key=GROUPS.index)


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_groups_of_topics_can_be_asked_for_by_commands(command):
    typed = parameters(command)
    assert [typed[name].help for name in ("by", "topics_file")] == [OPTIONS[name].help for name in ("by", "topics_file")]


def test_a_ceiling_takes_the_options_that_say_so():
    declared_for_it = {name for name, option in OPTIONS.items() if option.ceiling}
    own = {"judgments", "chunks", "runs", "measures"}
    assert set(inspect.signature(assay.ceiling).parameters) - own == declared_for_it
    printing = {"layout", "spreadsheet_safe", "digits", "quiet", "no_cache", "names"}
    assert set(parameters("ceiling")) - own - printing - set(NEW_NAMES) == declared_for_it


@pytest.mark.parametrize("name", OF_EVALUATION)
def test_saved_scores_remember_what_changes_values(name):
    option = OF_EVALUATION[name]
    value = another(option)
    told = Options(**{name: value}).decisions(overlap=value if name == "overlap" else "paid")
    assert told.get(name) == (value if option.changes_values else None)


def test_what_is_saved_of_an_evaluation_without_options_stays_as_it_was():
    assert list(Options().decisions("paid").items()) == [
        ("ties", "docno"),
        ("overlap", "paid"),
        ("task", None),
        ("topics", "judged"),
        ("depth", None),
        ("judged_only", False),
        ("texts", "check"),
        ("whitespace", "count"),
        ("annotators", None),
        ("tokenizer", None),
    ]


def test_later_options_are_saved_where_they_are_given():
    told = Options(duplicates="best", copies=True).decisions("paid")
    assert list(told.items())[10:] == [("copies", True), ("duplicates", "best")]


def test_the_options_of_a_worker_are_those_that_were_given():
    sent = pickle.loads(pickle.dumps(Options(ties="rank", depth=7)))
    assert sent.all == {name: option.default for name, option in OF_EVALUATION.items()} | {"ties": "rank", "depth": 7}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_cluster_takes_an_option_or_refuses_it_as_declared(name, monkeypatch):
    class ReachedError(Exception):
        """All that was given is taken."""

    def reached():
        raise ReachedError

    monkeypatch.setattr(assay.spark.cluster, "refuse_no_spark", reached)
    option = OPTIONS[name]
    why = option.not_on_spark
    values = {value: why.get(value) for value in option.words} if isinstance(why, dict) else None
    for value, reason in values.items() if values else [(another(option), why)]:
        with pytest.raises(UsageError if reason else ReachedError) as refused:
            assay.spark.evaluate("qrels", "run", **{name: value})
        assert str(refused.value) == (reason or "")


@pytest.mark.parametrize("name", OPTIONS)
def test_a_cluster_takes_what_is_so_by_default(name):
    refuse_on_spark({name: OPTIONS[name].default})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--copies",), "a cluster cannot find copies of the evidence; leave out --copies\n"),
        (
            ("--ties", "input"),
            "rows on a cluster have no input order; choose from docno, rank and expected for ties\n",
        ),
    ],
)
def test_the_command_says_in_its_own_words_what_a_cluster_refuses(options, message):
    done = invoke("evaluate", "qrels", "run", "--engine", "spark", *options)
    assert (done.stderr, done.exit_code) == (message, 2)


class OneMore(TypedDict, total=False):
    """An option that nothing else knows of."""

    last_first: Annotated[
        int | None,
        Option(
            meaning="so many results are read from the last.",
            help="Read so many results from the last.",
            group="results",
            at_least=2,
            changes_values=True,
            not_on_spark="results are read from the last on one machine only; leave out last_first=",
        ),
    ]


def test_an_option_needs_its_declaration_only():
    @shows(OneMore)
    def function(runs, **options):
        """What it does.

        {options}
        """

    @click.command()
    @as_typed(declared_options(OneMore)["last_first"])
    def command(last_first):
        """What it does."""

    assert str(inspect.signature(function)) == "(runs, *, last_first: int | None = None, **options)"
    assert "    last_first: so many results are read from the last.\n" in function.__doc__
    (typed,) = command.params
    assert (typed.opts, typed.type.name, typed.type.min) == (["--last-first"], "integer range", 2)


GOLD, RUN, TEXTS = {"1": [("d", 0, 3)]}, {"1": [("d", 0, 1)]}, {"d": "a b"}


@pytest.mark.parametrize("old", NEW_NAMES)
def test_an_old_name_is_understood_and_not_shown(old):
    assert old not in inspect.signature(assay.evaluate).parameters
    assert parameters("evaluate")[old].hidden
    assert f"--{old}" not in invoke("evaluate", "--help").stdout


@pytest.mark.parametrize("name", ["whitespace", "blanks"])
def test_whitespace_is_ignored_by_its_new_name_and_its_old_one(name):
    ignoring = {name: "ignore", "documents": TEXTS}
    assert assay.evaluate(GOLD, RUN, "R", **ignoring)["R"] == 1 / 2
    assert assay.Evaluator(GOLD, "R", **ignoring)(RUN)["R"] == 1 / 2
    assert assay.ceiling(GOLD, [("d", 0, 1)], RUN, "R", **ignoring).scores["R"] == 1 / 2


BOTH = {"blanks": "ignore", "whitespace": "ignore"}


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.evaluate(GOLD, RUN, "R", documents=TEXTS, **BOTH),
        lambda: assay.ceiling(GOLD, [("d", 0, 3)], RUN, "R", documents=TEXTS, **BOTH),
        lambda: assay.spark.evaluate("gold", "run", "R", **BOTH),
    ],
)
def test_an_old_name_and_the_new_one_together_are_refused(call):
    with pytest.raises(UsageError, match=r"^blanks is the old name of whitespace; leave out blanks=$"):
        call()


def test_the_old_option_is_understood_by_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.jsonl").write_text('{"topic": "1", "doc_id": "d", "start": 0, "end": 3}\n')
    (tmp_path / "run.jsonl").write_text('{"topic": "1", "doc_id": "d", "start": 0, "end": 1, "rank": 1}\n')
    (tmp_path / "documents.jsonl").write_text('{"id": "d", "text": "a b"}\n')
    command = ["evaluate", "gold.jsonl", "run.jsonl", "-m", "R", "--documents", "documents.jsonl", "--quiet"]
    counted, new, old = (
        invoke(*command, *more).stdout for more in ([], ["--whitespace", "ignore"], ["--blanks", "ignore"])
    )
    assert (counted, new) == ("run\tR\nrun\t0.3333333333333333\n", "run\tR\nrun\t0.5\n")
    assert old == new
    both = invoke(*command, "--blanks", "ignore", "--whitespace", "ignore")
    assert both.exit_code == 2
    assert both.stderr.splitlines()[-1] == "Error: --blanks is the old name of --whitespace; leave out --blanks"


def test_a_baseline_with_the_old_name_is_compared(tmp_path):
    given = {"documents": TEXTS, "whitespace": "ignore"}
    baseline = tmp_path / "baseline.json"
    assay.evaluate(GOLD, RUN, "R", **given).save(baseline)
    saved = baseline.read_text("utf-8")
    baseline.write_text(saved.replace('"whitespace": "ignore"', '"blanks": "ignore"'), "utf-8")
    assert baseline.read_text("utf-8") != saved
    assert assay.gate(GOLD, RUN, not_worse_than=baseline, means_only=True, margin=0, **given).passed
