"""Whether the ids of a run and of judgments match.

A zero may be right, or nonsense where the two name the same things differently. What can be known to be a mistake is
an error: nothing meets, and something would without a difference in the form of the ids. What only looks like one is
a note. Ids are looked at only where nothing meets, or little does, in all topics or in some, and then only a sample
of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError, counted, listed, quoted
from assay.ranking.align import FEW
from assay.ranking.pool import Pool
from assay.tables.ids import HeldIds, Ids, Ints
from assay.tables.judgments import ElementJudgments, HighlightJudgments, Judgments
from assay.tables.notes import Notes
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.reading.topics import OfTopics
    from assay.tables.id_forms import Difference, Grouped

# Little meets where at most one in so many documents is judged that could be.
LITTLE = 20
# So many words few ids have, and most quotations.
WORDS = 4
# And so many hardly any; so many documents are looked at.
WORDS_OF_TEXTS, FIRST = 7, 20
# What is asked where places make no sense in their documents.
OTHER_TEXT = "are they places in another text, or not counted in characters from 0?"
# What is said of ids that none of the documents has.
QUOTATIONS = ', which no document has; if these are quotations, give each as {"quote": …}'
# The sample: so many topics, of each so many results, and so many judged documents.
TOPICS, RESULTS, JUDGED = 50, 100, 1000
# Of topics of a block in which ids may be spelt otherwise: so many, of each so many results, and so many judged
# documents.
OF_SPELLINGS = 5, 100, 200


def ids_fault(run: Notes, label: str, judgments: str) -> InputError | None:
    """The error where nothing meets, and would without a difference that is certain, or where quotations were taken
    for ids.
    """
    if "judged" in run or "results" not in run:
        return None
    what = f"no document of {label} is judged in {judgments}"
    sample, judged = run.examples("sample"), run.examples("judged_sample")
    apart = ids_apart(sample, judged)
    if apart is not None and not apart.guess:
        return InputError(f"{what}: {apart.pair}; they would meet without {apart}")
    if are_quotations([document for _, document in judged], [document for _, document in sample]):
        ours, theirs = quoted(sample[0][1]), quoted(judged[0][1])
        hint = "these look like quotations: give documents= to have them found"
        return InputError(f"{what}: {ours} against {theirs}; {hint}")
    return None


def few_judged(run: Notes, judgments: str) -> str:
    """What is said of a run where little meets."""
    little = "possible" in run and run.count("judged") * LITTLE <= run.count("possible")
    of_text, number = "text_topics" in run, run.count("results")
    results, in_topics = counted(number, "result"), f"in {counted(run.count('ranked'), 'topic')}"
    if little and "judged" not in run:
        return f"no document of {results} {in_topics} is judged in {judgments}{cause(run)}"
    if little:
        what = "is of a judged document" if run.count("judged") == 1 else "are of judged documents"
        return f"only {run.count('judged'):,} of {results} {in_topics} {what}{cause(run)}"
    differing = ids_apart(run.examples("sample"), run.examples("judged_sample"))
    if differing is not None and differing.is_likely:
        what = f"no result of {run.count('apart'):,} of {counted(run.count('ranked'), 'topic')} is of a judged document"
        what = what if "apart" in run else "some results are of no judged document"
        return f"{what}; {perhaps(differing)}"
    if of_text and "in_highlighted" not in run:
        return f"no result of {number:,} {in_topics} is of a document with highlighted text"
    if of_text and "highlighted" not in run:
        what = f"{counted(run.count('in_highlighted'), 'result')} of documents with highlighted text"
        return f"{what}, and none has any of it; {OTHER_TEXT}"
    return ""


def cause(run: Notes) -> str:
    """Why little may meet, or ids of both."""
    sample, judged = run.examples("sample"), run.examples("judged_sample")
    apart = ids_apart(sample, judged)
    if apart is not None:
        return f"; {perhaps(apart)}"
    if "judged" in run or not sample:
        return ""
    here = dict.fromkeys(document for _, document in sample)
    there = [document for _, document in judged]
    if not here.keys().isdisjoint(there):
        return "; some are judged for other topics"
    if apart := ids_apart([("", document) for document in here], [("", document) for document in there]):
        return f"; {perhaps(apart)}"
    ours, theirs = quoted(sample[0][1]), quoted(there[0])
    is_unknown = "looked_up" in run and "found" not in run
    hint = QUOTATIONS if is_unknown and any(" " in name or name.isalpha() for name in there) else ""
    return f"; its ids are such as {ours}, and those of the judgments such as {theirs}{hint}"


def perhaps(differing: Difference) -> str:
    """How ids or names of topics may differ."""
    return f"perhaps the ids differ by {differing} alone: {differing.pair}"


def ids_apart(sample: list[Grouped], judged: list[Grouped]) -> Difference | None:
    """What the documents of a run differ by from those judged for the same topics."""
    from assay.tables.id_forms import difference

    known = set(judged)
    return difference([pair for pair in sample if pair not in known], judged)


def add_sample(notes: Notes, run: Run, topics: Ints, pool: Pool) -> None:
    """Add documents of judged topics to the notes, where little of a block of a run meets; else those of topics in
    which nothing does, and those that are spelt otherwise.
    """
    if notes.count("judged") * LITTLE <= notes.count("possible"):
        sample = results_of(names_of(topics[:TOPICS], pool), RESULTS, run)
    else:
        apart = notes.examples("apart")
        sample = results_of(apart, FEW, run) if apart else []
        sample += spelt_otherwise(topics, run, pool)
    notes.add("sample", len(sample), sample)


def add_judged_sample(notes: Notes, pool: Pool) -> None:
    """Add documents that are judged for the topics of the sample; and where nothing meets, how many of them are looked
    up in the given documents, and found.
    """
    topics = list(dict.fromkeys(topic for topic, _ in notes.examples("sample")))
    judged = pool.judged_of(topics, JUDGED) if topics else []
    notes.add("judged_sample", len(judged), judged)
    if "judged" in notes or pool.documents is None or isinstance(pool.judgments, HighlightJudgments | ElementJudgments):
        return
    names = {document for _, document in judged}
    try:
        found = sum(pool.documents.own_id(document) is not None for document in names)
    except InputError:
        # a name is that of several
        return
    notes.add("looked_up", len(names))
    notes.add("found", found)


def names_of(topics: Ints, pool: Pool) -> list[str]:
    """The names of some topics of the pool."""
    return [pool.topics[number] for number in topics.tolist()]


def results_of(topics: Iterable[str], most: int, run: Run) -> list[Grouped]:
    """The first results of some topics, of each at most so many."""
    if not (known := set(topics)):
        return []
    sample: list[Grouped] = []
    streaks, starts = run.topic.streak_ids()
    for at, name in names_like(known, streaks):
        if name in known:
            start, end = starts[at : at + 2].tolist()
            sample += [(name, document) for document in documents_at(run, start, min(end, start + most))]
    return sample


def names_like(known: set[str], ids: Ids) -> Iterator[tuple[int, str]]:
    """The rows of ids that may be some that are known, and their texts; most are told by their keys to be others."""
    if ids.known_texts is not None:
        return enumerate(ids.known_texts)
    keys, wanted = ids.keys(), np.sort(Ids.of(known).keys())
    near = np.flatnonzero(wanted[np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)] == keys)
    return zip(near.tolist(), ids[near].texts(), strict=True)


def documents_at(run: Run, start: int, end: int) -> list[str]:
    """The documents of some rows; those that are texts in memory are not laid out for that."""
    column = run.document
    return column.held[start:end] if isinstance(column, HeldIds) else column[start:end].texts()


def spelt_otherwise(topics: Ints, run: Run, pool: Pool) -> list[Grouped]:
    """Results of some topics whose ids are those of judged documents but for leading zeros, percent signs or the
    Unicode form.

    A program that takes ids for numbers, addresses or names of files changes only some of them, so that most of the
    others meet.
    """
    few, most, most_judged = OF_SPELLINGS
    first = "\n".join(["", *documents_at(run, 0, most)])
    if first.isascii() and "\n0" not in first and "%" not in first and not pool.has_odd_spellings:
        return []
    from assay.tables.id_forms import spelt_plainly

    results = results_of(names_of(topics[:few], pool), most, run)
    judged = set(pool.judged_of(list(dict.fromkeys(topic for topic, _ in results)), most_judged))
    # one that was returned as it is judged, too, is another document
    lacking = {(topic, spelt_plainly(name)) for topic, name in judged.difference(results)}
    return [
        (topic, name)
        for topic, name in results
        if (topic, name) not in judged and (topic, spelt_plainly(name)) in lacking
    ]


def are_quotations(judged: list[str], returned: list[str]) -> bool:
    """Whether what was judged is quotations, as most of it has many words, and what was returned is ids, which have
    few.
    """
    with_words = sum(len(document.split()) >= WORDS for document in judged)
    return with_words * 2 > len(judged) and all(len(document.split()) < WORDS for document in returned)


def add_texts_as_ids(notes: Notes, judgments: Judgments) -> None:
    """Note that what is judged looks like texts, which are ids here and nothing else."""
    if not isinstance(judgments, HighlightJudgments | ElementJudgments):
        first = judgments.document[:FIRST].texts()
        texts = sum(len(document.split()) >= WORDS_OF_TEXTS for document in first)
        notes.add("texts", texts if 2 * texts > len(first) else 0, first[:1])


def other_topics(label: str, ours: Sequence[str], judgments: str, theirs: Sequence[str]) -> InputError:
    """The error about a run that has no topic of the judgments."""
    apart = topics_apart(ours, theirs)
    why = f"; they would meet without {apart}" if apart else ""
    ours, theirs = listed(list(ours), 2), listed(list(theirs), 2)
    return InputError(f"{label} and {judgments} have no topic in common ({ours} against {theirs}){why}")


def refuse_other_titles(file: str, titles: OfTopics, judgments: str, topics: Sequence[str]) -> None:
    """A file with the titles of topics must have that of a judged topic."""
    if not any(titles.of(topic) for topic in topics):
        raise other_topics(file, list(titles.topics), judgments, topics)


def topics_apart(ours: Sequence[str], theirs: Sequence[str]) -> Difference | None:
    """What the names of topics differ by."""
    most = TOPICS * RESULTS
    from assay.tables.id_forms import difference

    in_run, judged = ([("", topic) for topic in topics[:most]] for topics in (ours, theirs))
    return difference(in_run, judged, of_chunks=False)
