"""What an older program leaves behind: its output, its complaints, its exit status."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """What the program writes, and its exit status."""

    out: bytes = b""
    err: str = ""
    status: int = 0
