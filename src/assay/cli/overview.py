"""All commands in groups, each with a summary and an example. This module loads none of them."""

from __future__ import annotations

from typing import NamedTuple

import click


class ListedCommand(NamedTuple):
    """A command in the list of commands: the module to load when it is typed, a summary and an example.

    The example works in the folder that `assay examples` makes.
    """

    module: str
    summary: str
    example: str

    @property
    def home(self) -> str:
        """The full name of the module."""
        return f"assay.cli.{self.module}"


# All commands by their groups, in the order of the overview.
COMMANDS: dict[str, dict[str, ListedCommand]] = {
    "Measure runs": {
        "evaluate": ListedCommand(
            "evaluate_commands",
            "Measure runs against judgments.",
            "assay evaluate judgments.qrels bm25.run dense.run",
        ),
        "why": ListedCommand(
            "explain_commands",
            "Show how the value of one topic is computed, row by row.",
            "assay why judgments.qrels bm25.run -m AP --topic 2",
        ),
        "misses": ListedCommand(
            "explain_commands",
            "List the questions that lost most, and why.",
            "assay misses chunks/gold.jsonl chunks/bm25-400.jsonl",
        ),
        "ceiling": ListedCommand(
            "explain_commands",
            "Compute the best that any ranking of your chunks could reach.",
            "assay ceiling chunks/gold.jsonl chunks/chunks-400.jsonl",
        ),
    },
    "Compare systems": {
        "compare": ListedCommand(
            "compare_commands",
            "Compare runs with paired significance tests.",
            "assay compare judgments.qrels bm25.run dense.run -m AP",
        ),
        "correlate": ListedCommand(
            "compare_commands",
            "Correlate system rankings across measures.",
            "assay correlate judgments.qrels *.run -m AP -m RR",
        ),
        "gate": ListedCommand(
            "gate_commands",
            "Pass or fail a run in CI by thresholds or a saved baseline.",
            "assay gate judgments.qrels hybrid.run --not-worse-than baseline.json",
        ),
        "chart": ListedCommand(
            "page_commands",
            "Draw a chart of runs.",
            "assay chart judgments.qrels *.run -m nDCG@10 -o chart.svg",
        ),
        "report": ListedCommand(
            "page_commands",
            "Write an HTML report about runs that opens offline.",
            "assay report judgments.qrels *.run -o report.html",
        ),
    },
    "Make and check test sets": {
        "pool": ListedCommand(
            "assess_commands",
            "Choose which documents of runs people should judge.",
            "assay pool *.run --depth 3 --documents documents.jsonl -o study.db",
        ),
        "assess": ListedCommand(
            "assess_commands",
            "Judge documents in the browser.",
            "assay assess --demo",
        ),
        "agreement": ListedCommand(
            "file_commands",
            "Measure inter-annotator agreement.",
            "assay agreement checked/model.qrels checked/people.qrels",
        ),
        "audit": ListedCommand(
            "explain_commands",
            "Check how far a test set can be trusted.",
            "assay audit judgments.qrels *.run",
        ),
        "pool-bias": ListedCommand(
            "assess_commands",
            "Measure how far judgments favour the pooled runs.",
            "assay pool-bias judgments.qrels *.run",
        ),
    },
    "Work with files": {
        "check": ListedCommand(
            "file_commands",
            "Show what a file is, and every fault in it.",
            "assay check bm25.run",
        ),
        "convert": ListedCommand(
            "file_commands",
            "Write a run or judgments in another format.",
            "assay convert bm25.run -o bm25.csv",
        ),
        "fuse": ListedCommand(
            "file_commands",
            "Fuse several runs into one.",
            "assay fuse bm25.run dense.run -o fused.run",
        ),
        "locate": ListedCommand(
            "file_commands",
            "Find quotes or chunks in documents and write their offsets.",
            "assay locate chunks/quotes.jsonl --documents chunks/documents",
        ),
    },
    "INEX and other programs": {
        "relevance": ListedCommand(
            "file_commands",
            "Show how relevant each element of judged documents is.",
            "assay relevance focused/highlights.qrels focused/documents",
        ),
        "recall-base": ListedCommand(
            "file_commands",
            "Show statistics of assessed elements and the ideal run.",
            "assay recall-base graded/assessments",
        ),
        "trec_eval": ListedCommand(
            "program_commands",
            "Print what NIST's trec_eval prints.",
            "assay trec_eval -m map judgments.qrels bm25.run",
        ),
        "inex_eval": ListedCommand(
            "program_commands",
            "Print what the evaluator of INEX 2010 prints.",
            "assay inex_eval -f focused/highlights.qrels focused/passages.run",
        ),
        "evalj": ListedCommand(
            "program_commands",
            "Evaluate as a configuration file of EvalJ says.",
            "assay evalj graded/example.prop",
        ),
    },
    "Learn": {
        "help": ListedCommand(
            "help_commands",
            "Explain a topic, a command, an option, a measure or a format.",
            "assay help ties",
        ),
        "examples": ListedCommand(
            "program_commands",
            "Copy the example files into a new folder.",
            "assay examples bread",
        ),
        "measures": ListedCommand(
            "evaluate_commands",
            "List all measures, or explain one.",
            "assay measures nDCG",
        ),
    },
}
ENTRIES = {name: entry for group in COMMANDS.values() for name, entry in group.items()}
NAME_WIDTH = max(map(len, ENTRIES))
# This makes the folder in which the examples work.
FIRST = "assay examples bread && cd bread"


def overview() -> str:
    """Return all commands in groups, each with its summary and an example."""
    lines = ["Assay measures retrieval. Get the example files, then try these commands:", "", f"  {FIRST}"]
    for group, entries in COMMANDS.items():
        lines += ["", click.style(group, bold=True)]
        for name, entry in entries.items():
            lines += [f"  {name:{NAME_WIDTH}}  {entry.summary}", f"      $ {entry.example}"]
    return "\n".join([*lines, "", "`assay COMMAND --help` shows the options of a command, `assay help` all topics.\n"])
