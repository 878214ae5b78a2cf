"""The command line: one short function a command, each calling one library function. Only this package prints and exits."""

from assay.cli import comparing, evaluating, files, programs
from assay.cli.common import main

__all__ = ["comparing", "evaluating", "files", "main", "programs"]
