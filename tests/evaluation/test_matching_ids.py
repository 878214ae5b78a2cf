"""Runs and judgments whose ids do not meet: refused where that is surely a mistake, else said before all other notes.
"""

import json

import numpy as np
import pytest

import assay
from helpers.commands import invoke
from helpers.files import written

SURELY = [
    (
        "corpora/finance.md",
        "finance",
        "the ids differ only in folder and ending ('corpora/finance.md' vs 'finance')",
    ),
    ("finance", "finance.txt", "the ids differ only in ending ('finance' vs 'finance.txt')"),
    ("PMC12", "pmc12", "the ids differ only in case ('PMC12' vs 'pmc12')"),
    ("0012", "12", "the ids differ only in leading zeros ('0012' vs '12')"),
    ("12", "doc-12", "the ids differ only in the prefix 'doc-' ('12' vs 'doc-12')"),
    ("a.md#chunk_7", "a.md", "the ids differ only in chunk number ('a.md#chunk_7' vs 'a.md')"),
]


RENAME = "rename the ids in the run or in the judgments"
CHUNKS = "if these are chunk ids, pass chunks= with the table of all chunks"


def remedy(why, files=""):
    """What to do about such a difference."""
    return f"; {CHUNKS}" if "chunk number" in why else f"; {files if 'folder' in why or 'ending' in why else ''}{RENAME}"


def refused(*given, **rules):
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(*given, **rules)
    return str(caught.value)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("returned", "judged", "why"), SURELY)
def test_documents_that_would_meet_without_a_difference_are_refused_with_a_pair(returned, judged, why):
    judgments, run = {"1": {judged: 1, "other": 0}}, {"1": {"nothing": 2, returned: 1}}
    if "prefix" in why:
        judgments, run = {"1": {judged: 1}}, {"1": {returned: 1}}
    told = why + remedy(why)
    assert refused(judgments, {"bm25": run}, "AP") == f"no document of bm25 is judged in judgments: {told}"
    written(f"1 Q0 {returned} 1 1 t\n", "bm25.run")
    written(f"1 0 {judged} 1\n", "qrels.txt")
    done = invoke("evaluate", "qrels.txt", "bm25.run", "-m", "AP")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"no document of bm25.run is judged in qrels.txt: {told.replace('chunks=', '--chunks')}\n"


@pytest.mark.parametrize(("returned", "judged", "why"), SURELY)
def test_text_is_refused_in_the_same_way(returned, judged, why):
    judgments, run = {"1": [(judged, 0, 10)]}, {"bm25": {"1": [(returned, 0, 20)]}}
    told = f"no document of bm25 is judged in judgments: {why}"
    assert refused(judgments, run, "R") == told + remedy(why, "pass documents= with the files, or ")
    assert refused(judgments, run, "R", documents={"z": "x" * 20}) == told + remedy(why)


def test_chunk_ids_that_are_judged_need_no_table_of_chunks():
    why = "the ids differ only in chunk number ('a' vs 'a#1')"
    assert refused({"1": {"a#1": 1}}, {"1": {"a": 1}}, "AP") == f"no document of run is judged in judgments: {why}"


def test_quotes_in_the_place_of_ids_are_called_so():
    text = "The cat sat on the mat."
    told = refused({"1": [(text, 0, 23)]}, {"1": [("a", 0, 23)]}, "R", documents={"a": text})
    assert told == (
        f"no document of run is judged in judgments: 'a' vs '{text}'; the judgments have quotes instead of document ids; "
        'write {"quote": …} without offsets, and pass documents='
    )
    assert assay.evaluate({"1": [{"quote": text}]}, {"1": [("a", 0, 23)]}, "R", documents={"a": text})["R"] == 1


