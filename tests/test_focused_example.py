"""The worked example of focused retrieval: what docs/focused.md derives is what Assay computes, and its files fit
together."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import assay
from assay.documents.lookup import Documents
from assay.errors import InputError
from assay.evaluation.tasks import BY_YEAR, TASKS
from helpers.places import ROOT

EXAMPLE = ROOT / "examples/focused"
HIGHLIGHTS, EVIDENCE = EXAMPLE / "highlights.qrels", EXAMPLE / "evidence.jsonl"
DOCUMENTS = Documents(EXAMPLE / "documents", cache=False)
PAGE = (ROOT / "docs/focused.md").read_text("utf-8")
PROSE = " ".join(re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL).split())
LENGTHS = {"steam": 500, "pot": 300, "keeping": 400, "freezing": 200, "flour": 200}
INTENDED = {
    ("1", "steam"): [
        (100, "Let in steam for the first ten minutes: the skin stays soft, stretches, and dries to a crisp crust.\n"),
        (340, "Boiling water on a hot tray makes more steam and is faster.\n"),
    ],
    ("1", "pot"): [(160, "The dough's own steam crisps the crust.\n")],
    ("1", "flour"): [],
    ("2", "keeping"): [(140, "Cut side down in a paper bag it stays fresh for three days.\n")],
    ("2", "freezing"): [(100, "Freeze it in slices on the day you bake.")],
}
ENTRIES = {("1", "steam"): 100, ("1", "pot"): 100, ("2", "keeping"): 140, ("2", "freezing"): 100}

# run, topic, measure, and on the page some words and the derivation behind them
DERIVED = [
    ("elements", "1", "P@1", "rank 1: P =", "100/200 = 1/2"),
    ("elements", "1", "R@1", "100/200 = 1/2, R =", "100/200 = 1/2"),
    ("elements", "1", "P@2", "rank 2: P =", "(100 + 60)/(200 + 100) = 160/300 = 8/15"),
    ("elements", "1", "R@2", "160/300 = 8/15, R =", "160/200 = 4/5"),
    ("elements", "1", "P@3", "rank 3: P =", "(100 + 60 + 40)/(200 + 100 + 200) = 200/500 = 2/5"),
    ("elements", "1", "R@3", "200/500 = 2/5, R =", "200/200 = 1"),
    ("elements", "1", "AP", "times the final R:", "(1/2 + 8/15 + 2/5)/3 · 1 = 43/90 = 0.4778"),
    ("passages", "1", "P@1", "| 1 |", "100/100 = 1"),
    ("passages", "1", "R@1", "| 1 | 100/100 = 1 |", "100/200 = 1/2"),
    ("passages", "1", "P@2", "| 2 |", "160/200 = 4/5"),
    ("passages", "1", "R@2", "| 2 | 160/200 = 4/5 |", "160/200 = 4/5"),
    ("passages", "1", "P@3", "| 3 |", "160/300 = 8/15"),
    ("passages", "1", "R@3", "| 3 | 160/300 = 8/15 |", "160/200 = 4/5"),
    ("passages", "1", "P@4", "| 4 |", "180/400 = 9/20"),
    ("passages", "1", "R@4", "| 4 | 180/400 = 9/20 |", "180/200 = 9/10"),
    ("passages", "1", "iP@0.5", "So iP@0.5 =", "1"),
    ("passages", "1", "iP@0.51", "iP@0.51 =", "4/5"),
    ("passages", "1", "iP@0.9", "iP@0.9 =", "9/20"),
    ("passages", "1", "iP@0.91", "iP@0.91 =", "0"),
    ("passages", "1", "iP@0.8", "30 have", "4/5"),
    ("passages", "1", "iP@0.81", "10 have", "9/20"),
    ("passages", "1", "AiP", "and 10 have 0: AiP =", "(51 · 1 + 30 · 4/5 + 10 · 9/20)/101 = 159/202 = 0.7871"),
    ("elements", "1", "iP@0", "means that its", "8/15"),
    ("elements", "1", "AiP", "from level 0 on: AiP =", "(81 · 8/15 + 20 · 2/5)/101 = 256/505 = 0.5069"),
    ("documents", "1", "P@1", "In `documents.run` P is", "40/300"),
    ("documents", "1", "P@2", "In `documents.run` P is 40/300,", "200/800"),
    ("documents", "1", "P@3", "In `documents.run` P is 40/300, 200/800 and", "200/1000"),
    ("documents", "1", "R@2", "and R is", "1"),
    ("documents", "1", "iP@1", "all levels have", "200/800 = 1/4"),
    ("documents", "1", "AiP", "all levels have", "200/800 = 1/4"),
    ("elements", "1", "gR@1", "gR@1 =", "1/2"),
    ("elements", "1", "gP@1", "gP@1 =", "16/23"),
    ("elements", "1", "gP@2", "gP@2 =", "(16/23 + 1/3)/2 = 71/138"),
    ("elements", "1", "AgP", "71/138, and AgP =", "(16/23 + 71/138)/2 = 167/276 = 0.6051"),
    ("passages", "1", "gP@3", "gP@3 =", "(8/9 + 0 + 2/7)/3 = 74/189"),
    ("passages", "1", "AgP", "74/189, and AgP =", "(8/9 + 74/189)/2 = 121/189 = 0.6402"),
    ("passages", "1", "AgP(score=BEP(A=0.1))", "Its AgP =", "(1 + (1 + 0 + 3/11)/3)/2 = 47/66 = 0.7121"),
    ("documents", "1", "AP(unit=document)", "for topic 2: AP =", "(1/1 + 2/2)/2 = 1"),
    ("documents", "2", "AP(unit=document)", "and AP =", "(1/2 + 2/3)/2 = 7/12"),
    ("elements", "1", "R(chars=250)", "highlighted: R =", "110/200 = 11/20"),
    ("elements", "1", "P(chars=250)", "11/20, P =", "110/250 = 11/25"),
]
# run, document, measure of the results in it alone, words, derivation: all for topic 1
SCORES = [
    ("elements", "steam", "P", "- steam: P =", "160/300 = 8/15"),
    ("elements", "steam", "gP@1", "R = 160/160 = 1, F = 2PR/(P + R) =", "16/23"),
    ("elements", "pot", "P", "- pot: P =", "40/200 = 1/5"),
    ("elements", "pot", "gP@1", "R = 40/40 = 1, F =", "1/3"),
    ("passages", "steam", "gP@1", "F is", "8/9"),
    ("passages", "flour", "gP@1", "F is 8/9,", "0"),
    ("passages", "pot", "gP@1", "F is 8/9, 0 and", "2/7"),
    ("elements", "steam", "gP(score=F(beta=0.25))@1", "(1 + 1/16)PR/(P/16 + R), which is", "17/31"),
    ("passages", "steam", "gP(score=BEP(A=0.1))@1", "which is the place, and has", "1"),
    ("documents", "steam", "gP(score=BEP(A=0.1))@1", "begins at 0 and has", "50/(50 + 100) = 1/3"),
    ("passages", "pot", "gP(score=BEP(A=0.1))@1", "80 too late, and has", "30/(30 + 80) = 3/11"),
    ("passages", "pot", "gP(score=Window(n=500))@1", "then has", "(500 - 80)/500 = 21/25"),
    ("elements", "steam", "gP(score=T2I(irr=100))@1", "and stops: S =", "100/200 = 1/2"),
    ("passages", "steam", "gP(score=T2I(irr=100))@1", "document: S =", "160/260 = 8/13"),
    ("documents", "steam", "gP(score=T2I(irr=100))@1", "are in vain, and S =", "0"),
]
# what becomes of overlap, measure, words, derivation: topic 1 of overlapping.run
OVERLAPS = [
    ("paid", "P@2", "P@2 =", "100/300 = 1/3"),
    ("paid", "P", "at the end P =", "160/400 = 2/5"),
    ("new", "P@2", "P@2 =", "100/200 = 1/2"),
    ("new", "P", "at the end P =", "160/300 = 8/15"),
    ("drop", "P@2", "P@2 =", "(100 + 60)/(100 + 100) = 4/5"),
]
# topic, measure, words, derivation: of chunks-100.jsonl with evidence.jsonl
CHUNKS = [
    ("1", "Success(unit=document)@5", "the hit rate of documents is", "1"),
    ("2", "Success(unit=document)@5", "the hit rate of documents is", "1"),
    ("1", "R@5", "R@5 =", "60/200 = 3/10"),
    ("2", "R@5", "R@5 =", "40/100 = 2/5"),
    ("1", "R(chars=500)", "find the same", "3/10"),
    ("2", "R(chars=500)", "find the same 3/10 and", "2/5"),
]
# what the page shows and does not derive, worked out by hand as well
SHOWN = ["AiP", "AP", "AgP", "AgP(score=BEP)", "AgP(score=T2I(irr=100))"]
BY_HAND = {
    ("elements", "1"): "256/505 43/90 167/276 1 25/56",
    ("elements", "2"): "182/505 11/30 99/182 7/8 69/224",
    ("passages", "1"): "159/202 27/40 121/189 47/66 205/468",
    ("passages", "2"): "183/505 9/25 3/8 1/4 3/16",
    ("documents", "1"): "1/4 23/120 167/561 10/39 0",
    ("documents", "2"): "1/9 31/315 34/207 13/108 0",
}


def exact(expression: str) -> Fraction:
    """The value of a sum or a quotient, without rounding."""
    return eval(re.sub(r"\d+(\.\d+)?", r"Fraction('\g<0>')", expression.replace("·", "*")))


def derived(words: str, derivation: str) -> Fraction:
    """The one value of all steps of `160/300 = 8/15 = 0.5333`, which stand on the page; the last may be rounded to four
    digits."""
    assert f"{words} {derivation}" in PROSE
    first, *others = [exact(step) for step in derivation.split(" = ")]
    if "." in derivation.split(" = ")[-1]:
        assert others.pop() == Fraction(f"{float(first):.4f}")
    assert set(others) <= {first}
    return first


def fraction(value: float) -> Fraction:
    """The fraction that a number was, before it was rounded to a float."""
    found = Fraction(value).limit_denominator(100_000)
    assert abs(float(found) - value) < 1e-12
    return found


def measured(run: str | Path, topic: str, measure: str, judgments: Path = HIGHLIGHTS, **rules: Any) -> Fraction:
    """A value of a topic."""
    scores = assay.evaluate(judgments, EXAMPLE / run, measure, documents=DOCUMENTS, **rules)
    return fraction(scores[Path(run).stem, measure, topic])


def results(run: str, topic: str) -> list[tuple[str, int, int]]:
    """The document, start and end of each result, read without Assay's readers."""
    found = []
    for line in (EXAMPLE / f"{run}.run").read_text("utf-8").splitlines():
        of, _, document, _, _, _, *part = line.split()
        if of == topic:
            span = (
                DOCUMENTS.span(document, part[0]) if len(part) == 1 else tuple(map(int, part)) or (0, LENGTHS[document])
            )
            start, end = (span[0], span[0] + span[1]) if len(part) == 2 else span
            found.append((document, start, end))
    return found


