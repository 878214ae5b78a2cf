"""The reader of lines, all rows at once, against one that splits, and its numbers against Python's float, bit for bit.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import assay
from assay.files import source
from assay.reading import lines
from assay.reading import lines as single_lines
from assay.reading.lines import LineFields, all_columns
from assay.reading.numbers import is_number, numbers
from assay.tables.ids import Ids
from helpers.files import piped


def column_of(texts: list[str]) -> Ids:
    """Texts in a buffer in which they stand among others, as in a file."""
    return Ids.of([part for text in texts for part in ("9", text, "9")])[1::3]


def bits(values) -> list[str]:
    return ["nan" if math.isnan(value) else float(value).hex() for value in values]


def python_reads(text: str) -> float:
    """What Python's float makes of it, but without nan, inf, blanks, underscores and digits of other scripts."""
    try:
        return float(text) if re.fullmatch("[-+.0-9eE]+", text) else math.nan
    except ValueError:
        return math.nan


SPELLINGS = [
    *(
        "1",
        "1.",
        ".5",
        "+.5",
        "-0",
        "+0",
        "0",
        "1e-3",
        "1E+3",
        "1e3",
        "007",
        "1e22",
        "1e23",
        "1e308",
        "1e309",
        "-1e309",
        "1e-400",
    ),
    *(
        "1234567890123456",
        "12345678901234567",
        "9007199254740993",
        "123456789012345678",
        "9007199254740992",
        "9007199254740991.5",
    ),
    *(
        "0.1234567890123456",
        "0.12345678901234567",
        "0.123456789012345678",
        "0.1234567890123456789012345678901234",
        "5e-324",
    ),
    *("9674453.510995965", "9.423730038236009", "95409.37434431741"),
    *("00000000000000000000001", "2.2250738585072014e-308", "0.000000000000000000000000000000000000001"),
    *(
        ".",
        "+",
        "-",
        "--1",
        "+-1",
        "1-",
        "1.2.3",
        "1..2",
        "e5",
        "1e",
        "1e+",
        "1_0",
        "0x10",
        "nan",
        "inf",
        "1,5",
        "١",
        "1234567x",
    ),
    *("12345678x", "x12345678", "1.5f", "/", ":", "1/2", "1:2", "", " 1", "1 "),
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_a_number_is_what_python_reads(text):
    assert bits(numbers(column_of([text]))) == bits([python_reads(text)])
    assert bits(numbers(column_of(["0.5", text, "123"]))) == bits([0.5, python_reads(text), 123])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_as_python_writes_them(values):
    for form in (repr, "{:.6f}".format, "{:.17g}".format, "{:e}".format):
        texts = [form(value) for value in values]
        assert bits(numbers(column_of(texts))) == bits(map(float, texts))


@given(st.lists(st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,3})?", fullmatch=True), min_size=1))
@example(["0." + "1" * 30, "1"])
def test_numbers_of_many_digits(texts):
    assert bits(numbers(column_of(texts))) == bits(map(python_reads, texts))


@given(st.lists(st.text("0123456789+-.eE_x/: ", max_size=20), min_size=1))
def test_numbers_among_other_things(texts):
    assert bits(numbers(column_of(texts))) == bits(map(python_reads, texts))


def test_what_is_no_number_is_told_in_one_pass():
    # a pattern that can part digits in two ways would try them all
    assert is_number("1" * 500_000)
    assert not is_number("1" * 500_000 + "x")


@given(st.lists(st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,20})?(e-?[0-9]{1,2})?", fullmatch=True), min_size=1))
def test_numbers_are_the_same_in_every_format(texts):
    texts = [re.sub(r"^(-?)0+(?=[0-9])", r"\1", text) for text in texts]
    run = "".join(f"1 Q0 d{n} 1 {text} t\n" for n, text in enumerate(texts))
    named = "topic,document,score\n" + "".join(f"1,d{n},{text}\n" for n, text in enumerate(texts))
    in_json = "".join(f'{{"topic": 1, "document": "d{n}", "score": {text}}}\n' for n, text in enumerate(texts))
    for written in (run, named, in_json):
        # whole numbers of JSON have no negative zero
        assert bits(assay.read_run(piped(written.encode())).score + 0.0) == bits(float(text) + 0.0 for text in texts)


# Lines and blocks against a reader that splits.

THREE = LineFields("a test", ("topic", "document", "score"), numbers=("score",))


def is_text(line: bytes) -> bool:
    return line.decode(errors="replace").encode() == line


def naive(data: bytes, form: LineFields):
    """The rows of a file, or the line of its first fault and what is wrong there."""
    rows = []
    for number, line in enumerate(
        data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), 1
    ):
        fields = line.split()
        if line.startswith(b"#") or not fields:
            continue
        if not is_text(line):
            return number, "UTF-8"
        if len(fields) < len(form.fields):
            return number, f"found {len(fields)}"
        score = python_reads(fields[2].decode("latin-1"))
        if not math.isfinite(score):
            return number, "score"
        rows.append((fields[0], fields[1], score))
    return rows


