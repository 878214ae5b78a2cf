"""What the documentation says is so: pages are current, links lead somewhere, commands print what is shown."""

import importlib.util
import inspect
import json
import re
import shlex
from glob import glob
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.measures.notation import parse
from assay.ranking.kinds import DOCUMENTS
from assay.vocabulary import CHARTS, FAMILIES
from helpers.commands import each_in_python, each_on_a_terminal, invoke, on_a_terminal, python
from helpers.measures import OURS
from helpers.pages import blocks, commands, shell_commands
from helpers.places import ROOT

pytest.importorskip("pty", reason="commands are shown as on a terminal")

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/papers/*.md"), *ROOT.glob("examples/**/*.md")]
README = (ROOT / "README.md").read_text("utf-8")
FOCUSED = (ROOT / "docs/focused.md").read_text("utf-8")
GATE = (ROOT / "docs/gate.md").read_text("utf-8")
STATISTICS = (ROOT / "docs/statistics.md").read_text("utf-8")
CHUNKS = (ROOT / "docs/chunks.md").read_text("utf-8")
CHUNK_SIZE = (ROOT / "docs/chunk-size.md").read_text("utf-8")
PIPELINE = (ROOT / "docs/pipeline.md").read_text("utf-8")
LIBRARY = (ROOT / "docs/library.md").read_text("utf-8")
MODEL_JUDGES = (ROOT / "docs/model-judges.md").read_text("utf-8")
PAPERS = {page.stem: page.read_text("utf-8") for page in sorted(ROOT.glob("docs/papers/*.md"))}


@pytest.fixture
def script(monkeypatch, capsys):
    """Runs a script of docs/ within this process: its exit status, and what it prints."""

    def run(name: str, *arguments: str) -> tuple[int, str]:
        spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setattr("sys.argv", [name, *arguments])
        spec.loader.exec_module(module)
        return module.main(), capsys.readouterr().out

    return run


def test_generated_pages_are_current(script):
    status, printed = script("generate", "--check")
    assert status == 0, printed + "\nrun `make docs`"


def test_a_stale_page_is_told_with_a_diff(script, tmp_path):
    assert script("generate", str(tmp_path)) == (0, "")
    assert script("generate", "--check", str(tmp_path)) == (0, "")
    page = tmp_path / "measures.md"
    page.write_text(page.read_text("utf-8").replace("### AP", "### PA"), "utf-8")
    status, printed = script("generate", "--check", str(tmp_path))
    assert status == 1
    assert "-### PA" in printed.splitlines()
    assert "+### AP" in printed.splitlines()


def test_pictures_of_charts_have_the_words_that_the_commands_draw(script):
    assert script("draw", "--check") == (0, "")


def test_the_page_on_charts_has_a_picture_of_every_kind():
    page = (ROOT / "docs/charts.md").read_text("utf-8")
    for kind in CHARTS:
        assert f"\n## {kind}\n" in page
        assert f"](chart-{kind}.svg)" in page


def test_the_page_of_measures_has_every_measure():
    headings = re.findall(r"^### (\w+)$", (ROOT / "docs/measures.md").read_text("utf-8"), re.MULTILINE)
    assert headings == [name for names in FAMILIES.values() for name in names]


