"""The user's cache folder, and texts that are kept there."""

import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from assay.files.writing import cache_folder, read_or_make


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


TEXT = "text, Größe"
CHECKSUM = sha256(TEXT.encode()).hexdigest()


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Asks for the text, and tells how often it had to be made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept"))
    times = []

    def asked(checksum=CHECKSUM):
        def make():
            times.append(checksum)
            return TEXT

        return read_or_make("text", checksum, make), len(times)

    return asked


def test_a_text_is_made_once(made):
    assert [made(), made(), made()] == [(TEXT, 1)] * 3
    assert [path.name for path in Path("kept").iterdir()] == ["text"]
    assert Path("kept").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("checksum", [None, "0" * 64])
def test_a_text_whose_checksum_is_not_known_is_never_kept(made, checksum):
    assert [made(checksum), made(checksum)] == [(TEXT, 1), (TEXT, 2)]
    assert not Path("kept").exists()


def test_what_was_changed_is_made_again(made):
    made()
    content = Path("kept/text").read_bytes()
    # the second tells its own checksum
    forged = b"Assay " + sha256(b"other").hexdigest().encode() + b"\nother"
    for number, changed in enumerate([b"", forged, content + b"x", b"\xff" * 9], 2):
        Path("kept/text").write_bytes(changed)
        assert made() == made() == (TEXT, number)


def test_where_nothing_can_be_kept_it_is_made_each_time(made, monkeypatch):
    Path("file").write_text("")
    for number, folder in enumerate(["", "file", "file/below", "/proc/no"], 1):
        monkeypatch.setenv("ASSAY_CACHE", folder)
        assert made() == (TEXT, number)
    assert [path.name for path in Path().iterdir()] == ["file"]


def test_a_folder_that_others_may_write_to_is_not_used(made, monkeypatch):
    made()
    for number, mode in enumerate((0o720, 0o702, 0o1777), 2):
        Path("kept").chmod(mode)
        assert (made(), cache_folder(), cache_folder("documents")) == ((TEXT, number), None, None)
    Path("kept").chmod(0o755)
    assert made() == (TEXT, 4)
    monkeypatch.setattr(os, "geteuid", lambda: Path("kept").stat().st_uid + 1)
    assert (made(), cache_folder()) == ((TEXT, 5), None)


def test_no_link_in_the_folder_is_followed(made):
    made()
    Path("target").write_text("mine")
    Path("kept/text").unlink()
    Path("kept/text").symlink_to("../target")
    assert made() == made() == (TEXT, 2)
    assert (Path("target").read_text(), Path("kept/text").is_symlink()) == ("mine", False)
    Path("elsewhere").mkdir(0o700)
    Path("kept/documents").symlink_to("../elsewhere")
    assert cache_folder("documents") is None


def test_a_link_to_a_folder_of_the_user_is_the_folder(made):
    Path("elsewhere").mkdir(0o700)
    Path("kept").symlink_to("elsewhere")
    assert [made(), made()] == [(TEXT, 1)] * 2
    assert [path.name for path in Path("elsewhere").iterdir()] == ["text"]
