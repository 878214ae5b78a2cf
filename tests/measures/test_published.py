"""Others' formulas, worked by hand and against sets of ids and plain code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.measures.ragas_contexts import edit_distance, greatest_similarity, similarity

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


def by_sets(sets, **labels):
    """Judgments in which each set of documents is an alternative."""
    return [
        {"topic": "1", "document": document, "grade": 1, "set": str(number), **labels}
        for number, of_set in enumerate(sets)
        for document in sorted(of_set)
    ]


@given(st.lists(st.sets(st.sampled_from(DOCUMENTS), min_size=1, max_size=3), min_size=1, max_size=3), ranked)
def test_r_precision_of_kilt_is_that_of_the_best_set(sets, order):
    run = {"1": {document: -rank for rank, document in enumerate(order)}}
    expected = max(len(of_set & set(order[: len(of_set)])) / len(of_set) for of_set in sets)
    assert assay.evaluate(by_sets(sets), run, "KILTRprec(sets=all)")["KILTRprec(sets=all)"] == pytest.approx(expected)


@given(st.sets(st.sampled_from(DOCUMENTS), min_size=1, max_size=4), ranked, st.integers(1, 5))
def test_recall_of_kilt_is_the_share_of_the_sets_that_are_complete(documents, order, k):
    sets = [{document} for document in sorted(documents)]
    run = {"1": {document: -rank for rank, document in enumerate(order)}}
    expected = sum(kilt_places(order, sets)[:k]) / len(sets)
    name = f"KILTRecall(sets=all)@{k}"
    assert assay.evaluate(by_sets(sets), run, name)[name] == pytest.approx(expected)


def test_recall_of_kilt_where_sets_have_several_documents():
    run = {"1": {document: -rank for rank, document in enumerate("axbc")}}
    scores = assay.evaluate(by_sets([{"a", "b"}, {"c"}, {"d"}]), run, ["KILTRecall(sets=all)@2", "KILTRecall(sets=all)@4"])
    # a and b are complete at their second document, rank 3, which is then the second place; c stands at rank 4
    assert scores.values[0, :, 0] == pytest.approx([1 / 3, 2 / 3])


def test_qasper_takes_the_best_annotator_where_that_is_asked():
    judgments = [
        {"topic": "1", "document": document, "grade": 1, "annotator": annotator}
        for annotator, documents in {"A": "ab", "B": "c"}.items()
        for document in documents
    ]
    run = {"1": {"c": 2, "x": 1}}
    assert assay.evaluate(judgments, run, "QASPERF1", annotators="best")["QASPERF1"] == pytest.approx(2 / 3)
    assert assay.evaluate(judgments, run, "QASPERF1")["QASPERF1"] == pytest.approx(1 / 3)


def levenshtein(text, other):
    """The table of distances, filled row by row."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(text, 1):
        before, row = row, [i]
        for j, another in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != another)))
    return row[-1]


words = st.text("abc ", max_size=40)


@given(words, words)
def test_the_edit_distance_is_that_of_the_table(text, other):
    assert edit_distance(text, other) == levenshtein(text, other)
    longest = max(len(text), len(other))
    assert similarity(text, other) == (1 - levenshtein(text, other) / longest if longest else 1)
    assert similarity(text, other) <= greatest_similarity(text, other) + 1e-12


TEXT = "abcabca bcab ccba abca cab bacb acba cbab cabc abac bcca bab"
places = st.tuples(st.sampled_from("de"), st.integers(0, 55), st.integers(1, 20))


@given(
    st.lists(places, min_size=1, max_size=3),
    st.lists(places, min_size=1, max_size=5),
    st.integers(1, 5),
    st.sampled_from([0.5, 0.3]),
)
def test_ragas_by_texts_as_ragas_computes_it(gold, chunks, k, threshold):
    documents = {"d": TEXT, "e": TEXT[::-1]}
    gold, chunks = ([(name, start, min(start + size, 60)) for name, start, size in spans] for spans in (gold, chunks))
    excerpts, texts = ([documents[name][start:end] for name, start, end in spans] for spans in (gold, chunks[:k]))

    def alike(text, other):
        return 1 - levenshtein(text, other) / max(len(text), len(other))

    verdicts = [max(alike(text, excerpt) for excerpt in excerpts) >= threshold for text in texts]
    precision = sum(sum(verdicts[: i + 1]) / (i + 1) * verdicts[i] for i in range(len(verdicts))) / (sum(verdicts) + 1e-10)
    recalled = [max(alike(excerpt, text) for text in texts) > threshold for excerpt in excerpts]
    rows = [{"topic": "1", "document": name, "start": start, "end": end} for name, start, end in gold]
    names = [f"RagasText{name}(threshold={threshold})@{k}" for name in ("Precision", "Recall")]
    scores = assay.evaluate(rows, {"1": chunks}, names, documents=documents, overlap="paid", ties="input")
    assert scores.values[0, :, 0] == pytest.approx([precision, sum(recalled) / len(recalled)], abs=1e-9)


def test_a_chunk_that_holds_the_excerpt_and_more_is_irrelevant_to_ragas():
    documents = {"d": "Rye keeps for a week. " + "Bread " * 20}
    gold, run = [{"topic": "1", "document": "d", "start": 0, "end": 21}], {"1": [("d", 0, 60)]}
    scores = assay.evaluate(gold, run, ["RagasTextRecall", "RagasTextPrecision", "R"], documents=documents)
    assert scores.values[0, :, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "RagasTextRecall compares texts; pass documents="),
        (
            {"documents": {"d": "Rye keeps."}, "whitespace": "ignore"},
            "RagasTextRecall compares texts, with their whitespace and in no other unit",
        ),
        ({"documents": {"e": "Rye keeps."}}, "documents: there is no document d; comparing texts needs all documents"),
    ],
)
def test_texts_are_compared_only_where_they_are_known(rules, message):
    with pytest.raises(AssayError) as error:
        gold = [{"topic": "1", "document": "d", "start": 0, "end": 3}]
        assay.evaluate(gold, {"1": [("d", 0, 5)]}, "RagasTextRecall", **rules)
    assert str(error.value) == message


def test_omega_is_of_every_chunk_that_touches_an_excerpt():
    gold = {"1": [("a", 10, 20)]}
    chunks = {"1": [("a", start, start + 10) for start in (0, 5, 15, 20, 40)]}
    # the first and the fourth only touch the excerpt, the last does not
    assert assay.evaluate(gold, chunks, "ChromaOmega")["ChromaOmega"] == 10 / 30


def test_the_semicolon_of_bioasq_makes_every_snippet_of_a_gold_document_relevant():
    gold = [{"topic": "1", "document": "a", "start": 0, "end": 10}, {"topic": "1", "document": "b", "start": 0, "end": 10}]
    run = {"1": [("a", 0, 10), ("a", 20, 30), ("b", 30, 40)]}
    names = ["BioASQAP", "BioASQAP(relevant=overlap)", "BioASQAP(edition=5)", "BioASQAP(edition=2, relevant=overlap)"]
    scores = assay.evaluate(gold, run, names)
    assert scores.values[0, :, 0] == pytest.approx([(1 + 1 / 2 + 1 / 3) / 2, 1 / 2, (1 + 1 / 2 + 1 / 3) / 10, 1 / 2])
