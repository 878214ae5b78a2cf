"""EvalJ's configurations: as the INEX 2005 paper prints them, and every fault of one with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.compat.evalj import configs
from assay.evaluation.tasks import GRADED
from helpers.cases import Case
from helpers.commands import invoke
from helpers.files import written
from helpers.places import EXAMPLES

pytestmark = pytest.mark.usefixtures("folder")
EXAMPLE = EXAMPLES / "graded"

# INEX 2005 Evaluation Measures, section 6.1 to 6.4, with its comments and with lines that go on
PRINTED = """\
TASK: CO.Focussed
METRICS: nxCG, ep/gr, q
ALPHA: 1.0
OVERLAP: on
QUANT_FUNCTIONS: gen, strict, genLifted
DCV: 10, 25, 50
ASSESSMENTS_DIR: ../adhoc2005/official/CO+S/*/
QUERY_TYPE: CO+S
SUBMISSIONRUNS_DIR: ../inex2005_runs/*/

TASK: COS.Focussed
METRICS: nxCG, ep/gr, q
ALPHA: 1.0
OVERLAP: on
QUANT_FUNCTIONS: gen, strict, genLifted
DCV: 10, 25, 50
ASSESSMENTS_DIR: ../adhoc2005/official/CO+S/*/
QUERY_TYPE: CO+S
SUBMISSIONRUNS_DIR: ../inex2005_runs/*/
POOLS: 275,297,273,353,300,283,309,327,292,319,321, 325,301,315,265,361,
364,349,279

TASK: CO.FetchBrowse
METRICS: ep/gr
ALPHA: 1.0
OVERLAP: on, off
QUANT_FUNCTIONS: gen, strict, genLifted
DCV: 10, 25, 50
ASSESSMENTS_DIR: ../adhoc2005/official/CO+S/*/
QUERY_TYPE: CO+S
SUBMISSIONRUNS_DIR: ../inex2005_runs/*/

