"""One HTML page of everything: data, style and scripts.

The data is JSON that no browser can take for markup. Scripts are allowed by their checksums and by nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from assay.errors import UsageError

# Characters that could end a script or begin markup, and halves of characters, which UTF-8 has not.
UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
# The one name by which the page's script asks for a chart.
EVERYTHING = "window.vegaEmbed = vegaEmbed;"
# Nothing is loaded from anywhere, no script runs but the two that are here, and none may make code of text.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def embedded(data: Any) -> str:
    """Data as JSON that may stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def block(name: str, data: Any) -> str:
    """An element with data that the page's script asks for by name."""
    return f'<script type="application/json" id="{name}">{embedded(data)}</script>\n'


def allowed(script: str) -> str:
    """What a policy says to let one script run: the checksum of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def resource(name: str) -> str:
    """The text of a file of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")


@cache
def vega() -> str:
    """The scripts of Vega-Lite, as vl-convert has them, which takes it a second."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise UsageError("a report needs altair and vl-convert: pip install altair vl-convert-python") from None
    # in the strings of a script these would end it
    return re.sub(r"<(?=/script|!--)", r"\\x3c", vl_convert.javascript_bundle(EVERYTHING), flags=re.IGNORECASE)


def page(title: str, summary: str, blocks: list[str]) -> bytes:
    """The page: `summary` is a table in HTML for readers without scripts, `blocks` the data."""
    scripts = [f"\n{text}\n" for text in (vega(), resource("page.js"))]
    parts = {
        "policy": POLICY.format(scripts=" ".join(map(allowed, scripts))),
        "title": escape(title),
        "style": resource("page.css"),
        "summary": summary,
        "data": "".join(blocks),
        "scripts": "".join(f"<script>{script}</script>\n" for script in scripts),
    }
    html = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], resource("page.html"))
    # halves of characters, which UTF-8 has not, are kept in the data only
    return html.encode("utf-8", "replace")
