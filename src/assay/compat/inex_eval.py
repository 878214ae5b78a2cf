"""`assay inex_eval`: the options, output and quirks of INEX's inex_eval 3.1 of 2010.

    inex_eval  ─►  options  ─►  qrels  ─►  each run: results by topic  ─►  values  ─►  lines
                                           (or the line that refuses it)

This is a second implementation of what `measures/` has, on purpose. The original prints all digits of a double, so the
order of every sum and quotient shows. It also follows rules that the library does not share, such as recall rounded
down and NaN for 0/0. So this file uses nothing of `ranking/` or `measures/`. Where the rules agree, a test compares the
library's measures with the same outputs of the original.

If we know what the original prints, we print it byte for byte. We know from its outputs: the order of the lines is the
ranking; recall is rounded down as a double; a short ranking of articles continues with its last value; 0/0 is NaN; the
thorough task counts text again in articles without relevant text.

We know from its first version, and keep: topics are sorted by name as text; the tag is that of the last line whose
topic is judged; a run without such lines gives NaN; an empty line has fields missing; whitespace before the first field
makes an empty field; of several tasks the last counts; the file is named as the user typed it; the line that refuses a
run is printed among the values, and the next run is measured.

Our own choices: options may also follow the files. Files that cannot be read, lines that are not numbers and numbers
beyond 32 bits are reported on standard error, where the original ends in a stack trace or takes a missing file for an
empty one. Whatever was refused, the exit status is 1. Sums over all topics are exact, even beyond 32 bits.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import itemgetter

from assay.compat.printed import Printed
from assay.errors import InputError, UsageError, quote
from assay.files.source import Source

# Runs as inex_eval reads them: line by line; each result counts for its topic at once, or the whole run is refused.
#
# The program remembers only the articles of the topic that began last. If a topic continues after another one, its
# earlier results were counted but are forgotten: they may be returned again, and recall may rise above 1.

# inex_eval's command line: the options of the original, and a help text in our words.

VERSION = "3.1"
THOROUGH, FOCUSED, IN_CONTEXT, BEST, READ = TASKS = ("-t", "-f", "-r", "-b", "-i")
LARGEST = 2**31 - 1
USAGE = "usage: inex_eval (-t|-f|-r|-b|-i) [-irr N] [-n N] [-beta X] [-c] [-q] QRELS RUN...\n"
HELP = f"""{USAGE}
Measures runs of passages and prints what INEX's inex_eval {VERSION} (2010) prints.

The task; if several are given, the last one counts:
  -t         thorough: text may be returned again, and counts once
  -f         focused: passages that do not overlap
  -r         relevant in context: the passages of one article after the other, scored by F
  -i         the same, scored by reading: how much of what a reader sees before giving up is relevant
  -b         best in context: one place in each article, scored by its distance from the best entry point

Options:
  -q         every topic first, then the summary
  -c         average over all judged topics; those missing from the run count as 0
  -beta X    weight of recall in the F of -r (0.25)
  -irr N     irrelevant characters after which the reader of -i gives up (300)
  -n N       characters from the best entry point at which the score of -b is 0 (500)
  -h         this text

QRELS has lines `topic Q0 article highlighted length [entry offset:length ...]`, all in characters; RUN has lines
`topic Q0 article rank score tag offset length`, best first: the order of the lines is the ranking, and rank and score
are ignored. Offset X or -1 is an unknown passage: 18 characters, none relevant. A run that
breaks the rules of its task (passages overlap, or results of an article are apart) is refused in a line
`ERROR *** ...`, and the next is measured. A topic in which nothing is relevant makes means NaN, as in the original;
`assay evaluate` does not. Files may be compressed; - is standard input.

