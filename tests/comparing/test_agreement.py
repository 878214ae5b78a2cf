"""How alike annotators are: against plain sets of characters, and on real evidence."""

import json
from itertools import combinations, product
from math import nan
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from helpers.commands import invoke
from helpers.places import DATA
from helpers.samples import sample

DOCTORS = DATA / "spans" / "evidence-inference-v2"
LENGTHS = {"a": 20, "b": 31}


def naive(rows, lengths):
    """The values of rows (topic, document, start, end, annotator), by sets and counts."""
    units = {}
    for topic, document, start, end, annotator in rows:
        units.setdefault((topic, document), {}).setdefault(annotator, set()).update(range(start, end))
    f1, jaccard, overlap, kappa = [], [], [], []
    coincidences = dict.fromkeys(product((0, 1), repeat=2), 0.0)
    squares = 0
    for (_, document), marked in units.items():
        for a, b in combinations(marked.values(), 2):
            length = lengths[document]
            agreed = sum((at in a) == (at in b) for at in range(length)) / length
            chance = len(a) * len(b) / length**2 + (length - len(a)) * (length - len(b)) / length**2
            if a | b:
                f1.append(2 * len(a & b) / (len(a) + len(b)))
                jaccard.append(len(a & b) / len(a | b))
                overlap.append(bool(a & b))
            if chance < 1:
                kappa.append((agreed - chance) / (1 - chance))
        if len(marked) > 1:
            squares += sum(length**2 for each in marked.values() for length in lengths_of_passages(each))
            for at in range(lengths[document]):
                values = [int(at in each) for each in marked.values()]
                for i, j in product(range(len(values)), repeat=2):
                    if i != j:
                        coincidences[values[i], values[j]] += 1 / (len(values) - 1)
    total = [coincidences[c, 0] + coincidences[c, 1] for c in (0, 1)]
    everything = sum(total)
    alpha = 1 - (everything - 1) * coincidences[0, 1] / (total[0] * total[1]) if all(total) else nan
    # alpha for unitizing: each gap counts by its characters, each passage as a whole
    chance = everything * (total[1] ** 2 - squares + total[0] ** 2 - total[0]) / (everything**2 - squares - total[0])
    agreed = coincidences[0, 0] + coincidences[1, 1]
    both = [disagreement_of_2004(marked.values(), lengths[document]) for (_, document), marked in units.items() if len(marked) > 1]
    return {
        "u-alpha 2004": 1 - sum(observed for observed, _ in both) / sum(expected for _, expected in both),
        "u-alpha": 1 - (everything - agreed) / (everything - chance) if all(total) else nan,
        "F1": fmean(f1),
        "Jaccard": fmean(jaccard),
        "any overlap": fmean(overlap),
        "kappa": fmean(kappa),
        "alpha": alpha,
    }


def disagreement_of_2004(observers, length):
    """Krippendorff (2004): what observers of a text disagree about, and what they would by chance."""
    sections = []
    for marked in observers:
        edges = [at for at in range(length) if at == 0 or (at in marked) != (at - 1 in marked)]
        sections.append([(at, end - at, at in marked) for at, end in zip(edges, [*edges[1:], length], strict=True)])
    m, observed, expected = len(sections), 0, 0
    for i, j in product(range(m), repeat=2):
        for (b, size, v), (c, other, w) in product(sections[i], sections[j]) if i != j else ():
            if v and w and -size < b - c < other:
                observed += (b - c) ** 2 + (b + size - c - other) ** 2
            elif v and not w and other - size >= b - c >= 0:
                observed += size**2
            elif w and not v and size - other >= c - b >= 0:
                observed += other**2
    everything = [each for of_one in sections for each in of_one]
    units = [size for _, size, v in everything if v]
    for size in units:
        expected += (len(units) - 1) / 3 * (2 * size**3 - 3 * size**2 + size)
        expected += size**2 * sum(gap - size + 1 for _, gap, w in everything if not w and gap >= size)
    ways = m * length * (m * length - 1) - sum(size * (size - 1) for size in units)
    return observed / (m * (m - 1) * length**2), 2 / length * expected / ways


def lengths_of_passages(marked):
    """The lengths of the stretches of neighbouring characters."""
    starts = [at for at in sorted(marked) if at - 1 not in marked]
    return [next(end for end in range(start, 99) if end not in marked) - start for start in starts]


@st.composite
def marked_rows(draw):
    start = draw(st.integers(0, 15))
    end = start + draw(st.integers(1, 5))
    return (
        draw(st.sampled_from("12")),
        draw(st.sampled_from("ab")),
        start,
        end,
        draw(st.sampled_from(["ann", "bob", "eve"])),
    )