def highlighted(topic: str, document: str) -> set[int]:
    """The places of all highlighted characters."""
    return {place for start, text in INTENDED.get((topic, document), []) for place in range(start, start + len(text))}


# The files


def test_the_documents_have_round_lengths():
    assert {path.stem for path in (EXAMPLE / "documents").glob("*.xml")} == set(LENGTHS)
    assert dict(zip(LENGTHS, DOCUMENTS.lengths(LENGTHS).tolist(), strict=True)) == LENGTHS


@pytest.mark.parametrize("document", LENGTHS)
def test_the_text_of_a_document_is_what_an_xml_parser_hands_over(document):
    file = EXAMPLE / "documents" / f"{document}.xml"
    root = etree.parse(file, etree.XMLParser(remove_comments=True)).getroot()
    assert DOCUMENTS.text(document) == "".join(root.itertext())


def test_tags_comments_and_references_are_shown_by_the_documents():
    sources = {document: (EXAMPLE / "documents" / f"{document}.xml").read_text("utf-8") for document in LENGTHS}
    assert "<it>steam</it>" in sources["steam"] and "230 &#176;C" in sources["steam"]
    assert "230 °C" in DOCUMENTS.text("steam")
    assert "<!-- the lid" in sources["pot"] and "minutes &amp; bake" in sources["pot"]
    assert "minutes & bake" in DOCUMENTS.text("pot") and "the lid matters" not in DOCUMENTS.text("pot")