TASK: SSCAS #or SVCAS, VSCAS, VVCAS
METRICS: nxCG, ep/gr, q
ALPHA: 1.0
OVERLAP: off
QUANT_FUNCTIONS: gen, strict, genLifted
DCV: 10, 25, 50
ASSESSMENTS_DIR: ../adhoc2005/official/CAS/ #or .../SVCAS/, .../VSCAS/, .../VVCAS/
QUERY_TYPE: CAS
SUBMISSIONRUNS_DIR: ../inex2005_runs/*/
"""
POOLS = "275,297,273,353,300,283,309,327,292,319,321,325,301,315,265,361,364,349,279"


def pool(folder: str, number: str, topic: str, kind: str = "CO+S", e: str = "2") -> None:
    about = f'<inex_topic topic_id="{topic}" query_type="{kind}" ct_no="1"/>'
    element = f'<element path="/a[1]" exhaustivity="{e}" size="10" rsize="10"/>'
    content = f'<assessments pool="{number}" topic="{topic}">{about}<file name="d">{element}</file></assessments>'
    written(content, f"{folder}/topic-{topic}/pool-{number}.xml")


def run(name: str, task: str, *topics: str, path: str = "/a[1]") -> None:
    found = "".join(
        f'<topic topic-id="{one}"><result><file>d</file><path>{path}</path></result></topic>' for one in topics
    )
    task = f' task="{task}"' if task else ""
    written(f'<inex-submission participant-id="1" run-id="x"{task}>{found}</inex-submission>', name)


def collection() -> None:
    """Two topics, one of them with a pool of COS, and one of another type; runs of several groups and tasks."""
    pool("adhoc2005/official/CO+S/main", "275", "202")
    pool("adhoc2005/official/CO+S/main", "888", "204")
    pool("adhoc2005/official/CAS/main", "999", "250", "CAS")
    for task in ("CO.Focussed", "COS.Focussed", "CO.FetchBrowse"):
        run(f"inex2005_runs/group1/{task}.xml", task, "202", "204")
    run("inex2005_runs/group2/other.xml", "CO.Focussed ", "202")
    run("inex2005_runs/group2/cas.xml", "SSCAS", "250")
    run("inex2005_runs/readme.xml", "CO.Focussed", "204")


def evalj(*words: str):
    return invoke("evalj", *words)


def tables(printed: str) -> dict[str, list[list[str]]]:
    """The rows of each table, by its title."""
    found: dict[str, list[list[str]]] = {}
    blocks = printed.rstrip().split("\n\n")
    for title, table in zip(blocks[::2], blocks[1::2], strict=True):
        header, _, *rows = table.splitlines()
        found[title] = [header.split(), *(row.split() for row in rows)]
    return found


# As the paper prints it


def test_a_printed_configuration_is_read():
    collection()
    found = configs(written(PRINTED, "config/inex2005.prop"))
    assert [config.task for config in found] == ["CO.Focussed", "COS.Focussed", "CO.FetchBrowse", "SSCAS"]
    assert [config.line for config in found] == [1, 11, 23, 33]
    assert [config.pools for config in found] == [None, POOLS.split(","), None, None]
    assert [config.overlaps for config in found] == [["on"], ["on"], ["on", "off"], ["off"]]
    cas = found[-1]
    assert cas.values["ASSESSMENTS_DIR"] == "../adhoc2005/official/CAS/" and cas.lines["ASSESSMENTS_DIR"] == 39


def test_a_printed_configuration_is_evaluated():
    collection()
    done = evalj(written(PRINTED, "config/inex2005.prop"))
    assert done.exit_code == 0, done.stderr
    found = tables(done.stdout)
    quants = ("gen", "strict", "genLifted")
    tasks = {"CO.Focussed": "on", "COS.Focussed": "on", "CO.FetchBrowse": "on and off", "SSCAS": "off"}
    assert list(found) == [f"{task}, {quant}, overlap {overlap}" for task, overlap in tasks.items() for quant in quants]
    header = [
        "run",
        *(f"{name}@{rank}" for name in ("nxCG", "MAnxCG") for rank in (10, 25, 50)),
        "Aep",
        "iAep",
        "Q",
        "Rmeasure",
    ]
    # a run that lacks one of two topics has half of all; the file beside the folders of groups is in none of them
    assert found["CO.Focussed, gen, overlap on"] == [
        header,
        ["CO.Focussed", *["1.0000"] * 10],
        ["other", *["0.5000"] * 10],
    ]
    assert found["COS.Focussed, strict, overlap on"] == [header, ["COS.Focussed", *["1.0000"] * 10]]
    assert found["SSCAS, genLifted, overlap off"] == [header, ["cas", *["1.0000"] * 10]]
    fetch = [row for row in found["CO.FetchBrowse, gen, overlap on and off"][1:] for row in row[1:]]
    assert fetch == ["1.0000"] * 8
    assert done.stderr.splitlines() == [
        *["note: other: 1 of 2 judged topics is missing from the run and scores as if nothing was retrieved: 204"] * 3,
        *["note: COS.Focussed: 1 topic of the run has no judgments and is left out: 204"] * 3,
    ]


def test_the_example_says_what_evaluate_says():
    found = tables(evalj(str(EXAMPLE / "example.prop"), "--digits", "6").stdout)
    runs = [EXAMPLE / f"runs/{name}.xml" for name in ("nested", "paragraphs")]
    for quant in ("gen", "strict"):
        measures = [*(f"{name}(quant={quant})@{k}" for name in ("nxCG", "MAnxCG") for k in (2, 4)),
                    *(f"{name}(quant={quant})" for name in ("Aep", "iAep", "Q", "Rmeasure"))]  # fmt: skip
        scores = assay.evaluate(EXAMPLE / "assessments", runs, measures)
        expected = [
            [name, *(f"{scores[name, measure]:.6f}" for measure in measures)] for name in ("nested", "paragraphs")
        ]
        assert found[f"CO.Focussed, {quant}, overlap on"][1:] == expected


# What may be written in other ways

BASE = {
    "TASK": "CO.Focussed",
    "ASSESSMENTS_DIR": "adhoc2005/official/CO+S/main",
    "SUBMISSIONRUNS_DIR": "inex2005_runs/group1",
}


def config(**changes: str | None) -> str:
    """A configuration of one setting a line, in the order of BASE and then of the changes."""
    values = {key: value for key, value in (BASE | changes).items() if value is not None}
    return "".join(f"{key}: {value}\n" for key, value in values.items())


PLAIN = config(METRICS="ep/gr", QUANT_FUNCTIONS="gen")
SAME = {
    "an equals sign": PLAIN.replace(": ", " = "),
    "no blanks": PLAIN.replace(": ", ":"),
    "comments and empty lines": "# all\n\n" + PLAIN.replace("\n", "  # so\n\n"),
    "lines of Windows": PLAIN.replace("\n", "\r\n"),
    "another order": "\n".join([PLAIN.splitlines()[0], *reversed(PLAIN.splitlines()[1:])]),
    "a value on the next line": PLAIN.replace("METRICS: ", "METRICS:\n    "),
    "a value behind a backslash": PLAIN.replace("METRICS: ", "METRICS: \\\n    "),
    "a folder that ends in a slash": PLAIN.replace("group1", "group1/"),
    "a file of a run": PLAIN.replace("group1", "group1/CO.Focussed.xml"),
    "a pattern of files": PLAIN.replace("group1", "group1/*.xml"),
    "small letters in the name of the task": PLAIN.replace("CO.Focussed", "co.focussed"),
    "what is the default": PLAIN + "ALPHA: 1\nOVERLAP: on\nPOOLS: 275, 888\nQUERY_TYPE: CO+S\nDCV: 7\n",
    "a type of query": PLAIN.replace("CO+S/main", "*") + "QUERY_TYPE: CO+S\n",
}


@pytest.mark.parametrize("way", SAME)
def test_a_configuration_means_the_same(way):
    collection()
    done = evalj(written(SAME[way], "x.prop"))
    assert done.exit_code == 0, done.stderr
    (found,) = tables(done.stdout).values()
    assert found == [["run", "Aep", "iAep"], ["CO.Focussed", "1.0000", "1.0000"]]


def test_a_run_that_names_no_task_is_one_of_all():
    collection()
    run("anyone/x.xml", "", "202", "204")
    tasks = [config(TASK=task, SUBMISSIONRUNS_DIR="anyone", METRICS="q") for task in ("CO.Focussed", "CO.Thorough")]
    done = evalj(written("".join(tasks), "x.prop"))
    assert list(tables(done.stdout)) == ["CO.Focussed, gen, overlap on", "CO.Thorough, gen, overlap off"]


@pytest.mark.parametrize("task", GRADED)
def test_overlap_and_metrics_are_those_of_the_task(task):
    collection()
    run("all/x.xml", "", "202", "204")
    done = evalj(written(config(TASK=task, SUBMISSIONRUNS_DIR="all"), "x.prop"), "--as", "json")
    (found,) = map(json.loads, done.stdout.splitlines())
    assert found["title"] == f"{task}, gen, overlap {' and '.join(GRADED[task].overlaps)}"
    assert [score["measure"] for score in found["scores"]] == [
        str(assay.parse(one)) for one in GRADED[task].measures(["gen"], 1.0)
    ]


def test_a_folder_may_have_brackets_in_its_name():
    collection()
    Path("[1]").mkdir()
    done = evalj(written(PLAIN.replace("adhoc", "../adhoc").replace("inex2005_runs", "../inex2005_runs"), "[1]/x.prop"))
    assert done.exit_code == 0, done.stderr


def test_alpha_is_that_of_the_configuration():
    collection()
    done = evalj(written(config(ALPHA="0.25", METRICS="nxCG", DCV="3"), "x.prop"))
    (found,) = tables(done.stdout).values()
    assert found[0] == ["run", "nxCG(alpha=0.25)@3", "MAnxCG(alpha=0.25)@3"]


def test_the_values_of_each_topic_go_into_files():
    collection()
    Path("out").mkdir()
    twice = config(METRICS="ep/gr", QUANT_FUNCTIONS="gen, strict") + config(METRICS="ep/gr", POOLS="275")
    done = evalj(written(twice, "x.prop"), "--per-topic", "out")
    assert done.exit_code == 0, done.stderr
    assert {path.name for path in Path("out").iterdir()} == {
        "CO-Focussed-gen.tsv", "CO-Focussed-strict.tsv", "CO-Focussed-gen-2.tsv",
    }  # fmt: skip
    assert Path("out/CO-Focussed-gen.tsv").read_text("utf-8") == (
        "run\ttopic\tAep\tiAep\nCO.Focussed\t202\t1.0\t1.0\nCO.Focussed\t204\t1.0\t1.0\nCO.Focussed\tall\t1.0\t1.0\n"
    )
    assert Path("out/CO-Focussed-gen-2.tsv").read_text("utf-8") == (
        "run\ttopic\tAep\tiAep\nCO.Focussed\t202\t1.0\t1.0\nCO.Focussed\tall\t1.0\t1.0\n"
    )
    assert (
        Path("out/CO-Focussed-strict.tsv")
        .read_text("utf-8")
        .startswith("run\ttopic\tAep(quant=strict)\tiAep(quant=strict)\n")
    )


# What is refused


KEYS = "TASK, METRICS, ALPHA, OVERLAP, QUANT_FUNCTIONS, DCV, ASSESSMENTS_DIR, QUERY_TYPE, SUBMISSIONRUNS_DIR, POOLS"
SCALE = "for assessments on the scale of 2005; choose from strict, gen, genLifted"
FAULTS = [
    Case("x.prop: the input is empty; expected settings, for example TASK: CO.Focussed", "# nothing\n\n"),
    Case("x.prop:1: expected a setting, for example TASK: CO.Focussed, found 'CO.Focussed'", "CO.Focussed\n"),
    Case(f"x.prop:4: unknown setting METRIC; expected one of {KEYS}", config(METRIC="nxCG")),
    Case("x.prop:5: METRICS is given twice for one TASK", config(METRICS="q") + "METRICS: q\n"),
    Case("x.prop:4: POOLS has no value", config(POOLS="  # none")),
    Case("x.prop:1: no ASSESSMENTS_DIR setting", config(ASSESSMENTS_DIR=None)),
    Case("x.prop:4: no SUBMISSIONRUNS_DIR setting", config() + config(SUBMISSIONRUNS_DIR=None)),
    Case("x.prop:4: unknown METRICS 'ep'; choose from nxCG, ep/gr, q", config(METRICS="nxCG, ep, q")),
    Case("x.prop:4: unknown METRICS 'nxCG ep/gr'; choose from nxCG, ep/gr, q", config(METRICS="nxCG\n  ep/gr")),
    Case("x.prop:4: DCV '0' is not a rank; expected ranks, for example 10, 25, 50", config(DCV="0, 10")),
    Case("x.prop:4: DCV '2.5' is not a rank; expected ranks, for example 10, 25, 50", config(DCV="10, 2.5")),
    Case("x.prop:4: DCV '9999999999' is not a rank; expected ranks, for example 10, 25, 50", config(DCV="9999999999")),
    Case("x.prop:4: ALPHA '1.5' is out of range; expected a number from 0 to 1", config(ALPHA="1.5")),
    Case("x.prop:4: ALPHA 'high' is out of range; expected a number from 0 to 1", config(ALPHA="high")),
    Case("x.prop:4: ALPHA 'nan' is out of range; expected a number from 0 to 1", config(ALPHA="nan")),
    Case("x.prop:5: OVERLAP 'maybe' is neither on nor off; choose one", config(METRICS="q", OVERLAP="on, maybe")),
    Case(f"x.prop:4: unknown QUANT_FUNCTIONS 'lenient' {SCALE}", config(QUANT_FUNCTIONS="gen, lenient")),
    Case(f"x.prop:4: unknown QUANT_FUNCTIONS 'sog' {SCALE}", config(QUANT_FUNCTIONS="sog")),
    Case("x.prop:4: cannot read POOLS '275 888'; expected the ids of pools, separated by commas", config(POOLS="275\n   888")),
    Case("adhoc2005/official/CO+S/main: none of the 2 files has pool 7", config(POOLS="7")),
    Case("adhoc2005/official/CO+S/main: none of the 2 files has type CAS", config(QUERY_TYPE="CAS")),
    Case("x.prop:2: no file or folder matches ASSESSMENTS_DIR 'nowhere/*/'", config(ASSESSMENTS_DIR="nowhere/*/")),
    Case("x.prop:2: ASSESSMENTS_DIR 'empty' has no XML file", config(ASSESSMENTS_DIR="empty")),
    Case("x.prop:2: ASSESSMENTS_DIR 'barren' has no assessed elements", config(ASSESSMENTS_DIR="barren")),
    Case("x.prop:3: no file or folder matches SUBMISSIONRUNS_DIR 'nowhere'", config(SUBMISSIONRUNS_DIR="nowhere")),
    Case("x.prop:3: SUBMISSIONRUNS_DIR 'empty' has no run of task CO.Focussed", config(SUBMISSIONRUNS_DIR="empty")),
    Case("x.prop:3: SUBMISSIONRUNS_DIR 'inex2005_runs/group2' has no run of task CO.Thorough",
         config(TASK="CO.Thorough", SUBMISSIONRUNS_DIR="inex2005_runs/group2")),
    Case("x.prop:2: SUBMISSIONRUNS_DIR 'empty' has no run", config(TASK=None, SUBMISSIONRUNS_DIR="empty", OVERLAP="on")),
    Case(f"x.prop:1: unknown TASK 'CO.Blurred' and no OVERLAP; set OVERLAP, or choose a TASK from {', '.join(GRADED)}",
         config(TASK="CO.Blurred", SUBMISSIONRUNS_DIR="untold")),
    Case(f"x.prop:1: the file has no TASK and no OVERLAP; set OVERLAP, or choose a TASK from {', '.join(GRADED)}", config(TASK=None)),
    Case("untold/x.xml and adhoc2005/official/CAS share no topic: 202, 204 vs 250",
         config(ASSESSMENTS_DIR="adhoc2005/official/CAS", SUBMISSIONRUNS_DIR="untold")),
]  # fmt: skip


