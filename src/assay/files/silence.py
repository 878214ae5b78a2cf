"""Libraries that are not written in Python may print on standard error on their own before they raise an error."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

# There is one standard error for all threads.
ONE_AT_A_TIME = RLock()
STANDARD_ERROR = 2


@contextmanager
def silent_if_failing() -> Iterator[None]:
    """What is printed on standard error meanwhile is shown afterwards, and not at all where an error is raised."""
    with ONE_AT_A_TIME:
        try:
            shown = os.dup(STANDARD_ERROR)
        except OSError:
            # it is closed
            yield
            return
        with tempfile.TemporaryFile() as held:
            os.dup2(held.fileno(), STANDARD_ERROR)
            try:
                yield
                held.seek(0)
                os.write(shown, held.read())
            finally:
                os.dup2(shown, STANDARD_ERROR)
                os.close(shown)