def test_chunk_ids_without_their_table_are_refused_with_the_remedy():
    gold, run = {"1": [("a.md", 0, 5)]}, {"1": ["a.md#1", "a.md#2"]}
    assert refused(gold, run, "R") == (
        "run: the run returns whole documents, and the length of document 'a.md#1' is unknown; pass documents=, or count "
        f"documents, for example AP(unit=document); {CHUNKS}"
    )
    assert refused(gold, run, "R", documents={"a.md": "The cat sat."}) == (
        f"documents: there is no document a.md#1, a.md#2; document a.md exists; {CHUNKS}"
    )
    chunks = [{"chunk_id": f"a.md#{n}", "doc_id": "a.md", "start": n, "end": 5} for n in (1, 2)]
    assert assay.evaluate(gold, run, "R", chunks=chunks)["R"] == 4 / 5


def test_numbers_of_chunks_without_their_table_are_refused_with_the_remedy():
    gold, documents = {"1": [("a.md", 0, 5)]}, {"a.md": "The cat sat."}
    for ids in ([0, 1], ["0", "1"], np.array([0, 1])):
        told = f"documents: there is no document 0, 1; {CHUNKS}"
        assert refused(gold, {"1": ids}, "R", documents=documents) == told
    written('{"id": "a.md", "text": "The cat sat."}\n', "docs.jsonl")
    assert refused(gold, {"1": [0, 1]}, "R", documents="docs.jsonl") == (
        f"docs.jsonl: 2 of 2 documents are missing: 0, 1; {CHUNKS}"
    )


def test_assessed_elements_are_refused_in_the_same_way():
    judgments = written("<assessments topic='1'><file file='d1'><element path='/a[1]' exhaustivity='2' specificity='1'/></file>"
                        "</assessments>", "q.xml")  # fmt: skip
    run = written("1 Q0 texts/d1 1 2 t /a[1]\n", "r")
    why = f"the ids differ only in folder ('texts/d1' vs 'd1'); {RENAME}"
    assert refused(judgments, run, "nxCG@10") == f"no document of r is judged in q.xml: {why}"


def test_a_bad_system_that_returns_nothing_judged_scores_0_and_that_is_said_first():
    judgments = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 0}}
    scores = assay.evaluate(judgments, {"bad": {"1": {"d7": 2, "d8": 1}, "3": {"d1": 1}}}, "AP")
    assert scores["AP"] == 0
    assert scores.notes == [
        "bad: none of 2 results in 1 topic is judged in judgments; "
        "do the ids match? run: 'd7', judgments: 'd1'",
        "judgments: 1 of 2 topics has nothing relevant and scores 0: 2",
        "bad: 1 of 2 judged topics is missing from the run and scores as if nothing was retrieved: 2",
        "bad: 1 topic of the run has no judgments and is left out: 3",
    ]


def test_ids_that_no_document_has_may_be_quotations():
    texts, run = {"a": "Rome is no capital."}, {"q1": [{"text": "Rome is no capital.", "source": "a"}]}
    begins = "run: none of 1 result in 1 topic is judged in judgments; do the ids match? run: 'a'"
    theirs = "judgments: 'Paris'"
    hint = ' (not in the documents); if the judgments are quotes, write {"quote": …}'
    assert assay.evaluate({"q1": ["Paris"]}, run, "R@5", documents=texts).notes == [f"{begins}, {theirs}{hint}"]
    assert assay.evaluate({"q1": ["Paris"]}, {"q1": ["a"]}, "R@5").notes == [f"{begins}, {theirs}"]
    # one of them is a document
    texts["Paris"] = "A city."
    scores = assay.evaluate({"q1": ["Paris", "Rome"]}, run, "R@5", documents=texts)
    assert scores.notes == [f"{begins}, {theirs}"]


def test_documents_that_are_judged_for_other_topics_are_said_to_be():
    scores = assay.evaluate({"1": {"d1": 1}, "2": {"d2": 1}}, {"r": {"1": {"d2": 1}, "2": {"d1": 1}}}, "AP")
    assert scores.notes == [
        "r: none of 2 results in 2 topics is judged in judgments; some of these documents are judged for other topics"
    ]


