"""What a newcomer sees: a mistake is answered with the command that was meant, and a file with the command that takes it."""

import os
import shlex
import zipfile

import pytest

from assay.cli.identify import COMMANDS, files_here, kind_of_file
from assay.cli.overview import ENTRIES
from assay.cli.suggestions import nearest
from helpers.commands import each_on_a_terminal, invoke
from helpers.places import ROOT


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """The examples as a newcomer has them; nothing is written there."""
    folder = tmp_path_factory.mktemp("steps") / "bread"
    assert invoke("examples", folder).exit_code == 0
    return folder


@pytest.fixture
def bread(examples, monkeypatch):
    monkeypatch.chdir(examples)
    return examples


# A command line with a mistake.


@pytest.mark.parametrize(
    ("typed", "status", "meant"),
    [
        ("eval judgments.qrels bm25.run", 2, "evaluate judgments.qrels bm25.run"),
        ("compar judgments.qrels *.run", 2, "compare judgments.qrels '*.run'"),
        ("Evaluate judgments.qrels bm25.run", 2, "evaluate judgments.qrels bm25.run"),
        ("judgments.qrels bm25.run", 2, "evaluate judgments.qrels bm25.run"),
        ("-m map judgments.qrels bm25.run", 2, "evaluate -m map judgments.qrels bm25.run"),
        ("bm25.run", 2, "check bm25.run"),
        ("--versoin", 2, "--version"),
        ("evaluate judgments.qrels bm25.run --metrics AP", 2, "evaluate judgments.qrels bm25.run --measure AP"),
        ("evaluate judgments.qrels bm25.run --metric=AP", 2, "evaluate judgments.qrels bm25.run --measure=AP"),
        ("evaluate judgments.qrels bm25.run -M 100", 2, "evaluate judgments.qrels bm25.run --depth 100"),
        ("compare judgments.qrels bm25.run -J", 2, "compare judgments.qrels bm25.run --judged-only"),
        ("evaluate judgments.qrels bm25.run -M AP", 2, "evaluate judgments.qrels bm25.run -m AP"),
        ("fuse bm25.run dense.run --norm minmax", 2, "fuse bm25.run dense.run --normalise minmax"),
        ("evaluate judgments.qrels bm25.run -o out.csv", 2, "evaluate judgments.qrels bm25.run --as csv > out.csv"),
        ("compare judgments.qrels bm25.run --output a.tex -m AP", 2,
         "compare judgments.qrels bm25.run -m AP --as latex > a.tex"),
        ("compare judgments.qrels bm25.run --as md -o out.csv", 2, "compare judgments.qrels bm25.run --as md > out.csv"),
        ("evaluate judgments.qrels bm25.run -o out.log", 2, "evaluate judgments.qrels bm25.run > out.log"),
        ("evaluate judgments.qrels bm25.run --pertopic", 2, "evaluate judgments.qrels bm25.run --per-topic"),
        ("evaluate judgments.qrels bm25.run --ties docnum", 2, "evaluate judgments.qrels bm25.run --ties docno"),
        ("evaluate judgments.qrels bm25.run -m nDGC@10,AP", 2, "evaluate judgments.qrels bm25.run -m nDCG@10,AP"),
        ("evaluate judgments.qrels bm25.run -m AP,P5", 2, "evaluate judgments.qrels bm25.run -m AP,P@5"),
        ("chart curves judgments.qrels bm25.run -o x.svg", 2, "chart curve judgments.qrels bm25.run -o x.svg"),
        ("evaluate bm25.run judgments.qrels -m AP", 1, "evaluate judgments.qrels bm25.run -m AP"),
        ("compare bm25.run dense.run judgments.qrels", 1, "compare judgments.qrels dense.run bm25.run"),
        ("chart bm25.run judgments.qrels -o x.svg", 1, "chart judgments.qrels bm25.run -o x.svg"),
        ("evaluate judgments.qrel bm25.run", 1, "evaluate judgments.qrels bm25.run"),
        ("evaluate chunks/gold.json chunks/bm25-400.jsonl", 1, "evaluate chunks/gold.jsonl chunks/bm25-400.jsonl"),
        ("evaluate chunks/gold.jsonl chunks/bm25-400.jsonl --documents chunks/document", 1,
         "evaluate chunks/gold.jsonl chunks/bm25-400.jsonl --documents chunks/documents"),
        ("evaluate judgments.qrels bm25.run --layout json", 2, "evaluate judgments.qrels bm25.run --as json"),
        ("chart judgments.qrels bm25.run -m AP", 2, "chart judgments.qrels bm25.run -m AP -o chart.svg"),
        ("ties", 2, "help ties"),
        ("version", 2, "--version"),
    ],
)
def test_a_mistake_is_answered_with_the_command_that_was_meant(typed, status, meant, bread):
    done = invoke(*typed.split())
    assert done.exit_code == status
    assert done.stderr.splitlines()[-1] == f"did you mean: assay {meant}"


