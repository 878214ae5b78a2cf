"""One HTML page of everything: the data, the style, and the scripts.

The data is JSON that no browser can take for markup. Only scripts whose checksums the page names may run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from importlib.resources import files
from typing import Any

from assay.charts.vega_scripts import vega

# Characters that could end a script or begin markup, and lone surrogates, which UTF-8 cannot write.
UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
# The parts of the page's own script, in the order in which they need each other.
PARTS = (
    "data", "elements", "tips", "summary", "charts", "losses", "topics", "texts", "topic", "gold", "document", "notes",
    "start",
)  # fmt: skip
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
    """What the policy of the page says to let a script run: the checksum of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def resource(name: str) -> str:
    """The text of a file of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")


def own_script() -> str:
    """The page's own script: its parts in one function, so that their names are known to nothing else on the page."""
    parts = "\n".join(resource(f"scripts/{name}.js") for name in PARTS)
    return f'"use strict";\n(() => {{\n{parts}}})();'


def page(title: str, summary: str, blocks: list[str]) -> bytes:
    """The page: `summary` is a table in HTML for readers without scripts, `blocks` the data."""
    scripts = [f"\n{text}\n" for text in (vega(), own_script())]
    parts = {
        "policy": POLICY.format(scripts=" ".join(map(allowed, scripts))),
        "title": escape(title),
        "style": resource("page.css"),
        "summary": summary,
        "data": "".join(blocks),
        "scripts": "".join(f"<script>{script}</script>\n" for script in scripts),
    }
    html = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], resource("page.html"))
    # lone surrogates, which UTF-8 cannot write, are kept in the data only
    return html.encode("utf-8", "replace")
