"""Notes on parts of an evaluation add up to the notes on all of it."""

import ast
import functools
import pickle
from pathlib import Path

import assay
from assay.evaluation import notes as tables
from assay.tables.notes import MOST, Note, Notes

SOURCE = Path(assay.__file__).parent
SENTENCES = [table for name, table in vars(tables).items() if name.startswith("OF_")]


def notes(kind, examples=(), **bounds):
    added = Notes()
    added.add(kind, len(examples) or 1, examples, **bounds)
    return added


def test_names_of_parts_add_up_in_their_order():
    both = notes("missing", ["10", "9"])
    both.merge(notes("missing", ["2", "x", "a"]))
    assert both == {"missing": Note("missing", 5, ("2", "9", "10", "a", "x"))}


def test_of_many_names_only_the_first_are_kept():
    parts = Notes()
    for part in range(3):
        parts.merge(notes("missing", [str(number) for number in range(part, 3 * MOST, 3)]))
    assert (parts.count("missing"), len(parts.examples("missing")), parts.examples("missing")[-1]) == (
        3 * MOST, MOST, str(MOST - 1),
    )  # fmt: skip
    few = Notes()
    few.merge(notes("missing", ["3", "1", "2"]), most=2)
    assert few == {"missing": Note("missing", 3, ("1", "2"))}


def test_pairs_stay_as_they_came():
    both = notes("sample", [("2", "b")])
    both.merge(notes("sample", [("1", "a")]))
    assert both.examples("sample") == [("2", "b"), ("1", "a")]


def test_the_least_and_the_greatest_value_are_kept():
    both = notes("fractions", low=0.5)
    both.merge(notes("fractions", low=0.25, high=0.75))
    both.merge(notes("fractions"))
    assert both["fractions"] == Note("fractions", 3, (), 0.25, 0.75)


def test_what_is_about_something_else_is_another_note():
    both = notes("infinite RR")
    both.merge(notes("infinite AP"))
    assert [(note.word, note.about, note.count) for note in both.values()] == [
        ("infinite", "RR", 1), ("infinite", "AP", 1),
    ]  # fmt: skip


def test_what_was_not_noticed_has_no_note():
    nothing = Notes()
    nothing.add("tied", 0)
    assert (nothing, nothing.count("tied"), nothing.examples("tied")) == ({}, 0, [])


def test_another_process_can_be_told():
    both = notes("missing", ["1"])
    both.merge(pickle.loads(pickle.dumps(both)))
    assert both == {"missing": Note("missing", 2, ("1", "1"))}


@functools.cache
def noticed_kinds():
    """The kinds that `notes.add` is called with, and what they are about taken off."""
    return set(each_noticed_kind())


def each_noticed_kind():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "notes" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
                of_notes = isinstance(node.func.value, ast.Name | ast.Attribute) and node.args
                first = node.args[0] if of_notes else None
                if isinstance(first, ast.JoinedStr):
                    first = first.values[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield first.value.split()[0]


def test_every_sentence_is_of_something_that_is_noticed():
    said = {kind for table in SENTENCES for kind in table}
    # the kind of this one is made beforehand
    assert said - noticed_kinds() == {"copies"}


def test_every_kind_that_is_noticed_has_a_sentence_or_is_used_in_one():
    said = {kind for table in SENTENCES for kind in table}
    places = "evaluation/notes.py", "evaluation/matching.py"
    used = "".join((SOURCE / place).read_text("utf-8") for place in places)
    others = noticed_kinds() - said
    assert {kind for kind in others if f'"{kind}"' not in used and f"'{kind}'" not in used} == set()


def test_nothing_is_said_of_a_plain_run():
    """`in_run` needs more beside it."""
    of_runs = tables.OF_MATCHING, tables.OF_READING, tables.OF_RUNS, tables.OF_VALUES
    assert {kind for table in of_runs for kind in table if kind in tables.PLAIN} == {"in_run"}