def test_only_judgments_are_proposed_as_judgments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles/s.xml").write_text("<article><p>One.</p></article>")
    (tmp_path / "pages.jsonl").write_text('{"query_id":"1","doc_id":"s","page":3}\n')
    (tmp_path / "a.run").write_text("1 Q0 s 1 2.0 a\n")
    (tmp_path / "people.qrels").write_text("1 0 s 1\n")
    told = (
        "pages.jsonl: no grade column; the columns are query_id, doc_id, page; if column page has quotes, pass --column, "
        "for example text=page, and pass --documents\n"
    )
    # the value of an option is in its place
    for options in (["--documents", "articles"], ["--checked", "people.qrels"]):
        assert invoke("evaluate", "pages.jsonl", "a.run", "-m", "RR", *options).stderr == told
    # a folder of XML documents is not judgments
    (tmp_path / "spans.jsonl").write_text('{"query_id":"1","doc_id":"s","start":0,"end":3,"score":1}\n')
    assert invoke("evaluate", "spans.jsonl", "articles").stderr == "articles: this is a folder; expected a file\n"
    (tmp_path / "articles/s.xml").write_text("<assessments/>")
    assert invoke("evaluate", "spans.jsonl", "articles").stderr == (
        "articles: this is a folder; expected a file\ndid you mean: assay evaluate articles spans.jsonl\n"
    )


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("-c", "all judged topics count by default; leave out -c"),
        ("-l 2", "the measure says which grades are relevant; write for example -m 'AP(rel=2)'"),
        ("-n", "only `assay trec_eval` has this option; it takes one run"),
        ("--topic 3", "write --per-topic to show all topics; `assay why JUDGMENTS RUN --topic 3` explains one"),
        ("--topic=3", "write --per-topic to show all topics; `assay why JUDGMENTS RUN --topic 3` explains one"),
        # the nearest option would refuse this value
        ("--tie 7", "Error: No such option '--tie'."),
    ],
)
def test_an_option_that_has_no_counterpart_is_answered_with_what_to_write(typed, answer, bread):
    done = invoke("evaluate", "judgments.qrels", "bm25.run", "dense.run", *typed.split())
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, answer)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("fuse judgments.qrels dense.run", "'1 0 b01 2'; these look like judgments\n"),
        ("pool judgments.qrels dense.run --depth 2", "'1 0 b01 2'; these look like judgments\n"),
        ("fuse chunks/gold.jsonl dense.run", "if the rows are sorted best first, add a column rank\n"),
        ("agreement judgments.qrels bm25.run", "expected judgments (topic iteration document grade)\n"),
        ("agreement bm25.run judgments.qrels", "expected judgments (topic iteration document grade)\n"),
        ("evaluate judgments.qrels judgments.qrels", "these look like judgments: pass judgments first, then the runs\n"),
    ],
)
def test_only_a_command_for_judgments_and_runs_says_in_which_order_they_come(typed, printed, bread):
    done = invoke(*typed.split())
    assert done.exit_code == 1
    assert done.stderr.endswith(printed)


def test_the_normalisation_is_spelt_freely(bread):
    spelt = [invoke("fuse", "bm25.run", "dense.run", "--method", "combsum", "--normalise", each) for each in ("min-max", "MinMax")]
    assert (spelt[0].exit_code, spelt[1].stdout) == (0, spelt[0].stdout)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("xyzzy", "Error: No such command 'xyzzy'."),
        ("evaluate judgments.qrels bm25.run --xyzzy", "Error: No such option '--xyzzy'."),
        ("evaluate judgments.qrels bm25.run -m xyzzy", "unknown measure 'xyzzy'; `assay measures` lists all"),
        ("chart xyzzy bm25.run -o x.svg",
         "xyzzy: no such file, and not a kind of chart; choose from curve, budget, means, forest, differences, distribution, "
         "topic-heatmap, scatter, heatmap, history"),
    ],
)
def test_what_is_like_nothing_is_not_guessed(typed, printed, bread):
    assert invoke(*typed.split()).stderr.splitlines()[-1] == printed


