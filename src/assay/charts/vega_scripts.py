"""The scripts that draw a chart in a browser, which every page carries with it."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version

from assay.errors import UsageError
from assay.files.keeping import kept

# The only name that the scripts leave behind: a page's own script asks for charts by it.
EMBED = "window.vegaEmbed=vegaEmbed;"


@cache
def vega() -> str:
    """The scripts of Vega-Lite, kept from one time to the next: vl-convert takes a second to put them together."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise UsageError("a page needs altair and vl-convert: pip install altair vl-convert-python") from None

    def bundle() -> str:
        # a string of a script that has </script> or <!-- in it would end the script
        return re.sub(r"<(?=/script|!--)", r"\\x3c", vl_convert.javascript_bundle(EMBED), flags=re.IGNORECASE)

    return kept("vega.js", f"vl-convert {version('vl-convert-python')} {EMBED}", bundle)
