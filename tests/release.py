"""Build the wheel and the sdist, check them, and try the wheel alone on every Python that is there.

    python tests/release.py                  # python3.11 to python3.14, as far as they are on the PATH
    python tests/release.py python3.12 /opt/python/bin/python3

Nothing is published. `dist/` has the two files at the end, and only if everything passed.
"""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
TOOLS = ("build>=1.2", "twine>=6.1")

# What someone does who has nothing but the wheel. The values are the means of two topics, worked out by hand.
SMOKE = """
import importlib.metadata, os, pathlib, subprocess, sys
import assay

assert assay.__version__ == importlib.metadata.version("assay-ir"), assay.__version__
assert "site-packages" in assay.__file__, assay.__file__
judgments = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
scores = assay.evaluate(judgments, {"1": ["b", "a"], "2": ["a", "b"]}, ["AP", "P@1"])
assert (scores["AP"], scores["P@1"]) == (0.75, 0.5)
chunk = {"query_id": "1", "doc_id": "a", "start": 0, "end": 10, "score": 1}
assert assay.evaluate({"1": [("a", 5, 25)]}, [chunk], "R")["R"] == 0.25
assay.chart(judgments, {"one": {"1": ["a"]}, "two": {"1": ["b"]}}, measures="AP").save("chart.svg")

def printed(*words):
    command = [os.path.join(os.path.dirname(sys.executable), "assay"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout

assert assay.__version__ in printed("--version")
printed("examples", "bread")
os.chdir("bread")
runs = sorted(map(str, pathlib.Path().glob("*.run")))
assert "AP" in printed("evaluate", "judgments.qrels", *runs)
assert "R@5" in printed("evaluate", "chunks/gold.jsonl", "chunks/bm25-400.jsonl", "-m", "R@5")
printed("report", "judgments.qrels", *runs, "-o", "report.html")
assert pathlib.Path("report.html").stat().st_size > 100_000
printed("help", "ties")
"""


def run(*words: str | os.PathLike[str], **options: str | os.PathLike[str]) -> None:
    """Run a command; what it prints is shown, and a failure ends everything."""
    # the package is tried as it was built, and not as it is in this folder
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ASSAY_CACHE")}
    subprocess.run(words, check=True, env=environment, **options)  # type: ignore[call-overload]


def refuse(problems: list[str]) -> None:
    """End with all problems of a kind, a line each."""
    if problems:
        raise SystemExit("\n".join(problems))


def built(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist of this folder. The wheel is built from the sdist, which therefore has all it needs."""
    run(sys.executable, "-m", "venv", folder / "tools")
    python = folder / "tools/bin/python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
    run(python, "-m", "build", "--outdir", folder / "dist", ROOT)
    run(python, "-m", "twine", "check", "--strict", *(folder / "dist").iterdir())
    (wheel,), (sdist,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    return wheel, sdist


def metadata_problems(wheel: Path) -> list[str]:
    """What the metadata of a wheel, the citation and the changelog say otherwise than the project does."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        said = email.message_from_bytes(archive.read(next(name for name in names if name.endswith("METADATA"))))
    version = said["Version"]
    first = re.search(r"^## \[?([\w.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    expected = {
        "pyproject.toml: license": (said["License-Expression"], project["license"]),
        "CITATION.cff: version": (re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M), [version]),
        "CHANGELOG.md: first version": (first and first[1], version),
        "pyproject.toml: Python": (said["Requires-Python"], project["requires-python"]),
    }
    problems = [f"{what} is {found!r}; expected {wanted!r}" for what, (found, wanted) in expected.items() if found != wanted]
    needed = ("assay/py.typed", "assay/__init__.pyi", "assay/examples/judgments.qrels", "assay/assessing/page/index.html")
    problems += [f"{wheel.name} lacks {name}" for name in needed if name not in names]
    problems += [f"{wheel.name} has {name}, which is not for users" for name in names if name.startswith(("tests/", "docs/"))]
    return problems


def leaks(sdist: Path) -> list[str]:
    """Files of an sdist that are not in the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {""}
    files = {name for name in names if not any(other.startswith(f"{name}/") for other in names)}
    return [f"{sdist.name} has {name}, which is not committed" for name in sorted(files - {*listed, "PKG-INFO"})]


def try_wheel(python: str, wheel: Path, folder: Path) -> None:
    """Install a wheel into a new environment of a Python, and use it."""
    run(python, "-m", "venv", folder)
    own = folder / "bin/python"
    run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    place = folder / "elsewhere"
    place.mkdir()
    run(own, "-c", SMOKE, cwd=place)


def main() -> None:
    pythons = sys.argv[1:] or [python for python in PYTHONS if shutil.which(python)]
    with tempfile.TemporaryDirectory(prefix="assay-release-") as name:
        folder = Path(name)
        wheel, sdist = built(folder)
        refuse(metadata_problems(wheel) + leaks(sdist))
        for number, python in enumerate(pythons):
            try_wheel(python, wheel, folder / f"python-{number}")
            print(f"{python}: the wheel works", flush=True)
        for missing in [python for python in PYTHONS if not sys.argv[1:] and python not in pythons]:
            print(f"{missing}: not on the PATH, not tried")
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        shutil.copytree(folder / "dist", ROOT / "dist")
    print(f"dist/{wheel.name} and dist/{sdist.name} are ready")


if __name__ == "__main__":
    main()
