"""Whether the ids of a run match those of the judgments.

A value of 0 may be right, or it may be nonsense because the run and the judgments spell the same ids differently. If no
id matches, and some would match in another form, that is certainly a mistake, and Assay raises an error. If it only
looks like a mistake, Assay adds a note. Assay compares ids only if none or few match, in all topics or in some, and
then only a sample of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import PASS_CHUNKS, InputError, count_noun, list_names, quote
from assay.ranking.pool import Pool
from assay.tables.ids import HeldIds, Ids, Ints
from assay.tables.judgments import ElementJudgments, HighlightJudgments, Judgments
from assay.tables.notes import Notes
from assay.tables.run import ChunkRun, DocumentRun, Run

if TYPE_CHECKING:
    from assay.reading.topics import TopicTexts
    from assay.tables.id_forms import Difference, Grouped

# Few ids match if at most one in 20 of the documents that could be judged is judged.
LITTLE = 20
# Most quotes have at least this many words; few ids have.
WORDS = 4
# Hardly any id has this many words; the number of ids that are looked at.
WORDS_OF_TEXTS, FIRST = 7, 20
RENAME = "rename the ids in the run or in the judgments"
# The question about offsets that make no sense in their documents.
OTHER_TEXT = "do the offsets count characters from 0, in the same text?"
# The remedy for judged ids that no document has.
QUOTATIONS = ' (not in the documents); if the judgments are quotes, write {"quote": …}'
# The sample: the number of topics, of results of each topic, and of judged documents.
TOPICS, RESULTS, JUDGED = 50, 100, 1000
# The sample for ids in another form: the number of topics, of results of each topic, and of judged documents, after
# which no further topic is taken. A large run has many blocks, so of each block it takes the share that its topics have
# in all, but at least one. Such ids get a note if they are one in PART of those that could be judged.
OF_FORMS, PART = (20, 50, 2000), 5


def ids_fault(run: Notes, label: str, judgments: str) -> InputError | None:
    """Return the error if no id matches for a known reason.

    Either the ids would match in another form, or the judged ids are quotes that must be located in documents.
    """
    if "judged" in run or "results" not in run:
        return None
    what = f"no document of {label} is judged in {judgments}"
    sample, judged = run.examples("sample"), run.examples("judged_sample")
    apart = ids_apart(sample, judged)
    if apart is not None and not apart.guess:
        return InputError(f"{what}: the ids {apart.told}{remedy(apart, run)}")
    if are_quotations([document for _, document in judged], [document for _, document in sample]):
        ours, theirs = quote(sample[0][1]), quote(judged[0][1])
        hint = "the judgments look like quotes; pass documents= to locate them"
        if "text_topics" in run:
            hint = "the judgments have quotes instead of document ids"
            hint = f'{hint}; write {{"quote": …}} without offsets, and pass documents='
        return InputError(f"{what}: {ours} vs {theirs}; {hint}")
    return None


def remedy(apart: Difference, run: Notes) -> str:
    """Return what to do about ids that differ; empty if the chunk numbers are those of the judgments."""
    from assay.tables.id_forms import CHUNK, CHUNK_NUMBERS, ENDING, FOLDER

    if CHUNK in apart.words:
        is_of_run = any(change.made(apart.first) != apart.first for change in CHUNK_NUMBERS)
        return f"; {PASS_CHUNKS}" if is_of_run else ""
    are_alone = "text_topics" in run and "with_documents" not in run
    files = "pass documents= with the files, or " if are_alone and {*apart.words} <= {FOLDER, ENDING} else ""
    return f"; {files}{RENAME}"


def few_judged(run: Notes, judgments: str) -> str:
    """Return the note on a run with few judged documents; empty if there is nothing to say."""
    little = "possible" in run and run.count("judged") * LITTLE <= run.count("possible")
    of_text, number = "text_topics" in run, run.count("results")
    results, in_topics = count_noun(number, "result"), f"in {count_noun(run.count('ranked'), 'topic')}"
    if little and "judged" not in run:
        return f"none of {results} {in_topics} is judged in {judgments}{cause(run)}"
    if little:
        are = "is" if run.count("judged") == 1 else "are"
        return f"only {run.count('judged'):,} of {results} {in_topics} {are} judged in {judgments}{cause(run)}"
    if differing := in_another_form(run):
        what = "id" if run.count("looked_at") == number else "sampled id"
        return f"{in_part(run, differing, what, 'judged')}{remedy(differing, run)}"
    if of_text and "in_highlighted" not in run:
        return f"none of {results} {in_topics} comes from a document with highlighted text"
    # another note says that results are empty
    empty = run.count("hollow") + run.count("only_whitespace")
    if of_text and "highlighted" not in run and empty < run.count("in_highlighted"):
        several = run.count("in_highlighted") > 1
        come, their = ("come", "their") if several else ("comes", "its")
        what = f"{count_noun(run.count('in_highlighted'), 'result')} {come} from the right documents but"
        return f"{what} {'miss' if several else 'misses'} the evidence; if that is unexpected, check {their} offsets"
    return ""


def in_another_form(notes: Notes) -> Difference | None:
    """Return by what ids differ that have no match, if that explains many of them."""
    differing = ids_apart(notes.examples("sample"), notes.examples("judged_sample"))
    least = min(notes.count("unmatched"), notes.count("lacking"))
    return differing if differing and differing.is_likely and differing.number * PART >= least else None


def in_part(notes: Notes, differing: Difference, what: str, matched: str) -> str:
    """Say how many ids have no match, and how many of them only because they have another form."""
    unmatched = notes.count("unmatched")
    are = f"{'is' if unmatched == 1 else 'are'} not {matched}"
    why = f"{differing.number:,} of them only because of {differing}: {differing.pair}"
    return f"{unmatched:,} of {count_noun(notes.count('looked_at'), what)} {are}, {why}"


def cause(run: Notes) -> str:
    """Return why few ids may match, or one id of each side as an example."""
    sample, judged = run.examples("sample"), run.examples("judged_sample")
    apart = ids_apart(sample, judged)
    if apart is not None:
        return f"; perhaps the ids {apart.told}"
    if "judged" in run or not sample:
        return ""
    here = dict.fromkeys(document for _, document in sample)
    there = [document for _, document in judged]
    if not here.keys().isdisjoint(there):
        return "; some of these documents are judged for other topics"
    if apart := ids_apart([("", document) for document in here], [("", document) for document in there]):
        return f"; perhaps the ids {apart.told}"
    ours, theirs = quote(sample[0][1]), quote(there[0])
    is_unknown = "looked_up" in run and "found" not in run
    hint = QUOTATIONS if is_unknown and any(" " in name or name.isalpha() for name in there) else ""
    return f"; do the ids match? run: {ours}, judgments: {theirs}{hint}"


def ids_apart(sample: list[Grouped], judged: list[Grouped]) -> Difference | None:
    """Return how the document ids of a run differ from the ids judged for the same topics."""
    from assay.tables.id_forms import difference

    known = set(judged)
    return difference([pair for pair in sample if pair not in known], judged)


def add_sample(notes: Notes, run: Run, topics: Ints, pool: Pool) -> None:
    """Add a sample of the block's results to the notes.

    If few ids of the block match, it has results of any judged topic. Else it has only results of topics without a
    match, and results whose ids may be judged in another form.
    """
    if notes.count("judged") * LITTLE <= notes.count("possible"):
        sample = results_of(names_of(topics[:TOPICS], pool), RESULTS, run)
    else:
        few, most, most_judged = OF_FORMS
        few = max(1, few * len(topics) // len(pool.topics))
        apart = notes.examples("apart")
        results = results_of([*apart, *names_of(topics[:few], pool)], most, run)
        in_other_form = add_forms(notes, results, pool.judged_names, most_judged, has_parts(run))
        sample = [pair for pair in results if pair[0] in apart or pair in in_other_form]
    notes.add("sample", len(sample), sample)


def has_parts(run: Run) -> bool:
    """Return whether a run has parts of documents, so that a topic may well have a document several times."""
    return not isinstance(run, DocumentRun) or isinstance(run, ChunkRun)


def add_forms(
    notes: Notes, ours: list[Grouped], theirs: Callable[[str], Iterable[str]], most: int, has_parts: bool
) -> set[Grouped]:
    """Return those of our ids that may be one of theirs in another form.

    If whole documents are returned, an id that we have too is left out: then the other form is another document.
    `theirs` returns their ids of a topic; it is not called after `most` of them had no match. Add to the notes how many
    ids were looked at, how many of them have no match, and how many of theirs have none.
    """
    from assay.tables.id_forms import plain_forms

    found: set[Grouped] = set()
    looked_at = unmatched = lacking = 0
    for topic, pairs in groupby(ours, itemgetter(0)):
        mine, known = dict.fromkeys(name for _, name in pairs), set(theirs(topic))
        here, there = [name for name in mine if name not in known], known - mine.keys() if not has_parts else known
        looked_at, unmatched, lacking = looked_at + len(mine), unmatched + len(here), lacking + len(there)
        forms = set(plain_forms(there)) if here else set()
        found.update((topic, name) for name, form in zip(here, plain_forms(here), strict=True) if form in forms)
        if lacking > most:
            break
    notes.add("looked_at", looked_at)
    notes.add("unmatched", unmatched)
    notes.add("lacking", lacking)
    return found


def add_judged_sample(notes: Notes, pool: Pool) -> None:
    """Add documents that are judged for the topics of the sample.

    If no id matches, also add how many of the judged ids were looked up in the given documents, and how many were
    found. Also add whether there are documents.
    """
    topics = list(dict.fromkeys(topic for topic, _ in notes.examples("sample")))
    judged = pool.judged_of(topics, JUDGED) if topics else []
    notes.add("judged_sample", len(judged), judged)
    notes.add("with_documents", pool.documents is not None)
    if "judged" in notes or pool.documents is None or isinstance(pool.judgments, HighlightJudgments | ElementJudgments):
        return
    names = {document for _, document in judged}
    try:
        found = sum(pool.documents.own_id(document) is not None for document in names)
    except InputError:
        # the id matches several documents
        return
    notes.add("looked_up", len(names))
    notes.add("found", found)


def names_of(topics: Ints, pool: Pool) -> list[str]:
    """Return the ids of some topics of the pool."""
    return [pool.topics[number] for number in topics.tolist()]


def results_of(topics: Iterable[str], most: int, run: Run) -> list[Grouped]:
    """Return the first results of some topics, at most `most` of each."""
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
    """Yield the rows whose ids may be known, with their texts; keys rule out most other rows."""
    if ids.known_texts is not None:
        return enumerate(ids.known_texts)
    keys, wanted = ids.keys(), np.sort(Ids.of(known).keys())
    near = np.flatnonzero(wanted[np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)] == keys)
    return zip(near.tolist(), ids[near].texts(), strict=True)


def documents_at(run: Run, start: int, end: int) -> list[str]:
    """Return the documents of some rows; ids that are held as strings are not encoded first."""
    column = run.document
    return column.held[start:end] if isinstance(column, HeldIds) else column[start:end].texts()


def are_quotations(judged: list[str], returned: list[str]) -> bool:
    """Return whether the judged ids look like quotes, most with many words, and the returned ids do not."""
    with_words = sum(len(document.split()) >= WORDS for document in judged)
    return with_words * 2 > len(judged) and all(len(document.split()) < WORDS for document in returned)


def add_texts_as_ids(notes: Notes, judgments: Judgments) -> None:
    """Note that the judged ids look like texts."""
    if not isinstance(judgments, HighlightJudgments | ElementJudgments):
        first = judgments.document[:FIRST].texts()
        texts = sum(len(document.split()) >= WORDS_OF_TEXTS for document in first)
        notes.add("texts", texts if 2 * texts > len(first) else 0, first[:1])


def notes_on_forms(runs: Sequence[Run]) -> list[str]:
    """Return a note for each run some of whose ids have another form than those of the first run.

    Raise an error if the two share no topic or no document, and many ids would match in another form.
    """
    lines: list[str] = []
    topics = [dict.fromkeys(run.topic.streak_ids()[0].texts()) for run in runs]
    for run, own in zip(runs[1:], topics[1:], strict=True):
        both = [topic for topic in own if topic in topics[0]][:TOPICS]
        of_topics = [[("", topic) for topic in each] for each in (own, topics[0])]
        of_documents = [results_of(both, RESULTS, each) for each in (run, runs[0])]
        for what, (ours, theirs) in (("topic", of_topics), ("document", of_documents)):
            notes = Notes()
            names = {topic: [name for _, name in each] for topic, each in groupby(theirs, itemgetter(0))}
            found = add_forms(notes, ours, names.__getitem__, len(theirs), has_parts(run))
            notes.add("sample", len(found), filter(found.__contains__, ours))
            notes.add("judged_sample", len(theirs), theirs)
            if not (found and (differing := in_another_form(notes))):
                continue
            rename = "rename the ids in one of the runs"
            if notes.count("unmatched") == notes.count("looked_at") and not differing.guess:
                raise InputError(f"{run.name} and {runs[0].name} share no {what}: the ids {differing.told}; {rename}")
            lines.append(f"{run.name}: {in_part(notes, differing, f'{what} id', f'in {runs[0].name}')}; {rename}")
    return lines


def other_topics(
    label: str, ours: Sequence[str], judgments: str, theirs: Sequence[str], documents: Ids | None = None
) -> InputError:
    """Return the error about a run that shares no topic with the judgments, of which these are the `documents`.

    It names a difference of the ids only if at least half of them would match without it.
    """
    apart, possible = topics_apart(ours, theirs), min(len(ours), len(theirs))
    why = ""
    if documents is not None and 2 * len(set(ours).intersection(documents.texts())) >= len(ours):
        why = "; are topic and document swapped?"
    elif apart and 2 * apart.number >= possible:
        some = "the ids" if apart.number >= possible else f"{apart.number:,} of {count_noun(possible, 'id')}"
        why = f"; {some} differ only in {apart}"
    ours, theirs = list_names(list(ours), 2), list_names(list(theirs), 2)
    return InputError(f"{label} and {judgments} share no topic: {ours} vs {theirs}{why}")


def refuse_other_titles(file: str, titles: TopicTexts, judgments: str, topics: Sequence[str]) -> None:
    """Raise an error if a file with titles has no title of a judged topic."""
    if not any(titles.of(topic) for topic in topics):
        raise other_topics(file, list(titles.topics), judgments, topics)


def topics_apart(ours: Sequence[str], theirs: Sequence[str]) -> Difference | None:
    """Return how the ids of topics differ."""
    most = TOPICS * RESULTS
    from assay.tables.id_forms import difference

    in_run, judged = ([("", topic) for topic in topics[:most]] for topics in (ours, theirs))
    return difference(in_run, judged, of_chunks=False)
