"""The command `assay help`: it shows pages of the documentation on the terminal."""

import difflib
import io
import re
import shutil
import sys
from typing import NamedTuple

import click

from assay.cli.command import GroupedOption, command
from assay.cli.overview import ENTRIES
from assay.errors import AssayError, UsageError
from assay.options import OPTIONS
from assay.vocabulary import FAMILIES, FORMATS, letters

# The greatest width that is easy to read, and the width in a pipe.
WIDEST, PIPED = 104, 80
# How many topics to propose for an unknown one.
NEAREST = 3
HEADING = re.compile(r"(#+) (.*)")
# A paragraph that begins with its subject in bold.
LEAD = re.compile(r"\*\*([^*]+?)\.?\*\*")
FENCE = "```"
# The depth of such a paragraph: below all headings.
LEAD_DEPTH = 7
INTRODUCTION = "^"
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
IMAGE, LINK = re.compile(r"!\[[^\]]*\]\([^)]*\)\n?"), re.compile(r"\[([^\]]+)\]\([^)\s]+\)")


class HelpTopic(NamedTuple):
    """A topic of `assay help`: a line about it, and the parts of pages that explain it.

    A part is a page, or `page#heading`: the section or the paragraph with this heading. `page#^` is the introduction of
    a page.
    """

    summary: str
    parts: tuple[str, ...]


TOPICS = {
    "start": HelpTopic("Measure a run against judgments: the first steps.", ("start",)),
    "chunks": HelpTopic("Measure chunks for a language model, step by step.", ("chunks",)),
    "chunk-size": HelpTopic("Choose a chunk size.", ("chunk-size",)),
    "gold": HelpTopic("Build gold evidence for questions.", ("gold",)),
    "pipeline": HelpTopic("Read the results of your own pipeline.", ("pipeline",)),
    "measures": HelpTopic(
        "How measures are written, and other names for them.", ("measures#^", "measures#Names of others")
    ),
    "judgments": HelpTopic("What counts as relevant: grades, subtopics, copies.", ("choices#Judgments",)),
    "unjudged": HelpTopic(
        "How documents count that nobody judged.", ("choices#Unjudged documents", "choices#Negative grades")
    ),
    "annotators": HelpTopic(
        "Several people judged: values and agreement.", ("choices#Several annotators", "choices#Agreement")
    ),
    "topics": HelpTopic("Which topics count; topics missing from a run; groups of topics.", ("choices#Topics",)),
    "ties": HelpTopic(
        "How equal scores are ordered.",
        (
            "choices#Ties",
            "choices#The rank column",
            "choices#Single or double precision",
            "choices#Ties between elements",
        ),
    ),
    "overlap": HelpTopic(
        "Results that return the same text twice.", ("focused#Overlap", "choices#Overlapping results")
    ),
    "budgets": HelpTopic(
        "Measure within a budget of characters or tokens.",
        (
            "choices#Budgets",
            "choices#Lists that end before the budget",
            "choices#Tokens",
            "chunk-size#Chunks that do not fit",
        ),
    ),
    "facts": HelpTopic("Count facts instead of characters.", ("gold#Facts", "choices#Facts")),
    "misses": HelpTopic("What was not found, and why.", ("chunks#What is missing, and why",)),
    "formats": HelpTopic("The formats of files; `assay help trec` explains one.", ("formats#^",)),
    "columns": HelpTopic("The names of columns that Assay understands.", ("formats#Names of columns",)),
    "documents": HelpTopic("Where the texts of documents are read from.", ("formats#Documents",)),
    "offsets": HelpTopic("Texts without offsets, and offsets that are wrong.", ("formats#Texts as evidence",)),
    "compare": HelpTopic("Compare systems.", ("compare",)),
    "table": HelpTopic("Make a table for a paper.", ("paper-table",)),
    "significance": HelpTopic(
        "Which test to choose, what each does, corrections.",
        ("statistics#Which test", "statistics#The tests", "statistics#Corrections"),
    ),
    "correlation": HelpTopic("Correlate the rankings of systems.", ("statistics#Correlation of rankings",)),
    "gate": HelpTopic("Pass or fail a run in CI.", ("gate",)),
    "charts": HelpTopic("All kinds of charts.", ("charts",)),
    "report": HelpTopic("The HTML report.", ("report",)),
    "why": HelpTopic("Where a number comes from.", ("why",)),
    "pool": HelpTopic("Choose what to judge.", ("pool",)),
    "assess": HelpTopic("Judge documents in the browser.", ("assess",)),
    "model-judges": HelpTopic("When a language model judges, and people check.", ("model-judges",)),
    "audit": HelpTopic("Is the test set any good?", ("statistics#Is the test set any good?",)),
    "fusion": HelpTopic("How runs are fused.", ("choices#Fusion",)),
    "focused": HelpTopic("Focused retrieval by an example: passages and elements.", ("focused",)),
    "graded": HelpTopic("Graded elements of INEX by an example.", ("graded",)),
    "scale": HelpTopic("Many topics: one machine, and Apache Spark.", ("scale",)),
    "python": HelpTopic("Use Assay from Python.", ("library",)),
    "migrating": HelpTopic("Switch from trec_eval, pytrec_eval, ir_measures or ranx.", ("migrating",)),
    "completion": HelpTopic("Complete commands with Tab.", ("migrating#Completion in the shell",)),
}
# Other words for these topics.
OTHER_NAMES = {
    "qrels": "judgments", "queries": "topics", "questions": "topics",
    "budget": "budgets", "tokens": "budgets", "spark": "scale", "cluster": "scale", "tests": "significance",
    "statistics": "significance", "latex": "table", "trec_eval": "migrating", "chart": "charts", "fuse": "fusion",
    "ci": "gate", "quotes": "offsets", "agreement": "annotators",
    "library": "python", "rag": "chunks", "chunk": "chunks", "format": "formats", "measure": "measures",
}  # fmt: skip