@pytest.mark.parametrize(
    ("typed", "known", "found"),
    [("-M", ["-m", "-q"], "-m"), ("--out", ["--overlap", "--output"], "--output"), ("kind", ["width"], None), ("x", [], None)],
)
def test_the_nearest_name_is_one_that_is_known(typed, known, found):
    assert nearest(typed, known) == found


def test_what_comes_through_a_pipe_is_not_read_a_second_time(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert kind_of_file(str(tmp_path / "pipe")) == ""


# A command line without files.


def test_only_files_that_can_be_read_are_proposed(folder):
    folder.joinpath("z.qrels").write_text("1 0 a 1\n")
    folder.joinpath("b.txt").write_text("1 0 a 1\n")
    folder.joinpath("r.run").write_text("1 Q0 a 1 2.5 t\n")
    folder.joinpath("four.run").write_text("1 a 1 9.5\n1 b 2 8.5\n1 c 3 7.5\n2 a 1 9.5\n")
    folder.joinpath("latin.run").write_bytes("1 Q0 \u00e9 1 2.5 t\n".encode("latin-1"))
    folder.joinpath("table.csv").write_text("x,y\n1,2\n")
    assert files_here() == {"run": ["r.run"], "judgments": ["z.qrels", "b.txt"]}


def test_a_run_with_missing_columns_is_told_from_judgments(folder):
    folder.joinpath("four.run").write_text("1 a 1 9.5\n1 b 2 8.5\n1 c 3 7.5\n2 a 1 9.5\n")
    said = (
        "  the third field counts 1, 2, 3 in each topic, so this looks like a run with missing columns (topic document "
        "rank score); expected topic Q0 document rank score tag\n"
    )
    assert said in invoke("check", "four.run").stdout
    folder.joinpath("q").write_text("1 0 1 1\n1 0 2 0\n1 0 3 1\n")
    assert "third field" not in invoke("check", "q").stdout


SHARING = [
    ("evaluate -m AP", "assay evaluate z.qrels b.run c.run d.run -m AP"),
    ("evaluate b.qrels", "assay evaluate b.qrels RUN"),
    ("evaluate a.run", "assay evaluate JUDGMENTS a.run"),
    ("evaluate x=b.run --checked b.qrels", "assay evaluate z.qrels x=b.run --checked b.qrels"),
    ("fuse", "assay fuse a.run"),
]


@pytest.mark.parametrize(("typed", "proposed"), SHARING)
def test_a_proposed_command_has_at_most_three_runs_that_share_a_topic_with_the_judgments(typed, proposed, folder):
    for name, topic in zip("abcde", ("q9", "1", "1", "1", "1"), strict=True):
        folder.joinpath(f"{name}.run").write_text(f"{topic} Q0 a 1 2.5 t\n")
    folder.joinpath("b.qrels").write_text("x1 0 a 1\n")
    folder.joinpath("z.qrels").write_text("1 0 a 1\n2 0 a 1\n")
    folder.joinpath("junit.xml").write_text('<?xml version="1.0"?>\n<testsuites><testsuite name="gate"/></testsuites>\n')
    *_, runs, judgments, _, last = invoke(*typed.split()).stderr.splitlines()
    assert (runs, judgments) == (
        "  runs            a.run, b.run, c.run, d.run, e.run", "  judgments       b.qrels, z.qrels"
    )  # fmt: skip
    assert last == f"  {proposed}"


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("compare baseline.json -m AP", "did you mean: assay compare --scores baseline.json -m AP"),
        ("chart baseline.json -o x.svg", "did you mean: assay chart --scores baseline.json -o x.svg"),
        ("chart xyzzy",
         "xyzzy: no such file, and not a kind of chart; choose from curve, budget, means, forest, differences, distribution, "
         "topic-heatmap, scatter, heatmap, history"),
    ],
)  # fmt: skip
def test_files_in_a_wrong_place_are_named(typed, printed, bread):
    assert invoke(*typed.split()).stderr.splitlines()[-1] == printed


def test_a_file_that_is_not_here_is_not_proposed(bread):
    lines = invoke("evaluate", "xyzzy", "--documents", "documents.jsonl").stderr.splitlines()
    assert lines[4:6] == ["xyzzy: no such file", "files in this folder:"]
    assert lines[-1] == "  assay evaluate judgments.qrels bm25.run dense.run hybrid.run --documents documents.jsonl"


HERE = """\
files in this folder:
  runs            bm25.run, dense.run, hybrid.run
  judgments       judgments.qrels
  documents       documents.jsonl
  topics          topics.tsv
  saved scores    baseline.json
  scores          latency.csv
  measures        own_measure.py
type for example:
  assay {}
"""


