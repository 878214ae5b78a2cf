"""Packages that are older than Assay needs them."""

import importlib.metadata

import pytest

from assay.reading import recognition
from helpers.commands import invoke
from helpers.files import written


@pytest.fixture
def broken(monkeypatch, folder):
    """A command in which a package lacks something, and what versions there are."""

    def ask(**versions):
        def lacking(*_):
            raise AttributeError("module 'numpy' has no attribute 'new'")

        monkeypatch.setattr(recognition, "recognise_anew", lacking)
        monkeypatch.setattr(importlib.metadata, "requires", lambda _: ["numpy>=2.0", "polars>=1.30", "x>=9; extra == 'dev'"])
        monkeypatch.setattr(importlib.metadata, "version", lambda name: versions[name])
        return invoke("evaluate", written("1 0 d 1\n", "q"), written("1 Q0 d 1 1 t\n", "r"))

    return ask


def test_a_package_that_is_too_old_is_told_in_one_line(broken):
    done = broken(numpy="1.26.4", polars="1.30.0")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "Assay needs numpy 2.0 or later, found 1.26.4: pip install --upgrade numpy\n"


def test_a_mistake_of_our_own_is_not_passed_off_as_an_old_package(broken):
    with pytest.raises(AttributeError):
        broken(numpy="2.0.1", polars="1.40")
