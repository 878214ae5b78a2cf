"""Write the pages that are made from the code: measures.md, cli.md, formats.md and python.md.

    python docs/generate.py             writes them beside this file
    python docs/generate.py --check     writes nothing; prints a diff and exits with 1 where a page is stale
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import re
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from string import Template
from typing import Any

import click
from click.testing import CliRunner

import assay as library
from assay import vocabulary
from assay.cli.commands import main as assay
from assay.files import source
from assay.measures.base import Count, Geometric, Measure, as_typed
from assay.measures.notation import ALIASES, TITLES, known_measures
from assay.ranking.kinds import DOCUMENTS
from assay.reading.format import Format
from assay.reading.recognition import every_format
from assay.tables.column_names import DOCUMENT_OF_SPANS, NAMES, Groups
from assay.vocabulary import FAMILIES

HERE = Path(__file__).parent
# A parameter's name before its explanation.
EXPLAINS = re.compile(r"(?:^|(?<=[.;] ))([a-z_]+(?:, [a-z_]+)*): ")
MADE = "<!-- Made by docs/generate.py: change the code or docs/templates/, then run `make docs`. -->\n"
WIDTH = 100


def measures_page() -> str:
    """Return the page of every measure, by family, from its docstring."""
    home = {cls.__name__: cls for cls in known_measures()}
    parts = []
    for family, names in FAMILIES.items():
        about = inspect.getdoc(import_module(f"assay.measures.{family}"))
        parts.append(f"## {TITLES[family]}\n\n{about}\n")
        parts += [measure_section(home[name]) for name in names]
    listing = ", ".join(f"[{name}](#{name.lower()})" for names in FAMILIES.values() for name in names)
    return filled("measures", listing=listing, measures="\n".join(parts), default=", ".join(DOCUMENTS.default_measures))


def measure_section(cls: type[Measure]) -> str:
    """Return the section of a measure: its docstring, which is Markdown, its parameters and its other names."""
    lines = [f"### {cls.__name__}", "", inspect.getdoc(cls) or "", ""]
    if cls.parameters():
        lines += ["| parameter | default | meaning |", "|---|---|---|"]
        for name, (default, meaning) in cls.parameters().items():
            typed = f"`@{name}`" if name == cls.cutoff else f"`{name}=`"
            shown = "" if default in (None, (), "") else f"`{as_typed(default)}`"
            lines.append(f"| {typed} | {shown} | {meaning} |")
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
    """Return the page of formats, with the names of columns and the compressions."""
    return filled(
        "formats",
        formats=", ".join(f"`{name}`" for name in vocabulary.FORMATS),
        sections="\n\n".join(map(format_section, every_format())),
        columns="\n".join(f"| {field} | {in_groups(groups)} |" for field, groups in NAMES.items()),
        documents=in_groups(DOCUMENT_OF_SPANS),
        compressions=sentence([name for name, _ in source.COMPRESSIONS.values()]),
    )


# The public names that are not measures, in the order of a reader's questions.
FUNCTIONS = {
    "Evaluate": ("evaluate", "Evaluator", "Scores", "why", "ceiling", "misses", "explain", "parse", "curve"),
    "Compare": (
        "compare", "compare_groups", "chance_of_best", "topics_needed", "significance_table", "baseline_table",
        "correlate",
    ),
    "Decide and show": ("gate", "chart", "report"),
    "Look at judgments and runs": ("check", "audit", "agreement", "relevance", "recall_base", "ideal_run"),
    "Make files": ("locate", "convert", "fuse", "pool", "pool_bias", "check_sample"),
    "Read": ("read_run", "read_judgments", "read_scores", "Documents", "Run", "Judgments"),
    "Results": ("Comparison", "GroupedComparison", "SignificanceTable", "Correlation"),
    "Your own measures": ("Measure", "Linear", "Count", "parameter", "Ranking", "ratio"),
    "Errors": ("AssayError", "InputError", "UsageError"),
}
# Classes that a user makes objects of; the others are results.
CONSTRUCTED = ("assay.Evaluator", "assay.Documents")


def python_page() -> str:
    """Every public function and class, by its signature and docstring."""
    sections = [
        f"## {title}\n\n" + "\n".join(name_section(getattr(library, name), f"assay.{name}") for name in names)
        for title, names in FUNCTIONS.items()
    ]
    return filled("python", sections="\n".join(sections))


def name_section(named: Any, name: str) -> str:
    """A function, or a class with its public methods."""
    lines = [f"### {name}", "", *python_block(named, name), explained(named), ""]
    if inspect.isclass(named) and not issubclass(named, Exception):
        for method, value in inspect.getmembers(named):
            own = value.fget if isinstance(value, property) else value
            if method.startswith("_") or not inspect.isfunction(own) or not own.__module__.startswith("assay"):
                continue
            signature = method if isinstance(value, property) else f"{method}{short_signature(own)}"
            lines.append(f"- `{signature}`: {first_sentence(own)}")
        lines.append("")
    return "\n".join(lines)


def python_block(named: Any, name: str) -> list[str]:
    """A call with its parameters and defaults, a line each if there are many."""
    if inspect.isclass(named) and name not in CONSTRUCTED:
        return []
    parameters, star = [], False
    for each in inspect.signature(named).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not star:
            parameters.append("*")
            star = True
        parameters.append(str(each.replace(annotation=inspect.Parameter.empty)))
    line = f"{name}({', '.join(parameters)})"
    told = textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return ["```python", *told, "```", ""]


def short_signature(function: Any) -> str:
    """The names of the parameters of a method."""
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    return f"({', '.join(names)})"


def explained(named: Any) -> str:
    """A docstring as Markdown: each parameter that it explains begins a line of a list."""
    paragraphs = []
    for paragraph in (inspect.getdoc(named) or "").split("\n\n"):
        if paragraph.startswith(" "):
            paragraphs.append(f"```text\n{paragraph}\n```")
            continue
        text = " ".join(line.strip() for line in paragraph.splitlines())
        paragraphs.append(EXPLAINS.sub(lambda found: f"\n- `{found[1]}`: ", text).strip().replace(" \n- ", "\n- "))
    return "\n\n".join(paragraphs)


def first_sentence(named: Any) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join((inspect.getdoc(named) or "").partition("\n\n")[0].split())


def in_groups(groups: Groups) -> str:
    """Names of columns, with `before` between those that are better and others."""
    return ", before ".join(" ".join(f"`{name}`" for name in group) for group in groups)


def format_section(format: Format) -> str:
    """Return the section of a format: the layouts of its lines, and its docstring, which is Markdown."""
    layouts = "\n".join(["```text", *format.layouts, "```", "", ""]) if format.layouts else ""
    return f"## {format.title} (`{format.name}`)\n\n{layouts}{format.about}"


def sentence(names: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def filled(page: str, **facts: str) -> str:
    """A page's template with the facts of the code in it."""
    return MADE + Template((HERE / "templates" / f"{page}.md").read_text("utf-8")).substitute(facts).rstrip() + "\n"


def main() -> int:
    """Write the pages, or show which are stale."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a page is stale")
    options.add_argument("folder", nargs="?", type=Path, default=HERE, help="where the pages are")
    given = options.parse_args()
    stale = 0
    pages = {"measures": measures_page, "cli": cli_page, "formats": formats_page, "python": python_page}
    for name, page in ((f"{stem}.md", made()) for stem, made in pages.items()):
        path = given.folder / name
        if not given.check:
            path.write_text(page, "utf-8")
            continue
        there = path.read_text("utf-8") if path.exists() else ""
        for line in difflib.unified_diff(there.splitlines(), page.splitlines(), name, "from the code", lineterm=""):
            stale = 1
            print(line)
    return stale


if __name__ == "__main__":
    sys.exit(main())
