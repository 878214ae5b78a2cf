"""Documents in JSONL: read from start to end once, then taken from where they stand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.documents.collection import JsonLines
from assay.documents.lookup import Documents
from assay.errors import InputError

IDS = ["a", "b.xml", "folder/c.txt", "7", "é"]
LINES = [json.dumps({"id": name, "text": name * number}, ensure_ascii=False) for number, name in enumerate(IDS, 1)]
MARK = "\ufeff"


@pytest.fixture(params=["plain", "marked", "gzip"])
def file(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = "\n\n".join(LINES)
    path = Path("docs.jsonl")
    data = ((MARK if request.param == "marked" else "") + content).encode()
    path.write_bytes(gzip.compress(data) if request.param == "gzip" else data)
    return path


def counted_passes(monkeypatch) -> list[int]:
    passes: list[int] = []
    monkeypatch.setattr(JsonLines, "files", lambda self, real=JsonLines.files: passes.append(1) or real(self))
    return passes


def test_all_that_is_asked_later_is_taken_from_where_it_stands(file, monkeypatch):
    passes = counted_passes(monkeypatch)
    documents = Documents(file, cache=False)
    assert documents.lengths(["7"]).tolist() == [4]
    assert documents.lengths(["é", "c", "b", "no", "a", "folder/c"], missing="unknown").tolist() == [
        5,
        36,
        10,
        -1,
        1,
        36,
    ]
    assert documents.text("b.xml") == "b.xml" * 2
    assert ["c.txt" in documents, "folder" in documents, "b" in documents] == [True, False, True]
    assert len(passes) == 1


def test_the_line_of_a_fault_is_told_when_it_is_asked_for_later_too(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text('\n{"id": "a", "text": "1"}\n\n{"id": "b"}\n{"id": "a/b", "xml": "<a>"}\n')
    documents = Documents(path, cache=False)
    assert documents.lengths(["a"]).tolist() == [1]
    with pytest.raises(InputError) as caught:
        documents.lengths(["b"])
    assert str(caught.value) == f"{path}:4: document b has no text; expected either a text or an xml"
    with pytest.raises(InputError) as caught:
        documents.lengths(["a/b"])
    assert str(caught.value).startswith(f"{path}:5: not well-formed XML at line 1, column 4")


def test_what_is_not_there_is_not_searched_for_again(file, monkeypatch):
    assert Documents(file).lengths(["a", "no"], missing="unknown").tolist() == [1, -1]
    passes = counted_passes(monkeypatch)
    again = Documents(file)
    assert again.lengths(["no", "a"], missing="unknown").tolist() == [-1, 1]
    assert "no" not in again
    with pytest.raises(InputError) as caught:
        again.lengths(["no"])
    assert str(caught.value) == f"{file}: there is no document no"
    assert passes == []
    file.write_text('{"id": "no", "text": "123"}\n')
    assert Documents(file).lengths(["no"]).tolist() == [3]


def test_a_document_twice_is_an_error_only_where_it_is_asked_for(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "text": "1"}\n{"id": "b", "text": "1"}\n{"id": "a", "text": "1"}\n')
    documents = Documents(path, cache=False)
    assert documents.lengths(["b"]).tolist() == [1]
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            documents.lengths(["a"])
        assert str(caught.value) == f"{path}: document a appears 2 times; expected it once"


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.dictionaries(texts.filter(lambda name: name.strip() and "/" not in name and "." not in name), texts, min_size=1), st.data())
def test_every_document_has_its_text_whatever_was_asked_before(tmp_path_factory, contents, data):
    path = tmp_path_factory.mktemp("docs") / "docs.jsonl"
    path.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in contents.items()))
    documents = Documents(path, cache=False)
    for _ in range(3):
        asked = data.draw(st.lists(st.sampled_from(list(contents)), max_size=5))
        assert documents.lengths(asked).tolist() == [len(contents[name]) for name in asked]
    assert {name: documents.text(name) for name in contents} == contents