@settings(max_examples=sample(12, 500))
@given(rows=st.lists(marked_rows(), min_size=2, max_size=15))
def test_values_are_those_of_plain_sets_of_characters(rows):
    annotators = {}
    for topic, document, *_, annotator in rows:
        annotators.setdefault((topic, document), set()).add(annotator)
    if all(len(names) < 2 for names in annotators.values()):
        return
    fields = ("topic", "document", "start", "end", "annotator")
    documents = {name: "x" * length for name, length in LENGTHS.items()}
    alike = assay.agreement([dict(zip(fields, row, strict=True)) for row in rows], documents=documents)
    for name, value in naive(rows, LENGTHS).items():
        assert alike[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


GOLD = [
    {"query_id": "1", "doc_id": "a", "start": 0, "end": 10, "annotator": "ann", "document_length": 20},
    {"query_id": "1", "doc_id": "a", "start": 5, "end": 10, "annotator": "bob", "document_length": 20},
    {"query_id": "2", "doc_id": "a", "start": 0, "end": 4, "annotator": "ann", "document_length": 20},
]


def test_it_shows_itself():
    # 5 of 15 characters are marked by both: F1 10/15, agreed 15/20, by chance 1/2
    # u-alpha: l = 40, of which both mark or leave 30; by chance 40 (15² − 125 + 25² − 25) / (40² − 125 − 25) = 19.31
    # of 2004: D_o = 2 · 5² / (2 · 20²); D_e = 2/20 (570 + 10² · 2 + 60 + 5² · 13) / (40 · 39 − 90 − 20)
    assert round(1 - 0.0625 / (0.1 * 1155 / 1450), 4) == 0.2154
    assert repr(assay.agreement(GOLD)) == (
        "annotator   other   pairs       F1   Jaccard   any overlap    kappa    alpha   u-alpha   u-alpha 2004\n"
        "─────────────────────────────────────────────────────────────────────────────────────────────────────\n"
        "ann         bob         1   0.6667    0.5000        1.0000   0.5000   0.4800    0.5167         0.2154\n"
        "all         all         1   0.6667    0.5000        1.0000   0.5000   0.4800    0.5167         0.2154\n"
        "\n"
        "means over pairs; unmarked text inflates kappa per character; alpha (per character) and u-alpha (per "
        "passage, by the formulas of 2016 and of 2004) are over all documents together"
    )


def test_systems_are_ranked_under_each_annotator():
    gold = [row | {"query_id": str(topic)} for topic in (1, 2) for row in GOLD[:2]]
    chunks = {"long": (0, 10), "late": (5, 10), "none": (12, 18)}
    runs = {name: {str(topic): [("a", *span)] for topic in (1, 2)} for name, span in chunks.items()}
    alike = assay.agreement(gold, runs=runs, measure="P@1")
    # ann: long 1, late 1, none 0; bob: long .5, late 1, none 0, so that one pair of three is tied for ann
    assert alike["tau P@1"] == pytest.approx(2 / (2 * 3) ** 0.5)


def test_documents_in_which_one_found_nothing_have_a_kappa_of_their_own():
    marks = {"1": ("ab", "ab"), "2": ("a", ""), "3": ("", ""), "4": ("a", "a")}
    gold = {
        topic: [
            {"doc_id": "d", "start": 0, "end": len(text), "annotator": name, "document_length": 9, "grade": int(bool(text))}
            for name, text in zip(("ann", "bob"), texts, strict=True)
        ]
        for topic, texts in marks.items()
    }
    rows = [{"query_id": topic, **row} for topic, each in gold.items() for row in each]
    # 3 of 4 agree; by chance 3/4 · 2/4 + 1/4 · 2/4 = 1/2
    assert assay.agreement(rows)["document kappa"] == pytest.approx(0.5)


def test_without_lengths_there_is_neither_kappa_nor_alpha_and_that_is_said():
    gold = [{name: value for name, value in row.items() if name != "document_length"} for row in GOLD]
    alike = assay.agreement(gold)
    assert alike.header == ["annotator", "other", "pairs", "F1", "Jaccard", "any overlap"]
    what = "the document lengths of 1 of 1 pair are unknown, so kappa and alpha are left out"
    assert alike.notes == [f"judgments: {what}; pass documents= to look them up"]
    assert alike.frame().columns[-1] == "Jaccard"


@pytest.mark.parametrize(
    ("gold", "what"),
    [
        (GOLD[::2], "no document was judged by two annotators for the same topic"),
        ({"1": [("a", 0, 4)]}, "the judgments name no annotators; expected a column annotator, or one file per annotator"),
        (
            [row | {"document_length": 7} for row in GOLD],
            "10 characters of document a are marked for topic 1, but it has only 7; do the offsets belong to another text?",
        ),
    ],
)
def test_what_has_no_agreement_is_refused(gold, what):
    with pytest.raises(assay.InputError) as refused:
        assay.agreement(gold)
    assert str(refused.value) == f"judgments: {what}"


@pytest.mark.shared("spans/evidence-inference-v2")
def test_the_doctors_of_evidence_inference_agree_as_was_counted_before():
    printed = invoke("agreement", DOCTORS / "gold.jsonl", "--documents", DOCTORS / "txt", "--no-cache", "--as", "json")
    last = json.loads(printed.stdout)[-1]
    assert last.pop("annotator") == last.pop("other") == "all"
    last.pop("u-alpha")
    last.pop("u-alpha 2004")
    rounded = {name: round(value, 4) for name, value in last.items()}
    assert rounded == {
        "pairs": 213,
        "F1": 0.5529,
        "Jaccard": 0.5273,
        "any overlap": 0.6056,
        "kappa": 0.5499,
        "alpha": 0.5267,
    }


# Krippendorff, Measuring the reliability of qualitative text analysis data, Quality & Quantity 38, 2004, figure 2: two
# observers, a continuum of 300 from 150 on, units by start and length, of two categories.
FIGURE_2 = {
    "c": {"i": [(225, 70), (370, 30)], "j": [(220, 80), (355, 20), (400, 20)]},
    "k": {"i": [(180, 60), (300, 50)], "j": [(180, 60), (300, 50)]},
}


def of_figure_2(*categories):
    """Each category is a topic of the one document."""
    rows = [
        {"query_id": category, "doc_id": "d", "start": start - 150, "end": start - 150 + length, "annotator": observer}
        for category in categories
        for observer, units in FIGURE_2[category].items()
        for start, length in units
    ]
    return assay.agreement(rows, documents={"d": "x" * 300})


def test_the_first_alpha_for_unitizing_has_the_values_that_are_printed_in_2004():
    assert of_figure_2("k")["u-alpha 2004"] == 1
    assert round(of_figure_2("c")["u-alpha 2004"], 3) == 0.729
    assert round(of_figure_2("c", "k")["u-alpha 2004"], 3) == 0.859


@pytest.mark.parametrize(
    ("category", "value"),
    # of c both mark 75 and both leave 155 of 300; of 600 in all 220 are marked, in units of 70, 30, 80, 20 and 20, and
    # 380 left; so chance agrees on 600 (220² - 13000 + 380² - 380) / (600² - 13000 - 380). The coefficient of 2004
    # compares squared lengths
    [("c", 1 - (600 - 460) / (600 - 600 * (220**2 - 13000 + 380**2 - 380) / (600**2 - 13000 - 380))), ("k", 1.0)],
)
def test_alpha_for_unitizing_of_the_example_of_2004(category, value):
    assert of_figure_2(category)["u-alpha"] == pytest.approx(value)


def test_a_file_for_each_annotator_is_as_one_file_with_a_column(tmp_path):
    marked = {
        "model": [("1", "a", 0, 8), ("1", "b", 3, 9), ("2", "a", 2, 4), ("3", "a", 0, 3)],
        "people": [("1", "a", 2, 9), ("2", "a", 2, 5), ("2", "b", 0, 6)],
    }
    names = ("topic", "document", "start", "end")
    for name, spans in marked.items():
        lines = (json.dumps(dict(zip(names, span, strict=True))) for span in spans)
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    # who lists only evidence found none in the other documents of these topics; people did not judge topic 3
    nothing = {"model": [("2", "b", 0, 0)], "people": [("1", "b", 0, 0)]}
    rows = [
        {**dict(zip(names, span, strict=True)), "grade": grade, "annotator": name}
        for spans, grade in ((marked, 1), (nothing, 0))
        for name in spans
        for span in spans[name]
    ]
    texts, runs = {"a": "x" * 20, "b": "y" * 31}, {"r": {"1": [("a", 0, 5)]}, "s": {"1": [("b", 0, 5)]}}
    files = [tmp_path / "model.jsonl", tmp_path / "people.jsonl"]
    found = assay.agreement(files, documents=texts, runs=runs)
    assert found.show("json") == assay.agreement(rows, documents=texts, runs=runs).show("json")
    assert len(found.pairs) == 4
    (tmp_path / "both.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.raises(assay.AssayError) as error:
        assay.agreement([files[0], tmp_path / "both.jsonl"])
    assert str(error.value) == (
        f"{tmp_path}/both.jsonl: the file has a column annotator; expected one annotator per file if there are several files"
    )