@pytest.mark.parametrize("case", FAULTS, ids=repr)
def test_a_fault_of_a_configuration_is_told(case):
    collection()
    run("untold/x.xml", "", "202", "204")
    Path("empty").mkdir()
    written('<assessments topic="1"><file name="d"/></assessments>', "barren/pool-1.xml")
    done = evalj(written(case.content, "x.prop"))
    assert (done.stderr, done.exit_code) == (case.message + "\n", case.status)
    assert done.stdout == "", "nothing is printed of a configuration that is wrong"


def test_a_configuration_must_be_there():
    done = evalj("nowhere.prop")
    assert (done.stderr, done.exit_code) == ("nowhere.prop: no such file\n", 1)


def test_the_graphs_of_each_task_go_into_files(tmp_path):
    done = invoke("evalj", EXAMPLE / "example.prop", "--graphs", tmp_path)
    assert done.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "CO-FetchBrowse-gen-off-ep.svg",
        "CO-FetchBrowse-gen-on-ep.svg",
        "CO-Focussed-gen-on-CG.svg",
        "CO-Focussed-gen-on-ep.svg",
        "CO-Focussed-gen-on-nxCG.svg",
        "CO-Focussed-strict-on-CG.svg",
        "CO-Focussed-strict-on-ep.svg",
        "CO-Focussed-strict-on-nxCG.svg",
        "CO-Thorough-gen-off-CG.svg",
        "CO-Thorough-gen-off-ep.svg",
        "CO-Thorough-gen-off-nxCG.svg",
    ]
    assert "nxCG(overlap=off) over rank" in (tmp_path / "CO-Thorough-gen-off-nxCG.svg").read_text()


