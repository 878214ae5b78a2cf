"""The commands that measure: evaluate, and measures, which tells what can be measured."""

from __future__ import annotations

import shutil
from typing import Any

import click

from assay.cli.common import EVALUATION, GROUPS, PRINTING, default_layout, load, main, scores_of, taking
from assay.cli.completion import measure_names


@main.command()
@taking(EVALUATION)
@taking(GROUPS)
@taking(PRINTING)
@click.option("--per-topic", "-q", is_flag=True, help="Show every topic before the values over all topics.")
def evaluate(per_topic: bool, layout: str | None, digits: int, **given: Any) -> None:
    """Measure one or many RUNs against JUDGMENTS.

    Files may be those of TREC and INEX, CSV, TSV, JSONL or Parquet, compressed or not; - is standard input. Where text
    is highlighted characters are counted, else documents.

    \b
    assay evaluate qrels.txt bm25.run dense.run
    assay evaluate qrels.txt bm25.run -m AP -m nDCG@10 --per-topic
    assay evaluate highlights.jsonl chunks.jsonl -m R@5 -m "R(chars=2000)"
    assay evaluate gold.jsonl chunks.jsonl -m R@5 --by corpus_id --topics-file queries.jsonl
    assay evaluate inex2009.qrels run.fol --task focused
    """
    scores = scores_of(**given)
    click.echo(scores.show(layout or default_layout(), per_topic, digits), nl=layout == "json")


@main.command()
@click.argument("name", required=False, shell_complete=measure_names)
@click.option(
    "--define",
    type=click.Path(exists=True, dir_okay=False),
    multiple=True,
    help="A Python file with your own measures.",
)
def measures(name: str | None, define: tuple[str, ...]) -> None:
    """List all measures, or explain one: `assay measures nDCG`."""
    from assay.measures.listing import explain, listing

    for file in define:
        load(file)
    columns = shutil.get_terminal_size().columns if default_layout() == "text" else 0
    click.echo(explain(name) if name else listing(columns), nl=False)
