"""How readers are fuzzed: mutations of a valid file are tried one by one, and each works or is refused in one line.

One of each file is tried by default, always the same. ASSAY_TESTS=full tries many, and ASSAY_FUZZ_SECONDS=60 as many as
can be tried in a minute for each reader, other ones every time. A failure tells the seed and the content;
ASSAY_FUZZ_SEED=7 tries that seed again.
"""

from __future__ import annotations

import os
import random
import signal
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from assay.errors import AssayError
from helpers.mutations import mutated
from helpers.samples import sample

SEED = os.environ.get("ASSAY_FUZZ_SEED")
SECONDS = float(os.environ.get("ASSAY_FUZZ_SECONDS", 0))
# No small file may take more of the processor's time. The largest has about 60 KB; most take some milliseconds.
LIMIT = 10
CONTROLS = {"Cc", "Cs", "Zl", "Zp"}


class TooSlow(BaseException):
    """No reader catches this one."""


def seeds() -> Iterator[int]:
    """The numbers of the mutations to try."""
    if SEED:
        yield int(SEED)
    elif not SECONDS:
        yield from range(sample(1, 200))
    else:
        seed, end = random.SystemRandom().randrange(10**9), time.monotonic() + SECONDS
        while time.monotonic() < end:
            yield seed
            seed += 1


@contextmanager
def in_time(seconds: float = LIMIT) -> Iterator[None]:
    """Stops what takes too much of the processor's time."""

    def stop(*_: Any) -> None:
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def is_one_line(message: str) -> bool:
    """Whether a terminal shows a message as it stands, on one line."""
    return bool(message.strip()) and not any(unicodedata.category(char) in CONTROLS for char in message)


def refused(function: Callable[..., Any], *arguments: Any, **options: Any) -> AssayError | None:
    """What Assay says where it refuses something, which is one line; None where it does not."""
    try:
        function(*arguments, **options)
    except AssayError as error:
        assert is_one_line(str(error)), repr(str(error))
        return error
    return None


def fuzz(name: str, content: bytes, others: list[bytes], attempt: Callable[[bytes], Any], capfd: Any) -> None:
    """Tries mutations of a file; the attempt returns whether it was refused. Nothing may be printed, no warning given.
    """
    tried = refusals = 0
    slowest = (0.0, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in seeds():
            rng = random.Random(f"{name} {seed}")
            changed = mutated(rng, content, rng.choice(others))
            start = time.process_time()
            try:
                with in_time():
                    refusals += bool(attempt(changed))
                assert capfd.readouterr() == ("", "")
            except BaseException as error:
                shown = changed if len(changed) <= 2000 else changed[:1000] + b" ... " + changed[-1000:]
                error.add_note(f"{name}, seed {seed}, {len(changed):,} bytes: {shown!r}")
                raise
            slowest = max(slowest, (time.process_time() - start, seed))
            tried += 1
    if SECONDS:
        with capfd.disabled():
            slow = f"the slowest in {slowest[0]:.2f} s (seed {slowest[1]})"
            print(f"\n{name}: {tried:,} files, {refusals:,} refused, {slow}", flush=True)