@pytest.mark.parametrize(
    ("returned", "judged", "why"),
    [
        ("news/1", "wiki/1", "folder ('news/1' vs 'wiki/1')"),
        ("a.md", "a.txt", "ending ('a.md' vs 'a.txt')"),
    ],
)
def test_a_difference_on_both_sides_is_a_guess_and_no_error(returned, judged, why):
    scores = assay.evaluate({"1": {judged: 1}}, {"r": {"1": {returned: 1}}}, "AP")
    begins = "r: none of 1 result in 1 topic is judged in judgments; perhaps the ids differ only in"
    assert (scores["AP"], scores.notes) == (0, [f"{begins} {why}"])


def test_a_difference_from_documents_of_other_topics_is_a_guess():
    scores = assay.evaluate({"1": {"d1": 1}, "2": {"d2": 1}}, {"r": {"1": {"2": 1}, "2": {"1": 1}}}, "AP")
    begins = "r: none of 2 results in 2 topics is judged in judgments"
    assert scores.notes == [f"{begins}; perhaps the ids differ only in the prefix 'd' ('2' vs 'd2')"]


def test_where_little_meets_that_is_said_with_the_likely_cause():
    numbers = range(1, 101)
    judgments = {"1": {str(number): 1 for number in numbers}}
    run = {"1": {f"{number:03}": 1 / number for number in numbers}}
    scores = assay.evaluate(judgments, {"padded": run}, "R")
    assert scores["R"] == 0.01
    begins = "padded: only 1 of 100 results in 1 topic is judged in judgments"
    assert scores.notes == [f"{begins}; perhaps the ids differ only in leading zeros ('001' vs '1')"]
    judgments = {"1": {f"d{number}": 1 for number in numbers}}
    run = {"1": [f"d{number}" for number in range(98, 198)]}
    assert assay.evaluate(judgments, run, "P").notes == [
        "run: only 3 of 100 results in 1 topic are judged in judgments"
    ]


@pytest.mark.parametrize(
    ("returned", "judged", "why"),
    [
        ("corpus/b.md", "b.md", "folder: 'corpus/b.md' vs 'b.md'"),
        ("corpus/law/b.md", "law/b.md", "folder: 'corpus/law/b.md' vs 'law/b.md'"),
        ("C:\\law\\b.md", "law/b.md", "folder: 'C:\\\\law\\\\b.md' vs 'law/b.md'"),
        ("B", "b", "case: 'B' vs 'b'"),
    ],
)
@pytest.mark.parametrize("of_text", [False, True])
def test_where_nothing_meets_in_some_topics_the_likely_cause_is_said(returned, judged, why, of_text):
    judgments = {"1": [("a", 0, 10)], "2": [(judged, 0, 10)], "3": [("c", 0, 10)]}
    run = {"1": [("a", 0, 9)], "2": [(returned, 0, 9)], "3": [("a", 0, 9)]}
    if not of_text:
        judgments = {topic: {document for document, *_ in spans} for topic, spans in judgments.items()}
        run = {topic: [document for document, *_ in spans] for topic, spans in run.items()}
    files = "pass documents= with the files, or " if of_text and "folder" in why else ""
    told = f"half: 2 of 3 ids are not judged, 1 of them only because of {why}; {files}{RENAME}"
    assert assay.evaluate(judgments, {"half": run}, "R").notes == [told]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("corpus/{}.txt", "folder and ending: 'corpus/d0.txt' vs 'd0'"),
        ("doc-{}", "the prefix 'doc-': 'doc-d0' vs 'd0'"),
    ],
)
def test_where_half_of_the_ids_have_another_form_that_is_noted(other, why):
    documents = [f"d{number}" for number in range(10)]
    judgments = dict.fromkeys("12", documents[:8])
    run = {topic: [other.format(name) if at % 2 == 0 else name for at, name in enumerate(documents)] for topic in "12"}
    begins = "half: 12 of 20 ids are not judged, 8 of them only because of"
    assert assay.evaluate(judgments, {"half": run}, "AP").notes == [f"{begins} {why}; {RENAME}"]
    # the same of a longer run, of which Assay looks at a part
    run |= {topic: run[topic] + [f"d{number}" for number in range(10, 100)] for topic in "12"}
    begins = "half: 92 of 100 sampled ids are not judged, 8 of them only because of"
    assert assay.evaluate(judgments, {"half": run}, "AP").notes == [f"{begins} {why}; {RENAME}"]


