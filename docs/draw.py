"""Draw the pictures of charts again, by the commands that the pages show.

    python docs/draw.py             writes chart-*.svg beside this file
    python docs/draw.py --check     writes nothing; exits with 1 if the words in a picture are out of date, and names it

A command with `-o forest.svg` or `--chart forest.svg` in an `sh` block draws chart-forest.svg, if its page shows that.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from assay.cli.commands import main as assay

HERE = Path(__file__).parent
PAGES = ("charts.md", "chunks.md")
WORDS = re.compile(r"<text\b[^>]*>(.*?)</text>", re.DOTALL)


def commands(page: str) -> list[list[str]]:
    """The `assay` commands in the `sh` blocks of a page, as lists of words."""
    found = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = [line for block in found for line in re.sub(r" *\\\n *", " ", block).splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("assay ")]


def draw(page: str) -> dict[str, str]:
    """The pictures of a page by name, drawn by its commands in a folder that has the examples."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE.parent / "examples", Path(folder) / "examples")
        os.chdir(folder)
        try:
            for words in commands(page):
                typed = [name for word in words for name in sorted(glob.glob(word)) or [word]]
                if {"chart", "misses", "evaluate", "convert"} & set(typed[:1]):
                    CliRunner().invoke(assay, typed, catch_exceptions=False)
            shown = re.findall(r"\]\(chart-(.*?\.svg)\)", page)
            return {f"chart-{name}": Path(name).read_text("utf-8") for name in shown}
        finally:
            os.chdir(before)


def main() -> int:
    """Write the pictures, or name those that are stale."""
    stale = 0
    for name in PAGES:
        for picture, drawn in draw((HERE / name).read_text("utf-8")).items():
            path = HERE / picture
            if "--check" not in sys.argv:
                path.write_text(drawn, "utf-8")
            elif not path.exists() or WORDS.findall(path.read_text("utf-8")) != WORDS.findall(drawn):
                stale = 1
                print(f"{picture} is not what the command on {name} draws; run `python docs/draw.py`")
    return stale


if __name__ == "__main__":
    sys.exit(main())
