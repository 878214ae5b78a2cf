"""Where the repository, its examples and the data shared with other programs are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
DATA = ROOT.parent / "shared" / "data"
