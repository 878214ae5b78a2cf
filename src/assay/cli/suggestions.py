"""Corrections of a command line with a mistake: the whole command that was meant, to copy."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from glob import glob

import click

from assay.cli.overview import ENTRIES, FIRST
from assay.errors import ORDER_OF_INPUTS
from assay.vocabulary import CHARTS, FILE_KINDS, LAYOUTS

# Options of other programs, and what Assay calls them.
OTHER_NAMES = {
    "--metric": "--measure", "--metrics": "--measure", "--docs": "--documents", "--corpus": "--documents",
    "--layout": "--as", "-M": "--depth", "-J": "--judged-only",
}  # fmt: skip
# What to write instead of options that trec_eval has and `assay evaluate` does not, or that only `assay why` has.
INSTEAD = {
    "-c": "all judged topics count by default; leave out -c",
    "-l": "the measure says which grades are relevant; write for example -m 'AP(rel={})'",
    **dict.fromkeys(("-n", "-N"), "only `assay trec_eval` has this option; it takes one run"),
    "--topic": "write --per-topic to show all topics; `assay why JUDGMENTS RUN --topic {}` explains one",
}
# Options that name the file to write; commands that print a table have none.
TO_FILE = ("-o", "--out", "--output")
# Endings of files, and the layout of each if it has another name.
ENDINGS = {layout: layout for layout in LAYOUTS} | {"tex": "latex", "txt": "text"}
# Commands that work with any judgments or runs; the others need more, and Assay proposes their own examples.
TAKE_ANY_FILES = ("evaluate", "compare", "correlate", "audit", "pool-bias", "chart", "report", "fuse")
# Kinds of files that only --scores takes.
SCORES = ("saved scores", "scores")
# A name for the output, for commands that need one.
OUTPUTS = {"chart": "chart.svg", "report": "report.html"}
# The least similarity of two names, if neither begins with the other.
LIKENESS = 0.7
# What a reader says about a run among judgments, or judgments among runs; it fits only commands that take both.
ORDER_OF_FILES = re.compile(f"(:|; if these are judgments,) {ORDER_OF_INPUTS}")
# The wrong word in a message, and the word that it proposes.
CORRECTION = re.compile(r"'(?P<wrong>[^']+)'.*?; did you mean '?(?P<right>[^'?`]+)'?\?")


def nearest(typed: str, known: Iterable[str]) -> str | None:
    """Return the name most similar to what was typed, in any case of letters; None if none is similar."""
    from rapidfuzz.fuzz import ratio

    names = list(known)
    word = typed.lstrip("-").lower()
    if same := next((name for name in names if name.lstrip("-").lower() == word), None):
        return same
    if begun := next((name for name in names if len(word) > 1 and name.lstrip("-").startswith(word)), None):
        return begun
    likeness = {name: ratio(word, name.lstrip("-").lower()) / 100 for name in names}
    best = max(likeness, key=lambda name: likeness[name], default=None)
    return best if best is not None and likeness[best] >= LIKENESS else None


def as_command(words: Sequence[str]) -> str:
    """Return the command line with these words after `assay`."""
    return shlex.join(["assay", *words])


def did_you_mean(words: Sequence[str]) -> str:
    """Return the line that shows the command that was meant."""
    return f"did you mean: {as_command(words)}"


def replace_word(words: Sequence[str], wrong: str, right: str) -> list[str] | None:
    """Correct one word, or a part of one, for example one of several measures; None if the word is not there."""
    part = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])")
    whole = [number for number, word in enumerate(words) if word == wrong]
    for number in [*whole, *(number for number, word in enumerate(words) if part.search(word))]:
        return [*words[:number], part.sub(lambda _: right, words[number], count=1), *words[number + 1 :]]
    return None


def in_corrected_command(message: str, words: Sequence[str]) -> str:
    """Return the command with the correction that a message proposes; empty if it proposes none."""
    if not (found := CORRECTION.search(message)):
        return ""
    right = replace_word(words, found["wrong"], found["right"])
    return did_you_mean(right) if right else ""


def for_unknown_command(words: Sequence[str]) -> str:
    """Suggest a command if the first word is not one: a command for files, the nearest command, or help."""
    from assay.cli import help_commands

    name, *others = words
    if os.path.exists(name):
        return did_you_mean(["evaluate", *words] if others else ["check", *words])
    if found := nearest(name, ENTRIES):
        return did_you_mean([found, *others])
    if name == "version":
        return did_you_mean(["--version"])
    return did_you_mean(["help", name]) if name in {*help_commands.TOPICS, *help_commands.OTHER_NAMES} else ""


def for_unknown_option(error: click.NoSuchOption, words: Sequence[str]) -> str:
    """Suggest the nearest option of the command if an option is unknown."""
    command = error.ctx.command if error.ctx else None
    if isinstance(command, click.Group) and any(map(os.path.exists, words)):
        # this is how trec_eval is called, which has no commands
        return did_you_mean(["evaluate", *words])
    params = command.get_params(error.ctx) if command and error.ctx else []
    options = [each for each in params if isinstance(each, click.Option) and not each.hidden]
    known = {name: each for each in options for name in (*each.opts, *each.secondary_opts)}
    typed = error.option_name
    joined = (word.removeprefix(f"{typed}=") for word in words if word.startswith(f"{typed}="))
    value = next(iter(words[words.index(typed) + 1 :]), "") if typed in words else next(joined, "")
    if command and command.name == "evaluate" and typed in INSTEAD:
        return INSTEAD[typed].format(shlex.quote(value or "N"))
    if typed in TO_FILE and "--as" in known and value and typed in words:
        return for_output_of_table(words, typed, value)
    alike = [name for name in known if name.startswith("--") is typed.startswith("--")]
    for right in (OTHER_NAMES.get(typed), nearest(typed, alike)):
        if right in known and takes(known[right], value) and (corrected := replace_word(words, typed, right)):
            return did_you_mean(corrected)
    return ""


def takes(option: click.Option, value: str) -> bool:
    """Return whether an option accepts a value; a flag needs none, and what looks like an option is not a value."""
    if option.is_flag or not value or value.startswith("-"):
        return True
    try:
        option.type.convert(value, option, None)
    except click.BadParameter:
        return False
    return True


def for_output_of_table(words: Sequence[str], typed: str, file: str) -> str:
    """Suggest to redirect the output to a file, in the layout that its name says."""
    place = words.index(typed)
    others = [*words[:place], *words[place + 2 :]]
    layout = ENDINGS.get(os.path.splitext(file)[1].lstrip("."))
    as_layout = ["--as", layout] if layout and "--as" not in words else []
    return f"{did_you_mean([*others, *as_layout])} > {shlex.quote(file)}"


def for_unknown_choice(error: click.BadParameter, words: Sequence[str]) -> str:
    """Suggest the nearest choice if the value of an option is not one of its choices."""
    choice = error.param.type if error.param else None
    if not isinstance(choice, click.Choice) or not (wrong := re.match(r"'([^']*)' is not one of", error.message)):
        return ""
    right = nearest(wrong[1], list(choice.choices))
    corrected = replace_word(words, wrong[1], right) if right else None
    return did_you_mean(corrected) if corrected else ""


def for_swapped_files(context: click.Context, words: Sequence[str]) -> str:
    """Suggest the command with judgments and run exchanged, if each was given as the other."""
    from assay.cli.identify import kind_of_file

    files = {word: kind_of_file(word) for word in typed_arguments(context, words) if os.path.exists(word)}
    first = next(iter(files), "")
    judgments = next((file for file, kind in files.items() if kind == "judgments"), None)
    if judgments is None or files[first] != "run":
        return ""
    swapped = {first: judgments, judgments: first}
    return did_you_mean([swapped.get(word, word) for word in words])


def for_missing_file(path: str | None, words: Sequence[str]) -> str:
    """Suggest the command with an existing file, if its name resembles the one that was typed."""
    folder, name = os.path.split(path or "")
    if not name or not os.path.isdir(folder or "."):
        return ""
    there = [each for each in sorted(os.listdir(folder or ".")) if not each.startswith(".")]
    # compare the names without their endings, which would make any two names similar
    stem = nearest(os.path.splitext(name)[0], [os.path.splitext(each)[0] for each in there])
    alike = [each for each in there if os.path.splitext(each)[0] == stem]
    right = nearest(name, alike) or next(iter(alike), None)
    corrected = replace_word(words, path or "", os.path.join(folder, right)) if right else None
    return did_you_mean(corrected) if corrected else ""


def for_missing_output(context: click.Context, words: Sequence[str]) -> list[str]:
    """Suggest a command with an output, if the command needs one and none was given."""
    output = OUTPUTS.get(context.info_name or "")
    if output is None or not any(map(os.path.exists, words[1:])):
        return for_missing_files(context, words)
    return [did_you_mean([*words, "-o", output])]


def for_missing_files(context: click.Context, words: Sequence[str]) -> list[str]:
    """List the files in this folder, and suggest a command, if files were not given."""
    from assay.cli.identify import as_table, files_here, files_together, kind_of_file

    name = context.info_name or "evaluate"
    example = ENTRIES[name].example
    if name == "examples":
        return ["type for example:", f"  {example}"]
    typed = typed_arguments(context, words)
    what = [word for word in typed[:1] if word in CHARTS]
    options = [word for word in words[1:] if word not in typed]
    # a run may be given as NAME=FILE
    paths = {word: word if os.path.exists(word) else word.partition("=")[2] or word for word in typed[len(what) :]}
    given = {word: kind_of_file(path) for word, path in paths.items()}
    parameters = {each.name for each in context.command.params}
    scores = [part for word, kind in given.items() if kind in SCORES for part in ("--scores", word)]
    if scores and "scores" in parameters and not {*given.values()} & {*FILE_KINDS}:
        return [did_you_mean([name, *what, *scores, *options])]
    here = files_here()
    table = [f"{path}: no such file" for path in paths.values() if not os.path.exists(path)]
    table += ["files in this folder:", *as_table(here)] if here else ["no judgments and no runs in this folder"]
    ours = {kind: [word for word in given if given[word] == kind] for kind in FILE_KINDS}
    judgments, runs = (ours[kind] or here.get(kind, []) for kind in ("judgments", "run"))
    if name in TAKE_ANY_FILES and runs and (judgments or "judgments" not in parameters):
        references = judgments if "judgments" in parameters else runs
        together = files_together(references, [paths.get(run, run) for run in runs])
        judged, found = together or ("JUDGMENTS" if ours["run"] else references[0], ["RUN"])
        files = [*([judged] if references is judgments else []), *(ours["run"] or found)]
        output = ["-o", OUTPUTS[name]] if name in OUTPUTS and not {"-o", "--output"} & set(options) else []
        return [*table, "type for example:", f"  {as_command([name, *what, *files, *options, *output])}"]
    if glob(shlex.split(example)[2]):
        return [*table, "type for example:", f"  {example}"]
    return [*table, "to try Assay with its examples, type:", f"  {FIRST}", f"  {example}"]


def typed_arguments(context: click.Context, words: Sequence[str]) -> list[str]:
    """Return the words of a command line that are neither options nor their values."""
    parsed, _, _ = context.command.make_parser(context).parse_args(args=list(words[1:]))
    names = [each.name for each in context.command.params if isinstance(each, click.Argument)]
    values = [parsed.get(str(name)) for name in names]
    parts = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return [part for part in parts if isinstance(part, str)]
