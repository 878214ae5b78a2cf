"""All commands: each is one short function that calls one function of the library."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TypeVar

import click

from assay import __version__
from assay.cli.common import OUT_OF_MEMORY, in_options
from assay.cli.overview import COMMANDS, ENTRIES, NAME_WIDTH, overview

ClickError = TypeVar("ClickError", bound=click.UsageError)
# The words that were typed, without the name of the program.
WORDS = "assay.words"
# A required package and its minimum version.
AT_LEAST = re.compile(r"([\w.-]+)>=([0-9.]+)")


class Commands(click.Group):
    """The group of all commands; it turns Assay's errors into one line on standard error and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(ENTRIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a command, and return the command."""
        for name in [cmd_name] if cmd_name in ENTRIES else ENTRIES:
            found = getattr(import_module(ENTRIES[name].home), name.replace("-", "_"))
            found.short_help = ENTRIES[name].summary
            self.add_command(found)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed; if it is unknown, the error shows the command that was meant."""
        if args and args[0] not in ENTRIES and not ctx.resilient_parsing:
            from assay.cli.suggestions import for_unknown_command

            answer = for_unknown_command(ctx.meta[WORDS])
            raise with_answer(click.UsageError(f"No such command {args[0]!r}.", ctx), [answer])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, each with its summary."""
        for group, entries in COMMANDS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(NAME_WIDTH), entry.summary) for name, entry in entries.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember what was typed, so that an error can show the whole corrected command."""
        ctx.meta[WORDS] = list(args)
        with suggest_correction(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; bad input never shows a traceback."""
        from assay.errors import AssayError, InputError

        try:
            with suggest_correction(ctx):
                return super().invoke(ctx)
        except AssayError as error:
            from assay.cli import suggestions

            words = ctx.meta[WORDS]
            command = self.get_command(ctx, words[0])
            arguments = {each.name for each in (command.params if command else []) if isinstance(each, click.Argument)}
            takes_both = "judgments" in arguments and bool(arguments & {"run", "runs"})
            message = in_options(str(error))
            message = message if takes_both else suggestions.ORDER_OF_FILES.sub("", message)
            click.echo(message, err=True)
            meant = suggestions.in_corrected_command(message, words)
            if not meant and isinstance(error, InputError):
                is_missing = error.what.startswith("no such file")
                meant = suggestions.for_missing_file(error.path, words) if is_missing else ""
                if not meant and command and takes_both:
                    meant = suggestions.for_swapped_files(click.Context(command), words)
            if meant:
                click.echo(meant, err=True)
            sys.exit(error.status)
        except MemoryError:
            click.echo(OUT_OF_MEMORY, err=True)
            sys.exit(1)
        except (ImportError, AttributeError):
            if not (outdated := outdated_packages()):
                raise
            click.echo(f"Assay needs {outdated}", err=True)
            sys.exit(1)


@contextmanager
def suggest_correction(ctx: click.Context) -> Iterator[None]:
    """Add to a usage error the command that was meant, or what can be typed."""
    try:
        yield
    except click.UsageError as error:
        raise corrected(error, ctx.meta[WORDS]) from None


def corrected(error: click.UsageError, words: list[str]) -> click.UsageError:
    """Return a usage error with such lines appended."""
    # here, because most commands need no correction
    from assay.cli import suggestions

    if isinstance(error, click.NoSuchOption):
        # click proposes only the option, not the whole command
        plain = click.NoSuchOption(error.option_name, ctx=error.ctx)
        return with_answer(plain, [suggestions.for_unknown_option(error, words)])
    if isinstance(error, click.MissingParameter):
        if error.ctx is None or error.ctx.info_name not in ENTRIES:
            return error
        is_argument = isinstance(error.param, click.Argument)
        answer = suggestions.for_missing_files if is_argument else suggestions.for_missing_output
        return with_answer(error, answer(error.ctx, words))
    if isinstance(error, click.BadParameter):
        return with_answer(error, [suggestions.for_unknown_choice(error, words)])
    return error


def with_answer(error: ClickError, answer: list[str]) -> ClickError:
    """Append lines to the message of a usage error."""
    message = "\n".join(filter(None, [error.format_message(), *answer]))
    error.format_message = lambda: message  # type: ignore[method-assign]
    return error


def outdated_packages() -> str:
    """Return which packages are missing or too old, and the command that updates them; empty if none is."""
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
    """Return the numbers of a version, so that versions can be compared."""
    return [int(number) for number in re.findall(r"[0-9]+", version)]


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
        # do not stop because the terminal cannot show a character
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if context.invoked_subcommand is None:
        click.echo(overview(), nl=False)
