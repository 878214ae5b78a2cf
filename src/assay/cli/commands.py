"""All commands: one short function each, which calls one function of the library."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from assay import __version__
from assay.cli.common import OUT_OF_MEMORY, in_options
from assay.cli.overview import COMMANDS, ENTRIES, NAME_WIDTH, overview

# A package that is always needed, and its oldest version.
AT_LEAST = re.compile(r"([\w.-]+)>=([0-9.]+)")


class Commands(click.Group):
    """Runs a command and turns what Assay refuses into one line on standard error and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(ENTRIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; where there is none all are loaded, of which click proposes one that is near."""
        for name in [cmd_name] if cmd_name in ENTRIES else ENTRIES:
            found = getattr(import_module(ENTRIES[name].home), name.replace("-", "_"))
            found.short_help = ENTRIES[name].summary
            self.add_command(found)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, each with what it does."""
        for group, entries in COMMANDS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(NAME_WIDTH), entry.summary) for name, entry in entries.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; bad input never shows a traceback."""
        from assay.errors import AssayError

        try:
            return super().invoke(ctx)
        except AssayError as error:
            click.echo(in_options(str(error)), err=True)
            sys.exit(error.status)
        except MemoryError:
            click.echo(OUT_OF_MEMORY, err=True)
            sys.exit(1)
        except (ImportError, AttributeError):
            if not (outdated := outdated_packages()):
                raise
            click.echo(f"Assay needs {outdated}", err=True)
            sys.exit(1)
        except click.NoSuchOption as error:
            near = [option for option in error.possibilities or [] if is_near(error.option_name, option)]
            raise click.NoSuchOption(error.option_name, possibilities=near, ctx=error.ctx) from None


def outdated_packages() -> str:
    """Which packages are older than Assay needs them, or missing, and what to type; nothing where all are as needed."""
    from importlib.metadata import PackageNotFoundError, requires, version

    wanted, lacking = {}, []
    with suppress(PackageNotFoundError):
        found = (AT_LEAST.fullmatch(each) for each in requires("assay-ir") or ())
        wanted = {each[1]: each[2] for each in found if each}
    for name, least in wanted.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            installed = "none"
        if numbers_of(installed) < numbers_of(least):
            lacking.append(f"{name} {least} or later, found {installed}: pip install --upgrade {name}")
    return "; ".join(lacking)


def numbers_of(version: str) -> list[int]:
    """The numbers of a version, to be compared."""
    return [int(number) for number in re.findall(r"[0-9]+", version)]


def is_near(typed: str, option: str) -> bool:
    """Whether an option may be what was meant: it begins with what was typed, or shares two fifths of its letters.

    Click also counts the dashes, which all options share, and so takes `--width` for near to `--kind`.
    """
    from assay.tables.edit_distance import similarity

    typed, option = typed.lstrip("-"), option.lstrip("-")
    return option.startswith(typed) or similarity(typed, option) >= 0.4


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(__version__, prog_name="assay")
@click.pass_context
def main(context: click.Context) -> None:
    """Measure retrieval: how much of what was returned is relevant, and how much of what is relevant was returned.

    `assay COMMAND --help` explains a command; `assay` alone shows an example of each.
    """
    for stream in (sys.stdout, sys.stderr):
        # a letter that a terminal cannot show is no reason to stop
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if context.invoked_subcommand is None:
        click.echo(overview(), nl=False)
