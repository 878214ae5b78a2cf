"""Documents that a run calls otherwise than the judgments: the given documents tell that both mean the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from helpers.commands import invoke
from helpers.files import written

TEXTS = {"law/a.md": "The cat sat on the mat.", "b.txt": "The dog slept there."}
GOLD = {"1": [("law/a.md", 4, 15)], "2": [("b.txt", 4, 13)]}
RUN = {"1": [("law/a.md", 0, 10), ("b.txt", 0, 20)], "2": [("b.txt", 8, 20)]}
NOTE = "run: some document names have folders that the given documents do not have; Assay ignored these folders"
WAYS = {
    "without the ending": lambda name: name.rpartition(".")[0],
    "without folder and ending": lambda name: name.rpartition("/")[2].rpartition(".")[0],
    "without the folder": lambda name: name.rpartition("/")[2],
    "a whole path": lambda name: f"/home/me/docs/{name}",
    "a path of Windows": lambda name: "C:\\docs\\" + name.replace("/", "\\"),
}


def called(rows, way):
    return {topic: [(way(document), *place) for document, *place in spans] for topic, spans in rows.items()}


def recall(gold, run):
    """The mean share of the gold's characters that were returned, with sets."""
    shares = []
    for topic, spans in gold.items():
        wanted, returned = ({(d, at) for d, start, end in rows for at in range(start, end)} for rows in (spans, run[topic]))
        shares.append(len(wanted & returned) / len(wanted))
    return sum(shares) / len(shares)


def as_lines(run):
    rows = [
        {"query_id": topic, "doc_id": document, "start": start, "end": end, "score": -number}
        for topic, spans in run.items()
        for number, (document, start, end) in enumerate(spans)
    ]
    return written("".join(json.dumps(row) + "\n" for row in rows), "run.jsonl")


@pytest.fixture(autouse=True)
def _here(folder):
    for name, text in TEXTS.items():
        written(text, f"docs/{name}")


