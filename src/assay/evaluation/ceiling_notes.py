"""What is said beside a ceiling: chunks, gold and runs that do not meet, and bounds that no ranking may reach."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

import numpy as np

from assay.errors import InputError, counted, listed
from assay.evaluation.ceilings import Ceilings
from assay.evaluation.notes import highlight_notes
from assay.evaluation.tallies import unlike_the_file
from assay.formats.text_places import own_name
from assay.measures.base import Measure
from assay.ranking.chunked_corpus import ChunkedCorpus
from assay.ranking.pool import Pool
from assay.tables.id_forms import difference
from assay.tables.run import Run
from assay.vocabulary import Topics

# Where more results than this share are none of the chunks, the run is of other chunks.
OTHERS = 0.1
# The document of a chunk, its start and its end.
ChunkPlace: TypeAlias = tuple[str, int, int]


def strangers(run: Run, chunks: Run, collection: Any) -> Iterator[str]:
    """Results that are none of the chunks: a few are noted, and with many the ceiling would be of something else."""
    if run.start is None or run.end is None:
        raise InputError("does not return parts of documents; expected chunks, as of these is the ceiling", run.name)
    if note := none_of_the_chunks(run.name, places(run), set(places(chunks)), chunks.name, collection):
        yield note.replace("; ", ", and may surpass the ceiling; ", 1)


def none_of_the_chunks(
    run: str, results: list[ChunkPlace], chunks: set[ChunkPlace], name: str, collection: Any
) -> str:
    """What is to be noted of results that are none of the chunks, which have a name; where they are many that is an
    error.
    """
    others = [place for place in results if place not in chunks]
    if others and collection is not None:
        # documents that are not judged are called as run and chunks please
        known = set(own_places(chunks, collection))
        own = own_places(others, collection)
        others = [place for place, own_place in zip(others, own, strict=True) if own_place not in known]
    if not others:
        return ""
    document, start, end = others[0]
    what = f"{len(others):,} of {counted(len(results), 'result')} are none of the {counted(len(chunks), 'chunk')}"
    first = f"the first is {document} {start}-{end}"
    if len(others) > OTHERS * len(results):
        raise InputError(f"{what} of {name}; {first}; expected a run of these chunks", run)
    return f"{run}: {what}; {first}"


def places(table: Run) -> list[ChunkPlace]:
    """The places of chunks."""
    assert table.start is not None and table.end is not None
    return list(zip(table.document.texts(), table.start.tolist(), table.end.tolist(), strict=True))


def own_places(places: Collection[ChunkPlace], collection: Any) -> list[ChunkPlace]:
    """The places of chunks, whose documents are called as the given documents call them, if these have them."""
    own = {name: own_name(name, collection) or name for name in {document for document, _, _ in places}}
    return [(own[document], start, end) for document, start, end in places]


def without_chunks(corpus: ChunkedCorpus, pool: Pool) -> Iterator[str]:
    """Documents with gold that have no chunk; where none has one, the names must be of another form."""
    marked = pool.judgments.document[np.flatnonzero(pool.text.marks.size > 0)]
    names = list(dict.fromkeys(marked.texts()))
    missing = [name for name in names if name not in set(corpus.documents)]
    if not missing:
        return
    form = difference([("", name) for name in corpus.documents], [("", name) for name in missing])
    why = f"; perhaps the ids differ by {form} alone: {form.pair}" if form else ""
    if len(missing) == len(names):
        ours, theirs = listed(corpus.documents, 2), listed(names, 2)
        what = f"{corpus.name} and {pool.judgments.name} have no document in common ({ours} against {theirs})"
        raise InputError(f"{what}{why}")
    of_all = f"{len(missing):,} of {counted(len(names), 'document')} with gold have no chunk"
    yield f"{corpus.name}: {of_all}: {listed(missing)}{why}"


def of_gold(pool: Pool, topics: Topics) -> Iterator[str]:
    """What is said of gold where there is no run."""
    yield from (f"{pool.judgments.name}: {note}" for note in pool.judgments.notes)
    barren = [topic for topic, is_barren in zip(pool.topics, pool.barren, strict=True) if is_barren]
    if barren:
        fate = "left out" if topics == "relevant" else "whose ceiling is 0"
        of_all = f"{len(barren):,} of {counted(len(pool.topics), 'topic')} with nothing relevant, {fate}"
        yield f"{pool.judgments.name}: {of_all}: {listed(barren)}"
    yield from highlight_notes(pool.judgments.name, unlike_the_file(pool))


def bounds(best: Ceilings, measures: list[Measure]) -> Iterator[str]:
    """The measures of which a bound is known, and in how many topics it is not known whether a ranking reaches it."""
    unknown = [(str(measure), np.count_nonzero(~exact)) for measure, exact in zip(measures, best.exact, strict=True)]
    told = [f"{measure} ({number:,})" for measure, number in unknown if number]
    if told:
        topics = counted(best.exact.shape[1], "topic")
        yield f"at most, as it is not known in some of {topics} whether a ranking reaches the bound: {listed(told, 12)}"
