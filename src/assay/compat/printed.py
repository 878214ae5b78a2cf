"""The output of an older program."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """What a program writes to standard output and standard error, and its exit status."""

    out: bytes = b""
    err: str = ""
    status: int = 0