@pytest.mark.parametrize("is_file", [False, True], ids=["in memory", "in a file"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_spans_of_documents_with_other_names_count(way, is_file):
    run = called(RUN, way)
    scores = assay.evaluate(GOLD, as_lines(run) if is_file else run, "R", documents="docs")
    assert scores["R"] == pytest.approx(recall(GOLD, RUN))
    is_path = way("b.txt") != WAYS["without the folder"](way("b.txt")) or "\\" in way("b.txt")
    assert scores.notes == ([NOTE] if is_path else [])


def test_quotations_without_a_document_meet_a_run_that_has_paths():
    quotes = {"1": ["cat sat on "], "2": ["dog slept"]}
    scores = assay.evaluate(quotes, as_lines(RUN), "R", documents="docs")
    assert scores["R"] == pytest.approx(recall(GOLD, RUN))


def test_names_that_are_known_are_left_as_they_are():
    assert assay.evaluate(GOLD, as_lines(RUN), "R", documents="docs").notes == []


def test_without_documents_nothing_is_taken_for_another():
    with pytest.raises(assay.InputError, match="the ids differ only in ending"):
        assay.evaluate(GOLD, as_lines(called(RUN, WAYS["without the ending"])), "R")


def test_a_name_that_two_documents_have_is_refused():
    written("Another one.", "docs/news/a.md")
    run = as_lines(called(RUN, WAYS["without the folder"]))
    with pytest.raises(assay.InputError) as error:
        assay.evaluate(GOLD, run, "R", documents="docs")
    several = "document a.md could be 2 files of docs: law/a.md, news/a.md; write the whole name, for example law/a.md"
    assert str(error.value) == f"{run}:1: {several}"


def test_whitespace_is_left_out_of_documents_with_other_names_too():
    kept = [[at for at in range(start, end) if TEXTS[document][at] != " "] for [(document, start, end)] in GOLD.values()]
    whole = {topic: [(document, 0, len(TEXTS[document]))] for topic, [(document, *_)] in GOLD.items()}
    run = called(whole, WAYS["without the ending"])
    scores = assay.evaluate(GOLD, as_lines(run), ["R", "P"], documents="docs", whitespace="ignore")
    sizes = [sum(letter != " " for letter in TEXTS[document]) for [(document, *_)] in GOLD.values()]
    assert scores["R"] == 1
    assert scores["P"] == pytest.approx(sum(len(some) / size for some, size in zip(kept, sizes, strict=True)) / 2)


def test_a_ceiling_knows_a_run_of_its_chunks_by_other_names():
    chunks = [(document, start, end) for spans in RUN.values() for document, start, end in spans]
    best = assay.ceiling(GOLD, chunks, called(RUN, WAYS["a whole path"]), "R", documents="docs")
    assert best.scores["R"] == pytest.approx(recall(GOLD, RUN))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("run_differs", [False, True], ids=["the chunks", "the run"])
def test_a_ceiling_knows_documents_by_other_names_that_are_not_judged(way, run_differs):
    gold, run = {"1": GOLD["1"]}, {"1": RUN["1"]}
    run, named = (called(run, way), run) if run_differs else (run, called(run, way))
    best = assay.ceiling(gold, named["1"], run, "R", documents="docs")
    assert best.scores["R"] == pytest.approx(recall(gold, {"1": RUN["1"]}))
    assert not [note for note in best.notes if "none of" in note]


@pytest.mark.parametrize("is_bare", [False, True])
def test_a_ceiling_finds_bare_texts_in_documents_that_are_named_elsewhere(is_bare):
    texts = [("The cat sat", "law/a.md"), ("on the mat.", "law/a.md"), ("The dog slept there.", "b.txt")]
    bare, named = [text for text, _ in texts], [{"text": text, "source": source} for text, source in texts]
    chunks, returned = (named, bare) if is_bare else (bare, named)
    best = assay.ceiling({"1": ["cat sat"]}, chunks, {"1": returned}, "R@1", documents="docs")
    assert (best.scores["R@1"], best["R@1"]) == (1, 1)


def test_a_result_that_is_no_chunk_is_none_by_any_name():
    chunks = [("law/a.md", 0, 23), ("b", 0, 20)]
    with pytest.raises(assay.InputError) as error:
        assay.ceiling({"1": GOLD["1"]}, chunks, {"1": [("law/a.md", 0, 23), ("b.txt", 0, 10)]}, "R", documents="docs")
    assert str(error.value) == (
        "run: 1 of 2 results are not among the 2 chunks of chunks; the first is b.txt 0-10; expected a run that returns these chunks"
    )


def test_a_report_knows_the_chunks_of_documents_by_other_names():
    gold, run = {"1": GOLD["1"]}, {"1": RUN["1"]}
    chunks = called(run, WAYS["without the ending"])["1"]
    page = Path(assay.report(gold, run, "page.html", "R", documents="docs", chunks=chunks))
    assert "none of the" not in page.read_text(encoding="utf-8")


def test_the_command_line_tells_it_too():
    written("".join(json.dumps({"query_id": topic, "doc_id": document, "start": start, "end": end}) + "\n"
                    for topic, [(document, start, end)] in GOLD.items()), "gold.jsonl")  # fmt: skip
    as_lines(called(RUN, WAYS["a whole path"]))
    done = invoke("evaluate", "gold.jsonl", "run.jsonl", "-m", "R", "--documents", "docs")
    assert done.stderr == f"note: {NOTE}\n"
    assert float(done.stdout.split()[-1]) == pytest.approx(recall(GOLD, RUN))


@pytest.mark.parametrize("as_tuples", [False, True])
def test_a_document_is_that_of_its_very_name_whatever_else_is_judged(as_tuples):
    """The two files have one name, and only one of them is given."""
    documents = {"2020/notes.txt": "Meeting on Monday was long. Nobody came."}
    gold = {"q": {"2020/notes.txt": [(0, 10)]}, "r": {"2019/notes.txt": [(30, 40)]}}
    spans = {"q": ("2020/notes.txt", 0, 10), "r": ("2020/notes.txt", 28, 34)}
    run = {topic: [dict(zip(("source", "start", "end"), span, strict=True))] for topic, span in spans.items()}
    if as_tuples:
        run = {topic: [span] for topic, span in spans.items()}
    assert assay.evaluate(gold, run, "R@5", documents=documents).values.ravel().tolist() == [1, 0]
