"""What a command and its options are here: click's, with the options in groups; and the options of several commands."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from assay.cli.common import SPREADSHEET_SAFE
from assay.options import GROUPS, OF_EVALUATION, OPTIONS, Option, in_order_of_help
from assay.vocabulary import CHARTS, FAMILIES, LAYOUTS, RUN_NAMES, letters

# A list of this many options is short enough to be read without groups.
SHORT_LIST = 8
# The group of options that only one command has, and the group of --help.
OWN, OUTPUT = "Options", "Output"
# What stands for a number in the help; click says INTEGER RANGE.
NUMBERS: dict[type, str] = {click.IntRange: "N", click.FloatRange: "NUMBER"}
# More choices than these are listed in the text of an option, if they can be wrapped.
CHOICES = 10


class GroupedOption(click.Option):
    """An option that belongs to a group of the help. An option that is rarely needed is at the end of its group."""

    def __init__(self, *names: Any, group: str = OWN, is_rare: bool = False, **attributes: Any):
        given = attributes.get("type")
        if not attributes.get("metavar"):
            attributes["metavar"] = NUMBERS.get(type(given))
            if isinstance(given, click.Choice) and len(given.choices) > CHOICES:
                attributes["metavar"] = "NAME"
                attributes["help"] += f" Choose from {', '.join(given.choices)}."
        super().__init__(*names, **attributes)
        self.group, self.is_rare = group, is_rare


def option(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    """`click.option`, with the group of the help in which it is shown."""
    return click.option(*names, cls=GroupedOption, **attributes)


class Command(click.Command):
    """A command whose help shows many options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: in groups if there are many, measures first, then the command's own, then the others."""
        shown = [each for each in self.get_params(ctx) if isinstance(each, click.Option) and not each.hidden]
        groups: dict[str, list[click.Option]] = {}
        for each in shown:
            groups.setdefault(getattr(each, "group", OUTPUT), []).append(each)
        in_groups = sorted(groups, key=position) if len(shown) > SHORT_LIST else [OWN]
        for group in in_groups:
            listed = groups[group] if len(in_groups) > 1 else shown
            records = [each.get_help_record(ctx) for each in sorted(listed, key=is_rare)]
            with formatter.section(group):
                formatter.write_dl([record for record in records if record is not None])


def position(group: str) -> float:
    """Where a group is in the help: a command's own groups come after the measures, in the order of the command."""
    return GROUPS.index(group) if group in GROUPS else 0.5


def is_rare(shown: click.Option) -> bool:
    """Whether an option is at the end of its group; `--help`, which click makes, is."""
    return getattr(shown, "is_rare", True)


command = partial(click.command, cls=Command)


# The options that several commands take, each said once.

# What a shell offers after Tab: files, measures and charts; formats, tasks and other words are known to their options.


def file_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The files that the shell knows itself."""
    return [CompletionItem(begun, type="file")]


def measure_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The measures whose names begin so, in any case of letters; of several between commas the last is completed."""
    before, comma, last = begun.rpartition(",")
    names = [name for names in FAMILIES.values() for name in names if name.lower().startswith(last.lower())]
    return [CompletionItem(f"{before}{comma}{name}") for name in names]


def chart_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The charts whose names begin so, and files, because the kind of chart is optional."""
    named = [CompletionItem(name) for name in CHARTS if name.startswith(begun)]
    return [*named, *file_names(context, parameter, begun)]


# The options of an evaluation, as they are declared, and what the values of some become.


def documents_of(context: click.Context, option: click.Parameter, path: str | None) -> Any:
    """The documents at a path without their cache, or the path itself if the cache may be used."""
    if path is None or not context.meta.get(NO_CACHE):
        return path
    from assay.documents.lookup import Documents

    return Documents(path, cache=False)


def columns_of(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The columns that hold some fields, each given as field=name."""
    if unclear := next((each for each in given if "=" not in each), None):
        raise click.BadParameter(
            f"{unclear!r} is not FIELD=NAME; expected for example document=chunk_id", context, option
        )
    return {field.strip(): name.strip() for field, _, name in (each.partition("=") for each in given)}


