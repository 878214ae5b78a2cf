"""The sentence for each kind of note: what Assay noticed, and what it decided for the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import ORDER_OF_INPUTS, InputError, count_noun, list_names, quote
from assay.evaluation.matching import OTHER_TEXT, few_judged, ids_fault, other_topics, topics_apart
from assay.measures.base import Measure, takes_tokens
from assay.ranking.align import MANY
from assay.ranking.kinds import ELEMENTS, SUBTOPICS, TEXT, kinds_of
from assay.ranking.order import Rules
from assay.ranking.pool import Pool
from assay.tables.ids import Ids
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.notes import Note, Notes
from assay.tables.sorting import ascending
from assay.vocabulary import UNSCORED, Topics

if TYPE_CHECKING:
    from assay.ranking.gold_standards import GoldStandards

TIES = {
    "docno": "Assay breaks ties by document id",
    "input": "Assay keeps tied results in input order",
    "rank": "Assay breaks ties by rank",
    "expected": "Assay averages over all orders of tied results",
}
# Parts of the same document are ordered by their position.
TIES_OF_PARTS = TIES | {"docno": "Assay breaks ties by document id, then by position in the document"}
OVERLAP = {
    "paid": "repeats use up the budget but earn nothing",
    "new": "text counts only the first time it appears",
    "drop": "Assay drops overlapping results",
}
DUPLICATES = {"first": "Assay keeps the first", "best": "Assay keeps the one with the best score"}
# The most numbers of copies that are listed one by one.
MOST_LISTED = 5


class Choices(NamedTuple):
    """What the user chose, as far as sentences depend on it: which topics count, the rules, and the measures.

    `judgments` is the name of the judgments, and `judged` the number of their topics. If `topics` is None, sentences
    do not say whether topics count.
    """

    judgments: str = ""
    judged: int = 0
    topics: Topics | None = None
    rules: Rules = Rules()
    measures: Sequence[Measure] = ()


NO_CHOICES = Choices()


def few_topics(note: Note, run: Notes, _: Choices) -> str:
    """Say that more topics of the run would be judged with ids in another form.

    This is said if that is true of all topics that the run or the judgments lack, or if few topics of the run are
    judged.
    """
    missing, unjudged = run.examples("missing"), run.examples("unjudged")
    differ = topics_apart(unjudged, missing) if missing and unjudged else None
    if differ is None:
        return ""
    are_few = note.count < min(run.count("missing"), run.count("unjudged"))
    if not are_few and (differ.guess or differ.number < min(len(missing), len(unjudged))):
        return ""
    number = f"only {note.count:,} of {count_noun(note.count + run.count('missing'), 'judged topic')}"
    are = "is" if note.count == 1 else "are"
    return f"{number} {are} in the run; more topic ids {differ.told}"


def copies(note: Note, *_: Any) -> str:
    """Say how many excerpts have how many copies."""
    of_all = f"of {count_noun(sum(excerpts for _, excerpts in note.examples), 'excerpt')}"
    copied = [(number, excerpts) for number, excerpts in note.examples if number]
    if not copied:
        return f"none {of_all} has a copy elsewhere in the documents"
    have = sum(excerpts for _, excerpts in copied)
    numbers = [f"{excerpts:,} with {number:,}" for number, excerpts in copied[:MOST_LISTED]]
    if more := copied[MOST_LISTED:]:
        numbers.append(f"{sum(excerpts for _, excerpts in more):,} with {more[0][0]:,} to {more[-1][0]:,}")
    several = f"{have:,} {of_all} {'has' if have == 1 else 'have'} copies elsewhere in the documents"
    often = f"; {note.about} occurs {note.high:,} times: is it evidence everywhere?" if note.about else ""
    return f"{several} ({', '.join(numbers)}); a copy counts like its excerpt{often}"


def articles(note: Note, *_: Any) -> str:
    """Say that measures of documents count whole articles although elements are assessed, and which count elements."""
    what = f"{list_names(list(note.examples))} {'counts' if note.count == 1 else 'count'} whole articles"
    instead = "gr (recall), ep (precision), Aep (its average), nxCG or Rmeasure (the R of INEX 2005)"
    return f"{what}; an article is relevant if any of its elements is; to count elements, use unit=element or {instead}"


def note_short_lists(note: Note, run: Notes, _: Choices) -> str:
    """Say how many result lists end before a budget is used up, and how long they are."""
    lists = f"{note.count:,} of {count_noun(run.count('in_run'), 'result list')} {'ends' if note.count == 1 else 'end'}"
    instead = "retrieve more or use a smaller budget before you compare runs"
    return f"{lists} before {note.about} (shortest {note.low:,}, longest {note.high:,}); {instead}"


def unanswerable(note: Note, run: Notes, _: Choices) -> str:
    """Say what a run returned for questions that have no answer: how much, and how sure it looked."""
    verb, them = ("has no answer and is", "it") if note.count == 1 else ("have no answer and are", "them")
    questions = f"{count_noun(note.count, 'question')} {verb} left out of all means"
    returned = run.examples("returned")
    results, best = sum(number for _, number, _ in returned), [score for *_, score in returned if score is not None]
    if not results:
        return f"{questions}; the run returned nothing for {them}"
    some = them if len(returned) == note.count else f"{len(returned):,} of {them}"
    sure = f", mean top score {sum(best) / len(best):.4g}" if best else ""
    return f"{questions}; the run returned {count_noun(results, 'result')} for {some}{sure}"


def ignored_whitespace(note: Note, *_: Any) -> str:
    """Say how many characters the highlighted spans have without whitespace, and with it, if that is known."""
    if note.low is None:
        return "whitespace is not counted"
    if note.low == note.high:
        return "whitespace is not counted; the highlighted spans contain none"
    characters = count_noun(int(note.low), "character")
    return f"whitespace is not counted: the highlighted spans have {characters} instead of {note.high:,}"


def facts(note: Note, notes: Notes, choices: Choices) -> str:
    """Say that measures of characters count all alternatives of a fact as evidence."""
    measures = (measure for measure in choices.measures if TEXT in measure.kinds and measure.unit != "document")
    others = [str(measure) for measure in measures if not measure.counts_facts]
    if not others:
        return ""
    have = f"{note.count:,} of {count_noun(notes.count('all_facts'), 'fact')} {'has' if note.count == 1 else 'have'}"
    count = "counts" if len(others) == 1 else "count"
    return f"{have} several excerpts; {list_names(others)} {count} all of them as evidence, FactRecall needs only one"


def repeated_spans(note: Note, _: Notes, choices: Choices) -> str:
    """Say that FactRecall counts each of several equal spans as a fact."""
    if not any(measure.counts_facts for measure in choices.measures):
        return ""
    verb, them = ("repeats", "it") if note.count == 1 else ("repeat", "each")
    what = f"{count_noun(note.count, 'span')} {verb} another span, for example {note.examples[0]}"
    return f"{what}; FactRecall counts {them} as a further fact; remove repeated rows, or give them the same fact"


def fractions(note: Note, _: Notes, choices: Choices) -> str:
    """Say that binary measures count grades between 0 and 1 as not relevant, unless the user set `rel`."""
    binary = (measure for measure in choices.measures if not getattr(measure, "graded", False))
    usual: list[Any] = [measure for measure in binary if getattr(measure, "rel", None) == 1]
    if not usual:
        return ""
    have, them = ("has a grade", "it") if note.count == 1 else ("have grades", "them")
    named, instead = list_names([str(measure) for measure in usual]), replace(usual[0], rel=note.low)
    treat = "treats" if len(usual) == 1 else "treat"
    what = f"{count_noun(note.count, 'document')} {have} between 0 and 1; {named} {treat} {them} as not relevant"
    return f"{what} ({instead} counts {them})"


# The sentence for a kind of note: a text, or a function of the note, the notes beside it and the choices. If the text
# is empty, nothing is said.
Told = Callable[[Note, Notes, Choices], str]
Table = Mapping[str, str | Told]

# What names in braces mean in a text. Any other name is a noun with the count, and perhaps its verb: {topics} becomes
# `3 topics`, and {topics|has|have} `1 topic has` or `3 topics have`. If several runs have the same text except for the
# count, it becomes `1 to 3 topics`.
WORDS: dict[str, Told] = {
    "count": lambda note, _, __: f"{note.count:,}",
    "names": lambda note, _, __: list_names(list(note.examples)),
    "first": lambda note, _, __: quote(note.examples[0]),
    "one": lambda note, _, __: note.examples[0],
    "about": lambda note, _, __: note.about,
    "of topics": lambda _, __, choices: f"of {count_noun(choices.judged, 'topic')}",
    "of judged topics": lambda _, __, choices: f"of {count_noun(choices.judged, 'judged topic')}",
    "of counted": lambda _, notes, __: f"of {count_noun(notes.count('counted'), 'topic')}",
    "own topics": lambda note, _, __: count_noun(note.count, "topic"),
    "all topics": lambda _, notes, __: count_noun(notes.count("topics"), "topic"),
    "all with text": lambda _, notes, __: count_noun(notes.count("marked"), "document"),
    "are": lambda note, _, __: "is" if note.count == 1 else "are",
    "have": lambda note, _, __: "has" if note.count == 1 else "have",
    "them": lambda note, _, __: "it" if note.count == 1 else "them",
    "use": lambda note, _, __: "uses" if note.count == 1 else "use",
    "score": lambda note, _, __: "scores" if note.count == 1 else "score",
    "count in": lambda note, _, __: "counts in" if note.count == 1 else "count in",
    "zero": lambda *given: in_words("{are} left out" if given[2].topics == "relevant" else "{score} 0", *given),
    "no ceiling": lambda *given: in_words(
        "{are} left out" if given[2].topics == "relevant" else "{have} a ceiling of 0", *given
    ),
    "left out": lambda *given: in_words(" and {are} left out", *given) if given[2].topics else "",
    "as if": lambda *given: in_words(" and {score} as if nothing was retrieved", *given) if given[2].topics else "",
    "missing": lambda *given: WORDS["left out" if given[2].topics == "common" else "as if"](*given),
    "ties": lambda _, run, choices: (TIES_OF_PARTS if "parts" in run else TIES)[choices.rules.ties],
    "overlap": lambda _, __, choices: (
        OVERLAP.get(choices.rules.overlap, "")
        + ("; pass overlap=new to count only new text" if choices.rules.overlap == "paid" else "")
    ),
    "kept": lambda _, __, choices: DUPLICATES[choices.rules.duplicates],
    "duplicates": lambda _, run, choices: (
        "Assay counts each document at its first result"
        if "parts" in run or choices.rules.duplicates == "refuse"
        else DUPLICATES[choices.rules.duplicates]
    ),
}

RISING = (
    f"scores rise down the list in all \0topics\0 with {MANY} or more results; Assay ranks the highest score first; "
    "if these are distances, negate them"
)
SWAPPED = (
    "all scores are small whole numbers, and the judgments have fractions above 1 as grades; are the two swapped? "
    f"{ORDER_OF_INPUTS}"
)
MISRANKED = "scores and ranks disagree in \0topics\0; Assay used the scores"
# The likely cause if no score agrees with its rank.
DISTANCES = "if they are distances, negate them, or leave out the score column to use the ranks"

# The tables. If there are several runs, all sentences of a table about the first come before those about the next.
OF_MATCHING: Table = {
    "sample": lambda _, run, choices: few_judged(run, choices.judgments),
    "text_topics": lambda _, run, choices: "" if "sample" in run else few_judged(run, choices.judgments),
    "in_run": few_topics,
}
# Notes on reading are sentences already.
OF_READING: Table = {"read": "{about}"}
OF_GOLD: Table = {
    "copies": copies,
    "ignored_whitespace": ignored_whitespace,
    "annotated": (
        "{count} {of topics} {have} several annotators; values are means over the annotators; "
        "pass annotators=best or annotators=union, or the name of an annotator, to change that"
    ),
    "alternatives": "{count} {of topics} {have} several sets of evidence; Assay scores the best set",
    "together": "passages and budget curves show the evidence of all annotators and sets together",
    "articles": articles,
    "subtopics": "{names} {use} the highest grade of a document over its subtopics",
    "fractions": fractions,
    "words": (
        "tokens here are words split on whitespace; a language model counts more tokens in the same text; "
        "pass tokenizer= with the tokenizer of a model, or chars:4 for an estimate"
    ),
    "whitespace": "FactRecall counts whitespace because there are no documents; pass documents= to ignore whitespace",
    "causes": (
        "without documents, whitespace between chunks counts as text that was missed; "
        "pass documents= to ignore whitespace"
    ),
    "texts": (
        "the judged ids look like texts, for example {first}; Assay compares them as ids; "
        "pass documents= to locate them in the documents"
    ),
}
OF_HIGHLIGHTS: Table = {
    "repeated": repeated_spans,
    "shared": "highlighted spans overlap in {judged documents}; Assay counts each character once",
    "rsize": "rsize is not the sum of the spans in {judged documents}; Assay counts the spans",
    "too_far": "highlighted text extends past the end of {judged documents}; Assay counts it anyway",
}
OF_JUDGMENTS: Table = {
    "barren": "{count} {of topics} {have} nothing relevant and {zero}: {names}",
    "below": "{count} {of topics} {have} grades above 0 but none of {about}: {names}",
    "facts": facts,
    "blank": "{facts|is|are} only whitespace, and FactRecall leaves {them} out: {names}",
    "unscored": (
        "{count} of {about} judgments {are} unscored; such documents count as unjudged; "
        "pass judged_only= to leave them out of rankings"
    ),
    "absent": "{count} of {all with text} with highlighted text {are} not in {about}: {names}",
    **OF_HIGHLIGHTS,
}
OF_CEILINGS: Table = {
    "barren": "{count} of {all topics} {have} nothing relevant and {no ceiling}: {names}",
    "facts": facts,
    **OF_HIGHLIGHTS,
}
OF_TOPICS: Table = {
    "missing": "{count} {of judged topics} {are} missing from the run{missing}: {names}",
    "empty": "{count} {of judged topics} {have} no results in the run{as if}: {names}",
    "unjudged": "{own topics} of the run {have} no judgments{left out}: {names}",
}
OF_RUNS: Table = {
    **OF_TOPICS,
    "unanswerable": unanswerable,
    "tied": "tied scores could change values in {topics}; {ties}",
    "overlapping": "{results|repeats|repeat} text of earlier results; {overlap}",
    "hollow": "{results|is|are} empty, for example {one}; expected an end after the start",
    "only_whitespace": "{results|is|are} only whitespace, which is not counted, for example in document {one}",
    "same": (
        "{results|has|have} the same offsets as an earlier result; does the run contain several runs? "
        "pass duplicates=first to leave out repeats"
    ),
    "again": "{results|has|have} the same offsets as another result; {kept}",
    "beyond": f"{{results|extends|extend}} past the end of the document; Assay counts the length anyway; {OTHER_TEXT}",
    "strange": "{results|comes|come} from documents that are neither judged nor in the collection; are the ids right?",
    "disputed": "scores and ranks disagree in {topics}; Assay used the ranks",
    "misranked": lambda _, run, __: MISRANKED if "agreeing" in run else f"{MISRANKED}; {DISTANCES}",
    "rising": lambda _, run, __: "" if "falling" in run else RISING,
    "graded": lambda _, run, __: "" if "scored" in run else SWAPPED,
    "repeats": "{results|repeats|repeat} a document of the same topic; {duplicates}",
    "ended": note_short_lists,
    "too_long": "{topics|has|have} more results than the task allows; Assay counts all of them",
}
OF_VALUES: Table = {
    "infinite": "{about} is infinite in {count} {of counted} because the run never reaches it: {names}"
}
OF_GROUPS: Table = {
    "ungrouped": "{count} of {all topics} {have} no {about} and {count in} the overall mean only: {names}"
}
# The sentences about judgments by people that correct those of a model.
OF_CHECKS: Table = {
    "beyond": "left out {own topics} that people judged but the model did not: {names}",
    "unchecked": (
        "{count} of {about} in people's topics {are} unjudged and count as not relevant ({names}); "
        "ask people to judge them"
    ),
    "copied": "every judgment is also in {about}; are these people's judgments?",
    "certain": (
        "people agreed with the model on all sampled pairs that count, so {names} {have} an interval without width; "
        "ask people to check more pairs"
    ),
    "unlike": (
        "the checked topics may not be a random sample: {about}; `assay pool --check` draws topics at random"
    ),
}

# Counts that need no sentence by themselves; most runs have no others.
PLAIN = {
    *("ranked", "results", "judged", "possible", "falling", "agreeing", "parts", "in_run", "counted"),
    *("looked_at", "unmatched", "lacking"),
}

# A number with its noun, and perhaps its verb, until it is known how many runs have the text.
NUMBER = re.compile("\0(.*?)s(?:[|](.*?)[|](.*?))?\0")


class Words(dict[str, str]):
    """What names in braces mean in the text of a note."""

    def __init__(self, note: Note, notes: Notes, choices: Choices):
        self.given = note, notes, choices

    def __missing__(self, name: str) -> str:
        return WORDS[name](*self.given) if name in WORDS else f"\0{name}\0"


def in_words(text: str, note: Note, notes: Notes, choices: Choices) -> str:
    """Return a text with the names in braces filled in."""
    return text.format_map(Words(note, notes, choices))


def sentences(table: Table, named: Iterable[tuple[str, Notes]], choices: Choices = NO_CHOICES) -> list[str]:
    """Return a line for each note in the table, in the order of the table.

    Runs that have the same text except for the count share a line.
    """
    by_text: dict[str, list[tuple[str, int]]] = {}
    order = {kind: place for place, kind in enumerate(table)}
    for name, notes in named:
        known = [(kind, note) for note in notes.values() if note.count and (kind := note.word) in order]
        for kind, note in sorted(known, key=lambda each: order[each[0]]):
            text = table[kind]
            text = in_words(text, note, notes, choices) if isinstance(text, str) else text(note, notes, choices)
            by_text.setdefault(text, []).append((name, note.count))
    return [line(text, *map(list, zip(*runs, strict=True))) for text, runs in by_text.items() if text]


def line(text: str, names: list[str], counts: list[int]) -> str:
    """Return the line for a text that some runs have, each with its count."""
    who = names[0] if len(names) == 1 else f"{len(names)} runs ({list_names(names)})"
    most = max(counts)
    between = f"{min(counts):,} to " if min(counts) < most else ""

    def with_count(found: re.Match[str]) -> str:
        noun, singular, plural = found.groups()
        verb = f" {singular if most == 1 else plural}" if plural else ""
        return f"{between}{count_noun(most, noun)}{verb}"

    return f"{who}: {NUMBER.sub(with_count, text)}"


def sentences_on_counts(
    text: str | Told, counts: Iterable[tuple[str, int]], choices: Choices = NO_CHOICES
) -> list[str]:
    """Return the lines for one text that some runs have, each with its count."""
    named = ((name, Notes(counted=Note("counted", count))) for name, count in counts)
    return sentences({"counted": text}, named, choices)


def notes_on(
    runs: Iterable[tuple[str, Notes]], of_judgments: Sequence[str], choices: Choices, in_reading: Sequence[str]
) -> list[str]:
    """Return a line for each thing that Assay decided for the user.

    Lines about runs with few or no judged documents come first, then what was decided in reading.
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


