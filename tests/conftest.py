"""Hypothesis: new examples each time on a developer's machine, the same ones wherever CI is set."""

import os
import tempfile

from hypothesis import HealthCheck, settings

settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# What is found out about documents is kept in a folder of the tests' own, never in anybody's home.
KEPT = tempfile.TemporaryDirectory(prefix="assay-tests-")
os.environ["ASSAY_CACHE"] = KEPT.name