@pytest.mark.parametrize(
    ("typed", "proposed"),
    [
        ("evaluate", "evaluate judgments.qrels bm25.run dense.run hybrid.run"),
        ("evaluate -m AP", "evaluate judgments.qrels bm25.run dense.run hybrid.run -m AP"),
        ("evaluate judgments.qrels", "evaluate judgments.qrels bm25.run dense.run hybrid.run"),
        ("evaluate bm25.run", "evaluate judgments.qrels bm25.run"),
        ("compare", "compare judgments.qrels bm25.run dense.run hybrid.run"),
        ("fuse", "fuse bm25.run dense.run hybrid.run"),
        ("chart heatmap", "chart heatmap judgments.qrels bm25.run dense.run hybrid.run -o chart.svg"),
        ("report -m AP", "report judgments.qrels bm25.run dense.run hybrid.run -m AP -o report.html"),
        ("why judgments.qrels", ENTRIES["why"].example.removeprefix("assay ")),
        ("misses", ENTRIES["misses"].example.removeprefix("assay ")),
    ],
)
def test_a_command_without_files_shows_what_is_here_and_what_to_type(typed, proposed, bread):
    done = invoke(*typed.split())
    assert done.exit_code == 2
    assert done.stderr.endswith(HERE.format(proposed))


@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in ("assess", "help", "measures")])
def test_what_a_command_without_arguments_proposes_works(name, tmp_path, monkeypatch):
    assert invoke("examples", tmp_path / "bread").exit_code == 0
    monkeypatch.chdir(tmp_path / "bread")
    done = invoke(name)
    proposed = done.stderr.splitlines()[-1]
    if name in ("pool", "trec_eval", "inex_eval"):
        # these say what they expect in their own words
        assert done.exit_code != 0
        assert proposed.startswith(("usage:", "a study without runs"))
        return
    assert (done.exit_code, proposed[:8]) == (2, "  assay ")
    assert invoke(*shlex.split(proposed)[1:]).exit_code == 0


def test_in_an_empty_folder_the_examples_are_proposed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoke("evaluate")
    assert done.exit_code == 2
    assert done.stderr.endswith(
        "Error: Missing argument 'JUDGMENTS'.\nno judgments and no runs in this folder\n"
        "to try Assay with its examples, type:\n  assay examples bread && cd bread\n"
        "  assay evaluate judgments.qrels bm25.run dense.run\n"
    )


def test_files_of_other_programs_are_not_taken_for_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("# Notes\n\nSome words.\nMore of them here.\nOne.\nTwo three.\nA b c d e f g.\n")
    (tmp_path / "page.html").write_text("<!doctype html>\n<p>words\n")
    (tmp_path / "bytes.bin").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_text("")
    assert files_here() == {}


# What a file is.


@pytest.mark.parametrize(
    ("file", "printed"),
    [
        ("documents.jsonl", "documents.jsonl: documents (jsonl)\n  18 documents\n"),
        ("topics.tsv", "topics.tsv: topics (tsv)\n  6 topics\n"),
        ("baseline.json", "baseline.json: saved scores\n  1 system, 6 topics, 2 measures (AP, nDCG@10)\n"),
        ("latency.csv", "latency.csv: a table of scores (csv)\n  3 systems, 6 topics, 1 measure (latency)\n"),
        ("own_measure.py", "own_measure.py: Python with measures\n  defines Complete\n"),
        ("chunks/chunks-400.jsonl", "chunks/chunks-400.jsonl: chunks (jsonl)\n  77 chunks\n"),
        ("chunks/questions.jsonl", "chunks/questions.jsonl: topics (jsonl)\n  20 topics\n"),
        ("chunks/quotes.jsonl", "chunks/quotes.jsonl: quotes (jsonl)\n  24 quotes\n"),
        ("chunks/documents", "chunks/documents: documents\n  10 documents\n"),
        ("graded/example.prop", "graded/example.prop: a configuration of EvalJ\n  3 tasks\n"),
    ],
)
def test_a_check_says_what_a_file_is_that_is_neither_run_nor_judgments(file, printed, bread):
    done = invoke("check", file)
    assert (done.exit_code, done.stdout, done.stderr) == (0, printed, "")


def test_a_study_and_an_archive_are_known(bread, tmp_path):
    study, archive = tmp_path / "study.db", tmp_path / "texts.zip"
    runs = [bread / "bm25.run", bread / "dense.run"]
    assert invoke("pool", *runs, "--depth", 1, "--documents", bread / "documents.jsonl", "-o", study).exit_code == 0
    lines = invoke("check", study).stdout.splitlines()
    assert lines[0] == f"{study}: a study of `assay assess`"
    assert lines[1].startswith("  6 topics, ")
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("a.txt", "Rye keeps.")
    assert invoke("check", archive).stdout == f"{archive}: documents\n  1 document\n"


