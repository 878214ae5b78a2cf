"""The command line. Only this package prints and exits.

This module starts and ends the program. Errors of the streams and Ctrl-C become one line on standard error and an exit
status.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

INTERRUPTED = 128 + signal.SIGINT
# How many objects Python makes before the garbage collector runs; measuring a small run makes fewer.
OBJECTS = 50_000


class Interrupted(BaseException):
    """Ctrl-C. It is not a KeyboardInterrupt, because libraries catch that and print their own message."""


class ClosedOutput(io.TextIOBase):
    """Standard output that was closed before the program began: writing fails, so that no output is lost silently."""

    @property
    def buffer(self) -> ClosedOutput:
        """The stream of bytes, which is closed too."""
        return self

    def write(self, text: object) -> NoReturn:
        """Refuse to write."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def main() -> NoReturn:
    """Run `assay`."""
    # numpy would start a thread for each core, which takes longer than what the threads could save here
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(OBJECTS)
    try:
        sys.unraisablehook = passed_over
        signal.signal(signal.SIGINT, interrupt)
        status = run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except Interrupted:
        status = report_interrupt()
    except BrokenPipeError:
        # the reader of the pipe, for example head, has read enough
        status = 0
    except OSError as error:
        print(f"{error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        status = 1
    end(status)


def interrupt(signal_number: int, frame: FrameType | None) -> NoReturn:
    """Handle Ctrl-C."""
    raise Interrupted


def report_interrupt() -> int:
    """Print `interrupted` and return the exit status; ignore a second Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("interrupted", file=sys.stderr)
    return INTERRUPTED


def passed_over(unraisable: sys.UnraisableHookArgs) -> None:
    """Exit on a Ctrl-C during cleanup, where Python ignores exceptions."""
    if unraisable.exc_type is Interrupted:
        end(report_interrupt())
    sys.__unraisablehook__(unraisable)


def run() -> int:
    """Run the command that was typed, and return its exit status."""
    from assay.cli.commands import main as commands

    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    try:
        commands()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def end(status: int) -> NoReturn:
    """Exit at once, because Python would try again to write what could not be written."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(status)
