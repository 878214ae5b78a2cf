"""Hide what libraries outside Python print on standard error just before they raise an error."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

# All threads share standard error.
ONE_AT_A_TIME = RLock()
STANDARD_ERROR = 2


@contextmanager
def silent_if_failing() -> Iterator[None]:
    """Hold back what is printed on standard error; show it afterwards, unless an error is raised."""
    from tempfile import TemporaryFile

    with ONE_AT_A_TIME:
        try:
            shown = os.dup(STANDARD_ERROR)
        except OSError:
            # standard error is closed
            yield
            return
        with TemporaryFile() as held:
            os.dup2(held.fileno(), STANDARD_ERROR)
            try:
                yield
                held.seek(0)
                os.write(shown, held.read())
            finally:
                os.dup2(shown, STANDARD_ERROR)
                os.close(shown)
