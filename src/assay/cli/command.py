"""What a command and its options are here: click's, with the options in groups in the help."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from assay.options import GROUPS

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