def refuse_apart(
    label: str, run: Notes, judgments: str, topics: Sequence[str], documents: Ids | None = None
) -> None:
    """Raise an error if a run has no judged topic, or if its ids have another form than the judged ids.

    `documents` are those that are judged, if they are known.
    """
    if "in_run" not in run and "unjudged" not in run:
        raise InputError("the input is empty; expected a run", label)
    if "in_run" not in run:
        raise other_topics(label, run.examples("unjudged"), judgments, topics, documents)
    if fault := ids_fault(run, label, judgments):
        in_reading = (note.about for kind, note in run.items() if kind.startswith("read "))
        raise InputError("; ".join([str(fault), *in_reading]))


# Notes on judgments.


def notes_on_pool(
    pool: Pool,
    standards: GoldStandards | None = None,
    least_grades: Mapping[float, Sequence[str]] = {},
    measures: Sequence[Measure] = (),
) -> Notes:
    """Note the topics, those with nothing relevant, unscored judgments, and highlighted text that does not fit.

    `least_grades` has the measures by the lowest grade that is relevant for them.
    """
    notes, barren = Notes(), pool.topics_without_relevant
    notes.add("topics", len(pool.topics), pool.topics)
    notes.add("barren", np.count_nonzero(barren), compress(pool.topics, barren))
    for grade, names in least_grades.items():
        below = pool.topics_below(grade) & ~barren
        about = f"{grade:g} or higher, so nothing is relevant there for {list_names(list(names))}"
        notes.add(f"below {about}", np.count_nonzero(below), compress(pool.topics, below))
    notes.add(f"unscored {len(pool.judgments.grade):,}", np.count_nonzero(pool.judgments.grade == UNSCORED))
    for each in standards.pools if standards else [pool]:
        notes.merge(notes_on_highlights(each))
        if any(measure.counts_facts for measure in measures):
            notes.merge(notes_on_blank_facts(each))
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
    """Note how many judged documents have highlighted text that does not fit what the file says.

    Its spans overlap, its size is another than the file says, or it extends past the end of the document.
    """
    notes = Notes()
    if not isinstance(pool.judgments, HighlightJudgments):
        return notes
    highlights = pool.judgments.highlights
    size, length = pool.text.marks.size, pool.text.length
    in_file = np.bincount(highlights.row, highlights.end - highlights.start, minlength=len(size)).astype(np.int64)
    # copies of the evidence may overlap although the spans in the file do not
    if pool.judgments.copies is None:
        notes.add("shared", np.count_nonzero(in_file > size))
    if "shared" in notes:
        notes.add("repeated", *equal_spans(pool.judgments))
    notes.add("rsize", np.count_nonzero((highlights.rsize >= 0) & (highlights.rsize != in_file)))
    notes.add("too_far", np.count_nonzero((length >= 0) & (pool.text.marks.line.last > length)))
    return notes


