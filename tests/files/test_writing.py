"""Writing a file, whole or not at all."""

import os
import stat

import pytest

import assay
from assay.files.writing import write


def test_a_file_is_written_whole_and_keeps_its_mode(tmp_path):
    path = tmp_path / "out"
    write(path, b"first")
    assert path.read_bytes() == b"first"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    write(str(path), b"second")
    assert path.read_bytes() == b"second" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out"]


def test_a_link_leads_to_the_file_that_is_written(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", b"new")
    assert (tmp_path / "real").read_bytes() == b"new" and (tmp_path / "link").is_symlink()


def test_nothing_is_left_of_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "out").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(assay.InputError) as caught:
        write(tmp_path / "out", b"new")
    assert str(caught.value) == f"{tmp_path}/out: cannot write the file: No space left on device"
    assert os.listdir(tmp_path) == ["out"] and (tmp_path / "out").read_bytes() == b"old"


def test_where_nothing_can_be_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for path, message in {
        "none/out": "none/out: cannot write the file: there is no folder none; create it first",
        "folder": "folder: this is a folder; expected a file",
    }.items():
        with pytest.raises(assay.InputError) as caught:
            write(path, b"x")
        assert str(caught.value) == message


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices here")
def test_a_device_is_written_to_and_not_replaced():
    write("/dev/null", b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
