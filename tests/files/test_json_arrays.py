"""Arrays of JSON objects as lines, and files of JSON that are one value."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.files import json_lines, line_blocks
from assay.files.json_lines import array_lines, unique_names
from assay.files.source import Source
from assay.reading.text_format import json_of
from helpers.commands import invoke
from helpers.files import written
from helpers.fuzzing import in_time

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text('{}[],"\\\n:a é', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a{"]', max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text('ab"{,', max_size=3), VALUES, max_size=3)), st.sampled_from([None, 0, 1]))
def test_the_lines_of_an_array_have_its_objects_in_their_order(rows, indent):
    path = Path("array.json")
    path.write_text(json.dumps(rows, indent=indent, ensure_ascii=False), encoding="utf-8")
    lines = b"".join(array_lines(Source(path), "x")).decode().splitlines()
    assert list(map(json.loads, lines)) == rows


@pytest.fixture(autouse=True)
def _in_folder(folder):
    """Files are written into an empty folder."""


RUN = [{"topic": str(number // 10), "document": f"d{number}", "score": -number} for number in range(60)]


@pytest.mark.parametrize("size", [50, 1000])
def test_pieces_of_an_array_may_end_anywhere(monkeypatch, size):
    whole = Source.blocks
    monkeypatch.setattr(Source, "blocks", lambda self, given=None: whole(self, given or size))
    rows = [*RUN, {"topic": "6", "document": "d60", "score": 1, "deep": {"a": [{"b": 1}]}}, *RUN[:1]]
    written(json.dumps(rows), "run.json")
    lines = b"".join(array_lines(Source("run.json"), "x")).decode().splitlines()
    assert list(map(json.loads, lines)) == rows


def test_an_array_on_one_line_longer_than_any_line_is_read(monkeypatch):
    monkeypatch.setattr(line_blocks, "LONGEST_LINE", 2000)
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 2000)
    whole = Source.blocks
    monkeypatch.setattr(Source, "blocks", lambda self, given=None: whole(self, given or 500))
    written(json.dumps(RUN), "run.json")
    written("".join(json.dumps(row) + "\n" for row in RUN), "run.jsonl")
    gold = {"0": {"d3": 1}, "5": {"d51": 1, "d59": 2}}
    values = [assay.evaluate(gold, path, ["AP", "nDCG"]).values.tolist() for path in ("run.json", "run.jsonl")]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((', {"topic": "3"', ', {"topic" "3"'), "run.json:1: not valid JSON (Expecting ':' delimiter at column 10)"),
        (("}, {", "} {"), "run.json:1: expected , or ], found '{\"topic\": \"0\", \"document\": \"d1\", \"score\": -1}, {\"topic\": \"0\"'"),
        (('"score": -59}]', '"score": -59},]'), "run.json:1: expected an object, found ']'"),
        (('"score": -59}]', '"score": -59}'), "run.json:1: the array is not closed; expected , or ]"),
        (('"score": -59}]', '"score": -59}] x'), "run.json:1: expected nothing after the array, found 'x'"),
        (('"score": -30}', '"score": true}'), "run.json:1: score True is neither text nor a number"),
        (('"score": -30}', '"score": -30, "score": 1}'), "run.json:1: the object has two values named 'score'; expected one"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_array_is_told_as_before(change, message):
    written(json.dumps(RUN).replace(*change, 1), "run.json")
    with pytest.raises(InputError) as refused:
        assay.evaluate({"0": {"d3": 1}}, "run.json", "AP")
    assert str(refused.value) == message


def test_time_grows_with_an_array_and_no_faster():
    rows = [{"topic": "1", "document": f"d{n}", "start": n, "end": n + 1, "deep": {"a": [{}]}} for n in range(50_000)]
    written(json.dumps(rows), "run.json")
    with in_time():
        assert len(list(json_lines.array_objects(Source("run.json"), "x"))) == len(rows)


def test_the_first_name_that_comes_twice_is_told_in_time():
    pairs = [(f"n{number}", 1) for number in range(300_000)]
    with in_time(), pytest.raises(ValueError, match=r"^the object has two values named 'n7'; expected one$"):
        unique_names([*pairs, ("n9", 1), ("n7", 1)])


# What is small and unpacks to much


# An array is read block by block, and a block of nothing but {} takes long to trace.
@pytest.mark.parametrize(("before", "record", "after"), [('{"1": [', "{}", "{}]}"), ("[", '{"name": "value"}', "{}]")])
def test_a_small_file_of_very_many_objects_is_refused_before_it_fills_the_memory(before, record, after):
    with gzip.open("bomb.json.gz", "wb") as file:
        file.write(before.encode())
        for _ in range(50):
            file.write(f"{record},".encode() * 100_000)
        file.write(after.encode())
    tracemalloc.start()
    try:
        done = invoke("evaluate", written("1 0 d 1\n", "q"), "bomb.json.gz")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert peak < 250e6


def test_brackets_and_commas_in_texts_are_no_values(monkeypatch):
    monkeypatch.setattr(line_blocks, "MOST_VALUES", 10)
    written(json.dumps({"1": ["[{,}]\\\"," * 100]}), "texts.json")
    assert list(json_of(Source("texts.json"))) == ["1"]
    written(json.dumps({"1": list(range(20))}), "values.json")
    with pytest.raises(InputError) as refused:
        json_of(Source("values.json"))
    assert str(refused.value) == "values.json: more than 10 values; Assay reads this format at once, so split the file or use JSONL"


def test_too_little_memory_is_one_line(monkeypatch):
    def without_memory(*_, **__):
        raise MemoryError

    written("1 0 d 1\n", "q")
    written("1 Q0 d 1 1 t\n", "r")
    monkeypatch.setattr(Source, "blocks", without_memory)
    message = "not enough memory; use smaller files or a machine with more memory\n"
    # a gate that decides nothing has not failed
    for words, status in ((["evaluate", "q", "r"], 1), (["gate", "q", "r", "--require", "AP > 0"], 2)):
        done = invoke(*words)
        assert (done.exit_code, done.stdout, done.stderr) == (status, "", message)
