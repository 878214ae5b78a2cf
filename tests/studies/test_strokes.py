"""What strokes add up to, against sets of characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.studies.strokes import LEVELS, Element, Fold, Passage, Stroke, StudySettings, fold, highlight, unhighlight
from helpers.naive_strokes import naive, runs_of, stated_levels

LENGTH = 12
acts = st.one_of(
    st.tuples(st.sampled_from(["highlight", "highlight", "unhighlight"]), st.integers(0, LENGTH), st.integers(0, LENGTH + 1), st.sampled_from([None, "1", "2"])),
    st.tuples(st.just("entry"), st.one_of(st.none(), st.integers(0, LENGTH + 1)), st.none(), st.none()),
    st.tuples(st.just("grade"), st.none(), st.none(), st.sampled_from([None, "0", "1", "3"])),
    st.tuples(st.just("note"), st.none(), st.none(), st.sampled_from(["", "a", "b"])),
    st.tuples(st.just("answer"), st.none(), st.none(), st.sampled_from([None, "none"])),
    st.tuples(st.just("time"), st.none(), st.none(), st.just("1.5")),
    st.tuples(st.sampled_from(["validate", "reopen", "undo", "undo", "redo"]), st.none(), st.none(), st.none()),
)  # fmt: skip


@given(
    st.lists(acts, max_size=40),
    st.sampled_from([("highlight", ()), ("highlight", (0, 1)), ("grades", (0, 1)), ("questions", ())]),
)
def test_strokes_add_up_to_what_sets_of_characters_do(acts, study):
    mode, grades = study
    folded = Fold(StudySettings(mode, grades), LENGTH)
    allowed = [not folded.apply(Stroke(str(number), *act)) for number, act in enumerate(acts)]
    expected, naive_allowed = naive(acts, mode, grades, LENGTH)
    judgment = folded.judgment
    assert allowed == naive_allowed
    facts = {fact for _, _, fact in judgment.passages}
    spans = {fact: [(start, end) for start, end, of in judgment.passages if of == fact] for fact in facts}
    assert spans == {fact: runs_of(places) for fact, places in expected["facts"].items()}
    assert list(judgment.passages) == sorted(judgment.passages)
    assert (judgment.entry, judgment.note, judgment.no_answer) == (expected["entry"], expected["note"], expected["answer"] == "none")
    assert judgment.grade == (None if expected["grade"] is None else int(expected["grade"]))
    assert (judgment.state == "done", judgment.seconds) == (expected["done"], expected["seconds"])


def test_passages_that_touch_become_one_and_the_middle_splits_one():
    assert highlight([Passage(0, 4), Passage(6, 9)], Passage(4, 6)) == (Passage(0, 9),)
    assert unhighlight([Passage(0, 9)], Passage(3, 5)) == (Passage(0, 3), Passage(5, 9))
    assert highlight([Passage(0, 4, "1")], Passage(2, 6, "2")) == (Passage(0, 4, "1"), Passage(2, 6, "2"))


def test_undo_and_redo_have_no_end():
    strokes = [Stroke(str(n), "highlight", 2 * n, 2 * n + 1) for n in range(500)]
    settings = StudySettings()
    back = [Stroke(f"u{n}", "undo") for n in range(500)]
    assert fold([*strokes, *back], settings, 1000).passages == ()
    forth = [Stroke(f"r{n}", "redo") for n in range(500)]
    assert fold([*strokes, *back, *forth], settings, 1000).passages == fold(strokes, settings, 1000).passages


def act(kind, start=None, end=None, value=None):
    return Stroke(kind, kind, start, end, value)


REFUSED = {
    "highlight: expected 0 <= start < end <= 10, found 3 and 3": [act("highlight", 3, 3)],
    "highlight: expected 0 <= start < end <= 10, found 0 and 11": [act("highlight", 0, 11)],
    "highlight: this study has no facts": [act("highlight", 0, 3, "1")],
    "entry: expected 0 <= start <= 10, found 11": [act("entry", 11)],
    "grade: expected one of 0, 1, 2, found 3": [act("grade", value="3")],
    "this study does not ask for exhaustivity": [act("exhaustivity", value="2 /a[1]")],
    "answer: expected 'none' or nothing, in a study of questions": [act("answer", value="none")],
    "time: expected seconds, found nan": [act("time", value="nan")],
    "time: expected seconds, found None": [act("time")],
    "note: the value is longer than 20,000 characters": [act("note", value="a" * 20_001)],
    "nothing to undo": [act("undo")],
    "nothing to redo": [act("redo")],
    "the document is not done": [act("reopen")],
    "text is highlighted but there is no entry point; set one": [act("highlight", 0, 3), act("validate")],
    "there is an entry point but nothing is highlighted; remove it or highlight text": [act("entry", 3), act("validate")],
    "the document has no grade yet": [act("validate")],
    "the document is done; reopen it first": [act("grade", value="0"), act("validate"), act("highlight", 0, 3)],
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_stroke_that_is_not_allowed_is_refused_with_the_reason(why):
    folded = Fold(StudySettings("highlight", (0, 1, 2)), 10)
    *before, last = REFUSED[why]
    assert [folded.apply(stroke) for stroke in before] == [""] * len(before)
    judgment = folded.judgment
    assert folded.apply(last) == why
    assert folded.judgment == judgment


def test_an_unknown_kind_of_stroke_is_refused():
    kinds = "highlight, unhighlight, entry, grade, exhaustivity, remaining, note, answer, time, validate, reopen, undo, redo"
    assert Fold(StudySettings(), 10).apply(act("paint")) == f"unknown kind of stroke 'paint'; choose from {kinds}"


# Exhaustivity as in INEX 2005: /a[1] holds sections 0-10, 10-20 and 20-30, the first two with two paragraphs each.
TREE = [
    Element("/a[1]", 0, 30),
    Element("/a[1]/s[1]", 0, 10),
    Element("/a[1]/s[1]/p[1]", 0, 5),
    Element("/a[1]/s[1]/p[2]", 5, 10),
    Element("/a[1]/s[2]", 10, 20),
    Element("/a[1]/s[2]/p[1]", 10, 15),
    Element("/a[1]/s[2]/p[2]", 15, 20),
    Element("/a[1]/s[3]", 20, 30),
]


def levels(*acts, passages=((2, 18),)):
    """The levels by the last two steps of each path, after highlighting and giving levels."""
    folded = Fold(StudySettings("exhaustivity"), 30, TREE)
    for start, end in passages:
        assert folded.apply(act("highlight", start, end)) == ""
    told = [folded.apply(act("remaining" if one.startswith("+") else "exhaustivity", value=one.lstrip("+"))) for one in acts]
    assert told == [""] * len(acts)
    return {path.removeprefix("/a[1]") or "/": level for path, level in folded.judgment.exhaustivity.items()}


def test_a_child_of_2_makes_its_ancestors_2():
    assert levels("2 /a[1]/s[1]/p[2]") == {"/s[1]/p[2]": "2", "/s[1]": "2", "/": "2"}


def test_another_child_above_its_parent_sets_the_parent_back():
    assert levels("? /a[1]/s[1]", "1 /a[1]/s[1]/p[1]") == {"/s[1]/p[1]": "1"}


def test_lowering_an_element_sets_descendants_above_it_back():
    assert levels("2 /a[1]/s[1]/p[1]", "1 /a[1]/s[1]/p[2]", "1 /a[1]/s[1]") == {"/s[1]/p[2]": "1", "/s[1]": "1"}


def test_lowering_the_only_child_that_supports_its_parent_sets_the_parent_back():
    # the section was all that supported the article
    assert levels("2 /a[1]/s[1]/p[1]", "1 /a[1]/s[1]/p[1]") == {"/s[1]/p[1]": "1"}
    other = ["2 /a[1]/s[1]/p[1]", "2 /a[1]/s[2]"]
    assert levels(*other, "1 /a[1]/s[1]/p[1]") == {"/s[1]/p[1]": "1", "/s[2]": "2", "/": "2"}
    both = ["2 /a[1]/s[1]/p[1]", "2 /a[1]/s[1]/p[2]"]
    assert levels(*both, "1 /a[1]/s[1]/p[1]") == {"/s[1]/p[1]": "1", "/s[1]/p[2]": "2", "/s[1]": "2", "/": "2"}


def test_too_small_holds_for_all_below_and_leaving_it_sets_them_back():
    small = {"/s[1]": "?", "/s[1]/p[1]": "?", "/s[1]/p[2]": "?"}
    assert levels("? /a[1]/s[1]") == small
    assert levels("? /a[1]/s[1]", "1 /a[1]/s[1]") == {"/s[1]": "1"}


def test_all_remaining_children_get_a_level_at_once():
    assert levels("2 /a[1]/s[1]", "+1 /a[1]") == {"/s[1]": "2", "/": "2", "/s[2]": "1"}


def test_an_element_with_a_whole_passage_is_not_too_small_nor_one_without_highlighted_text_judged():
    folded = Fold(StudySettings("exhaustivity"), 30, TREE)
    folded.apply(act("highlight", 2, 4))
    why = "/a[1]/s[1]/p[1] contains a whole passage, so it is not too small"
    assert folded.apply(act("exhaustivity", value="? /a[1]/s[1]/p[1]")) == why
    assert folded.apply(act("exhaustivity", value="1 /a[1]/s[3]")) == "/a[1]/s[3] has no highlighted text"


def test_levels_go_when_their_text_is_no_longer_highlighted():
    folded = Fold(StudySettings("exhaustivity"), 30, TREE)
    for stroke in [act("highlight", 2, 18), act("exhaustivity", value="? /a[1]/s[1]"), act("unhighlight", 5, 18)]:
        assert folded.apply(stroke) == ""
    # what is left is all of a passage, which is not too small
    assert folded.judgment.exhaustivity == {}


def test_a_document_is_not_done_before_all_elements_have_a_level():
    folded = Fold(StudySettings("exhaustivity"), 30, TREE)
    for stroke in [act("highlight", 2, 4), act("entry", 2), act("exhaustivity", value="2 /a[1]/s[1]")]:
        assert folded.apply(stroke) == ""
    assert folded.apply(act("validate")) == "no exhaustivity yet for 1 element: /a[1]/s[1]/p[1]"
    assert folded.judgment.state == "assessing"
    assert folded.apply(act("exhaustivity", value="1 /a[1]/s[1]/p[1]")) == ""
    assert folded.apply(act("validate")) == ""


@given(
    st.lists(st.tuples(st.integers(0, 29), st.integers(1, 30)), min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from(["exhaustivity", "exhaustivity", "remaining"]), st.sampled_from(LEVELS), st.sampled_from(TREE)), max_size=15),
)  # fmt: skip
def test_no_order_of_levels_breaks_the_rules(spans, given_levels):
    folded = Fold(StudySettings("exhaustivity"), 30, TREE)
    for start, end in spans:
        folded.apply(act("highlight", start, end))
    for kind, level, element in given_levels:
        before = folded.judgment.exhaustivity
        if not folded.apply(act(kind, value=f"{level} {element.path}")) and kind == "exhaustivity":
            assert folded.judgment.exhaustivity[element.path] == level
        if folded.judgment.exhaustivity == before:
            continue
        now = folded.judgment
        for one in TREE:
            if one.path not in now.exhaustivity:
                continue
            met = [p for p in now.passages if max(p.start, one.start) < min(p.end, one.end)]
            assert met
            here = now.exhaustivity[one.path]
            below = [o for o in TREE if o.path.startswith(f"{one.path}/")]
            for other in below:
                there = now.exhaustivity.get(other.path)
                assert there is None or LEVELS.index(there) <= LEVELS.index(here)
                if here == "?" and any(max(p.start, other.start) < min(p.end, other.end) for p in now.passages):
                    assert there == "?"
            assert here != "?" or not any(one.start <= p.start and p.end <= one.end for p in now.passages)


# Five elements deep, so that rules must hold over all levels.
DEEP = [
    Element("/a[1]", 0, 32), Element("/a[1]/b[1]", 0, 16), Element("/a[1]/b[2]", 16, 32),
    Element("/a[1]/b[1]/c[1]", 0, 8), Element("/a[1]/b[1]/c[2]", 8, 16), Element("/a[1]/b[2]/c[1]", 16, 30),
    Element("/a[1]/b[1]/c[1]/d[1]", 0, 4), Element("/a[1]/b[1]/c[1]/d[2]", 4, 8), Element("/a[1]/b[2]/c[1]/d[1]", 16, 28),
    Element("/a[1]/b[1]/c[1]/d[1]/e[1]", 0, 2), Element("/a[1]/b[1]/c[1]/d[1]/e[2]", 2, 4),
]  # fmt: skip


@given(
    st.lists(st.tuples(st.integers(0, 31), st.integers(1, 32)), min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(DEEP)), max_size=25),
)
def test_levels_follow_the_rules_as_they_are_stated(spans, given_levels):
    folded = Fold(StudySettings("exhaustivity"), 32, DEEP)
    for start, end in spans:
        folded.apply(act("highlight", start, end))
    passages = [(one.start, one.end) for one in folded.judgment.passages]
    spans_of = {one.path: (one.start, one.end) for one in DEEP}
    stated = {}
    for level, element in given_levels:
        is_allowed = not folded.apply(act("exhaustivity", value=f"{level} {element.path}"))
        after = stated_levels(stated, element.path, level, spans_of, passages)
        assert is_allowed == (after is not None)
        stated = stated if after is None else after
        assert folded.judgment.exhaustivity == stated
