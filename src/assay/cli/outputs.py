"""The format in which a file is written: the one that is asked for, or the one that the ending of its name tells."""

from __future__ import annotations

import os

# What the ending of a name tells; runs of spans without names of columns stand between tabs too.
ENDINGS = {".csv": ("csv",), ".tsv": ("tsv", "spans"), ".jsonl": ("jsonl",), ".parquet": ("parquet",)}


def format_to_write(output: str, to: str | None, default: str | None = None) -> str:
    """The format in which a file is written; refused where its ending tells another than was asked for, or none."""
    from assay.errors import UsageError
    from assay.files.source import COMPRESSED

    name, ending = os.path.splitext(output)
    if ending.lower() in COMPRESSED:
        ending = os.path.splitext(name)[1]
    told = ENDINGS.get(ending.lower())
    if to is None and told:
        return default if default in told else told[0]
    if to is not None and told and to not in told:
        raise UsageError(f"{output}: the ending {ending} is that of {told[0]}, and --to says {to}")
    if (to := to or default) is None:
        raise UsageError(f"no format to write; give --to FORMAT, or -o with an ending of {', '.join(ENDINGS)}")
    return to
