"""The files of question answering: gold and what systems return, recognised by their content, read and checked."""

from __future__ import annotations

import json

import numpy as np
import pytest

import assay
from assay.documents.lookup import TextsInMemory
from assay.errors import InputError
from assay.files.source import Source
from assay.reading.recognition import recognise
from helpers.commands import invoke
from helpers.files import windows, written

TEXT = "The cat sat on the mat. The dog slept. The cat sat there again."


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def spans_of(judgments):
    highlights = judgments.highlights
    topics, documents = judgments.topic.texts(), judgments.document.texts()
    places = zip(highlights.row.tolist(), highlights.start.tolist(), highlights.end.tolist(), strict=True)
    return sorted((topics[row], documents[row], start, end) for row, start, end in places)


def refused(content, run=None, **rules):
    with pytest.raises(InputError) as error:
        assay.evaluate(written(content, "gold"), run or {"1": [("d1", 0, 5)]}, **rules)
    return str(error.value)


def is_read_as(content, name, kind="judgments"):
    path = written(content, "file")
    assert recognise(Source(path), kind).name == name
    article = "a " if kind == "run" else ""
    assert invoke("check", path, "--kind", kind).stdout.startswith(f"file: {article}{kind} ({name})")
    return path


# HotpotQA

FACTS = {"q1": [["Rye", 0], ["Oats", 2]], "q2": [["Rye", 1]]}
SAID = {"q1": [["Oats", 2], ["Rye", 0]], "q2": [["Rye", 1], ["Rye", 2], ["Rye", 1]]}


def hotpot(facts=FACTS):
    return json.dumps([{"supporting_facts": told, "question": "?", "context": [], "_id": topic} for topic, told in facts.items()])


def test_hotpot_is_scored_as_the_official_program_scores_it(folder):
    gold = is_read_as(hotpot(), "hotpot")
    said = written(json.dumps({"answer": {"q1": "x"}, "sp": SAID}), "said.json")
    scores = assay.evaluate(gold, said, ["HotpotEM", "HotpotF1"])
    expected = []
    for topic, facts in FACTS.items():
        wanted, given = {tuple(fact) for fact in facts}, {tuple(fact) for fact in SAID[topic]}
        precision, recall = len(wanted & given) / len(given), len(wanted & given) / len(wanted)
        expected.append([float(wanted == given), 2 * precision * recall / (precision + recall)])
    assert scores.values[0].T.ravel() == pytest.approx(np.ravel(expected))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (hotpot({"q1": [["Rye"]]}), "gold: question 1: cannot read the fact '[\"Rye\"]'; expected [title, sentence number]"),
        (hotpot({"q1": "Rye"}), "gold: question 1: supporting_facts is '\"Rye\"'; expected a list"),
        (hotpot()[:-1] + "," + hotpot()[1:], "gold: question 3: question q1 appears twice; expected each once"),
        (hotpot({"q1": []}), "gold: the input is empty; expected judgments"),
    ],
)
def test_what_is_wrong_with_hotpot_is_told(content, message, folder):
    assert refused(content, {"q1": ["Rye#0"]}) == message


def test_gold_of_hotpot_is_no_run_and_questions_without_facts_are_counted(folder):
    gold = written(hotpot(FACTS | {"q3": []}), "gold")
    assert assay.evaluate(gold, {"q1": ["Rye#0"]}, "R").notes[0] == "gold: left out 1 question without gold: 'q3'"
    with pytest.raises(InputError) as error:
        assay.evaluate({"q1": {"Rye#0": 1}}, gold, "R", format="hotpot")
    assert str(error.value) == "gold: these are judgments (HotpotQA); expected a run"


# KILT


def page(name, *place):
    keys = ("start_paragraph_id", "start_character", "end_paragraph_id", "end_character")
    return {"wikipedia_id": name, "title": name.upper(), **dict(zip(keys, place, strict=False))}


KILT = [
    {"id": "1", "input": "who sat?", "output": [
        {"answer": "the cat", "provenance": [page("p1", 1, 4, 1, 11)]},
        {"provenance": [page("p1", 0, 0, 1, 3), page("p2", 0, 2, 0, 5)]},
        {"answer": "a cat", "provenance": [page("p1", 1, 4, 1, 11)]},
    ]},
    {"id": "2", "input": "who slept?", "output": [{"answer": "the dog"}]},
]  # fmt: skip
PAGES = {"p1": "Cats\nThe cat sat.\n", "p2": "Dogs sleep.\n"}


