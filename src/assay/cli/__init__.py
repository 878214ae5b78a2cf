"""The command line. Only this package prints and exits.

Here it begins and ends: whatever happens to the streams or on the keyboard is one line on standard error and an exit
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
# How many objects are made until Python looks for some that hold each other; to measure a small run makes fewer.
OBJECTS = 50_000


class Interrupted(BaseException):
    """Ctrl-C. It is no KeyboardInterrupt, which the libraries on the way answer in their own words."""


class ClosedOutput(io.TextIOBase):
    """Standard output that was closed before the program began: nothing can be written, and that is not skipped."""

    @property
    def buffer(self) -> ClosedOutput:
        """What takes bytes; nothing, here too."""
        return self

    def write(self, text: object) -> NoReturn:
        """Refuse to write."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def main() -> NoReturn:
    """Run `assay`."""
    # numpy would start a thread for each core, which takes longer than all that could be shared among them here
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
        # who reads has read enough
        status = 0
    except OSError as error:
        print(f"{error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        status = 1
    end(status)


def interrupt(signal_number: int, frame: FrameType | None) -> NoReturn:
    """What Ctrl-C does."""
    raise Interrupted


def report_interrupt() -> int:
    """Say so; the exit status. A second Ctrl-C changes nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("interrupted", file=sys.stderr)
    return INTERRUPTED


def passed_over(unraisable: sys.UnraisableHookArgs) -> None:
    """End at a Ctrl-C in the midst of tidying up, where Python skips whatever is raised."""
    if unraisable.exc_type is Interrupted:
        end(report_interrupt())
    sys.__unraisablehook__(unraisable)


def run() -> int:
    """Run the command that was typed; its exit status."""
    from assay.cli.commands import main as commands

    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    try:
        commands()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def end(status: int) -> NoReturn:
    """Leave at once: what could be written is written, and the rest would only fail again."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(status)
