"""What a shell offers after Tab: files, measures and charts; formats, tasks and other words are known to their options.
"""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from assay.vocabulary import CHARTS, FAMILIES


def file_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The files that the shell knows itself."""
    return [CompletionItem(begun, type="file")]


def measure_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The measures whose names begin so, in any case of letters; of several between commas the last is completed."""
    before, comma, last = begun.rpartition(",")
    names = [name for names in FAMILIES.values() for name in names if name.lower().startswith(last.lower())]
    return [CompletionItem(f"{before}{comma}{name}") for name in names]


def chart_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The charts whose names begin so, and files, as what to draw need not be said."""
    named = [CompletionItem(name) for name in CHARTS if name.startswith(begun)]
    return [*named, *file_names(context, parameter, begun)]
