"""Others' formulas of whole documents, worked by hand and against sets of ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay

DOCUMENTS = "abcdefgh"
judged = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 1), min_size=1)
ranked = st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True)


def values(judgments, order, names):
    run = {document: -rank for rank, document in enumerate(order)}
    scores = assay.evaluate({"1": judgments}, {"1": run}, names)
    return [scores[name] for name in names]


def f1(retrieved, relevant):
    hits = len(retrieved & relevant)
    precision, recall = hits / len(retrieved), hits / len(relevant) if relevant else 0
    return 2 * precision * recall / (precision + recall) if hits else 0


@given(judged, ranked, st.integers(1, 5))
def test_sets_of_ids(grades, order, k):
    relevant, top = {document for document, grade in grades.items() if grade}, set(order[:k])
    hits = len(relevant & top)
    names = [f"{name}@{k}" for name in ("HotpotEM", "HotpotF1", "QASPERF1", "RagasPrecision", "RagasRecall")]
    recall = hits / len(relevant) if relevant else 0
    expected = [float(top == relevant), f1(top, relevant), f1(top, relevant), hits / len(top), recall]
    assert values(grades, order, names) == pytest.approx(expected, abs=1e-12)


def kilt_places(order, sets):
    """The list in which a set has one place, that of its document found last: True where it is complete."""
    sets, places = [set(one) for one in sets], []
    for document in order:
        member = False
        for number, one in enumerate(sets):
            if document in one:
                member = True
                places = [place for place in places if place != f"set {number}"]
                one.remove(document)
                places.append(f"set {number}" if one else True)
        if not member:
            places.append(False)
    return [place is True for place in places]


@given(judged, ranked, st.integers(1, 5))
def test_sets_of_evidence_of_kilt(grades, order, k):
    relevant = [document for document, grade in grades.items() if grade]
    for kind, sets in (("each", [{document} for document in relevant]), ("all", [set(relevant)] if relevant else [])):
        recall = sum(kilt_places(order, sets)[:k]) / len(sets) if sets else 0
        precision = max((len(one & set(order[: len(one)])) / len(one) for one in sets), default=0)
        names = [f"KILTRprec(sets={kind})", f"KILTRecall(sets={kind})@{k}"]
        assert values(grades, order, names) == pytest.approx([precision, recall], abs=1e-12)


def test_a_set_is_complete_with_its_last_document_and_its_others_take_no_place():
    grades = {"a": 1, "b": 1}
    names = ["KILTRecall(sets=all)@1", "KILTRecall(sets=all)@2", "KILTRecall(sets=all)@3", "KILTRecall@1", "KILTRprec"]
    assert values(grades, "ab", names) == [1, 1, 1, 0.5, 1]
    assert values(grades, "axyb", names) == [0, 0, 1, 0.5, 1]
    assert values(grades, "xa", names) == [0, 0, 0, 0, 0]


def test_nothing_relevant_and_nothing_retrieved_is_perfect_for_hotpot_and_qasper_only():
    judgments, run = {"1": {"a": 1}, "2": {"b": 0}}, {"1": {"a": 1}}
    scores = assay.evaluate(
        judgments, run, ["HotpotEM", "HotpotF1", "QASPERF1", "RagasPrecision", "KILTRecall(sets=all)"]
    )
    assert scores.values[0, :, 1].tolist() == [1, 0, 1, 0, 0]


def test_text_that_is_returned_again_is_found_again_by_legalbench():
    gold = {"1": [("a", 10, 20)]}
    run = {"1": [("a", 0, 20), ("a", 10, 30), ("a", 10, 20)]}
    names = ["LegalBenchRecall", "LegalBenchPrecision", "ChromaRecall", "ChromaPrecision", "ChromaIoU"]
    scores = assay.evaluate(gold, run, names)
    assert scores.values[0, :, 0].tolist() == [3, 30 / 50, 1, 10 / 50, 10 / 50]
