"""What cannot be written is refused before it is made."""

import pytest

from assay.errors import InputError
from assay.files.writing import refuse_unwritable


def test_a_file_in_a_folder_that_exists_is_not_refused_and_not_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refuse_unwritable("report.html")
    refuse_unwritable(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(InputError) as refused:
        refuse_unwritable(tmp_path)
    assert str(refused.value) == f"{tmp_path}: this is a folder; expected a file"


def test_a_file_in_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(InputError) as refused:
        refuse_unwritable(tmp_path / "nowhere" / "report.html")
    missing = tmp_path / "nowhere"
    assert str(refused.value) == f"{missing / 'report.html'}: cannot write the file: there is no folder {missing}; create it first"
