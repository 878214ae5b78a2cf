"""The command line: one short function a command, each calling one library function. Only this package prints and exits."""

from assay.cli import compare_commands, evaluate_commands, file_commands, program_commands
from assay.cli.common import main

__all__ = ["compare_commands", "evaluate_commands", "file_commands", "main", "program_commands"]