def quick(data: bytes, form: LineFields):
    """The same by the reader of the package."""
    held = piped(data)
    try:
        found = all_columns(held, form, form.fields)
    except assay.InputError as error:
        return error.line, re.search(r"^score|UTF-8|found \d+", error.what).group()
    if found is None:
        return []
    ids = (
        [ids.buffer[a:b] for a, b in zip(ids.start, ids.end, strict=True)]
        for ids in (found["topic"], found["document"])
    )
    return list(zip(*ids, found["score"].tolist(), strict=True))


WORDS = st.sampled_from(
    [b"a", b"b", b"7", b"1.5", b"#", b"#x", b"x#", b"\1", b"a\x1fb", b"\xe9", b"\xc3\xa9", b"nan", b"word" * 5]
)
WHITE = st.sampled_from([b" "] * 8 + [b"\t", b"  ", b" \t ", b"\x0b", b"\x0c", b""])
ENDS = st.sampled_from([b"\n"] * 8 + [b"\r\n", b"\r", b"\n\n", b" \n", b"\n\t\n"])


@st.composite
def files(draw):
    """Files that are regular for the most part."""
    width = draw(st.integers(3, 5))
    out = [draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\n", b" ", b"# \n"]))]
    for _ in range(draw(st.integers(0, 8))):
        fields = [draw(WORDS), draw(WORDS), draw(st.sampled_from([b"1", b"2.5", b"-1e3"]))] + [b"more"] * (width - 3)
        if draw(st.integers(0, 9)) == 0:
            fields = draw(st.lists(WORDS, max_size=6))
        out += [*[part for field in fields for part in (field, draw(WHITE))][:-1], draw(ENDS)]
    data = b"".join(out)
    return data.rstrip() if draw(st.booleans()) else data


@given(files())
@example(b"a b 1 ")
@example(b"# only")
@example(b"a b 1\n# end")
@example(b"a\x01b c 1\na b 2\n")
@example(b"a\x0bb 1\n")
@example(b" # a1\na a 1\n")
def test_lines_are_read_as_by_splitting(data):
    assert quick(data, THREE) == naive(data, THREE)


@given(st.binary(max_size=40).filter(lambda data: b"\0" not in data))
def test_any_bytes_are_read_as_by_splitting(data):
    assume(not data.startswith(source.UTF_16) and not any(re.match(magic, data) for magic in source.COMPRESSIONS))
    assert quick(data, THREE) == naive(data, THREE)


@given(files(), st.integers(3, 40))
def test_blocks_are_the_file_cut_between_topics(data, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", size)
        blocks = [b"".join(parts) for parts in lines.topic_blocks(piped(data))]
        walked = list(single_lines.walk(piped(data)))
    text = data.removeprefix(b"\xef\xbb\xbf")
    assert b"".join(blocks) == text and all(blocks)
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    for before, after in pairwise(blocks):
        assert before.split(b"\n")[-2].split(None, 1)[:1] != after.split(b"\n")[0].split(None, 1)[:1]
    split = enumerate(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), 1)
    assert [number for number, _ in walked] == [n for n, line in split if line.split() and not line.startswith(b"#")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A file that is written anew for each example."""
    return tmp_path_factory.mktemp("lines") / "run"


@given(st.lists(st.tuples(st.sampled_from("123"), st.integers(0, 3)), unique=True), st.integers(8, 60), st.randoms())
def test_values_depend_on_neither_blocks_nor_order(run, pairs, size, rng):
    judgments = {"1": {"d0": 1, "d2": 1}, "2": {"d1": 2, "d3": 1}}

    def values(rows):
        run.write_text("".join(rows))
        return assay.evaluate(judgments, run, ["AP", "nDCG", "RR"]).values.tobytes()

    rows = [f"{topic} Q0 d{document} 1 {(document * 7) % 3} t\n" for topic, document in pairs]
    assume(any(row.startswith(("1 ", "2 ")) for row in rows))
    whole = values(sorted(rows))
    rng.shuffle(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", size)
        assert values(rows) == whole