def test_pages_of_kilt_are_sets_of_evidence(folder):
    gold = is_read_as(lines(*KILT), "kilt")
    run = written(lines({"id": "1", "output": [{"provenance": [page("p2"), page("p1"), page("p2")]}]}), "run")
    scores = assay.evaluate(gold, run, ["KILTRprec(sets=all)", "KILTRecall(sets=all)@1", "R@1"])
    # two answers are from p1: the first set is p1, the second p1 and p2; p2 and p1 have one place together
    assert scores.values[0, :, 0] == pytest.approx([1, 0.5, 0.5])
    assert scores.notes == [
        "file: 1 of 1 topic has several sets of evidence; Assay scores the best set",
        "file: Assay counts whole pages instead of paragraphs; pass documents= to find the paragraphs",
        "file: left out 1 question without gold: '2'",
    ]


def test_places_of_kilt_count_from_their_paragraphs(folder):
    gold = written(lines(*KILT), "gold")
    judgments = assay.read_judgments(gold, documents=TextsInMemory(PAGES))
    assert spans_of(judgments) == [("1", "p1", 0, 8), *[("1", "p1", 9, 16)] * 2, ("1", "p2", 2, 5)]
    assert [PAGES["p1"][9:16], PAGES["p1"][:8]] == ["cat sat", "Cats\nThe"]
    scores = assay.evaluate(gold, {"1": [("p1", 5, 17)]}, "R", documents=PAGES)
    assert scores["R"] == 1


@pytest.mark.parametrize(
    ("content", "rules", "message"),
    [
        (lines(*KILT, KILT[0]), {}, "gold:3: question 1 appears twice (first on line 1)"),
        (lines({"output": [{"provenance": [page("p1")]}]}), {}, "gold:1: the question has no id; expected a key id"),
        (
            lines({"id": 1, "output": [{"provenance": [{"title": "x", "wikipedia_id": None}]}]}),
            {},
            "gold:1: wikipedia_id is 'None'; expected the id of a page",
        ),
        (lines(*KILT), {"documents": {"p1": PAGES["p1"]}}, "documents: there is no page p2, and gold has evidence in it"),
        (
            lines(*KILT),
            {"documents": PAGES | {"p1": "Cats"}},
            "gold: question 1 has evidence in paragraph 1 of page p1, which has 1; are these the pages of the gold?",
        ),
    ],
)
def test_what_is_wrong_with_kilt_is_told(content, rules, message, folder):
    assert refused(content, {"1": ["p1"]}, **rules) == message


# BioASQ


def snippet(start, end, text, section="abstract", number="11"):
    return {"document": f"http://www.ncbi.nlm.nih.gov/pubmed/{number}", "text": text, "offsetInBeginSection": start,
            "offsetInEndSection": end, "beginSection": section, "endSection": section}  # fmt: skip


def bioasq(*snippets, **further):
    questions = [{"id": "1", "body": "who sat?", "type": "factoid", "documents": [], "snippets": list(snippets)}]
    return json.dumps({"questions": [*questions, {"id": "2", "body": "?", "snippets": []}], **further})


GOLD = [snippet(4, 21, TEXT[4:22]), snippet(24, 38, TEXT[24:38]), snippet(0, 3, "Cats", "title")]


def test_ends_of_bioasq_are_inclusive_unless_the_text_says_otherwise(folder):
    gold = is_read_as(bioasq(*GOLD), "bioasq")
    assert spans_of(assay.read_judgments(gold)) == [
        ("1", "11#abstract", 4, 22),
        ("1", "11#abstract", 24, 38),
        ("1", "11#title", 0, 4),
    ]
    run = written(bioasq(GOLD[1], snippet(0, 9, TEXT[:10])), "run")
    scores = assay.evaluate(gold, run, ["BioASQRecall", "BioASQPrecision", "BioASQAP"])
    # 14 characters of the second snippet, and 6 of the first, of 36; three gold snippets
    assert scores.values[0, :, 0] == pytest.approx([20 / 36, 20 / 24, (1 + 20 / 24) / 3])
    assert scores.notes[0] == "file: left out 1 question without gold: '2'"


def test_snippets_are_found_in_whole_articles(folder):
    documents = {"11": f"Cats\n{TEXT}"}
    gold = written(bioasq(*GOLD), "gold")
    scores = assay.evaluate(gold, {"1": [("11", 0, 27)]}, "R", documents=documents)
    assert scores.notes[1].startswith(
        "gold: the offsets of 2 of 3 texts are wrong (1 exact, 2 moved (2 by 5), 0 in several places, 0 not found); "
    )
    assert scores["R"] == pytest.approx((4 + 18) / 36)
    located = assay.evaluate(gold, {"1": [("11", 0, 27)]}, "R", documents=documents, texts="locate")
    assert located["R"] == scores["R"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            bioasq(GOLD[0] | {"endSection": "sections.0"}),
            "gold: question 1, snippet 1 begins in one section and ends in another; expected one section",
        ),
        (
            bioasq(GOLD[0] | {"offsetInBeginSection": "4"}),
            "gold: question 1, snippet 1: offsetInBeginSection is '\"4\"'; expected a whole number",
        ),
        (bioasq(GOLD[0]).replace('"id": "2"', '"id": "1"'), "gold: question 1 appears twice; expected each once"),
        (bioasq(), "gold: the input is empty; expected judgments"),
    ],
)
def test_what_is_wrong_with_bioasq_is_told(content, message, folder):
    assert refused(content) == message


