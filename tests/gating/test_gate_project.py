"""The project of docs/gate.md: every command prints what the page shows."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from helpers.pages import blocks
from helpers.places import ROOT

PAGE = (ROOT / "docs/gate.md").read_text("utf-8")
# pytest finds Assay's plugin by itself; others that are installed here would take longer to load than the tests to run
UNUSED = ("cacheprovider", "hypothesispytest", "xdist", "xdist.looponfail", "anyio", "platformdirs")
PROGRAMS = {"assay": "-m assay", "python": "", "pytest": " ".join(["-m pytest", *(f"-p no:{name}" for name in UNUSED)])}


@pytest.mark.skipif(shutil.which("bash") is None, reason="the page shows commands of bash")
def test_every_command_of_the_project_prints_what_is_shown(tmp_path):
    (tmp_path / "bin").mkdir()
    for name, words in PROGRAMS.items():
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    # options for the pytest that runs this test are not for the one on the page
    environment.pop("PYTEST_ADDOPTS", None)
    environment |= {"LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    shown = "".join(blocks("shell-session", PAGE))
    folder, printed = str(tmp_path), ""
    for line in (line for line in shown.splitlines() if line.startswith("$ ")):
        done = subprocess.run(
            ["bash", "-c", f"{line[2:]}\necho @@$PWD"], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        output, _, folder = done.stdout.rpartition("@@")
        folder = folder.strip()
        output = re.sub(r" in [0-9.]+s", " in 1s", output + done.stderr)
        printed += "\n".join(filter(None, [line, output.rstrip("\n")])) + "\n"
    assert printed == shown