def test_highlights_are_of_the_intended_text():
    rows = [line.split() for line in HIGHLIGHTS.read_text("utf-8").splitlines()]
    assert [(row[0], row[2]) for row in rows] == list(INTENDED)
    for topic, _, document, rsize, length, *rest in rows:
        passages = [tuple(map(int, passage.split(":"))) for passage in rest[1:]]
        text = DOCUMENTS.text(document)
        assert [(offset, text[offset : offset + size]) for offset, size in passages] == INTENDED[topic, document]
        assert int(rsize) == sum(size for _, size in passages)
        assert int(length) == len(text)
        assert rest[:1] == [str(ENTRIES[topic, document])] if passages else not rest


def test_the_page_shows_the_highlights_as_they_are():
    assert f"```text\n{HIGHLIGHTS.read_text('utf-8')}```" in PAGE


def test_the_recall_base_is_all_highlighted_text():
    assert "100 + 60 + 40 = 200 characters for topic 1, 60 + 40 = 100 for topic 2" in PROSE
    assert {topic: measured("passages.run", topic, "NumRel") for topic in "12"} == {"1": 200, "2": 100}


def test_the_page_has_what_each_result_holds():
    columns = {}
    for run in ("elements", "passages", "documents"):
        spans = [
            (end - start, highlighted("1", document) & {*range(start, end)})
            for document, start, end in results(run, "1")
        ]
        columns[run] = [f"{len(found)} of {size}" for size, found in spans]
    table = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in PAGE.splitlines()
        if re.match(r"\| [1-4] \|.* of ", line)
    ]
    for at, run in ((2, "elements"), (4, "passages"), (6, "documents")):
        assert [row[at] for row in table if row[at]] == columns[run]
        documents = [re.split("[ ,]", row[at - 1])[0] for row in table if row[at]]
        assert documents == [document for document, _, _ in results(run, "1")]


