"""TREC's files: runs (`topic Q0 document rank score tag`) and judgments, called qrels (`topic iteration document grade`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from assay.files.source import Source
from assay.formats import lines
from assay.tables.judgments import Judgments
from assay.tables.run import Run

RUN = lines.LineFormat("a TREC run", ("topic", "Q0", "document", "rank", "score", "tag"), numbers=("score",), wholes=("rank",))
QRELS = lines.LineFormat("TREC qrels", ("topic", "iteration", "document", "grade"), wholes=("grade",))


def run_blocks(source: Source, ranks: bool = False, gather: bool = False) -> Iterator[Callable[[], Run | None]]:
    """A run, some whole topics at a time, each to be read by calling it; with its rank column where `ranks` are asked for."""
    wanted = ("topic", "document", "score", *(("rank",) if ranks else ()))
    for block in lines.topic_blocks(source, gather):
        yield partial(run_of, block, wanted, source)


def run_of(block: bytes, wanted: tuple[str, ...], source: Source) -> Run | None:
    """The part of a run that a block holds; None where it has no line."""
    found = lines.columns(block, RUN, wanted, source)
    return Run(source.label, places=lines.places(source, RUN), **found) if found else None


def judgments(source: Source) -> Judgments:
    """The judgments of a qrels file."""
    check_not_a_run(source)
    found = lines.columns(lines.padded(source.whole()), QRELS, ("topic", "document", "grade"), source)
    if not found:
        raise source.fault("is empty; expected judgments")
    return Judgments(source.label, places=lines.places(source, QRELS), **found)


def check_not_a_run(source: Source) -> None:
    """A run has all the fields of judgments and more: read as judgments, its ranks would be taken for grades."""
    for number, line in enumerate(source.head().splitlines(), 1):
        found = [field.decode(errors="surrogateescape") for field in line.split()]
        if not found or line.startswith(b"#"):
            continue
        if is_like_a_run(found) and not RUN.misfit([*found, ""], RUN.fields):
            what = f"this looks like a run ({' '.join(RUN.fields)}); expected judgments ({' '.join(QRELS.fields)})"
            what += "; they are given first, the runs after them"
            raise source.fault(what, number)
        return


def is_like_a_run(fields: list[str]) -> bool:
    """Whether a line has the fields of a run rather than those of judgments; the tag is forgotten easily."""
    return len(fields) >= len(RUN.fields) or (len(fields) == len(RUN.fields) - 1 and fields[1].upper() == "Q0")