def test_the_folder_for_topics_must_be_there():
    collection()
    done = evalj(written(PLAIN, "x.prop"), "--per-topic", "nowhere")
    assert (done.stdout, done.stderr, done.exit_code) == ("", "nowhere: no such folder\n", 2)


def test_a_fault_of_the_last_task_is_told_before_the_first_is_evaluated():
    collection()
    done = evalj(written(config(METRICS="q") + config(METRICS="p"), "x.prop"))
    assert (done.stdout, done.stderr) == ("", "x.prop:8: unknown METRICS 'p'; choose from nxCG, ep/gr, q\n")


@pytest.mark.parametrize(
    ("runs", "what"),
    [
        ("inex2005_runs/group2", "SUBMISSIONRUNS_DIR 'inex2005_runs/group2' has no run of task CO.Thorough"),
        ("none", "no file or folder matches SUBMISSIONRUNS_DIR 'none'"),
    ],
)
def test_a_task_without_a_run_leaves_the_others_to_be_evaluated(runs, what):
    collection()
    without = config(TASK="CO.Thorough", SUBMISSIONRUNS_DIR=runs)
    written(without + config(), "x.prop")
    both = invoke("evalj", "x.prop")
    written(config(), "alone.prop")
    assert (both.exit_code, both.stdout) == (0, invoke("evalj", "alone.prop").stdout)
    told = f"note: x.prop:3: {what}; the other tasks are evaluated\n"
    assert told in both.stderr