# QASPER


def paper(*answers):
    told = [{"answer": {"evidence": evidence}, "worker_id": worker} for worker, evidence in answers]
    sections = [{"section_name": "Cats", "paragraphs": ["The cat sat.", "The dog slept."]}]
    return {"title": "Pets", "abstract": "Of pets.", "full_text": sections, "qas": [
        {"question": "who slept?", "question_id": "1", "answers": told},
    ]}  # fmt: skip


def test_each_annotator_of_qasper_is_a_gold_standard(folder):
    content = json.dumps({"1234.5": paper(("A", ["The dog slept."]), ("B", ["The cat sat.", "Of pets.", "FLOAT SELECTED: a"]))})
    gold = is_read_as(content, "qasper")
    run = {"1": [("1234.5", 22, 36)]}
    scores = {name: assay.evaluate(gold, run, "R", annotators=name) for name in ("A", "B", "mean", "best")}
    assert {name: each["R"] for name, each in scores.items()} == {"A": 1, "B": 0, "mean": 0.5, "best": 1}
    assert scores["mean"].notes[0] == "file: left out 1 figures and tables of the evidence"


def test_what_is_wrong_with_qasper_is_told(folder):
    wrong = paper(("A", ["The dog slept."])) | {"full_text": [{"section_name": "x", "paragraphs": [1]}]}
    assert refused(json.dumps({"p": wrong})) == "gold: paper p, section 1: a paragraph is not a string; expected its text"
    missing = json.dumps({"p": paper(("A", ["The cow slept."]))})
    assert refused(missing) == (
        "gold: could not find 1 of 1 text in documents (found 0 verbatim, 0 after normalizing whitespace or case, 0 in several places): paragraph 1: 'The cow slept.'; "
        "run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found"
    )
    without = json.dumps({"p": paper(("A", [])), "q": paper(("B", ["Of pets."]))})
    scores = assay.evaluate(written(without, "gold"), {"1": [("q", 0, 8)]}, "R")
    assert scores.notes[0] == "gold: left out 1 question without gold: '1 (A)'"


# TREC RAG


def candidate(name, start, end):
    doc = {"title": "Cats", "segment": TEXT[start:end], "start_char": start, "end_char": end}
    return {"docid": name, "score": 2.5, "doc": doc}


RAG = {"query": {"qid": "1", "text": "who sat?"}, "candidates": [candidate("d1#1_7", 10, 38), candidate("d1#0_3", 0, 24)]}


@pytest.mark.parametrize("written_as", [lambda row: lines(row), lambda row: json.dumps([row])], ids=["lines", "a list"])
def test_segments_of_trec_rag_are_parts_of_their_documents(written_as, folder):
    run = is_read_as(written_as(RAG), "trec_rag", "run")
    gold = [{"topic": "1", "document": "d1", "start": 4, "end": 22}]
    scores = assay.evaluate(gold, run, ["R@1", "R@2", "P@2"], documents={"d1": TEXT})
    assert scores.values[0, :, 0] == pytest.approx([12 / 18, 1, 18 / 52])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (RAG | {"query": {"text": "who?"}}, "run: line 1 has no query; expected one with a qid"),
        (
            RAG | {"candidates": [{"docid": "d1#0_1"}]},
            "run: line 1, d1#0_1 has \"{'start_char': None, 'end_char': None}\"; expected the start and end of the segment",
        ),
        (RAG | {"candidates": [{"docid": 7}]}, "run: line 1, candidate 1: docid is '7'; expected a text"),
    ],
)
def test_what_is_wrong_with_trec_rag_is_told(record, message, folder):
    run = written(lines(record), "run")
    with pytest.raises(InputError) as error:
        assay.evaluate([{"topic": "1", "document": "d1", "start": 4, "end": 22}], run, "R", format="trec_rag")
    assert str(error.value) == message


# Web annotations