Exit status: 0 done, 1 a file is refused, 2 the command line is wrong.
"""


class Help(Exception):
    """The command line asks for help."""


@dataclass
class InexOptions:
    """The options of the command line."""

    task: str = ""
    irrelevant: int = 300
    distance: int = 500
    beta: float = 0.25
    complete: bool = False
    per_topic: bool = False
    files: list[str] = field(default_factory=list)

    @property
    def articles(self) -> bool:
        """Whether the task ranks articles instead of passages."""
        return self.task in (IN_CONTEXT, BEST, READ)


def parse_inex_options(arguments: list[str]) -> InexOptions:
    """Parse a command line; options may come anywhere."""
    options = InexOptions()
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            options.files += rest
        elif argument.startswith("-") and argument != "-":
            _set(options, argument, rest)
        else:
            options.files.append(argument)
    if not options.task:
        raise UsageError(f"no task; expected one of {', '.join(TASKS)}")
    if len(options.files) < 2:
        raise UsageError(f"expected QRELS and at least one RUN, found {' '.join(options.files) or 'neither'}")
    return options


def _set(options: InexOptions, name: str, rest: Iterator[str]) -> None:
    match name:
        case "-t" | "-f" | "-r" | "-b" | "-i":
            options.task = name
        case "-q":
            options.per_topic = True
        case "-c":
            options.complete = True
        case "-irr":
            options.irrelevant = _whole(name, rest)
        case "-n":
            options.distance = _whole(name, rest)
        case "-beta":
            options.beta = _number(name, rest)
        case "-h" | "--help":
            raise Help
        case _:
            raise UsageError(f"unknown option {name}")


def _whole(name: str, rest: Iterator[str]) -> int:
    text = next(rest, "nothing")
    number = int(text) if re.fullmatch(r"\+?[0-9]{1,10}", text) else 0
    if not 0 < number <= LARGEST:
        raise UsageError(f"{name} needs a whole number from 1 to {LARGEST}, found {text}")
    return number


def _number(name: str, rest: Iterator[str]) -> float:
    text = next(rest, "nothing")
    try:
        number = -1.0 if "_" in text else float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise UsageError(f"{name} needs a number of 0 or more, found {text}")
    return number


# Judgments as inex_eval reads them: how much of each article is highlighted, and where.
#
# Column 4 is not compared with the passages. The first line of an article says how much of it is highlighted. Another
# line of the same article adds its passages, and counts again in the totals of the topic. The entry point counts only
# if passages follow it.

LAYOUT = "topic Q0 article highlighted length [entry offset:length ...]"
LINE = re.compile(
    rb"(\S+)\s+\S+\s+(\S+)\s+(-?[0-9]{1,10})\s+([0-9]{1,10})"
    rb"(?:\s+(-?[0-9]{1,10})((?:\s+[0-9]{1,10}:[0-9]{1,10})+)|\s+\S+)?\s*"
)
NO_ENTRY = -1


class JudgedArticle:
    """A judged article: highlighted characters, length, best entry point, and the passages as bytes of the file."""

    def __init__(self, highlighted: int, length: int):
        self.highlighted, self.length, self.entry, self.written = highlighted, length, NO_ENTRY, b""

    @cached_property
    def passages(self) -> list[tuple[int, int]]:
        """The start and end of each highlighted passage."""
        numbers = iter(map(int, self.written.replace(b":", b" ").split()))
        return [(start, start + length) for start, length in zip(numbers, numbers, strict=True)]

    @cached_property
    def text(self) -> list[tuple[int, int]]:
        """The start and end of the highlighted text, sorted and without overlap."""
        merged: list[tuple[int, int]] = []
        for start, end in sorted(self.passages):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def found(self, start: int, end: int) -> int:
        """Return how many highlighted characters are between two offsets; where passages overlap, text counts twice."""
        size = 0
        for first, last in self.passages:
            if first < end and start < last:
                size += (last if last < end else end) - (first if first > start else start)
        return size


class Topic:
    """A judged topic: its relevant articles, and how many lines and highlighted characters they have in the file."""

    def __init__(self) -> None:
        self.articles: dict[bytes, JudgedArticle] = {}
        self.relevant = self.size = 0


def read_qrels(source: Source) -> dict[bytes, Topic]:
    """Read the judged topics, sorted by name."""
    topics: dict[bytes, Topic] = {}
    fits = LINE.fullmatch
    for number, line in enumerate(source.whole().splitlines(), 1):
        match = fits(line)
        if match is None:
            raise source.fault(f"expected {LAYOUT} in whole numbers, found {quote(decoded_bytes(line))}", number)
        name, article, highlighted, length, entry, passages = match.groups()
        size = int(highlighted)
        topic = topics.get(name) or topics.setdefault(name, Topic())
        if size > 0:
            topic.relevant += 1
            topic.size += size
        judged = topic.articles.get(article) or topic.articles.setdefault(article, JudgedArticle(size, int(length)))
        if passages:
            judged.entry = int(entry)
            judged.written += passages
    if not topics:
        raise source.fault(f"the file has no lines; expected {LAYOUT}")
    for topic in topics.values():
        topic.articles = {name: judged for name, judged in topic.articles.items() if judged.highlighted > 0}
    return {name: topics[name] for name in sorted(topics)}


def decoded_bytes(text: bytes) -> str:
    """Decode bytes of a file so that they can be written again unchanged."""
    return text.decode("utf-8", "surrogateescape")


FIELDS = 8
WHOLE = re.compile(rb"[+-]?[0-9]{1,10}").fullmatch
LEVELS = 101
UNKNOWN = (b"X", b"-1")
UNKNOWN_SIZE = 18
# so far before every text that no best entry point is near it
NOWHERE = -10000


class Rejected(Exception):
    """A run breaks the rules; the message is what the program prints instead of values."""


class SeenText:
    """The offsets of an article that were already returned, sorted and without overlap."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, start: int, end: int) -> bool:
        """Add a passage and return True, unless it overlaps an earlier one."""
        place = bisect_left(self.starts, end)
        # nothing overlaps, so the ends are sorted as the starts are
        if place and self.ends[place - 1] > start:
            return False
        self.starts.insert(place, start)
        self.ends.insert(place, end)
        return True

    def unseen(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of a passage that no earlier one contains, and add the passage."""
        low, high = bisect_right(self.ends, start), bisect_left(self.starts, end)
        edges = [start]
        for place in range(low, high):
            edges += (self.starts[place], self.ends[place])
        edges.append(end)
        self.starts[low:high] = [min(edges[:2])]
        self.ends[low:high] = [max(edges[-2:])]
        return [(first, last) for first, last in zip(edges[::2], edges[1::2], strict=True) if first < last]


class Ranked:
    """An article in the ranking of a topic: what was returned of it, how much is relevant, and its entry point."""

    def __init__(self, judged: JudgedArticle | None, seen: SeenText, relevant_so_far: int):
        self.judged, self.seen, self.relevant_so_far = judged, seen, relevant_so_far
        self.size = self.found = 0
        self.entry = NOWHERE


class Results:
    """What a run returned for a topic: counts, articles in order, and the best precision per hundredth of recall."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.articles = self.relevant = self.size = self.found = 0
        self.ranking: list[Ranked] = []
        self.precision = [0.0] * LEVELS

    def count(self, size: int, relevant: int) -> str:
        """Add a result; return what the program prints if recall is above 1, else nothing."""
        self.size += size
        self.found += relevant
        if not self.found:
            return ""
        # divided in the original's order, by which 29 of 100 characters are 28 hundredths
        level = int(100.0 * (self.found / self.topic.size))
        if level >= LEVELS:
            return f"Impossible recall point: {level}\n"
        precision = self.found / self.size
        if precision > self.precision[level]:
            self.precision[level] = precision
        return ""


class Reading:
    """A run while it is being read: results by topic, the tag, and what the program prints meanwhile."""

    def __init__(self, source: Source, topics: dict[bytes, Topic], options: InexOptions):
        self.source, self.topics = source, topics
        self.thorough, self.best, self.ranks_articles = options.task == THOROUGH, options.task == BEST, options.articles
        self.results: dict[bytes, Results] = {}
        self.tag, self.printed = b"", ""
        self.number, self.line = 0, b""
        self.topic = self.judged_topic = self.article = b""
        self.memory: dict[bytes, SeenText] = {}
        self.seen = SeenText()
        self.judged: JudgedArticle | None = None

    def read(self) -> None:
        """Read all lines; for unjudged topics only the number of fields matters."""
        results: Results | None = None
        lines = self.source.whole().splitlines()
        for self.number, self.line in enumerate(lines, 1):
            fields = self.line.split()
            if len(fields) != FIELDS or self.line[:1].isspace():
                raise self.field_count_error(len(fields))
            topic, _, article, _, _, tag, offset, length = fields
            if topic != self.topic:
                results = self.turn_to(topic)
            if results is not None:
                self.tag = tag
                self.take(results, article, offset, length)

    def field_count_error(self, number: int) -> Rejected:
        """Return the error for a line with too many or too few fields.

        If a line begins with whitespace, the program sees an empty field there.
        """
        what = "too many fields" if number + self.line[:1].isspace() > FIELDS else "fields missing"
        return Rejected(f"Error *** ({self.source.path}) {what} in line {self.number}: {decoded_bytes(self.line)}\n")

    def turn_to(self, topic: bytes) -> Results | None:
        """Return the results of a topic, or None if it is unjudged; a new topic clears the memory of seen articles."""
        self.topic = topic
        if topic not in self.topics:
            return None
        if topic not in self.results:
            self.results[topic] = Results(self.topics[topic])
            self.memory = {}
        if topic != self.judged_topic:
            self.judged_topic, self.article = topic, b""
        return self.results[topic]

    def take(self, results: Results, article: bytes, offset: bytes, length: bytes) -> None:
        """Count a result."""
        if article != self.article:
            self.turn_to_article(results, article)
        elif self.best:
            raise self.refusal("multiple results from single article", f"\tin line: {self.number}")
        if offset in UNKNOWN:
            size, relevant, start = UNKNOWN_SIZE, 0, NOWHERE
        else:
            start, end = self.offsets(offset, length)
            size, relevant = self.counted(start, end)
        if not self.ranks_articles:
            self.printed += results.count(size, relevant)
        elif self.best:
            results.ranking[-1].entry = start
        else:
            results.ranking[-1].found += relevant
            results.ranking[-1].size += size
            results.found += relevant
            results.size += size

    def turn_to_article(self, results: Results, article: bytes) -> None:
        """Give an article a place in the ranking, if it has none yet."""
        self.article = article
        self.judged = results.topic.articles.get(article)
        seen = self.memory.get(article)
        if seen is None:
            seen = self.memory[article] = SeenText()
            results.articles += 1
            results.relevant += self.judged is not None
        elif self.ranks_articles:
            raise self.refusal(
                "article results are interleaved", "\n\tinterleaved results not allowed in inContext tasks!"
            )
        self.seen = seen
        if self.ranks_articles:
            results.ranking.append(Ranked(self.judged, seen, results.relevant))

    def offsets(self, offset: bytes, length: bytes) -> tuple[int, int]:
        """Return the start and end of a passage."""
        # short digits need no further checks
        if (offset.isdigit() and length.isdigit() and len(offset) + len(length) <= 11) or (
            WHOLE(offset) and WHOLE(length)
        ):
            start = int(offset)
            end = start + int(length)
            if -LARGEST <= start <= LARGEST and end <= LARGEST:
                return start, end
        fields = quote(decoded_bytes(offset + b" " + length))
        raise self.source.fault(
            f"expected offset and length in whole numbers up to {LARGEST}, or X; found {fields}", self.number
        )

    def counted(self, start: int, end: int) -> tuple[int, int]:
        """Return the size of a passage and how much of it is highlighted; in a thorough run, only of its new parts."""
        judged = self.judged
        if self.thorough and judged and start < end:
            parts = self.seen.unseen(start, end)
            return sum([last - first for first, last in parts]), sum([judged.found(*part) for part in parts])
        # a thorough run counts the same text again in articles without relevant text
        if not self.thorough and not self.seen.add(start, end):
            raise self.refusal("passage overlaps with previously retrieved passages", f"\tin line: {self.number}")
        if end < start:
            raise Rejected(
                f"Error *** ({self.source.path}) negative passage size {self.number}: {decoded_bytes(self.line)}\n"
            )
        return end - start, judged.found(start, end) if judged else 0

    def refusal(self, what: str, more: str) -> Rejected:
        """Return the error that refuses the run, in the program's words."""
        place = f"topic {decoded_bytes(self.topic)}\tarticle id: {decoded_bytes(self.article)}"
        return Rejected(f"ERROR *** ({self.source.path}) {what} in {place}{more}\n")


# The values of inex_eval, of a topic and of all topics, in the order in which they are printed.
#
# Sums are added in order, and quotients computed in the original's order, so that the last digits agree.

RECALL_LEVELS = (0, 1, 5, 10)
RANKS = (1, 2, 3, 5, 10, 25, 50)
TENTHS = 11


@dataclass
class TopicValues:
    """Counts, which are summed over topics; measures and the points of a curve, which are averaged."""

    counts: dict[str, int]
    measures: dict[str, float]
    curve: list[float]


def java_ratio(part: float, whole: float) -> float:
    """Divide as Java does: 0/0 is NaN."""
    return part / whole if whole else math.nan


def topic_counts(results: Results) -> dict[str, int]:
    """Return the counts of a topic."""
    return {
        "num_ret": results.articles,
        "num_rel": results.topic.relevant,
        "num_rel_ret": results.relevant,
        "ret_size": results.size,
        "rel_size": results.topic.size,
        "rel_ret_size": results.found,
    }


def of_passages(results: Results) -> TopicValues:
    """Return the values of a topic in the thorough and focused tasks."""
    topic = results.topic
    measures: dict[str, float] = {}
    for unit, hits, returned, relevant in (
        ("art", results.relevant, results.articles, topic.relevant),
        ("char", results.found, results.size, topic.size),
    ):
        precision, recall = hits / returned if returned else 0.0, java_ratio(hits, relevant)
        both = precision + recall
        measures |= {
            f"{unit}_prec": precision,
            f"{unit}_rec": recall,
            f"{unit}_f1": 2 * precision * recall / both if both > 0 else 0.0,
        }
    curve = highest_from(results.precision)
    measures |= {f"iP[{level / 100:.2f}]": curve[level] for level in RECALL_LEVELS}
    measures["AiP"] = summed_in_order(curve) / LEVELS
    return TopicValues(topic_counts(results), measures, curve)


def article_values(results: Results, options: InexOptions) -> TopicValues:
    """Return the values of a topic in the tasks that rank articles."""
    relevant = results.topic.relevant
    best = [0.0] * TENTHS
    precisions, recalls = [0.0], [0.0]
    scores = average = 0.0
    for rank, article in enumerate(results.ranking, 1):
        scores += score(article, options)
        precision, recall = scores / rank, java_ratio(article.relevant_so_far, relevant)
        precisions.append(precision)
        recalls.append(recall)
        if article.judged:
            average += precision
        level = int(10 * recall) if relevant else 0
        if level < TENTHS:
            best[level] = max(best[level], precision)
    measures: dict[str, float] = {}
    for rank in RANKS:
        # a shorter ranking continues with its last value
        place = min(rank, len(results.ranking))
        measures |= {f"gP[{rank}]": precisions[place], f"gR[{rank}]": recalls[place]}
    measures["AgP"] = java_ratio(average, relevant)
    return TopicValues(topic_counts(results), measures, highest_from(best))


def score(article: Ranked, options: InexOptions) -> float:
    """Return the score of what was returned of an article, from 0 to 1."""
    judged = article.judged
    if judged is None:
        return 0.0
    if options.task == BEST:
        return closeness(judged, article.entry, options.distance)
    if options.task == IN_CONTEXT:
        return f_score(article.found, article.size, judged.highlighted, options.beta)
    return read_until_tired(judged, article.seen, options.irrelevant)


def f_score(relevant: int, size: int, highlighted: int, beta: float) -> float:
    """Return F of the text that was returned of an article."""
    if not relevant:
        return 0.0
    precision, recall = relevant / size, relevant / highlighted
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def closeness(judged: JudgedArticle, entry: int, most: int) -> float:
    """Return how near a place is to the best entry point, from 0 to 1."""
    distance = abs(judged.entry - entry)
    return 0.0 if judged.entry <= NO_ENTRY or distance > most else (most - distance) / most


def read_until_tired(judged: JudgedArticle, seen: SeenText, irrelevant: int) -> float:
    """Return how much is relevant of what a reader sees before giving up.

    The reader sees the returned text first, then the rest, and gives up after this many irrelevant characters.
    """
    good = bad = 0
    for size, highlighted in stretches(judged, seen):
        if highlighted:
            good += size
        else:
            bad += size
            if bad >= irrelevant:
                bad = irrelevant
                break
    return good / (good + bad) if good else 0.0


def stretches(judged: JudgedArticle, seen: SeenText) -> Iterator[tuple[int, bool]]:
    """Yield the text in reading order, cut where highlighting begins or ends: size, and whether highlighted."""
    returned = zip(seen.starts, seen.ends, strict=True)
    rest = zip([0, *seen.ends], [*seen.starts, judged.length], strict=True)
    for start, end in chain(returned, ((start, min(end, judged.length)) for start, end in rest)):
        if start >= end:
            continue
        for first, last in judged.text[bisect_right(judged.text, start, key=itemgetter(1)) :]:
            if first >= end:
                break
            if start < first:
                yield first - start, False
            yield min(last, end) - max(first, start), True
            start = last
        if start < end:
            yield end - start, False


def highest_from(curve: list[float]) -> list[float]:
    """Return at each point the highest value there or further on."""
    highest, points = 0.0, []
    for value in reversed(curve):
        highest = max(highest, value)
        points.append(highest)
    return points[::-1]


def summed_in_order(values: list[float]) -> float:
    """Return the sum, added in order."""
    total = 0.0
    for value in values:
        total += value
    return total


def values_by_topic(
    topics: dict[bytes, Topic], returned: dict[bytes, Results], options: InexOptions
) -> dict[bytes, TopicValues]:
    """Return the values of every judged topic."""
    every = {name: returned.get(name) or Results(topic) for name, topic in topics.items()}
    return {
        name: article_values(results, options) if options.articles else of_passages(results)
        for name, results in every.items()
    }


def means_over_topics(
    every: dict[bytes, TopicValues], averaged: list[TopicValues], options: InexOptions
) -> TopicValues:
    """Return the means over some topics; if articles are ranked, the counts are still over all judged topics."""
    first = next(iter(every.values()))
    counting = list(every.values()) if options.articles else averaged
    counts = {name: sum(values.counts[name] for values in counting) for name in first.counts}
    measures = {
        name: java_ratio(summed_in_order([values.measures[name] for values in averaged]), len(averaged))
        for name in first.measures
    }
    points = [
        java_ratio(summed_in_order([values.curve[place] for values in averaged]), len(averaged))
        for place in range(len(first.curve))
    ]
    return TopicValues(counts, measures, points)


ALL = "all"
# The width of a tab stop: shorter names are followed by two tabs.
STOP = 8


def inex_eval(arguments: list[str]) -> Printed:
    """Return what inex_eval prints when it is called with these arguments."""
    try:
        options = parse_inex_options(arguments)
        topics = read_qrels(Source(options.files[0]))
    except Help:
        return Printed(HELP.encode())
    except UsageError as error:
        return Printed(err=f"inex_eval: {error}\n{USAGE}", status=error.status)
    except InputError as error:
        return Printed(err=inex_complaint(error), status=error.status)
    out, err, status = "", "", 0
    for path in options.files[1:]:
        run = Reading(Source(path), topics, options)
        try:
            run.read()
            out += run.printed + lines_of_run(run, topics, options)
            if not run.results:
                err += inex_complaint(run.source.fault("no result is for a judged topic"))
        except Rejected as refusal:
            out += f"{run.printed}{refusal}"
            status = 1
        except InputError as error:
            out += run.printed
            err += inex_complaint(error)
            status = error.status
    return Printed(out.encode("utf-8", "surrogateescape"), err, status)


def inex_complaint(error: InputError) -> str:
    """Return an error as a line for standard error."""
    return f"inex_eval: {error}\n"


def lines_of_run(run: Reading, topics: dict[bytes, Topic], options: InexOptions) -> str:
    """Return all lines for a run."""
    every = values_by_topic(topics, run.results, options)
    averaged = {name: values for name, values in every.items() if options.complete or name in run.results}
    lines = [f'<eval run-id="{decoded_bytes(run.tag)}" file="{run.source.path}">\n']
    if options.per_topic:
        for name, values in averaged.items():
            lines += topic_lines(decoded_bytes(name), values.counts | values.measures)
    lines += overall_lines(means_over_topics(every, list(averaged.values()), options), len(averaged), options)
    return "".join([*lines, "</eval>\n"])


def overall_lines(values: TopicValues, topics: int, options: InexOptions) -> list[str]:
    """Return the lines for all topics.

    The mean of the last measure gets its own name, with an M; if articles are ranked, it comes first.
    """
    measures = dict(values.measures)
    name, mean = measures.popitem()
    measures = {f"M{name}": mean} | measures if options.articles else measures | {f"M{name}": mean}
    last = len(values.curve) - 1
    curve = {f"ircl_prn.{place / last:.2f}": value for place, value in enumerate(values.curve)}
    return topic_lines(ALL, {"num_q": topics} | values.counts | measures | curve)


def topic_lines(topic: str, values: dict[str, int | float]) -> list[str]:
    """Return the lines for a topic, or for all."""
    tabs = ("\t\t", "\t")
    return [f"{name}{tabs[len(name) >= STOP]}{topic}\t{java_number(value)}\n" for name, value in values.items()]


def java_number(value: int | float) -> str:
    """Format a number as Java does: the fewest digits that identify a double, and an E if it is large or small."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    texts = (f"{value:.{digits}e}" for digits in range(1, 17))
    mantissa, exponent = next(text for text in texts if float(text) == value).split("e")
    return f"{mantissa}E{int(exponent)}"
