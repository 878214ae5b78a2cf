"""EvalJ's configurations: the tasks of INEX 2005, each with its assessments and runs, evaluated one after the other."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from glob import glob

from assay import table
from assay.conversion import write
from assay.errors import InputError, UsageError
from assay.evaluation import evaluate
from assay.formats.assessments import judgments_below
from assay.formats.source import Source
from assay.scores import Scores
from assay.tasks import GRADED, letters

KEYS = (
    "TASK", "METRICS", "ALPHA", "OVERLAP", "QUANT_FUNCTIONS", "DCV", "ASSESSMENTS_DIR", "QUERY_TYPE", "SUBMISSIONRUNS_DIR", "POOLS",
)
NEEDED = ("ASSESSMENTS_DIR", "SUBMISSIONRUNS_DIR")
METRICS = ("nxCG", "ep/gr", "q")
RUNS = (".xml", ".xml.gz", ".run", ".run.gz", ".txt", ".txt.gz")


@dataclass(frozen=True)
class Config:
    """One evaluation: a task with its settings, as they are written."""

    source: str
    line: int
    values: dict[str, str] = field(default_factory=dict)

    def listed(self, key: str, default: str) -> list[str]:
        """The values of a key between commas."""
        return [one.strip() for one in self.values.get(key, default).split(",") if one.strip()]

    def fault(self, what: str) -> InputError:
        """The error about a setting."""
        return InputError(what, self.source, self.line)

    @property
    def task(self) -> str:
        """The name of the task."""
        return self.values.get("TASK", "")

    def chosen(self, quant: str) -> list[str]:
        """The measures of one quantisation."""
        fetch = "FetchBrowse" in self.task
        overlaps, alpha = self.listed("OVERLAP", "on, off" if fetch else self.default_overlap), self.number("ALPHA", "1.0")
        if wrong := [one for one in overlaps if one not in ("on", "off")]:
            raise self.fault(f"OVERLAP {wrong[0]!r} is wrong; expected on or off")
        found = []
        for overlap in overlaps:
            view = f"quant={quant}, overlap={overlap}, alpha={alpha:g}"
            for metric in self.listed("METRICS", "ep/gr" if fetch else ", ".join(METRICS)):
                found += self.of_metric(metric, view, fetch)
        return found

    @property
    def default_overlap(self) -> str:
        """Overlap as the task has it."""
        task = next((task for name, task in GRADED.items() if letters(name) == letters(self.task)), None)
        return ", ".join(task.overlaps) if task else "off"

    def of_metric(self, metric: str, view: str, fetch: bool) -> list[str]:
        """The measures that go by the name of a metric."""
        if metric not in METRICS:
            raise self.fault(f"METRICS {metric!r} is not known; expected {', '.join(METRICS)}")
        if metric == "nxCG":
            ranks = [self.rank(one) for one in self.listed("DCV", "10, 25, 50")]
            return [f"{name}({view})@{rank}" for name in ("nxCG", "MAnxCG") for rank in ranks]
        if metric == "q":
            return [f"Q({view})", f"Rmeasure({view})"]
        levels = [", level=article", ", level=element"] if fetch else [""]
        return [f"{name}({view}{level})" for level in levels for name in ("Aep", "iAep")]

    def rank(self, text: str) -> int:
        """A cut-off of DCV."""
        if not text.isdecimal() or int(text) < 1:
            raise self.fault(f"DCV {text!r} is wrong; expected ranks, as in 10, 25, 50")
        return int(text)

    def number(self, key: str, default: str) -> float:
        """A number from 0 to 1."""
        text = self.values.get(key, default)
        try:
            found = float(text)
        except ValueError:
            found = -1.0
        if not 0 <= found <= 1:
            raise self.fault(f"{key} {text!r} is wrong; expected a number from 0 to 1")
        return found

    def folders(self, key: str) -> list[str]:
        """The folders that a setting names, seen from the folder of the configuration."""
        pattern = os.path.join(os.path.dirname(self.source), self.values[key])
        found = sorted(glob(pattern.rstrip("/")))
        if not found:
            raise self.fault(f"{key} {self.values[key]!r} names nothing that is there")
        return found


def configs(path: str) -> list[Config]:
    """The evaluations of a configuration file: each begins with its TASK."""
    source = Source(path)
    found: list[Config] = []
    for number, key, value in settings(source):
        if key == "TASK" or not found:
            found.append(Config(source.label, number, {}))
        if key in found[-1].values:
            raise source.fault(f"{key} is given twice for one TASK", number)
        found[-1].values[key] = value
    if not found:
        raise source.fault("is empty; expected settings such as TASK: CO.Focussed")
    for config in found:
        if lacking := [key for key in NEEDED if key not in config.values]:
            raise config.fault(f"has no {lacking[0]}")
    return found


def settings(source: Source) -> Iterator[tuple[int, str, str]]:
    """The settings of a file, each with its line; a value goes on where a line does not begin with a key."""
    found: list[tuple[int, str, str]] = []
    for number, line in enumerate(source.whole().decode(errors="replace").splitlines(), 1):
        text = re.sub(r"(^|\s)#.*", "", line).strip()
        setting = re.match(r"([A-Z_]+)\s*[:=]\s*(.*)", text)
        if setting and setting[1] in KEYS:
            found.append((number, setting[1], setting[2]))
        elif setting:
            raise source.fault(f"unknown setting {setting[1]}; expected one of {', '.join(KEYS)}", number)
        elif text and found:
            first, name, before = found.pop()
            found.append((first, name, f"{before} {text}"))
        elif text:
            raise source.fault(f"expected a setting such as TASK: CO.Focussed, found {text!r}", number)
    return iter(found)


def runs_below(folders: list[str]) -> list[str]:
    """The files of runs in folders and below them."""
    found = [folder for folder in folders if os.path.isfile(folder)]
    for folder in folders:
        found += [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(RUNS)]
    return sorted(found)


def task_of_run(path: str) -> str:
    """The task that a run says it is for; nothing where it does not say."""
    found = re.search(rb"""<inex-submission[^>]*\btask\s*=\s*["']([^"']*)["']""", Source(path).head())
    return found[1].decode(errors="replace").strip() if found else ""


def evaluated(config: Config) -> Iterator[tuple[str, Scores]]:
    """The scores of all runs of a task, by quantisation."""
    runs = runs_below(config.folders("SUBMISSIONRUNS_DIR"))
    if config.task:
        runs = [run for run in runs if letters(task_of_run(run)) in ("", letters(config.task))]
    if not runs:
        raise config.fault(f"SUBMISSIONRUNS_DIR {config.values['SUBMISSIONRUNS_DIR']!r} has no run of task {config.task or 'any'}")
    pools = config.listed("POOLS", "") or None
    judgments = judgments_below(config.folders("ASSESSMENTS_DIR"), None, pools, config.values.get("QUERY_TYPE"))
    for quant in config.listed("QUANT_FUNCTIONS", "gen"):
        yield quant, evaluate(judgments, runs, config.chosen(quant))


def shown(scores: Scores, quant: str, form: str, digits: int) -> str:
    """A table of the runs; its title tells the quantisation, and its header need not."""
    if form == "json":
        return scores.show(form) + "\n"
    plain = (str(measure).replace(f"quant={quant}, ", "").replace(f"(quant={quant})", "") for measure in scores.measures)
    return table.render(form, ["run", *plain], [list(row) for row in scores.means.rows()], 1, digits)


def evalj(path: str, form: str = "text", digits: int = 4, per_topic: str | None = None) -> Iterator[tuple[str, list[str]]]:
    """One table a task and quantisation, with its notes; the values of each topic go into files of a folder, if one is given."""
    if per_topic is not None and not os.path.isdir(per_topic):
        raise UsageError(f"{per_topic}: no such folder")
    for config in configs(path):
        for quant, scores in evaluated(config):
            title = f"{config.task or 'task'}, {quant}"
            yield f"{title}\n\n{shown(scores, quant, form, digits)}\n", scores.notes
            if per_topic is not None:
                name = re.sub(r"\W+", "-", title).strip("-") + ".tsv"
                write(os.path.join(per_topic, name), scores.show("tsv", per_topic=True).encode())
