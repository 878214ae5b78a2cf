"""The files that come with Assay: the examples, which users can copy into a folder, and the documentation."""

import os
import shutil
from pathlib import Path

from assay.errors import UsageError

# In a wheel, the examples and the documentation are inside the package; in a clone, they are next to src/.
PACKAGED = Path(__file__).resolve().parent.parent
IN_CLONE = Path(__file__).resolve().parents[3]


def shipped_folder(name: str) -> Path:
    """Return the `examples` or `docs` folder that came with Assay."""
    source = next((folder / name for folder in (PACKAGED, IN_CLONE) if (folder / name).is_dir()), None)
    if source is None:
        raise UsageError(f"this installation of Assay has no {name}; install it again with pip")
    return source


def examples_folder() -> Path:
    """Return the folder with the examples."""
    return shipped_folder("examples")


def write_examples(folder: str | os.PathLike[str]) -> list[str]:
    """Copy the examples into a folder that is new or empty, and return the names of the files, sorted."""
    source = examples_folder()
    target = Path(folder)
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            instead = "choose a new folder"
            raise UsageError(f"{target} exists and is not an empty folder; {instead}")
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    except OSError as error:
        raise UsageError(f"cannot write to {target}: {error.strerror or error}") from None
    return sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())