def test_chunks_of_a_document_may_have_both_forms_in_a_topic():
    judgments = {"1": [("a", 0, 10)], "2": [("b", 0, 10)]}
    run = {"1": [("a", 0, 5), ("corpus/a.txt", 5, 10)], "2": [("b", 0, 5), ("corpus/b.txt", 5, 10)]}
    why = "2 of 4 ids are not judged, 2 of them only because of folder and ending: 'corpus/a.txt' vs 'a'"
    told = f"half: {why}; pass documents= with the files, or {RENAME}"
    assert assay.evaluate(judgments, {"half": run}, "R").notes == [told]


def test_a_few_ids_that_look_alike_are_not_spoken_of():
    numbers = range(1, 100)
    judgments = {"1": [f"d{number}" for number in numbers] + ["news/7.md", "D100"]}
    run = {"1": [f"d{number}" for number in range(50, 200, 3)] + ["7"]}
    assert assay.evaluate(judgments, run, "AP").notes == []


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("caf\u00e9.md", "cafe\u0301.md", "Unicode form (NFC, NFD)"),
        ("my notes.md", "my%20notes.md", "percent encoding"),
    ],
)
def test_a_document_that_is_spelt_otherwise_is_noted_where_others_meet(one, other, why):
    for judged, returned in ((one, other), (other, one)):
        scores = assay.evaluate({"1": {judged, "a.md"}}, {"1": ["a.md", returned, "b.md"]}, "R")
        told = f"run: 2 of 3 ids are not judged, 1 of them only because of {why}: '{returned}' vs '{judged}'; {RENAME}"
        assert (scores["R"], scores.notes) == (0.5, [told])
    # those that stand side by side are two documents
    for judged in ({one, other}, {one}):
        assert assay.evaluate({"1": judged}, {"1": [one, other]}, "R").notes == []


def test_numbers_that_lost_their_leading_zeros_are_noted_where_most_ids_meet():
    judged = [f"{number:02}" for number in range(30)]
    judgments = {"1": dict.fromkeys(judged, 1), "2": {"d1": 1}}
    run = {"1": {str(int(document)): 1 / (1 + int(document)) for document in judged}, "2": {"d1": 1}}
    scores = assay.evaluate(judgments, {"numbers": run}, "R")
    assert scores["R"] == pytest.approx((20 / 30 + 1) / 2)
    begins = "numbers: 10 of 31 ids are not judged, 10 of them only because of leading zeros"
    assert scores.notes == [f"{begins}: '0' vs '00'; {RENAME}"]
    # 7 and 007 may be two documents
    both = {"1": {"7": 1, "007": 1}}
    assert assay.evaluate(both, both, "R").notes == []
    assert assay.evaluate({"1": {"7": 1}}, {"1": {"8": 2, "7": 1}}, "R").notes == []


def test_topics_in_which_nothing_is_found_are_not_spoken_of():
    judgments = {"1": {"news/1"}, "2": {"news/2"}, "3": {"d3"}}
    run = {"1": ["news/1"], "2": ["wiki/2", "news/1"], "3": ["d4", "d5"]}
    assert assay.evaluate(judgments, run, "R").notes == []


def test_a_good_run_with_few_judgments_is_not_spoken_of():
    judgments = {str(topic): {"d7": 1} for topic in range(5)}
    run = {str(topic): [f"d{number}" for number in range(1000)] for topic in range(5)}
    assert assay.evaluate(judgments, run, "R").notes == []


