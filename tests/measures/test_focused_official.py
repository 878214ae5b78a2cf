"""Assay's own measures against what the official programs printed, on real runs of INEX 2009-2010 and TREC Genomics
2007."""

import pytest

from assay import evaluate
from helpers.places import DATA

pytestmark = pytest.mark.shared("inex", "genomics-2007", "spans")
CHROMA = DATA / "spans" / "chroma-chunking-eval"

FOCUSED = {
    "P": "char_prec", "R": "char_rec", "F": "char_f1", "iP@0": "iP[0.00]", "iP@0.01": "iP[0.01]", "iP@0.05": "iP[0.05]",
    "iP@0.1": "iP[0.10]", "AiP": "AiP", "NumRet": "ret_size", "NumRel": "rel_size", "NumRelRet": "rel_ret_size",
    "P(unit=document)": "art_prec", "R(unit=document)": "art_rec", "F(unit=document)": "art_f1",
    "NumRet(unit=document)": "num_ret", "NumRel(unit=document)": "num_rel", "NumRelRet(unit=document)": "num_rel_ret",
}
CASES = [
    ("bert.focused", "f", "focused", FOCUSED),
    ("bert.focused", "t", "thorough", FOCUSED),
    ("ideal.passages", "f", "focused", FOCUSED),
    *(
        (run, task, name, {f"AgP(score={score})": "AgP", "gR@1": "gR[1]", "gR@5": "gR[5]", "gR@50": "gR[50]"})
        for run, task, name, score in [
            ("bert.ric", "r", "relevant-in-context", "F(beta=0.25)"),
            ("bert.ric", "r.beta1", "relevant-in-context", "F(beta=1)"),
            ("bert.ric", "i", "relevant-in-context", "T2I(irr=300)"),
            ("bert.ric", "i.irr1000", "relevant-in-context", "T2I(irr=1000)"),
            ("bert.bic", "b", "best-in-context", "Window(n=500)"),
            ("bert.bic", "b.n1000", "best-in-context", "Window(n=1000)"),
            ("ideal.passages", "r", "relevant-in-context", "F(beta=0.25)"),
            ("ideal.passages", "i", "relevant-in-context", "T2I"),
        ]
    ),
]


def printed(path):
    """{(name, topic): value} of an output of the official program."""
    rows = (line.split() for line in path.read_text().splitlines() if not line.startswith("<"))
    return {(row[0], row[1]): float(row[2]) for row in rows if len(row) == 3}


@pytest.mark.parametrize(("run", "file", "task", "names"), CASES, ids=[f"{run} -{file}" for run, file, *_ in CASES])
def test_every_topic_has_the_value_that_the_official_program_printed(run, file, task, names):
    inex = DATA / "inex"
    expected = printed(inex / "expected" / f"{run}.fol.run.{file}.qc.txt")
    scores = evaluate(inex / "inex2009-2010.technion.qrels.gz", inex / f"{run}.fol.run.gz", list(names), task=task)
    (system,) = scores.systems
    assert len(scores.topics) == 120
    for measure, name in names.items():
        for topic in scores.topics:
            assert scores[system, measure, topic] == pytest.approx(expected[name, topic], rel=1e-12, abs=1e-12), (
                name,
                topic,
            )


@pytest.mark.parametrize("number", ["01", "02", "03"])
def test_genomics_runs_have_the_official_scores_to_all_printed_digits(number):
    folder = DATA / "genomics-2007"
    names = {"AP(unit=document)": "DOCUMENT", "PASSAGE": "PASSAGE", "PASSAGE2": "PASSAGE2", "ASPECT": "ASPECT"}
    rows = [
        line.split("\t")
        for line in (folder / f"york-experimental-{number}.official-score.tsv").read_text().splitlines()
    ]
    expected = {(name, topic): value for _, name, topic, value in rows}
    run = folder / f"york-experimental-{number}.run.gz"
    scores = evaluate(folder / "trecgen2007.gold.standard.tsv.gz", run, list(names))
    (system,) = scores.systems
    assert len(scores.topics) == 36
    for measure, name in names.items():
        assert f"{scores[system, measure]:.8f}" == expected[name, "MAP"]
        for topic in scores.topics:
            assert f"{scores[system, measure, topic]:.8f}" == expected[name, topic], (name, topic)


@pytest.mark.parametrize("collection", ["chroma-chunking-eval", "evidence-inference-v2"])
def test_chunk_runs_are_measured_against_marked_evidence(collection):
    folder = DATA / "spans" / collection
    scores = evaluate(
        folder / "gold.jsonl", sorted((folder / "runs").glob("*.tsv")), ["R@5", "R", "Success(unit=document)@5"]
    )
    for run in scores.systems:
        # the document is nearly always found, and half of the evidence in it is not
        assert scores[run, "Success(unit=document)@5"] > 0.99
        assert 0 < scores[run, "R@5"] <= scores[run, "R"] <= 1
        assert scores[run, "R@5"] < 0.85


BUDGETS = [500, 1000, 2000, 4000, 8000]
# counted by a program of its own, with sets of characters
PAID = {
    "bm25-rec400-0": [0.4618, 0.5765, 0.6819, 0.7640, 0.8230],
    "bm25-rec800-0": [0.3725, 0.6157, 0.7507, 0.8321, 0.8930],
    "bm25-rec800-400": [0.3978, 0.6190, 0.7518, 0.8475, 0.9091],
}


def test_recall_within_budgets_where_text_that_is_repeated_is_paid_for():
    runs = [CHROMA / "runs" / f"{name}.tsv" for name in PAID]
    scores = evaluate(CHROMA / "gold.jsonl", runs, [f"R(chars={chars})" for chars in BUDGETS])
    assert {run: [round(value, 4) for value in row] for run, *row in scores.means.rows()} == PAID
    assert (
        "bm25-rec800-400: 2,901 results repeat text of earlier results; "
        "repeats use up the budget but earn nothing; pass overlap=new to count only new text"
    ) in scores.notes
    # counted with awk: the results of this question have 7,112 characters
    assert scores.notes[-1] == (
        "bm25-rec800-400: 1 of 472 result lists ends before 8,000 characters (shortest 7,112, longest 7,112); "
        "retrieve more or use a smaller budget before you compare runs"
    )


def test_merged_chunks_make_an_overlapping_chunker_look_better():
    run = CHROMA / "runs" / "bm25-rec800-400.tsv"
    assert evaluate(CHROMA / "gold.jsonl", run, "R(chars=2000)", overlap="new")["R(chars=2000)"] == pytest.approx(
        0.772, abs=5e-4
    )


def test_others_formulas_on_chunks_that_overlap():
    """Counted by a program of its own, span by span."""
    run, expected = CHROMA / "runs" / "bm25-rec800-400.tsv", {
        "ChromaRecall@5": 0.8270, "ChromaPrecision@5": 0.0621, "ChromaIoU@5": 0.0617, "LegalBenchPrecision@5": 0.0859,
        "LegalBenchRecall@5": 1.1601, "LegalBenchRecall@20": 1.3860,
    }  # fmt: skip
    scores = evaluate(CHROMA / "gold.jsonl", run, list(expected))
    assert {name: round(scores[name], 4) for name in expected} == expected
    assert (scores.values[0, -2:] > 1).sum(axis=1).tolist() == [194, 260]
    assert round(evaluate(CHROMA / "gold.jsonl", run, "P@5", overlap="new")["P@5"], 4) == 0.0744
