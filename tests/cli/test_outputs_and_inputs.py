"""An output that is also an input is refused before anything is read, whatever way its path is written."""

import os

import pytest

import assay
from helpers.commands import invoke
from helpers.files import written
from helpers.places import EXAMPLES


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("judgments.qrels", "bm25.run"):
        (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())
    return {path: path.read_bytes() for path in tmp_path.iterdir()}


COMMANDS = {
    "report": ("report", "judgments.qrels", "bm25.run", "-o"),
    "chart": ("chart", "judgments.qrels", "bm25.run", "-m", "IPrec", "-o"),
    "convert": ("convert", "bm25.run", "--to", "csv", "-o"),
    "pool-bias": ("pool-bias", "judgments.qrels", "bm25.run", "--chart"),
    "agreement": ("agreement", "judgments.qrels", "bm25.run", "--chart"),
    "pool": ("pool", "--judgments", "judgments.qrels", "bm25.run", "--check", "2", "-o"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("way", ["bm25.run", "./bm25.run", "link.run", "hard.run"])
def test_a_file_that_is_read_is_not_written_over(files, command, way):
    os.symlink("bm25.run", "link.run")
    os.link("bm25.run", "hard.run")
    done = invoke(*COMMANDS[command], way)
    assert (done.exit_code, done.stderr) == (1, f"{way}: the output is the same file as the input bm25.run; choose another file\n")
    assert {path: path.read_bytes() for path in files} == files


def test_a_file_among_the_documents_is_not_written_over(tmp_path, files):
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text("text")
    done = invoke("convert", "bm25.run", "--to", "csv", "--documents", "documents", "-o", "documents/a.txt")
    expected = "documents/a.txt: the output is inside the input folder documents; choose another file\n"
    assert (done.exit_code, done.stderr) == (1, expected)
    assert (folder / "a.txt").read_text() == "text"


def test_the_library_refuses_it_too(files):
    with pytest.raises(
        assay.InputError, match=r"^judgments\.qrels: the output is the same file as the input judgments\.qrels; choose another file"
    ):
        assay.report("judgments.qrels", "bm25.run", "judgments.qrels")
    assert {path: path.read_bytes() for path in files} == files


@pytest.mark.parametrize("name", ["gold.csv", "gold.TSV", "gold.parquet"])
def test_located_texts_are_not_written_as_jsonl_under_the_name_of_another_format(folder, name):
    done = invoke("locate", written('{"text": "a text"}\n', "quotes.jsonl"), "--documents", "docs", "-o", name)
    ending = name.removeprefix("gold")
    assert (done.exit_code, done.stderr) == (2, f"assay locate writes JSONL, not {ending}; pass -o gold.jsonl\n")
    assert os.listdir() == ["quotes.jsonl"]
