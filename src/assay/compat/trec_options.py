"""trec_eval's command line: short and long options, as the original takes them; and its help, in our words."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from getopt import GetoptError, gnu_getopt

from assay import __version__
from assay.compat.trec_columns import Refused, Settings
from assay.compat.trec_files import atol, latin
from assay.compat.trec_measures import OutputLine, measures_named, output_lines

VERSIONS = {9: "9.0.8", 10: "10.0-rc3"}
SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
    "like=": "--like",
}
FORMATS = ("qrels", "prefs", "qrels_prefs", "qrels_jg")
USAGE = (
    "usage: trec_eval [-q] [-c] [-n] [-J] [-l N] [-M N] [-N N] [-m MEASURE]... [-R FORMAT] [-Z FILE] [--like 9|10] "
    "QRELS RUN\n"
)
HELP = f"""{USAGE}
Measures a run and prints what NIST's trec_eval {VERSIONS[9]} prints, or {VERSIONS[10]} with --like 10.

  -q             every topic first, then the summary
  -c             average over all judged topics; those missing from the run count as failures
  -n             no summary
  -m MEASURE     a measure, measure.parameters or a nickname; repeatable; official where none is given
  -l N           lowest grade that counts as relevant (1)
  -M N           only the first N results of a topic count
  -J             leave unjudged results out before anything is measured
  -N N           number of documents in the collection, for utility
  --like 9|10    the version whose output and rules are followed (9)
  -R FORMAT      the format of QRELS: qrels, prefs, qrels_prefs or qrels_jg
  -T FORMAT      the format of RUN: trec_results
  -Z FILE        print how many standard deviations each value is from the mean in FILE
  -D LEVEL, -o   accepted and ignored
  -v, -h         the version, this text; with -m also the names that are printed for the measure

QRELS has lines `topic 0 document grade`, RUN has lines `topic Q0 document rank score tag`. Results are ranked by
score, equal scores by document id, the greater first; the rank column is not looked at. Files may be compressed;
- is standard input. Nicknames: official, set, all_trec.

Preferences: with -R prefs QRELS has lines `topic group subgroup document level`: within a subgroup a higher level is
preferred. -R qrels_prefs takes `topic group document level`, each group its own only subgroup. Measures: prefs,
all_prefs.
Several assessors: with -R qrels_jg QRELS has lines `topic group document grade`. Measures: qrels_jg, the mean over
groups.
Z-scores: FILE has lines `topic measure mean deviation`; what is not in it is printed as -1000000.

Exit status: 0 done, 1 usage or measure, 2 file or parameter, 4 a topic cannot be evaluated, 7 no topic in common, 255 a
file of z-scores that cannot be read.
"""


class TextAsked(Exception):
    """The command line asks for a text and no evaluation."""

    def __init__(self, status: int, out: str = "", err: str = ""):
        super().__init__(out or err)
        self.status, self.out, self.err = status, out, err


@dataclass
class TrecOptions:
    """What the command line asks for."""

    judgments: str = ""
    run: str = ""
    format: str = "qrels"
    z_scores: str | None = None
    version: int = 9
    per_topic: bool = False
    complete: bool = False
    summary: bool = True
    judged_only: bool = False
    rel: int = 1
    depth: int | None = None
    collection: int = 0
    measures: set[str] = field(default_factory=set)
    parameters: dict[str, str] = field(default_factory=dict)

    def lines(self) -> list[OutputLine]:
        """The lines to print."""
        chosen = self.measures or set(measures_named("official", self.version))
        return output_lines(chosen, self.parameters, Settings(self.version, self.rel, self.collection))


def parse_trec_options(arguments: list[str]) -> TrecOptions:
    """The options of a command line; raises TextAsked where it asks for help, and Refused where it makes no sense."""
    try:
        typed, files = gnu_getopt(arguments, SHORT, list(LONG))
    except GetoptError as error:
        raise TextAsked(1, err=f"trec_eval: {error}\n{USAGE}") from None
    given = [(_short(name), value) for name, value in typed]
    options = TrecOptions(version=_version([value for name, value in given if name == "--like"]))
    names = [name for name, _ in given]
    if "-v" in names:
        raise TextAsked(0, err=f"trec_eval version {VERSIONS[options.version]} (Assay {__version__})\n")
    for name, value in given:
        _set_trec(options, name, value)
    if "-h" in names:
        raise TextAsked(0, out=HELP + _printed_names(options))
    if len(files) != 2:
        raise TextAsked(1, err=f"trec_eval: expected 2 files, QRELS and RUN; found {len(files)}\n{USAGE}")
    options.judgments, options.run = files
    return options


def _short(name: str) -> str:
    return LONG.get(name[2:]) or LONG.get(f"{name[2:]}=") or name


def _version(asked: list[str]) -> int:
    version = asked[-1] if asked else "9"
    if version not in map(str, VERSIONS):
        raise TextAsked(1, err=f"trec_eval: --like {version} is not known; expected 9 or 10\n{USAGE}")
    return int(version)


def _set_trec(options: TrecOptions, name: str, value: str) -> None:
    match name:
        case "-q":
            options.per_topic = True
        case "-c":
            options.complete = True
        case "-n":
            options.summary = False
        case "-J":
            options.judged_only = True
        case "-l":
            options.rel = _not_negative(name, value)
        case "-M":
            options.depth = _not_negative(name, value)
        case "-N":
            options.collection = atol(os.fsencode(value))
        case "-m":
            _add_measure(options, latin(os.fsencode(value)))
        case "-R":
            options.format = _format(name, value, *FORMATS)
        case "-T":
            _format(name, value, "trec_results")
        case "-Z":
            options.z_scores = value


def _not_negative(name: str, value: str) -> int:
    number = atol(os.fsencode(value))
    if number < 0:
        raise Refused(1, f"{name} {value} is not supported; expected 0 or more")
    return number


def _add_measure(options: TrecOptions, typed: str) -> None:
    name, dot, parameters = typed.partition(".")
    if dot and not parameters:
        raise Refused(1, f"illegal measure {typed!r}: there is nothing behind the dot")
    options.measures.update(measures_named(name, options.version))
    if dot:
        options.parameters.setdefault(name, parameters)


def _format(name: str, value: str, *known: str) -> str:
    if value not in known:
        raise Refused(2, f"{name} {value} is not a format; expected {' or '.join(known)}")
    return value


def _printed_names(options: TrecOptions) -> str:
    if not options.measures:
        return ""
    return "\nPrinted for the measures asked for: " + " ".join(line.name for line in options.lines()) + "\n"