@pytest.mark.parametrize("name", ["AP", "nDCG", "GMAP", "GMbpref", "NumQ", "NumRet", "NumRel", "Judged"])
def test_the_page_of_measures_tells_how_values_are_combined_over_topics(name):
    word = re.search(
        rf"^### {name}$.*?^Over topics: ([^.]*)\.", (ROOT / "docs/measures.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )[1]
    values = np.array([1.0, 4.0])
    assert parse(name).over_topics(values) == pytest.approx({"averaged": 2.5, "summed": 5, "geometric mean": 2}[word])


def headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_something(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", link):
            continue
        target, _, anchor = link.partition("#")
        there = page.parent / target if target else page
        assert there.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in headings(there), f"{link}: no such heading"


def test_the_readme_is_one_screen_and_shows_commands():
    assert len(README.splitlines()) < 80
    assert {command.split()[1] for command, _ in commands(README)} == {"evaluate"}


def test_the_page_on_python_has_every_public_name_but_measures():
    page = (ROOT / "docs/python.md").read_text("utf-8")
    shown = set(re.findall(r"^### assay\.(\w+)$", page, re.MULTILINE))
    measures = {name for names in FAMILIES.values() for name in names}
    others = {name for name in assay.__all__ if name not in measures and not name.startswith("_")}
    assert {name for name in others if name not in shown and f"`assay.{name}`" not in page} == set()


def test_the_page_on_focused_retrieval_shows_commands():
    shown = {command.split()[1] for command, _ in commands(FOCUSED) if command.startswith("assay ")}
    assert shown == {"check", "convert", "evaluate", "inex_eval", "relevance"}


@pytest.mark.parametrize(
    ("page", "expected"),
    [(CHUNKS, {"ceiling", "evaluate", "locate", "misses"}), (CHUNK_SIZE, {"ceiling", "compare", "evaluate"})],
    ids=["chunks", "chunk-size"],
)
def test_the_pages_on_chunks_show_commands(page, expected):
    assert {command.split()[1] for command, _ in commands(page)} == expected


# The sections of each paper, in order; the slides of the lecture have no numbers.
SECTIONS = {
    "sigir-2004": "1 2 3 3.1 3.2 4 4.1 4.2 5 5.1 5.2 5.3 6",
    "inex-2005": "1 2 3 3.1 3.2 3.3 3.4 4 5 6 6.1 6.2 6.3 6.4 7 7.1 7.2 8",
    "inex-2007": "1 2 3 4 4.1 4.2 4.3 5 5.1 5.2 5.3",
    "sigir-2007": "1 2 2.1 2.2 3 4",
}


@pytest.mark.parametrize("paper", SECTIONS)
def test_the_page_on_a_paper_has_its_sections_in_order(paper):
    assert " ".join(re.findall(r"^#+ ([\d.]+) ", PAPERS[paper], re.MULTILINE)) == SECTIONS[paper]


def test_the_list_of_papers_has_every_page():
    assert set(re.findall(r"\((\S+)\.md\)", PAPERS["README"])) == set(PAPERS) - {"README"} == {*SECTIONS, "lecture"}


WITH_COMMANDS = [page.read_text("utf-8") for page in PAGES]
SHOWN = list(dict.fromkeys(shown for page in WITH_COMMANDS for shown in commands(page)))


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each command of the documentation prints, in a folder in which only the examples are, and what they write."""
    folder = tmp_path_factory.mktemp("documentation")
    (folder / "examples").symlink_to(ROOT / "examples")
    return each_on_a_terminal([command for command, _ in SHOWN], folder)


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_of_the_documentation_prints_what_is_shown(command, shown, printed):
    assert command.startswith("assay "), "only Assay's own commands are shown with their output"
    assert printed[command] == shown


WITH_SHELL = [page for page in PAGES if ROOT / "examples" not in page.parents and blocks("sh", page.read_text("utf-8"))]


@pytest.mark.parametrize("page", WITH_SHELL, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_command_shown_without_its_output_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command in shell_commands(page.read_text("utf-8")):
        words = [found for word in shlex.split(command, comments=True)[1:] for found in sorted(glob(word)) or [word]]
        # one would wait for people, the other has copied the examples already
        if words[0] in ("assess", "examples"):
            continue
        # the pictures of this page are drawn, and compared, above
        if words[0] == "chart" and page.name == "charts.md":
            continue
        done = invoke(*words)
        if any(word.startswith("examples/") for word in words):
            assert done.exit_code == 0, command + "\n" + done.stderr
        else:
            # readers have their own files; only these may be missing
            missing = done.stderr.splitlines()[-1:]
            assert done.exit_code == 0 or any("no such file" in line or "Spark" in line for line in missing), command


WITH_PYTHON = {"README": (README, 1), "library": (LIBRARY, 4), "pipeline": (PIPELINE, 3), "model-judges": (MODEL_JUDGES, 2)}
WITH_PYTHON |= {name: (page, 1) for name, page in PAPERS.items() if blocks("python", page)}
CODE = {name: "\n".join(blocks("python", page)) for name, (page, _) in WITH_PYTHON.items()}


@pytest.fixture(scope="module")
def printed_by_python():
    """What the Python of each page prints, on standard output and on standard error."""
    return dict(zip(CODE, each_in_python(list(CODE.values())), strict=True))


@pytest.mark.parametrize(("name", "least"), [(name, least) for name, (_, least) in WITH_PYTHON.items()], ids=CODE)
def test_python_in_the_documentation_runs_and_prints_what_is_shown(name, least, printed_by_python):
    printed, errors = printed_by_python[name]
    assert errors == ""
    shown = re.findall(r"^print\(.*\)\s+# (.*)$", CODE[name], re.MULTILINE)
    assert len(shown) >= least
    assert printed.splitlines() == shown


def test_a_measure_tells_its_formula_and_its_source():
    for cls in OURS:
        sentence, *rest = inspect.getdoc(cls).splitlines()
        assert sentence.endswith((".", ")")), f"the first line is a sentence: {cls}"
        assert any(line.startswith("    ") and "=" in line for line in rest), f"a formula stands indented by itself: {cls}"
        assert re.search(r"\b(19|20)\d\d\b|trec_eval (9|10)", " ".join(rest)), f"a source has a year or a version: {cls}"
        assert [name for name, (_, meaning) in cls.parameters().items() if not meaning] == [], f"a parameter has a meaning: {cls}"


def test_the_default_measures_are_those_the_documentation_names():
    assert f"reports {', '.join(DOCUMENTS.default_measures)}." in (ROOT / "docs/measures.md").read_text("utf-8")
    assert [str(parse(name)) for name in DOCUMENTS.default_measures] == list(DOCUMENTS.default_measures)


def test_the_three_ndcg_values_of_the_page_on_choices_are_so():
    page = (ROOT / "docs/choices.md").read_text("utf-8")
    rows = re.findall(r"^\| `(nDCG.*?)` \|.*\| (0\.\d+) \|", page, re.MULTILINE)
    judgments = {"1": {f"d{rank}": grade for rank, grade in enumerate([3, 2, 3, 0, 1, 2])}}
    run = {"1": {f"d{rank}": -float(rank) for rank in range(6)}}
    assert len(rows) == 3
    for name, value in rows:
        assert f"{assay.evaluate(judgments, run, name)[name]:.4f}" == value


def test_the_changelog_and_the_citation_have_this_version():
    assert f"\n## [{assay.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\nversion: {assay.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_examples_fit_together():
    documents = {json.loads(line)["id"] for line in (ROOT / "examples/documents.jsonl").read_text("utf-8").splitlines()}
    topics = {line.split("\t")[0] for line in (ROOT / "examples/topics.tsv").read_text("utf-8").splitlines()[1:]}
    for file, missing in [("judgments.qrels", set()), ("bm25.run", set()), ("dense.run", {"3"}), ("hybrid.run", set())]:
        rows = [line.split() for line in (ROOT / "examples" / file).read_text("utf-8").splitlines()]
        assert {row[2] for row in rows} <= documents
        assert {row[0] for row in rows} == topics - missing


def test_a_measure_of_ones_own_can_be_used_by_name():
    command = "assay evaluate examples/judgments.qrels examples/*.run -m Complete@5 --quiet"
    rows = [line.split() for line in on_a_terminal(command + " --define examples/own_measure.py").splitlines()[2:]]
    assert rows == [["bm25", "0.0000"], ["dense", "0.8333"], ["hybrid", "0.6667"]]


def test_a_measure_of_ones_own_stays():
    code = "import gc; from assay.cli.common import load; load('examples/own_measure.py'); gc.collect()"
    assert python("-c", code + "; from assay import parse; print(parse('Complete@5'))").stdout == "Complete@5\n"


def test_a_measure_of_ones_own_may_postpone_annotations(tmp_path):
    own, example = tmp_path / "own.py", (ROOT / "examples/own_measure.py").read_text("utf-8")
    own.write_text("from __future__ import annotations\n" + example, "utf-8")
    assert on_a_terminal(f"assay measures Complete --define {own}").startswith("Complete\n")
