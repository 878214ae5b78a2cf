"""The options that several commands share, each defined once.

Commands that share none, for example trec_eval, do not load this module.
"""

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.core import ParameterSource

from assay.cli.command import file_names, measure_names, option
from assay.cli.common import SPREADSHEET_SAFE
from assay.options import OF_EVALUATION, OPTIONS, Option, in_order_of_help
from assay.vocabulary import LAYOUTS, RUN_NAMES, letters

# The options of an evaluation, made from their declarations, and callbacks that convert the values of some.


def documents_of(context: click.Context, option: click.Parameter, path: str | None) -> Any:
    """Return the path of the documents; with --no-cache, documents that do not use their cache."""
    if path is None or not context.meta.get(NO_CACHE):
        return path
    from assay.documents.lookup import Documents

    return Documents(path, cache=False)


def columns_of(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Return the columns by field, from values such as FIELD=NAME."""
    if unclear := next((each for each in given if "=" not in each), None):
        raise click.BadParameter(
            f"{unclear!r} is not FIELD=NAME; expected for example document=chunk_id", context, option
        )
    return {field.strip(): name.strip() for field, _, name in (each.partition("=") for each in given)}


def keep_nothing(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Remember --no-cache before the documents are opened."""
    context.meta[NO_CACHE] = given


NO_CACHE = "assay.no_cache"
CACHING = option(
    "--no-cache",
    is_rare=True,
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=keep_nothing,
    help="Do not read or write the cache of the documents.",
    group="Documents",
)


def pools_of(context: click.Context, option: click.Parameter, given: str | None) -> str | list[str] | None:
    """Split the pools at commas."""
    return given and [pool.strip() for pool in given.split(",")]


def chunks_by_run(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> Any:
    """Return the file with the chunks of all runs, or a dict from names of runs to files."""
    if len(given) < 2 and not (given and is_of_run(given[0])):
        return given[0] if given else None
    if unclear := next((each for each in given if not is_of_run(each)), None):
        expected = "expected one file for all runs, or one for each"
        raise click.BadParameter(f"{unclear!r} is not RUN=FILE; {expected}", context, option)
    return {run: file for run, _, file in (each.partition("=") for each in given)}


def is_of_run(given: str) -> bool:
    """Tell whether a value is RUN=FILE, and not a file with such a name."""
    from os.path import exists

    return "=" in given and not exists(given)


CALLBACKS: dict[str, Callable[..., Any]] = {
    "documents": documents_of, "chunks": chunks_by_run, "columns": columns_of, "pools": pools_of,
}  # fmt: skip


# Files, which may be given as NAME=FILE.

NAMES = "assay.names"


def choose_names(context: click.Context, option: click.Parameter, given: str) -> None:
    """Remember --names before the runs are read."""
    context.meta[NAMES] = given


def named_files(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the files; NAME=FILE gives a file that name, unless there is a file called NAME=FILE."""
    from os.path import exists

    from assay.files.source import Source, tag_of

    files: list[Any] = []
    for each in given:
        name, _, file = each.partition("=")
        if name and file and not exists(each):
            files.append(Source(file, name))
        elif context.meta.get(NAMES) == "tag" and parameter.name in ("run", "runs"):
            source = Source(each)
            source.name = tag_of(source)
            files.append(source)
        else:
            files.append(each)
    return tuple(files)


def named_file(context: click.Context, parameter: click.Parameter, given: str | None) -> Any:
    """Return the file, with its name if it is given as NAME=FILE."""
    return None if given is None else named_files(context, parameter, (given,))[0]


NAMING = option(
    "--names",
    type=click.Choice(RUN_NAMES),
    default="file",
    show_default=True,
    is_eager=True,
    expose_value=False,
    callback=choose_names,
    help="Name each run by its file or by the tag in it. NAME=FILE names a run too.",
    group="Reading files",
)


def taking(options: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return a decorator that adds options to a command."""

    def given(command: Any) -> Any:
        for each in reversed(options):
            command = each(command)
        return command

    return given


def as_typed(declared: Option) -> Callable[[Any], Any]:
    """Make the option of click from the declaration of an option."""
    callback = new_or_old(declared) if declared.formerly else CALLBACKS.get(declared.name)
    told: dict[str, Any] = {"help": declared.help, "metavar": declared.metavar, "group": declared.group}
    told["callback"] = callback
    if declared.plain_type is bool:
        return option(declared.typed, declared.name, is_flag=True, **told)
    shows_default = {"default": declared.default, "show_default": True} if declared.default is not None else {}
    typed = option(
        declared.typed, declared.name, type=type_of(declared), multiple=declared.is_repeatable, **told, **shows_default
    )
    return taking([typed, old_option(declared)]) if declared.formerly else typed


def old_option(declared: Option) -> Callable[[Any], Any]:
    """Make a hidden option for the old name; it remembers its value before the new option is read."""

    def remember(context: click.Context, _: click.Parameter, given: Any) -> None:
        context.meta[declared.formerly_typed] = given

    hidden: dict[str, Any] = {"hidden": True, "is_eager": True, "expose_value": False, "callback": remember}
    return option(declared.formerly_typed, declared.formerly, type=type_of(declared), **hidden)


def new_or_old(declared: Option) -> Callable[..., Any]:
    """Return a callback that takes the value of the new or the old name, and refuses both together."""
    old = declared.formerly_typed

    def chosen(context: click.Context, _: click.Parameter, given: Any) -> Any:
        if context.meta.get(old) is None:
            return given
        if context.get_parameter_source(declared.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{old} is the old name of {declared.typed}; leave out {old}", context)
        return context.meta[old]

    return chosen


class SpeltFreely(click.Choice):  # type: ignore[type-arg]  # click 8.1 has no Choice[str]
    """One of some words, in any case of letters and with or without hyphens: `RelevantInContext`."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word as it is listed."""
        known = {letters(word): word for word in self.choices}
        return super().convert(known.get(letters(value), value), param, ctx)


def type_of(option: Option) -> click.ParamType[Any] | None:
    """Return the click type that converts the values of an option; None for text."""
    if option.words:
        return SpeltFreely(option.words, case_sensitive=False) if option.any_case else click.Choice(option.words)
    if option.plain_type is int:
        return click.IntRange(option.at_least, option.at_most)
    if option.plain_type is float:
        return click.FloatRange(option.at_least, option.at_most)
    return click.Path() if option.is_path else None


TYPED = {name: as_typed(option) for name, option in OPTIONS.items()}
DOCUMENTS = [TYPED["documents"], CACHING]


def typed(options: Iterable[Option]) -> list[Callable[[Any], Any]]:
    """Return options of click in the order of the help, with --no-cache after the documents."""
    named = TYPED | {"documents": taking(DOCUMENTS)}
    return [named[option.name] for option in in_order_of_help(options)]


COLUMNS, FORMAT, POOLS, REPEATS, TASK = (TYPED[name] for name in ("columns", "format", "pools", "duplicates", "task"))
TOPICS_THAT_COUNT = TYPED["topics"]
TASK_NAMES = type_of(OPTIONS["task"])
# For commands that show groups of topics, and values that people's judgments correct.
CHECKED = TYPED["checked"]
BY_GROUP = [TYPED["topics_file"], TYPED["by"], CHECKED]
# For `assay ceiling`.
CEILING = typed(option for option in OF_EVALUATION.values() if option.ceiling)
MEASURE = option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    shell_complete=measure_names,
    help="A measure, for example AP, nDCG@10 or P(rel=2)@5; repeatable.",
    group="Measures",
)
QUIET = option(
    "--quiet",
    is_rare=True,
    is_flag=True,
    help="Do not print notes on standard error.",
    group="Output",
)
# For commands that also take scores from a file.
GIVEN_SCORES: list[Callable[[Any], Any]] = [
    option(
        "--scores",
        multiple=True,
        metavar="[NAME=]FILE",
        callback=named_files,
        shell_complete=file_names,
        help="Values that Assay did not compute, alone or beside RUNs: a table with system, topic, measure and "
        "value, the output of trec_eval -q or ir_measures -q, or saved scores; repeatable.",
        group="Reading files",
    ),
    option(
        "--lower-is-better",
        multiple=True,
        metavar="MEASURE",
        help="A measure of --scores for which lower is better, for example latency; repeatable.",
        group="Reading files",
    ),
]
# For every command that evaluates: RULES alone, EVALUATION for many runs, OF_ONE_RUN for one.
RULES: list[Callable[[Any], Any]] = [
    MEASURE,
    *typed(OF_EVALUATION.values()),
    option(
        "--define",
        type=click.Path(exists=True, dir_okay=False),
        multiple=True,
        help="A Python file with your own measures; name them with -m.",
        group="Measures",
    ),
    QUIET,
]
JUDGMENTS = click.argument("judgments", shell_complete=file_names)


def runs_argument(metavar: str = "RUN...", required: bool = False) -> Callable[[Any], Any]:
    """Declare the runs of a command, each of which may be given as NAME=FILE."""
    return click.argument(
        "runs", nargs=-1, required=required, metavar=metavar, callback=named_files, shell_complete=file_names
    )


RUNS, SOME_RUNS, RUNS_OR_NONE = runs_argument(), runs_argument(required=True), runs_argument("[RUN]...")
EVALUATION: list[Callable[[Any], Any]] = [
    click.argument("judgments", required=False, metavar="JUDGMENTS", shell_complete=file_names),
    RUNS,
    MEASURE,
    NAMING,
    *GIVEN_SCORES,
    *RULES[1:],
]
OF_ONE_RUN = [JUDGMENTS, click.argument("run", callback=named_file, shell_complete=file_names), *RULES]


def keep_from_running(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Remember --spreadsheet-safe."""
    context.meta[SPREADSHEET_SAFE] = given


SPREADSHEET = option(
    "--spreadsheet-safe",
    is_rare=True,
    is_flag=True,
    expose_value=False,
    callback=keep_from_running,
    help="In csv and tsv, put ' before names that a spreadsheet would run as formulas.",
    group="Output",
)
LAYOUT = taking(
    [
        option(
            "--as",
            "layout",
            type=click.Choice(LAYOUTS),
            help="Layout of the output; by default text on a terminal and tsv in a pipe.",
            group="Output",
        ),
        SPREADSHEET,
    ]
)
PRINTING: list[Callable[[Any], Any]] = [
    LAYOUT,
    option(
        "--digits",
        type=click.IntRange(0, 17),
        default=4,
        show_default=True,
        help="Digits after the point in text, md, latex and html.",
        group="Output",
    ),
]
