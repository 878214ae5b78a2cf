"""trec_eval's command line: short and long options, as the original takes them; and its help, in our words."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from getopt import GetoptError, gnu_getopt

from assay import __version__
from assay.compat.trec_columns import Refused, Settings
from assay.compat.trec_files import atol, latin
from assay.compat.trec_measures import OutputLine, lines, named

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
OTHER_FORMATS = ("prefs", "qrels_prefs", "qrels_jg")
USAGE = "usage: trec_eval [-q] [-c] [-n] [-J] [-l N] [-M N] [-N N] [-m MEASURE]... [--like 9|10] QRELS RUN\n"
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
  -R qrels, -T trec_results    the formats of the files; there are no others here
  -D LEVEL, -o   accepted and ignored
  -v, -h         the version, this text; with -m also the names that are printed for the measure

QRELS has lines `topic 0 document grade`, RUN has lines `topic Q0 document rank score tag`. Results are ranked by
score, equal scores by document id, the greater first; the rank column is not looked at. Files may be compressed;
- is standard input. Nicknames: official, set, all_trec. Not supported: preferences and judgment groups
(-R {', '.join(OTHER_FORMATS)}) and -Z.
Exit status: 0 done, 1 usage or measure, 2 file or parameter, 4 a topic cannot be evaluated, 7 no topic in common.
"""


class Reply(Exception):
    """The command line asks for a text and no evaluation."""

    def __init__(self, status: int, out: str = "", err: str = ""):
        super().__init__(out or err)
        self.status, self.out, self.err = status, out, err


@dataclass
class Options:
    """What the command line asks for."""

    judgments: str = ""
    run: str = ""
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
        chosen = self.measures or set(named("official", self.version))
        return lines(chosen, self.parameters, Settings(self.version, self.rel, self.collection))


def parse(arguments: list[str]) -> Options:
    """The options of a command line; raises Reply where it asks for help, and Refused where it makes no sense."""
    try:
        found, files = gnu_getopt(arguments, SHORT, list(LONG))
    except GetoptError as error:
        raise Reply(1, err=f"trec_eval: {error}\n{USAGE}") from None
    given = [(_short(name), value) for name, value in found]
    options = Options(version=_version([value for name, value in given if name == "--like"]))
    names = [name for name, _ in given]
    if "-v" in names:
        raise Reply(0, err=f"trec_eval version {VERSIONS[options.version]} (Assay {__version__})\n")
    for name, value in given:
        _set(options, name, value)
    if "-h" in names:
        raise Reply(0, out=HELP + _printed_names(options))
    if len(files) != 2:
        raise Reply(1, err=f"trec_eval: expected 2 files, QRELS and RUN; found {len(files)}\n{USAGE}")
    options.judgments, options.run = files
    return options


def _short(name: str) -> str:
    return LONG.get(name[2:]) or LONG.get(f"{name[2:]}=") or name


def _version(asked: list[str]) -> int:
    version = asked[-1] if asked else "9"
    if version not in map(str, VERSIONS):
        raise Reply(1, err=f"trec_eval: --like {version} is not known; expected 9 or 10\n{USAGE}")
    return int(version)


def _set(options: Options, name: str, value: str) -> None:
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
        case "-R" | "-T":
            _check_format(name, value)
        case "-Z":
            raise Refused(1, "-Z, z-scores, is not supported")


def _not_negative(name: str, value: str) -> int:
    number = atol(os.fsencode(value))
    if number < 0:
        raise Refused(1, f"{name} {value} is not supported; expected 0 or more")
    return number


def _add_measure(options: Options, typed: str) -> None:
    name, dot, parameters = typed.partition(".")
    if dot and not parameters:
        raise Refused(1, f"illegal measure {typed!r}: there is nothing behind the dot")
    options.measures.update(named(name, options.version))
    if dot:
        options.parameters.setdefault(name, parameters)


def _check_format(name: str, value: str) -> None:
    if value in OTHER_FORMATS:
        raise Refused(1, f"{name} {value} is not supported; only -R qrels and -T trec_results are")
    if value != {"-R": "qrels", "-T": "trec_results"}[name]:
        raise Refused(2, f"{name} {value} is not a format; expected -R qrels or -T trec_results")


def _printed_names(options: Options) -> str:
    if not options.measures:
        return ""
    return "\nPrinted for the measures asked for: " + " ".join(line.name for line in options.lines()) + "\n"
