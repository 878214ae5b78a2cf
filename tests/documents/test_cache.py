"""Where is kept what was found out about documents, when it is believed, and how much of it there may be."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.documents import collection as marks
from assay.documents import lookup
from assay.documents.lookup import Documents
from helpers.commands import invoke


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A collection of one document, and a cache folder of this test's own, which nobody has made yet."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/d1.xml").write_text("<a>123</a>")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_one_collection_has_one_file_whatever_way_its_path_is_written(kept):
    Path("link").symlink_to("docs")
    for path in ("docs", "docs/", "./docs", "link", Path("docs").absolute()):
        Documents(path).lengths(["d1"])
    assert len(files(kept)) == 2
    Path("other").mkdir()
    Path("other/d1.xml").write_text("<a>1</a>")
    assert Documents("other").lengths(["d1"]).tolist() == [1]
    assert len(files(kept)) == 3


def test_nothing_is_written_beside_the_documents_and_others_may_not_look(kept):
    Documents("docs").lengths(["d1"])
    assert [path.name for path in Path("docs").iterdir()] == ["d1.xml"]
    assert (kept / "documents").stat().st_mode & 0o777 == 0o700


def test_it_can_be_turned_off(kept, monkeypatch):
    Documents("docs", cache=False).lengths(["d1"])
    assert not kept.exists()
    monkeypatch.setenv("ASSAY_CACHE", "")
    assert Documents("docs").lengths(["d1"]).tolist() == [3]
    assert files(Path()) == ["docs", "docs/d1.xml"]


@pytest.mark.parametrize("command", ["evaluate q r --documents docs", "check r --documents docs", "relevance q docs"])
def test_it_can_be_turned_off_on_the_command_line(kept, command):
    Path("q").write_text("1 Q0 d1 3 3 0 0:3\n")
    Path("r").write_text("1 Q0 d1 1 1 x /a[1]\n")
    for option in ("--no-cache", None):
        arguments = command.split() + [option] * bool(option)
        result = invoke(*arguments)
        assert (result.exit_code, kept.exists()) == (0, option is None), result.output
        assert invoke(arguments[0], "--no-cache", *arguments[1:]).output == result.output


@pytest.mark.parametrize("folder", ["docs/d1.xml", "docs/d1.xml/below", "/proc/no"])
def test_a_folder_that_cannot_be_is_no_cache_and_no_fault(kept, monkeypatch, folder):
    monkeypatch.setenv("ASSAY_CACHE", folder)
    assert Documents("docs").lengths(["d1"]).tolist() == [3]
    assert files(Path()) == ["docs", "docs/d1.xml"]


def rewritten(content: str) -> None:
    """The document with other content of the same size, at the same time."""
    before = os.stat("docs/d1.xml")
    Path("docs/d1.xml").write_text(content)
    os.utime("docs/d1.xml", ns=(before.st_atime_ns, before.st_mtime_ns))
    after = os.stat("docs/d1.xml")
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def replaced(content: str) -> None:
    """The same by another file that takes its place."""
    before = os.stat("docs/d1.xml")
    Path("new").write_text(content)
    os.utime("new", ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace("new", "docs/d1.xml")


@pytest.mark.parametrize("change", [rewritten, replaced])
def test_a_document_of_the_same_size_and_time_is_read_again(kept, change):
    assert Documents("docs").lengths(["d1"]).tolist() == [3]
    change("<a>12</a>\n")
    assert Documents("docs").lengths(["d1"]).tolist() == [2]


@pytest.mark.parametrize("at", [0, 1000, 4095, 20_000 - 4096, 19_999])
def test_the_ends_of_a_file_tell_where_the_file_system_does_not(kept, monkeypatch, at):
    facts = SimpleNamespace(st_size=20_000, st_mtime_ns=1, st_ctime_ns=-1, st_ino=1 << 64)
    monkeypatch.setattr(os, "fstat", lambda number: facts)
    content = bytearray(20_000)
    Path("file").write_bytes(content)
    before = marks.mark_of("file")
    assert marks.mark_of("file") == before
    content[at] = 1
    Path("file").write_bytes(content)
    assert marks.mark_of("file") != before


def test_the_collections_not_used_for_the_longest_time_are_dropped(kept, monkeypatch):
    paths = []
    for number in range(6):
        folder = Path(f"docs{number}")
        folder.mkdir()
        (folder / "d1.xml").write_text("<a>123</a>")
        Documents(folder).lengths(["d1"])
        paths.append(Path(lookup.cache_path(folder)))
        os.utime(paths[-1], (1000 + number, 1000 + number))
    (kept / "documents" / "notes.txt").write_text("somebody else's")
    size = paths[0].stat().st_size
    # to be read is to be used
    assert Documents("docs1").lengths(["d1"]).tolist() == [3]
    monkeypatch.setattr(lookup, "LIMIT", 3 * size + size // 2)
    Documents("docs").lengths(["d1"])
    assert [path.exists() for path in paths] == [False, True, False, False, False, True]
    assert (kept / "documents" / "notes.txt").exists()
    monkeypatch.setattr(lookup, "LIMIT", size - 1)
    Path("docs/d2.xml").write_text("<a>1234</a>")
    assert Documents("docs").lengths(["d2"]).tolist() == [4]


def test_a_draft_that_was_left_is_dropped_and_one_that_is_being_written_is_not(kept):
    (kept / "documents").mkdir(parents=True)
    left, written = (kept / "documents" / f"{'0' * 32}-{letter * 16}" for letter in "ab")
    for path in (left, written):
        path.write_bytes(b"")
    os.utime(left, (1000, 1000))
    Documents("docs").lengths(["d1"])
    assert (left.exists(), written.exists()) == (False, True)
