"""`assay inex_eval`: INEX's inex_eval 3.1 of 2010, its options, its output and its quirks.

    inex_eval  ─►  options  ─►  qrels  ─►  each run: results by topic  ─►  values  ─►  lines
                                           (or the line that refuses it)

This is a second implementation of what `measures/` has, on purpose. The original prints all digits of a double, so that
the order of every sum and quotient shows; and it follows rules that the library does not share, such as recall rounded
down and NaN for nothing of nothing. So nothing of `ranking/` or `measures/` is used here. A test holds the two together
where their rules agree: the library's measures against the same outputs of the original.

Where we know what the original prints, we print it byte for byte. Known from its outputs: the ranking is the order of
the lines, recall is rounded down as a double, a short ranking of articles ends with its last value, nothing of nothing
is NaN, thorough counts text again in articles without relevant text. Known from its first version, and kept: topics
stand in the order of their names as text; the tag is that of the last line whose topic is judged; a run without such
lines gives NaN; a blank line is one with fields missing; white space before the first field makes an empty one; of
several tasks the last counts; the file is named as it is given; what refuses a run is printed among the values, and the
next run is measured. Ours: options may also follow the files; files that cannot be read, lines that are no numbers and
numbers beyond 32 bits are told on standard error, where the original ends in a trace or takes a missing file for an
empty one; whatever was refused, the exit status is 1. Sums over all topics are true, even beyond 32 bits.
"""

from __future__ import annotations

import math

from assay.compat.inex_options import HELP, USAGE, Help, InexOptions, parse_inex_options
from assay.compat.inex_qrels import Topic, decoded_bytes, read_qrels
from assay.compat.inex_runs import Reading, Rejected
from assay.compat.inex_scores import TopicValues, means_over_topics, values_by_topic
from assay.compat.printed import Printed
from assay.errors import InputError, UsageError
from assay.files.source import Source

ALL = "all"
# the width of a tab stop: shorter names are followed by two
STOP = 8


def inex_eval(arguments: list[str]) -> Printed:
    """What inex_eval prints when it is called with these arguments."""
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
    """A line on standard error."""
    return f"inex_eval: {error}\n"


def lines_of_run(run: Reading, topics: dict[bytes, Topic], options: InexOptions) -> str:
    """All lines for a run."""
    every = values_by_topic(topics, run.results, options)
    averaged = {name: values for name, values in every.items() if options.complete or name in run.results}
    lines = [f'<eval run-id="{decoded_bytes(run.tag)}" file="{run.source.path}">\n']
    if options.per_topic:
        for name, values in averaged.items():
            lines += topic_lines(decoded_bytes(name), values.counts | values.measures)
    lines += overall_lines(means_over_topics(every, list(averaged.values()), options), len(averaged), options)
    return "".join([*lines, "</eval>\n"])


def overall_lines(values: TopicValues, topics: int, options: InexOptions) -> list[str]:
    """The lines for all topics: the mean of the last measure has a name of its own, and comes first where articles are
    ranked.
    """
    measures = dict(values.measures)
    name, mean = measures.popitem()
    measures = {f"M{name}": mean} | measures if options.articles else measures | {f"M{name}": mean}
    last = len(values.curve) - 1
    curve = {f"ircl_prn.{place / last:.2f}": value for place, value in enumerate(values.curve)}
    return topic_lines(ALL, {"num_q": topics} | values.counts | measures | curve)


def topic_lines(topic: str, values: dict[str, int | float]) -> list[str]:
    """The lines for a topic, or for all."""
    tabs = ("\t\t", "\t")
    return [f"{name}{tabs[len(name) >= STOP]}{topic}\t{java_number(value)}\n" for name, value in values.items()]


def java_number(value: int | float) -> str:
    """A number as Java writes it: the fewest digits that tell a double from the next, and with an E if large or small.
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    texts = (f"{value:.{digits}e}" for digits in range(1, 17))
    mantissa, exponent = next(text for text in texts if float(text) == value).split("e")
    return f"{mantissa}E{int(exponent)}"
