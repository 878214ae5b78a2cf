"""Text and JSON as all readers take it from files."""

import pytest

import assay
from assay.errors import InputError, UsageError
from assay.files.json_lines import json_object
from assay.files.line_blocks import numbered_lines, text_of, with_line_feeds
from assay.files.source import Source
from helpers.files import piped


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_become_line_feeds(end):
    text = f"é{end}{end}b{end}"
    assert with_line_feeds(text) == "é\n\nb\n" and with_line_feeds(text.encode()) == "é\n\nb\n".encode()
    assert text_of(piped(text)) == "é\n\nb\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_what_is_no_text_is_told_with_its_line(end):
    with pytest.raises(InputError, match=r"^standard input:2: not UTF-8 \(byte 0xFF\); convert the file, for example with iconv$"):
        text_of(piped(b"a" + end + b"\xff"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "f:7: not valid JSON (Expecting property name enclosed in double quotes at column 2): '{'"),
        ('{"a": "b', "f:7: not valid JSON (Unterminated string starting at column 7): '{\"a\": \"b'"),
        ("{},", "f:7: not valid JSON (Extra data at column 3): '{},'; expected one object per line, without a comma after it"),
        ("[{", "f:7: a JSON array begins here; expected JSONL, with one object per line"),
        ("[1]", "f:7: expected a JSON object, found '[1]'"),
        ('{"a": ' + "9" * 5000 + "}", "f:7: cannot parse this JSON: a number is too long or the brackets are too deep: '{\"a\": " + "9" * 53 + "…'"),
        (b'{"a": "\xff"}', "f:7: not UTF-8 (byte 0xFF); convert the file, for example with iconv"),
    ],
)
def test_a_line_that_is_no_object(line, message):
    with pytest.raises(InputError) as caught:
        json_object(line, 7, Source("f"))
    assert str(caught.value) == message


def test_an_object():
    assert json_object(b'{"a": "\xc3\xa9"}', 1, Source("f")) == {"a": "é"}


BLANK = b" \t" * 50


@pytest.mark.parametrize("size", [7, 64, 1000])
@pytest.mark.parametrize(
    "lines",
    [
        [b'{"text": "a' + BLANK + b'b"}', b"{}"],
        [b"1\t2" + BLANK, b"3" + BLANK + b"4" + BLANK],
        [BLANK + b"a", BLANK, BLANK + b"b"],
    ],
)
def test_white_space_within_a_line_is_kept_wherever_a_block_ends(lines, size, monkeypatch):
    monkeypatch.setattr("assay.files.source.BLOCK", size)
    read = dict(numbered_lines(piped(b"\n".join(lines))))
    for number, line in enumerate(lines, 1):
        # of a line that is blank, or begins so, less may be left
        assert read.get(number, b"").lstrip() == line.lstrip()
        assert line.isspace() or line.startswith(b" ") or read[number] == line


TEXT = "The ferry leaves at nine, or later. " * 100
SHOWN = "'The ferry leaves at nine, or later. The ferry leaves at nin…' is a text, not a path; pass"
PLACE = {"q1": [{"doc_id": "ferry", "start": 0, "end": 5}]}


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        (lambda text: assay.evaluate(PLACE, PLACE, documents=text), "{id: text}"),
        (lambda text: assay.evaluate(PLACE, text), "{topic: [text, …]}"),
        (lambda text: assay.evaluate(PLACE, [text, text]), "{topic: [text, …]}"),
        (lambda text: assay.evaluate(text, PLACE), "{topic: [text, …]}"),
        (lambda text: assay.locate(text, {"ferry": text}), "[text]"),
        (lambda text: assay.locate([text], text), "{id: text}"),
    ],
)
def test_a_text_in_the_place_of_a_path_is_named_as_one_and_shortened(call, instead):
    for text, shown in ((TEXT, SHOWN), ("a/b " * 2000, f"{('a/b ' * 15)[:59] + '…'!r} is a text, not a path; pass"),
                        ("One line.\nTwo.", r"'One line.\nTwo.' is a text, not a path; pass")):  # fmt: skip
        with pytest.raises(UsageError) as refused:
            call(text)
        assert str(refused.value) == f"{shown} {instead}"


def test_a_file_may_have_any_name_that_exists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two\nlines").write_text("1 Q0 d1 1 2.5 t\n")
    assert len(assay.read_run("two\nlines")) == 1