def test_pooled_documents_without_a_grade_meet_too():
    assert assay.evaluate({"1": {"d1": -1, "d2": 1}}, {"1": {"d1": 1}}, "AP").notes == []


def test_a_cut_does_not_make_ids_apart():
    judgments, run = {"1": {"d1": 1}}, {"1": {"d2": 2, "d1": 1}}
    for rules in ({"depth": 1}, {"judged_only": True}):
        assert assay.evaluate(judgments, run, "P@1", **rules).notes == []


def test_the_ids_of_long_runs_are_looked_at_in_blocks(monkeypatch):
    from assay.files import source

    monkeypatch.setattr(source, "BLOCK", 1 << 10)
    written("".join(f"{topic} Q0 corpus/d{n} {n} {-n} t\n" for topic in range(60) for n in range(150)), "r")
    written("".join(f"{topic} 0 d{n} {n % 2}\n" for topic in range(60) for n in range(150)), "q")
    assert (
        refused("q", "r", "AP")
        == f"no document of r is judged in q: the ids differ only in folder ('corpus/d0' vs 'd0'); {RENAME}"
    )


# Highlighted text


def test_results_that_never_touch_the_text_of_their_document_are_noted():
    judgments = {"1": [("a", 100, 110)], "2": [("b", 100, 110)]}
    scores = assay.evaluate(judgments, {"tokens": {"1": [("a", 0, 10), ("a", 20, 30)], "2": [("b", 50, 60)]}}, "R")
    assert (scores["R"], scores.notes) == (0, [
        "tokens: 3 results come from the right documents but miss the evidence; if that is unexpected, check their offsets"
    ])  # fmt: skip


def test_results_without_text_are_called_empty():
    judgments = {"1": [("a", 0, 10)], "2": [("b", 0, 10)]}
    run = {"1": [("a", 0, 0)], "2": [("b", 0, 0)]}
    note = "run: 2 results are empty, for example 0-0 of document a; expected an end after the start"
    scores = assay.evaluate(judgments, run, "R")
    assert (scores["R"], scores.notes) == (0, [note])
    assert assay.misses(judgments, run, "R@5").notes[0] == note
    run["2"] = [("b", 0, 5)]
    assert assay.evaluate(judgments, run, "R").notes == [
        "run: 1 result is empty, for example 0-0 of document a; expected an end after the start"
    ]
    run["2"] = [("b", 20, 25)]
    assert assay.evaluate(judgments, run, "R").notes == [
        "run: 2 results come from the right documents but miss the evidence; if that is unexpected, check their offsets",
        "run: 1 result is empty, for example 0-0 of document a; expected an end after the start",
    ]


def test_documents_with_highlighted_text_that_are_never_returned_are_noted():
    written("1 Q0 a 10 100 0 0:10\n1 Q0 b 0 100\n", "q")
    written("1 Q0 b 1 1 t 0 50\n", "r")
    scores = assay.evaluate("q", "r", "R")
    assert (scores["R"], scores.notes) == (0, ["r: none of 1 result in 1 topic comes from a document with highlighted text"])
    written("1 Q0 a 0 100\n", "none")
    written("1 Q0 a 1 1 t 0 50\n", "r")
    assert assay.evaluate("none", "r", "P").notes == ["none: 1 of 1 topic has nothing relevant and scores 0: 1"]


# Topics


@pytest.mark.parametrize(
    ("in_run", "judged", "said"),
    [
        (["01", "02"], ["1", "2"], "01, 02 vs 1, 2; the ids differ only in leading zeros"),
        (["q1"], ["1"], "q1 vs 1; the ids differ only in the prefix 'q'"),
        (["1"], ["TREC-1"], "1 vs TREC-1; the ids differ only in the prefix 'TREC-'"),
        (["Q1"], ["q1"], "Q1 vs q1; the ids differ only in case"),
        ([" 1"], ["1"], " 1 vs 1; the ids differ only in whitespace"),
        (["a/1"], ["b/1"], "a/1 vs b/1; the ids differ only in folder"),
        (["1.0", "2.0"], ["1", "2"], "1.0, 2.0 vs 1, 2; the ids differ only in decimals"),
        (["7"], ["1"], "7 vs 1"),
    ],
)
def test_topics_that_do_not_meet_are_refused_with_the_likely_cause(in_run, judged, said):
    run, judgments = {topic: {"d": 1} for topic in in_run}, {topic: {"d": 1} for topic in judged}
    assert refused(judgments, {"r": run}, "AP") == f"r and judgments share no topic: {said}"


