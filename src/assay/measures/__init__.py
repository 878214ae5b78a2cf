"""The measures, one module per family, and the notation in which users write them.

`from assay.measures import *` imports all of them.
"""

from importlib import import_module
from typing import Any

from assay.vocabulary import FAMILIES

__all__ = [name for names in FAMILIES.values() for name in names]


def __getattr__(name: str) -> Any:
    for family, names in FAMILIES.items():
        if name in names:
            return getattr(import_module(f"assay.measures.{family}"), name)
    raise AttributeError(f"assay.measures has no {name!r}")