@command(context_settings={"ignore_unknown_options": True})
@click.argument("topic", required=False)
@click.pass_context
def help(context: click.Context, topic: str | None) -> None:
    """Explain a TOPIC: one that `assay help` lists, or a command, an option, a measure or a format.

    \b
    assay help
    assay help ties
    assay help evaluate
    assay help nDCG
    assay help --overlap
    """
    click.echo(listing() if topic is None else explanation(context, topic), nl=False)


def listing() -> str:
    """Return the list of all topics, each with a line about it."""
    width = max(map(len, TOPICS))
    lines = [f"  {name:{width}}  {topic.summary}" for name, topic in TOPICS.items()]
    also = ["Also any command, option, measure or format: `assay help evaluate`,"]
    also += ["`assay help --depth`, `assay help nDCG`, `assay help trec`."]
    return "\n".join(["`assay help TOPIC` explains one of these:", "", *lines, "", *also, ""])


def explanation(context: click.Context, topic: str) -> str:
    """Return the parts of pages about a topic, a measure or a format, or the help of a command or an option."""
    root, name = context.find_root(), topic.lstrip("-").lower()
    # Budget is a measure, but budget is another word for a topic
    if not any(topic in names for names in FAMILIES.values()):
        name = (OTHER_NAMES | {each.formerly: each.typed.lstrip("-") for each in OPTIONS.values()}).get(name, name)
    about_option = "" if name in ENTRIES else described_option(root, name)
    if name in TOPICS and not topic.startswith("-"):
        parts = [about_option, *map(part_of_page, TOPICS[name].parts)]
    elif name in ENTRIES:
        return help_of_command(root, name)
    elif section := section_of_measure(topic) or section_of_format(name):
        parts = [section]
    elif about_option:
        parts = [about_option]
    else:
        raise UsageError(unknown_topic(root, topic))
    if name in ENTRIES:
        parts.append(f"`assay {name} --help` shows the options.")
    return render_markdown("\n\n".join(filter(None, parts)))


def help_of_command(root: click.Context, name: str) -> str:
    """Return what `assay COMMAND --help` shows."""
    assert isinstance(root.command, click.Group)
    found = root.command.get_command(root, name)
    assert found is not None
    with click.Context(found, info_name=name, parent=root) as context:
        return found.get_help(context) + "\n"


