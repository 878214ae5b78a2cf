"""What libraries print on standard error by themselves: not shown where they fail, and shown otherwise."""

import os

import pytest

import assay
from assay.files.silence import silent_if_failing
from helpers.commands import python
from helpers.files import parquet, written


def test_what_is_printed_by_who_fails_is_not_shown(capfd):
    with pytest.raises(ValueError, match="no"), silent_if_failing():
        os.write(2, b"panicked\n")
        raise ValueError("no")
    assert capfd.readouterr().err == ""


def test_what_is_printed_otherwise_is_shown(capfd):
    with silent_if_failing():
        os.write(2, b"hello\n")
    os.write(2, b"world\n")
    assert capfd.readouterr().err == "hello\nworld\n"


def test_it_may_be_closed():
    code = "import os; os.close(2); from assay.files.silence import silent_if_failing as s\nwith s(): print('still here')"
    assert python("-c", code).stdout == "still here\n"


@pytest.mark.parametrize("place", range(0, 700, 50))
def test_a_corrupt_parquet_file_is_one_line(place, folder, capfd):
    content = bytearray(parquet(topic=["1"] * 20, document=[f"d{n}" for n in range(20)], score=[1.0] * 20))
    content[4 + place % (len(content) - 12)] ^= 0xFF
    try:
        assay.read_run(written(bytes(content), "run"))
    except assay.InputError as error:
        assert "\n" not in str(error)
    assert capfd.readouterr().err == ""
