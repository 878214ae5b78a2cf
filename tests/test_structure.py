"""How often the program looks at what it is given: a file is recognised once, and a record costs few calls. And the types
of tables have only columns that are always there.
"""

import cProfile
import dataclasses
import json
import pstats
from collections import Counter
from pathlib import Path

import pytest

import assay
from assay.files.source import Source
from assay.reading import recognition
from assay.tables.judgments import JUDGMENTS, Judgments
from assay.tables.run import RUNS, ChunkRun, Run, Table
from helpers.look_alikes import LangChainDocument

FILES = {
    "a.run": "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n",
    "a.csv": "query_id,doc_id,score\n1,d1,2.5\n1,d2,1.5\n",
    "a.json": json.dumps({"1": {"d1": 2.5, "d2": 1.5}}),
    "a.jsonl": "".join(f'{{"query_id": "1", "doc_id": "d{number}", "score": {3 - number}}}\n' for number in (1, 2)),
    "array.json": '[{"query_id": "1", "doc_id": "d1", "score": 2}, {"query_id": "1", "doc_id": "d2", "score": 1}]',
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_opened_three_times_at_most_and_recognised_once(name, folder, monkeypatch):
    Path("a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    Path(name).write_text(FILES[name])
    opened, recognised = Counter(), Counter()
    raw, anew = Source._raw, recognition.recognise_anew

    def counted_raw(source):
        opened[source.path] += 1
        return raw(source)

    def counted_anew(source, kind):
        recognised[source.path] += 1
        return anew(source, kind)

    monkeypatch.setattr(Source, "_raw", counted_raw)
    monkeypatch.setattr(recognition, "recognise_anew", counted_anew)
    assert assay.evaluate("a.qrels", name, "AP")["AP"] == 1
    assert recognised == {"a.qrels": 1, name: 1}
    assert max(opened.values()) <= 3


def calls(run, gold, documents=None):
    """How many functions of Assay that do not search documents are called for an evaluation."""
    profile = cProfile.Profile()
    profile.enable()
    assay.evaluate(gold, run, "R@5", documents=documents)
    profile.disable()
    stats = pstats.Stats(profile).stats
    ours = {place: count for place, (_, count, *_) in stats.items() if "assay" in Path(place[0]).parts}
    return sum(count for place, count in ours.items() if "documents" not in Path(place[0]).parts)


TEXT = "The ferry leaves the old pier at seven."
SHAPES = {
    "a record": lambda number: {"doc_id": f"d{number}", "start": 0, "end": 10},
    "a record with a text": lambda number: {"doc_id": f"d{number}", "start": 0, "text": TEXT},
    "an object": lambda number: LangChainDocument(TEXT, source=f"d{number}", start_index=0),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_further_result_costs_few_calls(shape):
    gold = {"q": [("d0", 0, 10)]}
    documents = {f"d{number}": TEXT for number in range(300)}
    few, many = ({"q": [SHAPES[shape](number) for number in range(size)]} for size in (100, 300))
    calls(few, gold, documents)
    assert (calls(many, gold, documents) - calls(few, gold, documents)) / 200 < 40


# Whose judgment it is, what is an alternative to what, and whether copies count, is independent of what was judged; and a run of any type may have ranks.
MAY_BE_MISSING = {"places", "rank", "labels", "copies", "facts"}


def types_below(table):
    """A type of table and all that derive from it."""
    return {table}.union(*map(types_below, table.__subclasses__()))


@pytest.mark.parametrize("table", sorted(types_below(Table), key=lambda table: table.__name__))
def test_a_type_of_table_has_only_columns_that_are_always_there(table):
    may_be_missing = {field.name for field in dataclasses.fields(table) if "None" in field.type or field.default is None}
    assert may_be_missing <= MAY_BE_MISSING


@pytest.mark.parametrize(("base", "made"), [(Run, RUNS), (Judgments, JUDGMENTS)])
def test_a_table_of_each_type_can_be_made_of_its_columns(base, made):
    # a run of chunks has the columns of a run of documents
    assert set(made.values()) == types_below(base) - {base, ChunkRun}
    for columns, table in made.items():
        assert set(columns) <= {field.name for field in dataclasses.fields(table)}
