"""Commands and options of click, with the options in groups, and what a shell completes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from assay.vocabulary import CHARTS, FAMILIES

# A list of this many options is short enough to be read without groups.
SHORT_LIST = 8
# The group of options that only one command has, and the group of --help.
OWN, OUTPUT = "Options", "Output"
# What the help shows for a number; click shows INTEGER RANGE.
NUMBERS: dict[type, str] = {click.IntRange: "N", click.FloatRange: "NUMBER"}
# An option with more choices than this lists them in its help text, where they can wrap.
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
    """Declare an option like `click.option`, with the group of the help in which it is shown."""
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
    """Return the position of a group in the help: a command's own groups follow the measures.

    Several groups of its own are in the order of the command.
    """
    from assay.options import GROUPS

    return GROUPS.index(group) if group in GROUPS else 0.5


def is_rare(shown: click.Option) -> bool:
    """Tell whether an option belongs at the end of its group; `--help`, which click adds, does."""
    return getattr(shown, "is_rare", True)


command = partial(click.command, cls=Command)


# What a shell completes after Tab: files, measures and charts. An option with choices completes them itself.


def file_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Let the shell complete names of files."""
    return [CompletionItem(begun, type="file")]


def measure_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the name of a measure, in any case of letters; if names are separated by commas, the last one."""
    before, comma, last = begun.rpartition(",")
    names = [name for names in FAMILIES.values() for name in names if name.lower().startswith(last.lower())]
    return [CompletionItem(f"{before}{comma}{name}") for name in names]


def chart_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the kind of a chart, or a file, because the kind is optional."""
    named = [CompletionItem(name) for name in CHARTS if name.startswith(begun)]
    return [*named, *file_names(context, parameter, begun)]
