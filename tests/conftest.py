"""Fixtures for all tests, and how many examples hypothesis tries.

The same examples each time, so that a test that passed here passes elsewhere. ASSAY_TESTS=more and ASSAY_TESTS=full
draw larger samples, and new ones each time.
"""

import gc
import itertools
import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from helpers.commands import invoke
from helpers.files import written
from helpers.places import DATA
from helpers.samples import ASKED, sample

# until all tests are collected: nothing of them is garbage
gc.disable()

settings.register_profile(
    "assay",
    max_examples=sample(4, 250),
    deadline=None,
    database=None,  # tests run side by side, and none may depend on what another day's tests found
    derandomize=not ASKED,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("assay")

# What takes long to find out is kept in a folder of the tests' own, never in anybody's home; the processes of one run
# share it.
if "PYTEST_XDIST_WORKER" not in os.environ:
    KEPT = tempfile.TemporaryDirectory(prefix="assay-tests-")
    os.environ["ASSAY_CACHE"] = KEPT.name


# parts of the names of modules that take long: one that starts last would keep a single core busy to the end
LONG = ("browser", "test_doors", "test_docs", "test_gate_project", "test_memory", "test_cells", "test_charts", "test_report")


def pytest_xdist_auto_num_workers(config):
    """One process more than there are cores: a test that waits for a browser leaves its core to another."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items):
    """Start the modules that wait for a browser or take long first, so that the others fill the time. Skip the tests
    whose shared data are missing: `@pytest.mark.shared("inex")` says that a test reads ../shared/data/inex.
    """
    items.sort(key=lambda item: next((n for n, name in enumerate(LONG) if name in item.path.name), len(LONG)))
    for item in items:
        named = [name for mark in item.iter_markers("shared") for name in mark.args]
        if missing := [name for name in named if not (DATA / name).exists()]:
            item.add_marker(pytest.mark.skip(reason=f"../shared/data/{missing[0]} is missing"))


def pytest_collection_finish(session):
    """What thousands of tests are made of stays to the end: it is not looked through for garbage again and again."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)
    gc.enable()


def pytest_make_parametrize_id(config, val, argname):
    """Bytes do not name a test: those of a compressed file hold the time, and the processes must agree on the names."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def numbered_folders(tmp_path_factory):
    """A folder of this process, and the numbers of the folders in it."""
    return tmp_path_factory.mktemp("tests"), itertools.count()


@pytest.fixture
def tmp_path(numbered_folders):
    """An empty folder. pytest's own fixture looks through the folders of all earlier tests for a free name."""
    root, numbers = numbered_folders
    path = root / str(next(numbers))
    path.mkdir()
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own to be in, so that messages name files without folders."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def check(folder):
    """Writes files and checks them: what is printed, and the exit status."""

    def printed(words: list[str], **files: str | bytes) -> tuple[str, int]:
        for name, content in files.items():
            written(content, name)
        result = invoke("check", *words, stdin=files.get("stdin"))
        assert result.stderr == ""
        return result.stdout, result.exit_code

    return printed
