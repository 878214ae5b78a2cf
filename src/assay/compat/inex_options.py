"""inex_eval's command line: its options as the original takes them, and its help, in our words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.errors import UsageError

VERSION = "3.1"
THOROUGH, FOCUSED, IN_CONTEXT, BEST, READ = TASKS = ("-t", "-f", "-r", "-b", "-i")
LARGEST = 2**31 - 1
USAGE = "usage: inex_eval (-t|-f|-r|-b|-i) [-irr N] [-n N] [-beta X] [-c] [-q] QRELS RUN...\n"
HELP = f"""{USAGE}
Measures runs of passages and prints what INEX's inex_eval {VERSION} (2010) prints.

The task, of which the last one given counts:
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
are not looked at. Offset X or -1 is a passage of which nothing is known: 18 characters, none relevant. A run that
breaks the rules of its task (passages overlap, or results of an article are apart) is refused in a line
`ERROR *** ...`, and the next is measured. A topic in which nothing is relevant makes means NaN, as in the original;
`assay evaluate` does not. Files may be compressed; - is standard input.

Exit status: 0 done, 1 a file is refused, 2 the command line makes no sense.
"""


class Help(Exception):
    """The command line asks for the help."""


@dataclass
class InexOptions:
    """What the command line asks for."""

    task: str = ""
    irrelevant: int = 300
    distance: int = 500
    beta: float = 0.25
    complete: bool = False
    per_topic: bool = False
    files: list[str] = field(default_factory=list)

    @property
    def articles(self) -> bool:
        """Whether articles are ranked, and not passages."""
        return self.task in (IN_CONTEXT, BEST, READ)


def parse_inex_options(arguments: list[str]) -> InexOptions:
    """The options of a command line, wherever in it they stand."""
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
        raise UsageError(f"{name} needs a number from 0 on, found {text}")
    return number