def annotation(start, end, topic="1", **further):
    selector = [
        {"type": "TextQuoteSelector", "exact": TEXT[start:end]},
        {"type": "TextPositionSelector", "start": start, "end": end},
    ]
    return {"type": "Annotation", "body": {"type": "TextualBody", "value": topic, "purpose": "tagging"},
            "target": {"source": "d1", "selector": selector}, **further}  # fmt: skip


TWO = [annotation(4, 22), annotation(24, 38, "2")]
WAYS = {
    "a list": json.dumps(TWO),
    "a page": json.dumps({"type": "AnnotationPage", "items": TWO}),
    "a collection": json.dumps({"type": "AnnotationCollection", "first": {"type": "AnnotationPage", "items": TWO}}),
    "lines": windows(lines(*TWO)),
    "tags": json.dumps({"rows": [annotation(4, 22, "x", tags=["1"]), annotation(24, 38, "x", tags=["2"])]}),
    "refined": json.dumps([
        each | {"target": {"source": {"id": "d1"}, "selector": {"type": "FragmentSelector", "refinedBy": each["target"]["selector"]}}}
        for each in TWO
    ]),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_web_annotations_are_read(way, folder):
    gold = is_read_as(WAYS[way], "web_annotation")
    assert spans_of(assay.read_judgments(gold)) == [("1", "d1", 4, 22), ("2", "d1", 24, 38)]
    assert assay.evaluate(gold, {"1": [("d1", 0, 22)], "2": [("d1", 24, 31)]}, "R").values.tolist() == [[[1, 0.5]]]


def test_a_fault_of_a_web_annotation_has_its_line_among_blank_ones(folder):
    gold = written(f"\n{json.dumps(TWO[0])}\n\n{{x}}\n", "gold")
    with pytest.raises(assay.InputError, match=r"^gold:4: not valid JSON"):
        assay.evaluate(gold, {"1": [("d1", 0, 22)]}, "R", format="web_annotation")


def test_creators_of_web_annotations_are_annotators_where_all_are_told(folder):
    mine, yours = annotation(4, 22, creator="me"), annotation(24, 38, creator={"name": "you"})
    run = {"1": [("d1", 0, 22)]}
    both = assay.evaluate(written(json.dumps([mine, yours]), "gold"), run, "R")
    assert both["R"] == 0.5
    assert "has several annotators" in both.notes[0]
    one = assay.evaluate(written(json.dumps([mine, annotation(24, 38)]), "gold"), run, "R")
    assert one["R"] == pytest.approx(18 / 32)


def test_a_quotation_alone_is_found_in_the_documents(folder):
    quote = [{"type": "TextQuoteSelector", "exact": "The dog slept."}]
    gold = written(json.dumps([annotation(0, 1) | {"target": {"source": "d1", "selector": quote}}]), "gold")
    assert assay.evaluate(gold, {"1": [("d1", 24, 38)]}, "R", documents={"d1": TEXT})["R"] == 1


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (annotation(4, 22) | {"body": None}, "annotation 1 has no tags and no body with a value; expected a topic"),
        (annotation(4, 22) | {"target": "d1"}, "annotation 1 has the target '\"d1\"'; expected one with a selector"),
        (
            annotation(4, 22) | {"target": {"selector": {"type": "TextPositionSelector", "start": 1, "end": 2}}},
            "annotation 1 has a target without a source; expected the id of the document",
        ),
        (
            annotation(4, 22) | {"target": {"source": "d1", "selector": {"type": "TextPositionSelector", "start": 1}}},
            "annotation 1 has the selector '{\"type\": \"TextPositionSelector\", \"start\": 1}'; expected start and end",
        ),
        (
            annotation(4, 22) | {"target": {"source": "d1"}, "note": "TextPositionSelector"},
            "annotation 1 selects no text; expected a TextPositionSelector",
        ),
    ],
)
def test_what_is_wrong_with_web_annotations_is_told(record, message, folder):
    with pytest.raises(InputError) as error:
        assay.evaluate(written(json.dumps([record]), "gold"), {"1": [("d1", 0, 5)]}, "R", format="web_annotation")
    assert str(error.value) == f"gold: {message}"


# CLAPNQ


def test_each_answer_of_clapnq_is_a_set_of_evidence(folder):
    answers = [{"answer": "a", "selected_sentences": [sentence]} for sentence in ("The cat sat on the mat.", "The dog slept.")]
    row = {"id": "1", "input": "?", "passages": [{"text": TEXT, "sentences": []}], "output": answers}
    gold = written(lines(row), "gold")
    scores = assay.evaluate(gold, {"1": [("1", 24, 38)]}, "R")
    assert scores["R"] == 1
    assert "has several sets of evidence; Assay scores the best set" in " ".join(scores.notes)
