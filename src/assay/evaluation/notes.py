"""The sentence for each kind of note: what was noticed, and what was decided on the user's behalf."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError, counted, listed, quoted
from assay.evaluation.matching import OTHER_TEXT, few_judged, ids_fault, other_topics, topics_apart
from assay.measures.base import Measure, takes_tokens
from assay.ranking.align import MANY
from assay.ranking.kinds import ELEMENTS, SUBTOPICS, TEXT, kinds_of
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.notes import Note, Notes
from assay.vocabulary import UNSCORED, Topics

if TYPE_CHECKING:
    from assay.ranking.gold_standards import GoldStandards

TIES = {
    "docno": "ties broken by document id",
    "input": "ties left in input order",
    "rank": "ties broken by rank",
    "expected": "ties averaged over all orders",
}
# The parts of a document stand in order too.
TIES_OF_PARTS = TIES | {"docno": "ties broken by document id, within a document by position"}
OVERLAP = {
    "paid": "text that was seen before is paid for: read again, and gains nothing",
    "new": "text counts where it is seen first",
    "drop": "left out",
}
DUPLICATES = {"first": "the first counts", "best": "the best score counts"}
# So many different numbers of copies are told one by one.
TOLD = 5


class Choices(NamedTuple):
    """What the user chose, as far as sentences depend on it: which topics count, the rules, and the measures.

    `judgments` is the name of these, and `judged` the number of their topics. Where it is not known which `topics`
    count, nothing is said of what becomes of them.
    """

    judgments: str = ""
    judged: int = 0
    topics: Topics | None = None
    rules: Rules = Rules()
    measures: Sequence[Measure] = ()


NO_CHOICES = Choices()


def few_topics(note: Note, run: Notes, _: Choices) -> str:
    """Say that fewer topics meet than would without a difference in their names."""
    missing = run.count("missing")
    if min(missing, run.count("unjudged")) <= note.count:
        return ""
    differ = topics_apart(run.examples("unjudged"), run.examples("missing"))
    if differ is None:
        return ""
    number = f"only {note.count:,} of {counted(note.count + missing, 'judged topic')}"
    return f"{number} in the run; perhaps the names of the others differ by {differ} alone: {differ.pair}"


def copies(note: Note, *_: Any) -> str:
    """Say how many excerpts have how many copies."""
    of_all = f"of {counted(sum(excerpts for _, excerpts in note.examples), 'excerpt')}"
    copied = [(number, excerpts) for number, excerpts in note.examples if number]
    if not copied:
        return f"none {of_all} stands in the documents a second time"
    have = sum(excerpts for _, excerpts in copied)
    told = [f"{excerpts:,} with {number:,}" for number, excerpts in copied[:TOLD]]
    if more := copied[TOLD:]:
        told.append(f"{sum(excerpts for _, excerpts in more):,} with {more[0][0]:,} to {more[-1][0]:,}")
    several = f"{have:,} {of_all} {'has' if have == 1 else 'have'} copies elsewhere in the documents"
    stands = f"; {note.about} stands {note.high:,} times: does it answer wherever it stands?" if note.about else ""
    return f"{several} ({', '.join(told)}), each as good as the excerpt{stands}"


def articles(note: Note, *_: Any) -> str:
    """Say that measures of documents count whole articles where elements are assessed, and which count elements."""
    what = f"{listed(list(note.examples))} {'counts' if note.count == 1 else 'count'} whole articles"
    instead = "gr (recall), ep (precision), Aep (its average), nxCG and Rmeasure (the R of INEX 2005)"
    return f"{what}, each relevant if any element of it is; elements are counted by {instead}, or with unit=element"


def ended(note: Note, run: Notes, _: Choices) -> str:
    """Say how many lists end before a budget is read, and how long these are."""
    lists = f"{note.count:,} of {counted(run.count('in_run'), 'list')} {'ends' if note.count == 1 else 'end'}"
    instead = "retrieve more, or take a smaller budget, before you compare runs by it"
    return f"{lists} before {note.about} (shortest {note.low:,}, longest {note.high:,}); {instead}"


def unanswerable(note: Note, run: Notes, _: Choices) -> str:
    """Say what a run returned for questions that have no answer: how much, and how sure it looked."""
    verb, them = ("has no answer and counts", "it") if note.count == 1 else ("have no answer and count", "them")
    questions = f"{counted(note.count, 'question')} {verb} in no mean"
    returned = run.examples("returned")
    results, best = sum(number for _, number, _ in returned), [score for *_, score in returned if score is not None]
    if not results:
        return f"{questions}; the run returned nothing for {them}"
    some = them if len(returned) == note.count else f"{len(returned):,} of {them}"
    sure = f", mean top score {sum(best) / len(best):.4g}" if best else ""
    return f"{questions}; the run returned {counted(results, 'result')} for {some}{sure}"


def ignored_whitespace(note: Note, *_: Any) -> str:
    """Say how many characters the highlighted spans have without whitespace, and with it, if that is known."""
    if note.low is None:
        return "whitespace is not counted"
    characters = counted(int(note.low), "character")
    return f"whitespace is not counted: the highlighted spans have {characters} instead of {note.high:,}"


def facts(note: Note, notes: Notes, choices: Choices) -> str:
    """Say that measures of characters count all alternatives of a fact as evidence."""
    measures = (measure for measure in choices.measures if TEXT in measure.kinds and measure.unit != "document")
    others = [str(measure) for measure in measures if not measure.counts_facts]
    if not others:
        return ""
    have = f"{note.count:,} of {counted(notes.count('all_facts'), 'fact')} {'has' if note.count == 1 else 'have'}"
    count = "counts" if len(others) == 1 else "count"
    return f"{have} several excerpts; {listed(others)} {count} all of them as evidence, FactRecall takes one"


def fractions(note: Note, _: Notes, choices: Choices) -> str:
    """Say what measures that know only relevant and not relevant make of grades between 0 and 1, where nobody said."""
    binary = (measure for measure in choices.measures if not getattr(measure, "graded", False))
    usual: list[Any] = [measure for measure in binary if getattr(measure, "rel", None) == 1]
    if not usual:
        return ""
    have, them = ("has a grade", "it") if note.count == 1 else ("have grades", "them")
    named, instead = listed([str(measure) for measure in usual]), replace(usual[0], rel=note.low)
    what = f"{counted(note.count, 'document')} {have} between 0 and 1, not relevant to {named}"
    return f"{what}; {instead} would count {them}"


# What is said of a kind of note: a text, or what makes one of the note, the notes beside it and the choices. Nothing is
# said where it is empty.
Told = Callable[[Note, Notes, Choices], str]
Table = Mapping[str, str | Told]

# What names in braces stand for in a text. Any other is a noun with the count: {topics} are `3 topics`; or `1 to 3
# topics`, where the same is said of several runs but for the count.
WORDS: dict[str, Told] = {
    "count": lambda note, _, __: f"{note.count:,}",
    "names": lambda note, _, __: listed(list(note.examples)),
    "first": lambda note, _, __: quoted(note.examples[0]),
    "about": lambda note, _, __: note.about,
    "judged": lambda _, __, choices: f"{choices.judged:,}",
    "counted": lambda _, notes, __: f"{notes.count('counted'):,}",
    "own topics": lambda note, _, __: counted(note.count, "topic"),
    "all": lambda _, notes, __: f"{notes.count('topics'):,}",
    "all topics": lambda _, notes, __: counted(notes.count("topics"), "topic"),
    "all with text": lambda _, notes, __: counted(notes.count("marked"), "document"),
    "take": lambda note, _, __: "takes" if note.count == 1 else "take",
    "zero": lambda _, __, choices: "left out" if choices.topics == "relevant" else "scored 0",
    "no ceiling": lambda _, __, choices: "left out" if choices.topics == "relevant" else "whose ceiling is 0",
    "left out": lambda _, __, choices: ", left out" if choices.topics else "",
    "as if": lambda _, __, choices: ", scored as if nothing was retrieved" if choices.topics else "",
    "missing": lambda *told: WORDS["left out" if told[2].topics == "common" else "as if"](*told),
    "ties": lambda _, run, choices: (TIES_OF_PARTS if "parts" in run else TIES)[choices.rules.ties],
    "overlap": lambda _, __, choices: OVERLAP.get(choices.rules.overlap, ""),
    "duplicates": lambda _, run, choices: (
        "; whole documents are counted, each at its first result"
        if "parts" in run
        else f", left out; {DUPLICATES.get(choices.rules.duplicates, '')}"
    ),
}

RISING = (
    f"the scores rise from row to row in \0topics\0, all that have {MANY} results or more; the highest counts as the "
    "best; if they are distances, give them with a minus"
)

# The tables. Of several runs all that a table has for the first stands before what it has for the next.
OF_MATCHING: Table = {
    "sample": lambda _, run, choices: few_judged(run, choices.judgments),
    "text_topics": lambda _, run, choices: "" if "sample" in run else few_judged(run, choices.judgments),
    "in_run": few_topics,
}
# What was decided in reading is a sentence already.
OF_READING: Table = {"read": "{about}"}
OF_GOLD: Table = {
    "copies": copies,
    "ignored_whitespace": ignored_whitespace,
    "annotated": (
        "{count} of {judged} topics have several annotators; a value is the mean over them; "
        "give annotators=best or annotators=union, or the name of one, for other values"
    ),
    "alternatives": "{count} of {judged} topics have several sets of evidence; a value is that of the best set",
    "together": "what is shown of the evidence, and drawn over budgets, is all of it together",
    "articles": articles,
    "subtopics": "{names} {take} the highest of a document's grades for the subtopics",
    "fractions": fractions,
    "words": (
        "tokens are words, split at whitespace, and fewer than a language model counts in the same text; "
        "give tokenizer= for those of a model, as chars:4 for an estimate"
    ),
    "whitespace": "FactRecall counts whitespace, because there are no texts; give documents= to leave it out",
    "texts": (
        "what is judged looks like texts, as {first}, and is compared as ids, whole; "
        "give documents= to have texts found"
    ),
}
OF_HIGHLIGHTS: Table = {
    "shared": "{judged documents} with overlapping highlighted spans, each character counted once",
    "rsize": "{judged documents} whose rsize is not the sum of its spans, which are counted",
    "too_far": "{judged documents} with text highlighted beyond its end, counted all the same",
}
OF_JUDGMENTS: Table = {
    "barren": "{count} of {judged} topics with nothing relevant, {zero}: {names}",
    "facts": facts,
    "unscored": (
        "unscored: {count} of {about} judgments, whose documents count as unjudged; "
        "give judged_only= to leave them out of rankings"
    ),
    "absent": "{count} of {all with text} with highlighted text not in {about}: {names}",
    **OF_HIGHLIGHTS,
}
OF_CEILINGS: Table = {
    "barren": "{count} of {all topics} with nothing relevant, {no ceiling}: {names}",
    "facts": facts,
    **OF_HIGHLIGHTS,
}
OF_TOPICS: Table = {
    "missing": "{count} of {judged} judged topics not in the run{missing}: {names}",
    "empty": "{count} of {judged} judged topics with no results in the run{as if}: {names}",
    "unjudged": "{own topics} without judgments{left out}: {names}",
}
OF_RUNS: Table = {
    **OF_TOPICS,
    "unanswerable": unanswerable,
    "tied": "tied scores could change a value in {topics}; {ties}",
    "overlapping": "{results} overlapping an earlier one; {overlap}",
    "same": "{results} with the same place as an earlier one; are several runs in one?",
    "beyond": f"{{results}} beyond the end of their documents, counted all the same; {OTHER_TEXT}",
    "strange": "{results} of documents that are neither judged nor among those given; are their ids right?",
    "disputed": "the scores do not descend with the ranks in {topics}; the ranks tell the order",
    "misranked": "the scores do not descend with the ranks in {topics}; the scores tell the order",
    "rising": lambda _, run, __: "" if "falling" in run else RISING,
    "repeats": "{results} of a document that stands in its topic already{duplicates}",
    "ended": ended,
    "too_long": "{topics} with more results than the task allows; all of them count",
}
OF_VALUES: Table = {"infinite": "{about} is never reached in {count} of {counted} topics, and infinite there: {names}"}
OF_GROUPS: Table = {
    "ungrouped": "{own topics} of {all} without a {about}, which count in all of them only: {names}"
}
# What is said of judgments by people that correct those of a model.
OF_CHECKS: Table = {
    "beyond": "left out {own topics} that people judged and the model did not: {names}",
    "unchecked": (
        "{count} of {about} in people's topics are unjudged and count as not relevant ({names}); "
        "ask people to judge them"
    ),
    "unlike": (
        "the checked topics may not be a random sample: {about}; `assay pool` draws topics at random"
    ),
}

# Counts of which nothing is said where there are no others, as of most runs.
PLAIN = {"ranked", "results", "judged", "possible", "falling", "parts", "in_run", "counted"}

# What stands in a text for a number and its noun until it is known of how many runs it is said.
NUMBER = re.compile("\0(.*?)s\0")


class Words(dict[str, str]):
    """What names in braces stand for in the text of a note."""

    def __init__(self, note: Note, notes: Notes, choices: Choices):
        self.told = note, notes, choices

    def __missing__(self, name: str) -> str:
        return WORDS[name](*self.told) if name in WORDS else f"\0{name}\0"


def sentences(table: Table, named: Iterable[tuple[str, Notes]], choices: Choices = NO_CHOICES) -> list[str]:
    """Return a line for each note that a table has a text for, in the order of the table; one line where several runs
    have the same text but for the count.
    """
    by_text: dict[str, list[tuple[str, int]]] = {}
    order = {kind: place for place, kind in enumerate(table)}
    for name, notes in named:
        told = [(kind, note) for note in notes.values() if note.count and (kind := note.word) in order]
        for kind, note in sorted(told, key=lambda each: order[each[0]]):
            text, of_note = table[kind], (note, notes, choices)
            text = text.format_map(Words(*of_note)) if isinstance(text, str) else text(*of_note)
            by_text.setdefault(text, []).append((name, note.count))
    return [line(text, *map(list, zip(*runs, strict=True))) for text, runs in by_text.items() if text]


def line(text: str, names: list[str], counts: list[int]) -> str:
    """Return the line for a text, of which each run has a name and a count."""
    who = names[0] if len(names) == 1 else f"{len(names)} systems ({listed(names)})"
    between = f"{min(counts):,} to " if min(counts) < max(counts) else ""
    return f"{who}: {NUMBER.sub(lambda noun: between + counted(max(counts), noun[1]), text)}"


def sentences_on_counts(
    text: str | Told, counts: Iterable[tuple[str, int]], choices: Choices = NO_CHOICES
) -> list[str]:
    """Return the lines for one text, of which each run has a count."""
    named = ((name, Notes(counted=Note("counted", count))) for name, count in counts)
    return sentences({"counted": text}, named, choices)


def notes_on(
    runs: Iterable[tuple[str, Notes]], of_judgments: Sequence[str], choices: Choices, in_reading: Sequence[str]
) -> list[str]:
    """Return a line for each thing that was decided on the user's behalf.

    First of all stands what is said of runs of which little or nothing is judged, and then what was decided in reading.
    """
    runs = [(name, notes) for name, notes in runs if not notes.keys() <= PLAIN]
    if not runs:
        return [*in_reading, *of_judgments]
    return [
        *sentences(OF_MATCHING, runs, choices),
        *in_reading,
        *sentences(OF_READING, runs),
        *of_judgments,
        *sentences(OF_RUNS, runs, choices),
        *sentences(OF_VALUES, runs),
    ]


def refuse_apart(label: str, run: Notes, judgments: str, topics: Sequence[str]) -> None:
    """A run must have topics of the judgments, and their ids must not be of another form."""
    if "in_run" not in run and "unjudged" not in run:
        raise InputError("is empty; expected a run", label)
    if "in_run" not in run:
        raise other_topics(label, run.examples("unjudged"), judgments, topics)
    if fault := ids_fault(run, label, judgments):
        in_reading = (note.about for kind, note in run.items() if kind.startswith("read "))
        raise InputError("; ".join([str(fault), *in_reading]))


# What is noticed of judgments.


def notes_on_pool(pool: Pool, standards: GoldStandards | None = None) -> Notes:
    """Note the topics, those with nothing relevant, and highlighted text that is not as its file says, in all gold
    standards; or that is of documents that are not among those given.
    """
    notes, barren = Notes(), pool.barren
    notes.add("topics", len(pool.topics), pool.topics)
    notes.add("barren", np.count_nonzero(barren), compress(pool.topics, barren))
    notes.add(f"unscored {len(pool.judgments.grade):,}", np.count_nonzero(pool.judgments.grade == UNSCORED))
    for each in standards.pools if standards else [pool]:
        notes.merge(notes_on_highlights(each))
    if isinstance(pool.judgments, HighlightJudgments) and pool.judgments.facts is not None:
        from assay.ranking.facts import TopicFacts

        judged = TopicFacts(pool.text.passages, pool.text.topic, len(pool.topics), pool.judgments.facts)
        notes.add("facts", judged.several)
        notes.add("all_facts", len(judged.topic_of_fact))
    if pool.documents is not None and isinstance(pool.judgments, HighlightJudgments):
        marked, document = pool.text.marks.size > 0, pool.judgments.document
        if absent := dict.fromkeys(document[marked & (pool.text.length < 0)].texts()):
            notes.add(f"absent {pool.documents.label}", len(absent), absent)
            notes.add("marked", len(set(document[marked].texts())))
    return notes


def notes_on_highlights(pool: Pool) -> Notes:
    """Note how many judged documents have highlighted text that is not as their file says: spans that overlap, another
    size than the file tells, or text beyond the end of the document.
    """
    notes = Notes()
    if not isinstance(pool.judgments, HighlightJudgments):
        return notes
    highlights = pool.judgments.highlights
    size, length = pool.text.marks.size, pool.text.length
    in_file = np.bincount(highlights.row, highlights.end - highlights.start, minlength=len(size)).astype(np.int64)
    # copies may overlap where the file has nothing that does
    if pool.judgments.copies is None:
        notes.add("shared", np.count_nonzero(in_file > size))
    notes.add("rsize", np.count_nonzero((highlights.rsize >= 0) & (highlights.rsize != in_file)))
    notes.add("too_far", np.count_nonzero((length >= 0) & (pool.text.marks.line.last > length)))
    return notes


def add_words(notes: Notes, measures: list[Measure], tokenizer: object) -> None:
    """Note that the tokens that measures count are words."""
    notes.add("words", tokenizer == "words" and any(map(takes_tokens, measures)))


def add_whitespace(notes: Notes, measures: list[Measure], documents: object) -> None:
    """Note that measures that should leave out whitespace cannot tell it."""
    notes.add("whitespace", documents is None and any(measure.counts_facts for measure in measures))


def notes_on_grades(measures: list[Measure], judgments: Judgments) -> Notes:
    """Note grades that can be taken in two ways: those for subtopics, of elements, and those between 0 and 1."""
    notes = Notes()
    others = [str(measure) for measure in measures if SUBTOPICS not in measure.kinds]
    if SUBTOPICS in kinds_of(judgments):
        notes.add("subtopics", len(others), others)
    if ELEMENTS in kinds_of(judgments) and TEXT not in kinds_of(judgments):
        of_articles = [str(measure) for measure in measures if ELEMENTS not in measure.kinds and not measure.unit]
        notes.add("articles", len(of_articles), of_articles)
    between = judgments.grade[(judgments.grade > 0) & (judgments.grade < 1)]
    if len(between):
        notes.add("fractions", len(between), low=between.min().item())
    return notes