def keep_nothing(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Remember, before the documents are opened, that their cache is not used."""
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
    """The pools between commas."""
    return given and [pool.strip() for pool in given.split(",")]


def chunks_by_run(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> Any:
    """The file with the chunks of all runs, or the files of some runs by their names."""
    if len(given) < 2 and not (given and is_of_run(given[0])):
        return given[0] if given else None
    if unclear := next((each for each in given if not is_of_run(each)), None):
        expected = "expected one file for all runs, or one for each"
        raise click.BadParameter(f"{unclear!r} is not RUN=FILE; {expected}", context, option)
    return {run: file for run, _, file in (each.partition("=") for each in given)}


def is_of_run(given: str) -> bool:
    """Whether a file of chunks was given with the name of a run."""
    from os.path import exists

    return "=" in given and not exists(given)


CALLBACKS: dict[str, Callable[..., Any]] = {
    "documents": documents_of, "chunks": chunks_by_run, "columns": columns_of, "pools": pools_of,
}  # fmt: skip


# Files, which may be given with the names of their runs.

NAMES = "assay.names"


def choose_names(context: click.Context, option: click.Parameter, given: str) -> None:
    """Remember, before the runs are looked at, what names them."""
    context.meta[NAMES] = given


def named_files(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[Any, ...]:
    """Files; NAME=FILE is a file with that name, unless a file is called NAME=FILE."""
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
    """A file, with its name if it is given as NAME=FILE."""
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
    """Give a command some options."""

    def given(command: Any) -> Any:
        for each in reversed(options):
            command = each(command)
        return command

    return given


def as_typed(declared: Option) -> Callable[[Any], Any]:
    """An option on the command line, as it is declared."""
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
    """The old name of an option, which the help does not show; its value is remembered before the new one is read."""

    def remember(context: click.Context, _: click.Parameter, given: Any) -> None:
        context.meta[declared.formerly_typed] = given

    hidden: dict[str, Any] = {"hidden": True, "is_eager": True, "expose_value": False, "callback": remember}
    return option(declared.formerly_typed, declared.formerly, type=type_of(declared), **hidden)


def new_or_old(declared: Option) -> Callable[..., Any]:
    """The value of an option by its new name or its old one; both together are refused."""
    old = declared.formerly_typed

    def chosen(context: click.Context, _: click.Parameter, given: Any) -> Any:
        if context.meta.get(old) is None:
            return given
        if context.get_parameter_source(declared.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{old} is the old name of {declared.typed}; leave out {old}", context)
        return context.meta[old]

    return chosen


class SpeltFreely(click.Choice):  # type: ignore[type-arg]  # click 8.1 has no Choice[str]
    """One of some words, in any case of letters and with or without what is between them: `RelevantInContext`."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word as it is listed."""
        known = {letters(word): word for word in self.choices}
        return super().convert(known.get(letters(value), value), param, ctx)


def type_of(option: Option) -> click.ParamType[Any] | None:
    """The type to which click converts the values of an option; None for texts."""
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
    """Options in the order of the help; the documents are followed by --no-cache."""
    named = TYPED | {"documents": taking(DOCUMENTS)}
    return [named[option.name] for option in in_order_of_help(options)]


COLUMNS, POOLS, REPEATS, TASK = (TYPED[name] for name in ("columns", "pools", "duplicates", "task"))
TOPICS_THAT_COUNT = TYPED["topics"]
FORMAT_NAMES, TASK_NAMES = type_of(OPTIONS["format"]), type_of(OPTIONS["task"])
# What a command takes that shows values for groups of topics, and values that people's judgments correct.
CHECKED = TYPED["checked"]
BY_GROUP = [TYPED["topics_file"], TYPED["by"], CHECKED]
# What a command takes that tells the best that chunks could reach.
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
# What every command takes that asks something of scores, which may be there already.
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
# What every command takes that evaluates, and what it takes where it evaluates many runs, or one.
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
RUNS = click.argument("runs", nargs=-1, metavar="RUN...", callback=named_files, shell_complete=file_names)
EVALUATION: list[Callable[[Any], Any]] = [
    click.argument("judgments", required=False, metavar="JUDGMENTS", shell_complete=file_names),
    RUNS,
    MEASURE,
    NAMING,
    *GIVEN_SCORES,
    *RULES[1:],
]
OF_ONE_RUN = [JUDGMENTS, click.argument("run", shell_complete=file_names), *RULES]


def keep_from_running(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Remember that a spreadsheet will open what is printed."""
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
