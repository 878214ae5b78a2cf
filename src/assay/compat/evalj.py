"""EvalJ's configuration files: the tasks of INEX 2005, each with its assessments and runs, evaluated one by one."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from glob import escape, glob
from typing import Any

from assay.errors import InputError, UsageError, quote
from assay.evaluation import tasks
from assay.evaluation.evaluate import evaluate_runs
from assay.evaluation.score_table import ScoreTable
from assay.files.source import Source
from assay.files.writing import write
from assay.measures.elements import OfElements
from assay.measures.xcg import CG, ep, nxCG
from assay.ranking.element_trees import QUANTISATIONS
from assay.reading.formats.assessments import files_below, judgments_below
from assay.showing.layout import escape_text, render
from assay.tables.judgments import ElementJudgments, Judgments
from assay.vocabulary import letters

KEYS = (
    "TASK",
    "METRICS",
    "ALPHA",
    "OVERLAP",
    "QUANT_FUNCTIONS",
    "DCV",
    "ASSESSMENTS_DIR",
    "QUERY_TYPE",
    "SUBMISSIONRUNS_DIR",
    "POOLS",
)
NEEDED = ("ASSESSMENTS_DIR", "SUBMISSIONRUNS_DIR")
RUNS = (".xml", ".xml.gz", ".run", ".run.gz", ".txt", ".txt.gz")


@dataclass(frozen=True)
class Config:
    """One evaluation: a task with its settings as written, and the line of each."""

    source: str
    line: int
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def listed(self, key: str, default: str) -> list[str]:
        """Return the comma-separated values of a key."""
        return [value.strip() for value in self.values.get(key, default).split(",") if value.strip()]

    def fault(self, what: str, key: str = "") -> InputError:
        """Return an error about a setting, or about the whole evaluation."""
        return InputError(what, self.source, self.lines.get(key, self.line))

    def check(self) -> None:
        """Refuse what is visibly wrong before the assessments are read."""
        for key in NEEDED:
            if key not in self.values:
                raise self.fault(f"no {key} setting")
        self.chosen("gen")
        _ = self.assessments, self.pools, self.runs

    @property
    def task(self) -> str:
        """The name of the task."""
        return self.values.get("TASK", "")

    @property
    def known_task(self) -> tasks.GradedTask | None:
        """The task with that name, or None if it is unknown."""
        return tasks.graded_task(self.task)

    @property
    def fetch(self) -> bool:
        """Whether articles and the elements in them are measured separately."""
        return letters("FetchBrowse") in letters(self.task)

    @property
    def overlaps(self) -> list[str]:
        """"on", "off" or both: the OVERLAP setting, or that of the task."""
        if "OVERLAP" not in self.values and self.known_task is None:
            what = f"unknown TASK {self.task!r}" if self.task else "the file has no TASK"
            known = ", ".join(tasks.GRADED)
            raise self.fault(f"{what} and no OVERLAP; set OVERLAP, or choose a TASK from {known}", "TASK")
        asked = self.listed("OVERLAP", ", ".join(self.known_task.overlaps) if self.known_task else "")
        for wrong in (word for word in asked if word not in ("on", "off")):
            raise self.fault(f"OVERLAP {wrong!r} is neither on nor off; choose one", "OVERLAP")
        return asked

    @property
    def pools(self) -> list[str] | None:
        """The pools that count; None if all do."""
        asked = self.listed("POOLS", "")
        for wrong in (pool for pool in asked if not re.fullmatch(r"\w+", pool)):
            raise self.fault(f"cannot read POOLS {wrong!r}; expected the ids of pools, separated by commas", "POOLS")
        return asked or None

    def quantisations(self, judgments: Judgments) -> list[str]:
        """Return the quantisations to report; raise an error if the assessments do not have them."""
        asked = self.listed("QUANT_FUNCTIONS", "gen")
        if not isinstance(judgments, ElementJudgments):
            raise self.fault(
                f"ASSESSMENTS_DIR {self.values['ASSESSMENTS_DIR']!r} has no assessed elements", "ASSESSMENTS_DIR"
            )
        scale = judgments.elements.scale
        for wrong in (name for name in asked if name not in QUANTISATIONS[scale]):
            names = ", ".join(QUANTISATIONS[scale])
            raise self.fault(
                f"unknown QUANT_FUNCTIONS {wrong!r} for assessments on the scale of {scale}; choose from {names}",
                "QUANT_FUNCTIONS",
            )
        return asked

    def chosen(self, quant: str) -> list[str]:
        """Return the measures for one quantisation."""
        alpha, overlaps = self.number("ALPHA", "1.0"), self.overlaps
        metrics = self.listed("METRICS", ", ".join(tasks.usual_metrics(self.fetch)))
        for wrong in (metric for metric in metrics if metric not in tasks.METRICS):
            raise self.fault(f"unknown METRICS {wrong!r}; choose from {', '.join(tasks.METRICS)}", "METRICS")
        cut_offs = self.listed("DCV", ", ".join(map(str, tasks.RANKS))) if "nxCG" in metrics else []
        return tasks.graded_measures(
            quant, overlaps, alpha, self.fetch, metrics, [self.rank(text) for text in cut_offs]
        )

    def rank(self, text: str) -> int:
        """Parse a cut-off of DCV."""
        if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
            raise self.fault(f"DCV {text!r} is not a rank; expected ranks, for example 10, 25, 50", "DCV")
        return int(text)

    def number(self, key: str, default: str) -> float:
        """Parse a number from 0 to 1."""
        text = self.values.get(key, default)
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1:
            raise self.fault(f"{key} {text!r} is out of range; expected a number from 0 to 1", key)
        return value

    def paths(self, key: str) -> list[str]:
        """Return the paths that match a setting, relative to the folder of the configuration file.

        A pattern that ends in / matches only folders.
        """
        found = sorted(glob(os.path.join(escape(os.path.dirname(self.source)), self.values[key])))
        return [os.path.normpath(path) for path in found]

    def nothing_there(self, key: str) -> InputError:
        """Return the error for a setting that matches no file or folder."""
        return self.fault(f"no file or folder matches {key} {self.values[key]!r}", key)

    @property
    def assessments(self) -> list[str]:
        """The paths of the assessments; raise an error if there are none."""
        if not (paths := self.paths("ASSESSMENTS_DIR")):
            raise self.nothing_there("ASSESSMENTS_DIR")
        return paths

    @property
    def runs(self) -> list[str]:
        """The files of all runs that are for this task or do not name a task; there may be none."""
        files = runs_below(self.paths("SUBMISSIONRUNS_DIR"))
        if self.task:
            files = [run for run in files if letters(task_of_run(run)) in ("", letters(self.task))]
        return files

    @property
    def no_run(self) -> InputError:
        """The error for a task without runs."""
        if not self.paths("SUBMISSIONRUNS_DIR"):
            return self.nothing_there("SUBMISSIONRUNS_DIR")
        of_task = f" of task {self.task}" if self.task else ""
        return self.fault(
            f"SUBMISSIONRUNS_DIR {self.values['SUBMISSIONRUNS_DIR']!r} has no run{of_task}", "SUBMISSIONRUNS_DIR"
        )

    @property
    def judgments(self) -> Judgments:
        """The assessments of the pools and the query type that count."""
        folders = self.assessments
        if not any(os.path.isfile(folder) or files_below(folder) for folder in folders):
            raise self.fault(f"ASSESSMENTS_DIR {self.values['ASSESSMENTS_DIR']!r} has no XML file", "ASSESSMENTS_DIR")
        return judgments_below(folders, None, self.pools, self.values.get("QUERY_TYPE"), every_pool=False)


def configs(path: str) -> list[Config]:
    """Read the evaluations of a configuration file; each begins with its TASK."""
    source = Source(path)
    evaluations: list[Config] = []
    for number, key, value in settings(source):
        if key == "TASK" or not evaluations:
            evaluations.append(Config(source.label, number))
        if key in evaluations[-1].values:
            raise source.fault(f"{key} is given twice for one TASK", number)
        if not value:
            raise source.fault(f"{key} has no value", number)
        evaluations[-1].values[key], evaluations[-1].lines[key] = value, number
    if not evaluations:
        raise source.fault("the input is empty; expected settings, for example TASK: CO.Focussed")
    # report a wrong word in the last task before evaluating the first
    for config in evaluations:
        config.check()
    if not any(config.runs for config in evaluations):
        raise evaluations[0].no_run
    return evaluations


def settings(source: Source) -> Iterator[tuple[int, str, str]]:
    """Yield the settings of a file with their lines; a line without a key continues the value before it."""
    read: list[tuple[int, str, str]] = []
    for number, line in enumerate(source.whole().decode(errors="replace").splitlines(), 1):
        # a Java properties file, in which a backslash continues a value on the next line
        text = re.sub(r"(^|\s)#.*", "", line).strip().removesuffix("\\").strip()
        setting = re.match(r"([A-Z_]+)\s*[:=]\s*(.*)", text)
        if setting and setting[1] in KEYS:
            read.append((number, setting[1], setting[2]))
        elif setting:
            raise source.fault(f"unknown setting {setting[1]}; expected one of {', '.join(KEYS)}", number)
        elif text and read:
            first, name, before = read.pop()
            read.append((first, name, f"{before} {text}".strip()))
        elif text:
            raise source.fault(f"expected a setting, for example TASK: CO.Focussed, found {quote(text)}", number)
    return iter(read)


def runs_below(folders: list[str]) -> list[str]:
    """Return the files of runs in folders and their subfolders."""
    files = [folder for folder in folders if os.path.isfile(folder)]
    for folder in folders:
        files += [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(RUNS)]
    return sorted(files)


def task_of_run(path: str) -> str:
    """Return the task that a run names; empty if it names none."""
    attribute = re.search(rb"""<inex-submission[^>]*\btask\s*=\s*["']([^"']*)["']""", Source(path).head())
    return attribute[1].decode(errors="replace").strip() if attribute else ""


def scores_by_quantisation(config: Config) -> Iterator[tuple[str, ScoreTable]]:
    """Yield the scores of all runs of a task, by quantisation."""
    runs, judgments = config.runs, config.judgments
    chosen = {quant: config.chosen(quant) for quant in config.quantisations(judgments)}
    for quant, measures in chosen.items():
        yield quant, evaluate_runs(judgments, runs, measures).scores


def titled_table(scores: ScoreTable, config: Config, quant: str, layout: str, digits: int) -> str:
    """Return a table of the runs; the title has the parameters that all measures share, and the header does not."""
    title = f"{config.task or 'task'}, {quant}, overlap {' and '.join(config.overlaps)}"
    if layout == "json":
        return json.dumps({"title": title, "scores": list(scores.records())}, ensure_ascii=False) + "\n"
    told: dict[str, Any] = {"quant": "gen"} | ({"overlap": "on"} if len(config.overlaps) == 1 else {})
    header = ["run", *(str(replace(measure, **told)) for measure in scores.measures)]
    table = render(layout, header, [list(row) for row in scores.means.rows()], 1, digits)
    return f"{escape_text(layout, title)}\n\n{table}\n"


# The curves of each metric, as in the official graphs (INEX 2005, section 6.5), and the gain beside the ideal.
GRAPHS: dict[str, tuple[type[OfElements], ...]] = {"nxCG": (nxCG, CG), "ep/gr": (ep,)}


def draw_graphs(config: Config, quant: str, folder: str, name: str) -> None:
    """Write the curves of a task and quantisation to files in a folder, one per measure and overlap."""
    from assay.charts.drawing import ChartOptions, chart_of_runs
    from assay.charts.saving import save

    metrics = config.listed("METRICS", ", ".join(tasks.usual_metrics(config.fetch)))
    alpha = config.number("ALPHA", "1.0")
    for kind in (kind for metric in metrics for kind in GRAPHS.get(metric, ())):
        for overlap in config.overlaps:
            measure = kind(quant=quant, overlap=overlap, alpha=alpha)
            chart, _ = chart_of_runs(config.judgments, config.runs, "curve", [measure], ChartOptions({}), {})
            save(chart, os.path.join(folder, f"{name}-{overlap}-{kind.__name__}.svg"))


def evalj(
    path: str, layout: str = "text", digits: int = 4, per_topic: str | None = None, graphs: str | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Yield one table per task and quantisation, with its notes; as JSON one object per line.

    A task without runs yields a note. If a folder is given, the values of each topic, and the graphs of nxCG, CG and
    ep, are written to files there.
    """
    for folder in (per_topic, graphs):
        if folder is not None and not os.path.isdir(folder):
            raise UsageError(f"{folder}: no such folder")
    written: list[str] = []
    for config in configs(path):
        if not config.runs:
            yield "", [f"{config.no_run}; the other tasks are evaluated"]
            continue
        for quant, scores in scores_by_quantisation(config):
            yield titled_table(scores, config, quant, layout, digits), scores.notes
            written.append(re.sub(r"\W+", "-", f"{config.task or 'task'} {quant}"))
            # a configuration may have the same task twice, with different pools
            again = written.count(written[-1])
            name = f"{written[-1]}{f'-{again}' if again > 1 else ''}"
            if per_topic is not None:
                write(os.path.join(per_topic, f"{name}.tsv"), scores.show("tsv", per_topic=True).encode())
            if graphs is not None:
                draw_graphs(config, quant, graphs, name)