def test_a_file_that_no_command_takes_is_refused(bread):
    done = invoke("check", "README.md")
    assert (done.exit_code, done.stdout) == (
        1,
        "README.md: Assay does not know this kind of file; expected a run, judgments, documents, chunks, topics, quotes, saved scores, "
        "a table of scores, a study of `assay assess`, a configuration of EvalJ, Python with measures\n",
    )


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n", "this is a PDF; extract its text, for example with pdftotext"),
        (b"\x89PNG\r\n\x1a\n\0\0", "this is a picture; pass a text"),
        (b'{\n "cells": []}', "this is a Jupyter notebook; pass a run, judgments or texts"),
    ],
)
def test_a_file_of_another_program_is_named(content, printed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_bytes(content)
    done = invoke("check", "x")
    assert (done.exit_code, done.stdout) == (1, f"x: {printed}\n")
    assert files_here() == {}


def test_a_spreadsheet_is_not_an_archive_of_documents(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("book.xlsx", "w") as files:
        files.writestr("[Content_Types].xml", "<Types/>")
        files.writestr("xl/workbook.xml", "<workbook/>")
    done = invoke("check", "book.xlsx")
    assert (done.exit_code, done.stdout) == (
        1, "book.xlsx: this is a file of Microsoft Office; save a table as CSV, or a text as plain text\n"
    )  # fmt: skip


def test_a_check_lists_the_files_of_a_folder(bread):
    done = invoke("check", "checked")
    assert (done.exit_code, done.stdout) == (
        0,
        "checked: a folder\n"
        "  runs            checked/bm25.run, checked/dense.run\n"
        "  judgments       checked/model.qrels, checked/people.qrels\n",
    )


def test_what_is_said_about_a_file_is_believed(bread):
    done = invoke("check", "chunks/quotes.jsonl", "--documents", "chunks/documents")
    assert done.stdout.startswith("chunks/quotes.jsonl: judgments (jsonl)\n")


PROPOSED = {
    "bm25.run": "assay evaluate judgments.qrels bm25.run",
    "judgments.qrels": "assay evaluate judgments.qrels bm25.run",
    "documents.jsonl": "assay evaluate judgments.qrels bm25.run --documents documents.jsonl",
    "topics.tsv": "assay report judgments.qrels bm25.run --topics-file topics.tsv -o report.html",
    "baseline.json": "assay gate judgments.qrels bm25.run --not-worse-than baseline.json",
    "chunks/chunks-400.jsonl": "assay ceiling chunks/gold.jsonl chunks/chunks-400.jsonl",
    "chunks/quotes.jsonl": "assay locate chunks/quotes.jsonl --documents chunks/documents -o gold.jsonl",
    "own_measure.py": "assay evaluate judgments.qrels bm25.run --define own_measure.py -m Complete",
    "chunks": "assay evaluate chunks/gold.jsonl chunks/bm25-200.jsonl",
}


@pytest.fixture(scope="module")
def checks_on_a_terminal(examples):
    """What a person sees who checks each of these files."""
    commands = {file: f"assay check {file}" for file in PROPOSED}
    shown = each_on_a_terminal(list(commands.values()), examples)
    return {file: shown[command] for file, command in commands.items()}


@pytest.mark.parametrize("file", PROPOSED)
def test_on_a_terminal_a_check_shows_the_command_that_takes_the_file(file, checks_on_a_terminal, bread, tmp_path):
    proposed = PROPOSED[file]
    assert checks_on_a_terminal[file].splitlines()[-1] == f"next: {proposed}"
    # it works; what it writes is written elsewhere
    written = [word if word not in ("report.html", "gold.jsonl") else str(tmp_path / word) for word in proposed.split()[1:]]
    assert invoke(*written).exit_code == 0


def test_every_kind_of_file_has_a_command(bread):
    kinds = {kind_of_file(str(path.relative_to(bread))) for path in bread.rglob("*") if path.suffix != ".md"}
    assert kinds - {""} == set(COMMANDS) - {"study"}


def test_a_command_without_judgments_first_has_no_files_in_wrong_places(folder):
    example = ROOT / "examples/focused"
    done = invoke("pool", example / "passages.run", "--depth", 2, "--documents", example / "documents", "-o", "no/study.db")
    assert done.exit_code == 1
    assert done.stderr == "no/study.db: cannot make the study: no folder no\n"
