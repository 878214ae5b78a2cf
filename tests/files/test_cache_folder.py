"""The user's cache folder, and texts that are kept there."""

import sys
from pathlib import Path

import pytest

from assay.files.writing import cache_folder, kept


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {}, "home/.cache/assay"),
        ("linux", {"XDG_CACHE_HOME": "/x/c"}, "/x/c/assay"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "home/.cache/assay"),
        ("linux", {"XDG_CACHE_HOME": ""}, "home/.cache/assay"),
        ("linux", {"HOME": "/no/such/home"}, None),
        ("linux", {"HOME": "/no/such/home", "XDG_CACHE_HOME": "/x/c"}, "/x/c/assay"),
        ("darwin", {"XDG_CACHE_HOME": "/x/c"}, "home/Library/Caches/assay"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/assay/Cache"),
        ("win32", {}, None),
        ("linux", {"ASSAY_CACHE": "/mine", "XDG_CACHE_HOME": "/x/c"}, "/mine"),
        ("win32", {"ASSAY_CACHE": "/mine"}, "/mine"),
        ("linux", {"ASSAY_CACHE": "here"}, "here"),
        ("linux", {"ASSAY_CACHE": ""}, None),
    ],
)
def test_the_folder_is_the_one_that_the_platform_has_or_the_one_named(
    tmp_path, monkeypatch, platform, variables, folder
):
    monkeypatch.chdir(tmp_path)
    Path("home").mkdir()
    for name in ("ASSAY_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"HOME": str(tmp_path / "home")} | variables).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    where = cache_folder()
    assert (where and Path(where)) == (None if folder is None else tmp_path / folder)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Asks for the text of a version, and tells how often one had to be made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept"))
    versions = []

    def asked(version="1"):
        def make():
            versions.append(version)
            return f"text of {version}, Größe"

        return kept("text", version, make), len(versions)

    return asked


def test_a_text_is_made_once_and_again_for_another_version(made):
    assert [made(), made(), made("2"), made("2"), made()] == [
        ("text of 1, Größe", 1), ("text of 1, Größe", 1), ("text of 2, Größe", 2), ("text of 2, Größe", 2), ("text of 1, Größe", 3)
    ]  # fmt: skip
    assert [path.name for path in Path("kept").iterdir()] == ["text"]


def test_what_is_damaged_is_made_again(made):
    made()
    content = Path("kept/text").read_bytes()
    for number, damaged in enumerate([b"", content[:-1], content + b"x", content.replace(b"of", b"or"), b"\xff" * 9], 2):
        Path("kept/text").write_bytes(damaged)
        assert made() == made() == ("text of 1, Größe", number)


def test_where_nothing_can_be_kept_it_is_made_each_time(made, monkeypatch):
    Path("file").write_text("")
    for number, folder in enumerate(["", "file", "file/below", "/proc/no"], 1):
        monkeypatch.setenv("ASSAY_CACHE", folder)
        assert made() == ("text of 1, Größe", number)
    assert [path.name for path in Path().iterdir()] == ["file"]
