"""All commands: one short function each, which calls one function of the library."""

from assay.cli import (
    compare_commands,
    evaluate_commands,
    file_commands,
    gate_commands,
    page_commands,
    program_commands,
)
from assay.cli.common import main

__all__ = [
    "compare_commands",
    "evaluate_commands",
    "file_commands",
    "gate_commands",
    "main",
    "page_commands",
    "program_commands",
]