def test_evidence_is_the_highlights_as_spans():
    rows = [json.loads(line) for line in EVIDENCE.read_text("utf-8").splitlines()]
    spans = [(topic, document, start, text) for (topic, document), found in INTENDED.items() for start, text in found]
    assert [(row["topic"], row["document"], row["start"], row["text"]) for row in rows] == spans
    assert all(row["end"] - row["start"] == len(row["text"]) for row in rows)


def test_both_chunkings_are_one_ranking_of_the_same_text():
    read = []
    for size in (100, 200):
        rows = [json.loads(line) for line in (EXAMPLE / f"chunks-{size}.jsonl").read_text("utf-8").splitlines()]
        assert {row["end"] - row["start"] for row in rows} == {size}
        for topic in "12":
            scores = [row["score"] for row in rows if row["topic"] == topic]
            assert scores == sorted(set(scores), reverse=True)
        read.append([(row["topic"], row["document"], at) for row in rows for at in range(row["start"], row["end"])])
    assert read[0] == read[1]


@pytest.mark.parametrize("topic", ["1", "2"])
def test_evidence_and_highlights_measure_the_same(topic):
    for measure in ("AiP", "AP", "AgP", "P@3", "R@3"):
        assert measured("passages.run", topic, measure) == measured("passages.run", topic, measure, EVIDENCE)


# The numbers


@pytest.mark.parametrize(("run", "topic", "measure", "words", "derivation"), DERIVED)
def test_a_value_is_as_derived(run, topic, measure, words, derivation):
    assert measured(f"{run}.run", topic, measure) == derived(words, derivation)


@pytest.mark.parametrize(("run", "topic"), BY_HAND)
def test_the_values_that_are_shown_are_those_worked_out_by_hand(run, topic):
    assert [measured(f"{run}.run", topic, measure) for measure in SHOWN] == [
        *map(Fraction, BY_HAND[run, topic].split())
    ]


@pytest.mark.parametrize(("run", "document", "measure", "words", "derivation"), SCORES)
def test_a_value_of_one_document_is_as_derived(run, document, measure, words, derivation, tmp_path):
    lines = (EXAMPLE / f"{run}.run").read_text("utf-8").splitlines(keepends=True)
    alone = tmp_path / f"{run}.run"
    alone.write_text("".join(line for line in lines if line.startswith(f"1 Q0 {document} ")), "utf-8")
    assert measured(alone, "1", measure) == derived(words, derivation)


@pytest.mark.parametrize(("overlap", "measure", "words", "derivation"), OVERLAPS)
def test_overlap_is_as_derived(overlap, measure, words, derivation):
    assert measured("overlapping.run", "1", measure, overlap=overlap) == derived(words, derivation)


@pytest.mark.parametrize(("topic", "measure", "words", "derivation"), CHUNKS)
def test_chunks_are_as_derived(topic, measure, words, derivation):
    assert measured("chunks-100.jsonl", topic, measure, EVIDENCE) == derived(words, derivation)


