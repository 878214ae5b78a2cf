"""The documentation as a site: `make site` writes it to build/site, where it works without a server."""

from __future__ import annotations

import re
from typing import Any

from assay import __version__

project = "Assay"
author = "The Assay authors"
release = version = __version__
html_title = "Assay"
extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["templates"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["measures.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# a command is copied without its prompt and without what it prints
copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
suppress_warnings = ["myst.strikethrough"]
# The pages are also read on the code host, where links lead to files beside docs/; in the site they lead to the page
# that says how to get the examples, or to nothing.
EXAMPLES = re.compile(r"\]\((?P<up>(\.\./)*)\.\./examples/[^)\s]*\)")
ELSEWHERE = re.compile(r"\[(?P<text>[^\]]+)\]\((\.\./)+(?!examples)[A-Za-z][^)\s]*\)")


def link_inside(app: object, page: str, content: list[str]) -> None:
    """Keep links within the site."""
    content[0] = EXAMPLES.sub(lambda found: f"]({found['up']}examples.md)", content[0])
    if not page.startswith("papers/"):
        content[0] = ELSEWHERE.sub(lambda found: found["text"], content[0])


def setup(app: Any) -> None:
    """Connect to Sphinx."""
    app.connect("source-read", link_inside)
