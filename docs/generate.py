"""Write the pages that are made from the code: measures.md, cli.md and formats.md.

    python docs/generate.py             writes them beside this file
    python docs/generate.py --check     writes nothing; prints a diff and exits with 1 where a page is stale
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import sys
from importlib import import_module
from pathlib import Path
from string import Template

import click
from click.testing import CliRunner

from assay import vocabulary
from assay.cli.commands import main as assay
from assay.files import source
from assay.measures.base import Count, Geometric, Measure, as_typed
from assay.measures.notation import ALIASES, known
from assay.ranking.kinds import DOCUMENTS
from assay.reading.format import Format
from assay.reading.recognition import every_format
from assay.tables.column_names import DOCUMENT_OF_SPANS, NAMES, Groups
from assay.vocabulary import FAMILIES

HERE = Path(__file__).parent
MADE = "<!-- Made by docs/generate.py: change the code or docs/templates/, then run `make docs`. -->\n"
WIDTH = 100


def measures_page() -> str:
    """Every measure, by family, as its class tells it."""
    home = {cls.__name__: cls for cls in known()}
    parts = []
    for family, names in FAMILIES.items():
        about = inspect.getdoc(import_module(f"assay.measures.{family}"))
        parts.append(f"## {family.replace('_', ' ').capitalize()}\n\n{about}\n")
        parts += [measure_section(home[name]) for name in names]
    listing = ", ".join(f"[{name}](#{name.lower()})" for names in FAMILIES.values() for name in names)
    return filled("measures", listing=listing, measures="\n".join(parts), default=", ".join(DOCUMENTS.default_measures))


def measure_section(cls: type[Measure]) -> str:
    """One measure: its docstring, which is Markdown as it stands, its parameters and its other names."""
    lines = [f"### {cls.__name__}", "", inspect.getdoc(cls) or "", ""]
    if cls.parameters():
        lines += ["| parameter | default | meaning |", "|---|---|---|"]
        for name, (default, meaning) in cls.parameters().items():
            typed = f"`@{name}`" if name == cls.cutoff else f"`{name}=`"
            lines.append(f"| {typed} | {'' if default in (None, ()) else f'`{as_typed(default)}`'} | {meaning} |")
        lines.append("")
    aliases = [f"`{alias}`" for alias, name in ALIASES.items() if name == cls.__name__]
    lines += [f"Also called {', '.join(aliases)}.", ""] if aliases else []
    ties = "no, it has no closed form" if cls.expected is Measure.expected else "yes"
    return "\n".join([*lines, f"Over topics: {over_topics(cls)}. `--ties expected`: {ties}.", ""])


def over_topics(cls: type[Measure]) -> str:
    """How the values of a measure are combined over topics."""
    if cls.over_topics is not Measure.over_topics:
        return "as above"
    return "summed" if issubclass(cls, Count) else "geometric mean" if issubclass(cls, Geometric) else "averaged"


def cli_page() -> str:
    """What `--help` prints for every command."""
    parts = []
    for words in [[], *([name] for name in assay.list_commands(click.Context(assay)))]:
        shown = CliRunner().invoke(assay, [*words, "--help"], prog_name="assay", terminal_width=WIDTH)
        parts.append(f"## {' '.join(['assay', *words])}\n\n```text\n{shown.output.rstrip()}\n```\n")
    return filled("cli", commands="\n".join(parts))


def formats_page() -> str:
    """The formats as each tells of itself, the names of columns, and the compressions."""
    return filled(
        "formats",
        formats=", ".join(f"`{name}`" for name in vocabulary.FORMATS),
        sections="\n\n".join(map(format_section, every_format())),
        columns="\n".join(f"| {field} | {in_groups(groups)} |" for field, groups in NAMES.items()),
        documents=in_groups(DOCUMENT_OF_SPANS),
        compressions=sentence([name for name, _ in source.COMPRESSIONS.values()]),
    )


def in_groups(groups: Groups) -> str:
    """Names of columns, with `before` between those that are better and others."""
    return ", before ".join(" ".join(f"`{name}`" for name in group) for group in groups)


def format_section(format: Format) -> str:
    """One format: the layouts of its lines, and its docstring, which is Markdown as it stands."""
    layouts = "\n".join(["```text", *format.layouts, "```", "", ""]) if format.layouts else ""
    return f"## {format.title} (`{format.name}`)\n\n{layouts}{format.about}"


def sentence(names: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def filled(page: str, **facts: str) -> str:
    """A page's template with the facts of the code in it."""
    return MADE + Template((HERE / "templates" / f"{page}.md").read_text("utf-8")).substitute(facts).rstrip() + "\n"


def main() -> int:
    """Write the pages, or tell which are stale."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a page is stale")
    options.add_argument("folder", nargs="?", type=Path, default=HERE, help="where the pages are")
    given = options.parse_args()
    stale = 0
    for name, page in {"measures.md": measures_page(), "cli.md": cli_page(), "formats.md": formats_page()}.items():
        path = given.folder / name
        if not given.check:
            path.write_text(page, "utf-8")
            continue
        there = path.read_text("utf-8") if path.exists() else ""
        for line in difflib.unified_diff(there.splitlines(), page.splitlines(), name, "as the code tells", lineterm=""):
            stale = 1
            print(line)
    return stale


if __name__ == "__main__":
    sys.exit(main())
