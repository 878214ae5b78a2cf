"""What was decided, and what is needed to repeat it: rules, files with their checksums, versions."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
from collections.abc import Collection, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from assay import __version__
from assay.documents.lookup import Documents
from assay.errors import counted, listed
from assay.evaluation.notes import DUPLICATES, OVERLAP, TIES, TIES_OF_PARTS
from assay.files.source import STDIN, Source
from assay.ranking.kinds import DOCUMENTS, TEXT, Kind
from assay.ranking.rules import Rules

TOPICS = {
    "judged": "all with judgments; what a run lacks is scored as if nothing was retrieved",
    "relevant": "those with anything relevant",
    "common": "those that the run has too; each run has a mean over its own topics",
    "error": "all with judgments; a run with other topics is refused",
}
GIVEN = {
    "task": "Task",
    "tokenizer": "Tokenizer",
    "quant": "Quantisation",
    "alpha": "Alpha",
    "pools": "Pools",
    "format": "Format of the files",
}
LIBRARIES = ("numpy", "polars", "lxml", "scipy", "altair", "vl-convert-python")


def rules_of(rules: Rules, options: dict[str, Any], shown: Kind) -> list[tuple[str, str]]:
    """The rules in words, where results of a kind are shown. Of text it is told what becomes of what overlaps; of
    others only where the user says it.
    """
    ties = (TIES if shown is DOCUMENTS else TIES_OF_PARTS)[rules.ties]
    of_overlap = {**OVERLAP, "reject": "refused"}[rules.overlap]
    overlap = ("Results that overlap", f"{rules.overlap}: {of_overlap}")
    told = [
        ("Ties", f"{rules.ties}: {ties}"),
        ("Topics that count", f"{options.get('topics', 'judged')}: {TOPICS[options.get('topics', 'judged')]}"),
        *([overlap] if shown is TEXT or options.get("overlap") else []),
        ("Depth", f"the first {rules.depth:,} results of each topic" if rules.depth else "all results"),
        ("Unjudged results", "left out before measuring" if rules.judged_only else "count as not relevant"),
    ]
    if rules.duplicates != "refuse":
        told.append(("Documents that stand in a topic again", DUPLICATES[rules.duplicates]))
    for name, label in GIVEN.items():
        given = options.get(name)
        several = isinstance(given, Collection) and not isinstance(given, str)
        if given is not None and given != "" and not (several and not given):
            text = ", ".join(given) if several else getattr(given, "__name__", str(given))
            told.append((label, base_name(text) if os.path.isfile(text) else text))
    return told


def file_row(role: str, name: str, given: Any) -> list[str]:
    """What is known of something that was read: its role, its name, where it was, and the checksum of a file."""
    path = path_of(given)
    if path is None:
        return [role, name, "in memory", ""]
    if path == STDIN:
        return [role, name, "standard input", ""]
    return [role, name, base_name(path), checksum(path) if os.path.isfile(path) else ""]


def path_of(given: Any) -> str | None:
    """The path of something that was given; None where it is in memory."""
    if isinstance(given, Documents):
        return given.label
    if isinstance(given, Source):
        return given.path
    return os.fspath(given) if isinstance(given, str | os.PathLike) else None


def base_name(path: str) -> str:
    """A path without its folders, which say something of the machine that made the page and nothing of the file."""
    return os.path.basename(os.path.normpath(path))


def without_folders(text: str, paths: Iterable[str | None]) -> str:
    """A text in which some paths stand, with the last part of each only."""
    for path in sorted(filter(None, paths), key=len, reverse=True):
        text = text.replace(path, base_name(path))
    return text


def command_without_folders(words: Sequence[str]) -> str:
    """A command as it is typed, with files named without their folders."""

    def bare(word: str) -> str:
        option, equals, value = word.partition("=")
        path = value if option.startswith("-") and equals else word
        # a file that is to be written need not be there, but its folder is
        is_path = os.path.exists(path) or (os.path.dirname(path) and os.path.isdir(os.path.dirname(path)))
        return word.removesuffix(path) + base_name(path) if is_path else word

    return shlex.join(bare(word) for word in words)


def named_without_folders(names: Iterable[str]) -> dict[str, str]:
    """What runs are called that were named by their paths, because the names of their files are alike.

    They keep the part of the path that tells them apart.
    """
    paths = [name for name in names if os.path.dirname(name) and os.path.exists(name)]
    steps = {name: os.path.abspath(name).split(os.sep) for name in paths}
    differ = (number for number, step in enumerate(zip(*steps.values(), strict=False)) if len(set(step)) > 1)
    first = next(differ, -1)
    return {name: "/".join(of_path[first:]) for name, of_path in steps.items()}


def checksum(path: str) -> str:
    """The SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def versions() -> list[tuple[str, str]]:
    """The versions of everything that has a part in the numbers or in the page."""
    known = [("Assay", __version__), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            known.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return known


def title_notes(file: str, titles: list[str | None] | None, topics: list[str]) -> list[str]:
    """That some topics have no title in the file of titles."""
    lacking = [topic for topic, title in zip(topics, titles or (), strict=False) if title is None]
    if not lacking:
        return []
    return [f"{file}: {counted(len(lacking), 'topic')} of {len(topics):,} without a title: {listed(lacking)}"]