def notes_on_blank_facts(pool: Pool) -> Notes:
    """Note how many facts have no characters besides whitespace, and their topics."""
    notes, facts = Notes(), pool.text.facts
    blank = facts.topic_of_fact[~facts.can_be_read]
    notes.add("blank", len(blank), dict.fromkeys(pool.topics[topic] for topic in blank.tolist()))
    return notes


def equal_spans(judgments: HighlightJudgments) -> tuple[int, list[str]]:
    """Return how many spans have the same document and offsets as another and name no fact, and an example.

    Annotators and sets of evidence may well have the same spans.
    """
    spans, named = judgments.highlights, judgments.facts
    if judgments.labels is not None:
        return 0, []
    names = [ids.length > 0 for ids in named or () if ids is not None]
    bare = np.flatnonzero(~np.logical_or.reduce([np.zeros(len(spans.row), np.bool_), *names]))
    by_place = bare[ascending(spans.row[bare], spans.start[bare], spans.end[bare])]
    columns = np.stack([spans.row[by_place], spans.start[by_place], spans.end[by_place]])
    again = np.sort(by_place[1:][(columns[:, 1:] == columns[:, :-1]).all(axis=0)])
    first = again[:1]
    row = spans.row[first]
    ids = judgments.document[row].texts(), judgments.topic[row].texts()
    places = zip(spans.start[first], spans.end[first], *ids, strict=True)
    examples = [f"{start}-{end} of document {document} in topic {topic}" for start, end, document, topic in places]
    return len(again), examples


def add_words(notes: Notes, measures: list[Measure], tokenizer: object) -> None:
    """Note that the tokens of some measures are words."""
    notes.add("words", tokenizer == "words" and any(map(takes_tokens, measures)))


def add_whitespace(notes: Notes, measures: list[Measure], documents: object) -> None:
    """Note that without documents, measures that ignore whitespace cannot know where it is."""
    notes.add("whitespace", documents is None and any(measure.counts_facts for measure in measures))


def notes_on_causes(measure: Measure, pool: Pool) -> list[str]:
    """Return the note that without documents, what a run missed may be whitespace; FactRecall has one of its own."""
    notes = Notes()
    notes.add("causes", pool.documents is None and not measure.counts_facts)
    return sentences(OF_GOLD, [(pool.judgments.name, notes)])


def notes_on_grades(measures: list[Measure], judgments: Judgments) -> Notes:
    """Note grades that can mean two things: grades of subtopics, grades of elements, and grades between 0 and 1."""
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