def described_option(root: click.Context, name: str) -> str:
    """Describe an option for each command that takes it; empty if there is no such option."""
    assert isinstance(root.command, click.Group)
    by_text: dict[tuple[str, str], list[str]] = {}
    for command_name in root.command.list_commands(root):
        found = root.command.get_command(root, command_name)
        for option in found.params if found else ():
            if isinstance(option, GroupedOption) and f"--{name}" in option.opts and not option.hidden:
                names, text = option.get_help_record(root) or ("", "")
                by_text.setdefault((names, text), []).append(command_name)
    lines = []
    for (names, text), commands in by_text.items():
        lines += [f"## {names}", text, f"Taken by {', '.join(f'`{each}`' for each in commands)}."]
    if lines and (declared := next((each for each in OPTIONS.values() if each.typed == f"--{name}"), None)):
        lines.append(f"In Python `{declared.name}=`: {declared.meaning}")
    return "\n\n".join(lines)


def section_of_measure(typed: str) -> str:
    """Return the section about a measure, also by an alias or with parameters; empty if it is not a measure."""
    from assay.measures.notation import explain

    try:
        name = explain(typed).partition("\n")[0]
    except AssayError:
        return ""
    return section("measures", name) or f"# {explain(typed)}"


def section_of_format(name: str) -> str:
    """Return the section about a format of files; empty if it is not a format."""
    if name not in FORMATS:
        return ""
    heading = re.search(rf"^## (.*\(`{name}`\))$", page_text("formats"), re.MULTILINE)
    return section("formats", heading[1]) if heading else ""


def unknown_topic(root: click.Context, topic: str) -> str:
    """Return the error message for an unknown topic, with the nearest known ones."""
    from assay.cli.common import every_option

    options = {name for each in every_option(root) if not each.hidden for name in each.opts if name.startswith("--")}
    measures = [name for names in FAMILIES.values() for name in names]
    known = {letters(name): name for name in [*options, *measures, *FORMATS, *ENTRIES, *OTHER_NAMES, *TOPICS]}
    near = [known[each] for each in difflib.get_close_matches(letters(topic), known, n=NEAREST, cutoff=0.5)]
    hint = f"did you mean {' or '.join(f'`assay help {each}`' for each in near)}? " if near else ""
    return f"no help on {topic!r}; {hint}`assay help` lists the topics"


# Pages and their parts.


def page_text(page: str) -> str:
    """Return a page of the documentation, without its comments."""
    from assay.files.examples import shipped_folder

    return COMMENT.sub("", (shipped_folder("docs") / f"{page}.md").read_text("utf-8"))


def part_of_page(part: str) -> str:
    """Return a page, or the part of it that `page#heading` names."""
    page, _, heading = part.partition("#")
    return section(page, heading) if heading else page_text(page)


def section(page: str, heading: str) -> str:
    """Return the section of a page under a heading, or the paragraphs from the one that begins with it in bold."""
    lines: list[str] = []
    level, in_code = 0, False
    for line in page_text(page).splitlines():
        in_code ^= line.startswith(FENCE)
        depth, title = (0, "") if in_code else title_of(line)
        if lines and 0 < depth <= level:
            break
        if title and not lines and heading in (title, INTRODUCTION):
            level = depth if title == heading else 2
        if level:
            lines.append(line)
    return "\n".join(lines).strip()


def title_of(line: str) -> tuple[int, str]:
    """Return the depth of the title in a line, and the title; 0 and "" if the line has none."""
    if found := HEADING.fullmatch(line):
        return len(found[1]), found[2]
    lead = LEAD.match(line)
    return (LEAD_DEPTH, lead[1]) if lead else (0, "")


def render_markdown(markdown: str) -> str:
    """Render Markdown for the terminal, or as plain text for a pipe."""
    from rich.console import Console
    from rich.markdown import Markdown

    is_terminal = bool(sys.stdout and sys.stdout.isatty())
    width = min(shutil.get_terminal_size().columns, WIDEST) if is_terminal else PIPED
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=is_terminal, color_system="standard" if is_terminal else None
    )
    console.print(Markdown(LINK.sub(r"\1", IMAGE.sub("", markdown)), code_theme="ansi_dark", hyperlinks=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n") + "\n"
