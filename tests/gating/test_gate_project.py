"""The project of docs/gate.md: every command prints what the page shows."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from helpers.pages import blocks
from helpers.places import ROOT

PAGE = (ROOT / "docs/gate.md").read_text("utf-8")
# pytest finds Assay's plugin by itself; others that are installed here would take longer to load than the tests to run
UNUSED = ("cacheprovider", "hypothesispytest", "xdist", "xdist.looponfail", "anyio", "platformdirs")
WORDS = {"assay": "-m assay", "python": "", "pytest": " ".join(["-m pytest", *(f"-p no:{name}" for name in UNUSED)])}
# Runs what other programs send: each in a process of its own, which has loaded Assay and pytest already.
SERVER = """
import json, os, runpy, socket, sys
import assay.cli.commands, numpy, polars, pytest
with socket.socket(socket.AF_UNIX) as listening:
    listening.bind(sys.argv[1])
    listening.listen()
    print(flush=True)
    while True:
        connection, _ = listening.accept()
        request, files, *_ = socket.recv_fds(connection, 1 << 20, 3)
        if not os.fork():
            for number, file in enumerate(files):
                os.dup2(file, number)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", 1, errors="backslashreplace", closefd=False)
            folder, environment, words = json.loads(request)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[0], status = folder, 0
            try:
                if words[0] == "-m":
                    sys.argv = words[1:]
                    runpy.run_module(words[1], run_name="__main__", alter_sys=True)
                else:
                    sys.argv = words
                    runpy.run_path(words[0], run_name="__main__")
            except SystemExit as end:
                status = end.code or 0
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        for file in files:
            os.close(file)
        with connection:
            connection.send(bytes([os.waitstatus_to_exitcode(os.wait()[1])]))
"""
# Sends its words, its folder, its environment and its outputs there, and ends as what runs there does.
CLIENT = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    request = json.dumps([os.getcwd(), dict(os.environ), sys.argv[2:]])
    socket.send_fds(connection, [request.encode()], [0, 1, 2])
    [status] = connection.recv(1)
sys.exit(status)
"""


@pytest.fixture
def environment(tmp_path):
    """What the programs of the page run in; the server for them runs as long as the test."""
    folder, client = tmp_path / "bin", tmp_path / "client.py"
    # the address of a socket is short
    address = Path(tempfile.mkdtemp()) / "server"
    folder.mkdir()
    client.write_text(CLIENT)
    for name, words in WORDS.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{client}" "{address}" {words} "$@"\n')
        program.chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    # options for the pytest that runs this test are not for the one on the page
    environment.pop("PYTEST_ADDOPTS", None)
    environment |= {"LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen([sys.executable, "-c", SERVER, str(address)], stdout=subprocess.PIPE, env=environment) as server:
        server.stdout.readline()
        yield environment
        server.kill()
    shutil.rmtree(address.parent)


@pytest.mark.skipif(shutil.which("bash") is None, reason="the page shows commands of bash")
def test_every_command_of_the_project_prints_what_is_shown(tmp_path, environment):
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