def test_a_difference_is_no_cause_if_less_than_half_of_the_topics_would_meet_without_it():
    run = {f"b{number}": {"d": 1} for number in range(1, 7)}
    for judged, said in (
        ("1 u v x y z", ""),
        ("1 2 3 x y z", "; 3 of 6 ids differ only in the prefix 'b'"),
        ("1 2 3 x", "; 3 of 4 ids differ only in the prefix 'b'"),
        ("1 2 3", "; the ids differ only in the prefix 'b'"),
    ):
        judgments, first = {topic: {"d": 1} for topic in judged.split()}, ", ".join(judged.split()[:2])
        begins = f"r and judgments share no topic: b1, b2, … vs {first}"
        assert refused(judgments, {"r": run}, "AP") == f"{begins}, …{said}"


def test_topics_that_are_judged_documents_are_asked_for():
    written("b01 Q0 1 1 2 t\nb02 Q0 2 2 1 t\n", "swapped.run")
    written("1 0 b01 1\n2 0 b02 1\n", "qrels")
    why = "are topic and document swapped?"
    assert refused("qrels", "swapped.run", "AP") == f"swapped.run and qrels share no topic: b01, b02 vs 1, 2; {why}"


def test_where_few_topics_meet_the_likely_cause_is_said_first():
    run, judgments = (
        {f"{topic:02}": {"d": 1} for topic in range(8, 12)},
        {str(topic): {"d": 1} for topic in range(1, 11)},
    )
    scores = assay.evaluate(judgments, {"r": run}, "AP")
    assert scores["AP"] == 0.1
    assert scores.notes[0] == (
        "r: only 1 of 10 judged topics is in the run; more topic ids differ only in leading zeros ('08' vs '8')"
    )


def test_where_most_topics_meet_the_likely_cause_is_said_if_it_explains_all_others():
    def notes(judged, in_run):
        run, judgments = ({topic: {"d": 1} for topic in topics.split()} for topics in (in_run, judged))
        return assay.evaluate(judgments, {"r": run}, "AP").notes

    first, *others = notes("1 2 03", "1 2 3")
    assert first == "r: only 2 of 3 judged topics are in the run; more topic ids differ only in leading zeros ('3' vs '03')"
    assert len(others) == 2
    # not all of them would match, or it is a guess
    assert len(notes("1 2 03 4", "1 2 3 5")) == 2
    assert len(notes("1 2 a/3", "1 2 b/3")) == 2


def test_the_notes_of_a_page_begin_with_it_too():
    written(json.dumps({"topic": "1", "document": "d1", "grade": 1}) + "\n", "q.jsonl")
    written("1 Q0 x9 1 1 t\n", "r")
    scores = assay.evaluate("q.jsonl", "r", "AP")
    assert scores._repr_html_().count("<p><small>r: none of 1 result in 1 topic is judged in q.jsonl") == 1
    assert np.isfinite(scores.values).all()


def test_ids_that_no_document_has_are_quotations_only_if_they_look_so(folder):
    for name in "ab":
        written("alpha beta", f"texts/{name}/index.md")
    # a name that several files have is nothing to stumble over
    for judged, documents, is_hinted in (("k1", {"d": "text"}, False), ("Paris", {"d": "text"}, True), ("index", "texts", False)):
        notes = assay.evaluate({"q": {judged: 1}}, {"q": {"zz": 1.0}}, "AP", documents=documents).notes
        assert ("if the judgments are quotes" in notes[0]) == is_hinted
