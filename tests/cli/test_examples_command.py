"""`assay examples` copies the shipped examples, and overwrites nothing."""

from helpers.commands import invoke
from helpers.places import ROOT


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def test_examples_are_those_of_the_repository(folder):
    done = invoke("examples", "bread")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"copied {len(names(ROOT / 'examples'))} files into bread; for a start:"
    assert names(folder / "bread") == names(ROOT / "examples")
    assert (folder / "bread/bm25.run").read_bytes() == (ROOT / "examples/bm25.run").read_bytes()


def test_what_it_proposes_works(folder):
    proposed = [line.split() for line in invoke("examples", "bread").stdout.splitlines() if line.startswith("  assay")]
    assert len(proposed) == 2
    for words in proposed:
        done = invoke(*words[1:])
        assert done.exit_code == 0, done.stderr


def test_nothing_is_overwritten(folder):
    (folder / "mine").mkdir()
    (folder / "mine/a.txt").write_text("mine")
    (folder / "file").write_text("mine")
    for name in ("mine", "file"):
        done = invoke("examples", name)
        assert done.exit_code != 0
        assert done.stderr == f"{name} exists and is not an empty folder; choose a new folder\n"
    assert names(folder) == ["file", "mine/a.txt"]


def test_a_folder_that_cannot_be_made_is_named(folder):
    (folder / "file").write_text("mine")
    done = invoke("examples", "file/below")
    assert done.exit_code != 0
    assert done.stderr == "cannot write to file/below: Not a directory\n"
