"""Assay's commands, run as a person or a script would: within this process, on a terminal, or as another process."""

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from assay.cli.commands import main
from helpers.places import ROOT


def invoke(*words: object, stdin: str | bytes | None = None) -> Result:
    """What a command prints, and its exit status; a traceback fails the test, whatever was expected."""
    done = CliRunner().invoke(main, list(map(str, words)), input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Another Python in the project's folder."""
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


# Runs the code that it is given, each with names of its own, and prints a mark behind each on both outputs.
CODE_BY_CODE = """
import sys
mark, *codes = sys.argv[1:]
for code in codes:
    try:
        exec(compile(code, "<page>", "exec"), {"__name__": "__main__"})
    except BaseException:
        sys.excepthook(*sys.exc_info())
    print(mark, flush=True)
    print(mark, file=sys.stderr, flush=True)
"""


def each_in_python(codes: list[str]) -> list[tuple[str, str]]:
    """What each code prints on standard output and on standard error, in one other Python in the project's folder."""
    done = python("-c", CODE_BY_CODE, MARK, *codes)
    pairs = zip(done.stdout.split(MARK + "\n"), done.stderr.split(MARK + "\n"), strict=True)
    return list(pairs)[:-1]


# Runs the commands that it is given, one after the other, and prints a mark behind each. What is behind a pipe is a
# program of its own.
ONE_BY_ONE = """
import glob, os, shlex, subprocess, sys
from assay.cli import run
mark, *commands = sys.argv[1:]
terminal = os.dup(1)
for command in commands:
    command, _, behind = command.partition(" | ")
    if behind:
        program = subprocess.Popen(behind, shell=True, stdin=subprocess.PIPE)
        os.dup2(program.stdin.fileno(), 1)
        program.stdin.close()
    sys.argv = [name for word in shlex.split(command) for name in sorted(glob.glob(word)) or [word]]
    run()
    sys.stdout.flush()
    if behind:
        os.dup2(terminal, 1)
        program.wait()
    print(mark, flush=True)
"""
MARK = "-- the end of a command --"


def on_a_terminal(command: str | list[str], folder: Path = ROOT) -> str:
    """What a person sees who types a command in a folder."""
    import pty

    terminal, inner = pty.openpty()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(
        command, shell=isinstance(command, str), cwd=folder, env=environment, stdout=inner, stderr=inner, stdin=inner
    )
    os.close(inner)
    seen = b""
    while True:
        try:
            block = os.read(terminal, 1 << 16)
        except OSError:  # Linux says so at the end
            break
        if not block:
            break
        seen += block
    os.close(terminal)
    process.wait()
    return "\n".join(line.rstrip() for line in seen.decode().splitlines()).rstrip()


def each_on_a_terminal(commands: list[str], folder: Path = ROOT) -> dict[str, str]:
    """What a person sees who types some commands in a folder; Python starts once for all that redirect nothing."""
    redirected = [command for command in commands if "2>" in command]
    alone = [command for command in commands if command not in redirected]
    shown = on_a_terminal([sys.executable, "-c", ONE_BY_ONE, MARK, *alone], folder).split(MARK)
    return {command: on_a_terminal(command, folder) for command in redirected} | {
        command: text.strip("\n") for command, text in zip(alone, shown, strict=False)
    }
