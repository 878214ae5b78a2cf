"""One Spark session for all tests of the folder."""

from contextlib import ExitStack

import pytest

from helpers.spark_session import session


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    with ExitStack() as stack:
        try:
            started = stack.enter_context(session(tmp_path_factory.mktemp("spark")))
        except Exception as error:
            pytest.skip(f"Spark cannot be started on this machine: {error}")
        yield started