@pytest.mark.parametrize("topic", ["1", "2"])
def test_chunkings_differ_at_a_rank_and_not_at_a_budget(topic):
    assert "With chunks of 200 all evidence is among the first five, but these have 800 characters and not 500" in PROSE
    assert measured("chunks-200.jsonl", topic, "R@5", EVIDENCE) == 1
    assert measured("chunks-200.jsonl", topic, "NumRet", EVIDENCE) == 800
    for chars in range(50, 801, 50):
        budget = f"R(chars={chars})"
        assert measured("chunks-100.jsonl", topic, budget, EVIDENCE) == measured(
            "chunks-200.jsonl", topic, budget, EVIDENCE
        )


def test_text_counted_twice_would_be_more_than_there_is():
    twice = sum(
        len(highlighted("1", document) & {*range(start, end)}) for document, start, end in results("overlapping", "1")
    )
    assert "100 + 100 + 60 = 260 highlighted characters of 200: a recall of 1.3" in PROSE
    assert (twice, Fraction(twice, 200)) == (260, Fraction("1.3"))


def test_every_fraction_on_the_page_is_tested():
    tested = [f"{words} {derivation}" for *_, words, derivation in (*DERIVED, *SCORES, *OVERLAPS, *CHUNKS)]
    places = {
        place for text in tested for found in re.finditer(re.escape(text), PROSE) for place in range(*found.span())
    }
    assert [found[0] for found in re.finditer(r"\d+/\d+", PROSE) if found.start() not in places] == []


# Tasks


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("run", ["elements", "passages", "documents"])
def test_the_runs_keep_to_the_tasks(run, task):
    if task == "best-in-context" and run != "documents":
        with pytest.raises(InputError) as told:
            assay.evaluate(HIGHLIGHTS, EXAMPLE / f"{run}.run", task=task, documents=DOCUMENTS)
        where = EXAMPLE / f"{run}.run"
        assert (
            str(told.value)
            == f"{where}:2: document steam is returned again in topic 1; only one result per document is allowed"
        )
    else:
        year = 2009 if task in BY_YEAR[2009] else 2010
        scores = assay.evaluate(HIGHLIGHTS, EXAMPLE / f"{run}.run", task=task, year=year, documents=DOCUMENTS)
        assert scores.notes == []


@pytest.mark.parametrize("task", TASKS)
def test_the_page_has_the_measures_of_each_task(task):
    (row,) = re.findall(rf"^\| `{task}` \| .* \| (.*) \|$", PAGE, re.MULTILINE)
    score = TASKS[task].measures[-1].removeprefix("AgP(score=").removesuffix(")")
    focused = ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "AiP"]
    measures = {
        "iP at 0, 0.01, 0.05 and 0.1, AiP": focused, "the same": focused,
        "P, R and the measures of focused": ["P", "R", *focused],
        f"gP and AgP with {score}": [*(f"gP(score={score})@{rank}" for rank in (5, 10, 25, 50)), f"AgP(score={score})"],
    }  # fmt: skip
    assert list(TASKS[task].measures) == measures[row]


# The picture


def test_the_picture_shows_what_was_highlighted_and_returned():
    root = etree.parse(ROOT / "docs/focused.svg").getroot()
    rects = [dict(rect.attrib) for rect in root.iter("{*}rect")]

    def spans(row: int, kind: str) -> list[tuple[int, int]]:
        found = [
            (float(rect["x"]), float(rect["width"]))
            for rect in rects
            if rect["class"] == kind and float(rect["y"]) == row
        ]
        return [(round((x - 140) / 1.1, 6), round((x - 140 + width) / 1.1, 6)) for x, width in found]

    marks = [(start, start + len(text)) for start, text in INTENDED["1", "steam"]]
    assert spans(100, "mark") == marks
    for row, run in ((154, "elements"), (206, "passages"), (258, "documents")):
        returned = {
            place for document, start, end in results(run, "1") if document == "steam" for place in range(start, end)
        }
        for kind, places in (
            ("good", returned & highlighted("1", "steam")),
            ("vain", returned - highlighted("1", "steam")),
        ):
            assert {place for start, end in spans(row, kind) for place in range(int(start), int(end))} == places


def test_the_picture_needs_nothing_from_elsewhere_and_has_words():
    source = (ROOT / "docs/focused.svg").read_text("utf-8")
    root = etree.fromstring(source.encode())
    assert not re.search(r"href|url\(|@import|<script|<image", source)
    assert root.find("{*}title").text.startswith("Document steam") and "best entry" in root.find("{*}desc").text
    assert root.get("aria-labelledby").split() == [root.find("{*}title").get("id"), root.find("{*}desc").get("id")]
    assert "@media (prefers-color-scheme: dark)" in source
