"""The scripts that draw a chart in a browser, which every page carries with it."""

from __future__ import annotations

import re
from functools import cache

from assay.errors import UsageError

# The only name that the scripts leave behind: a page's own script asks for charts by it.
EMBED = "window.vegaEmbed=vegaEmbed;"


@cache
def vega() -> str:
    """The scripts of Vega-Lite, kept because vl-convert takes a second to put them together."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise UsageError("a page needs altair and vl-convert: pip install altair vl-convert-python") from None
    # a string of a script that has </script> or <!-- in it would end the script
    return re.sub(r"<(?=/script|!--)", r"\\x3c", vl_convert.javascript_bundle(EMBED), flags=re.IGNORECASE)
