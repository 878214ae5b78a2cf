"""Save charts as files: pictures, pages, and specifications."""

import base64
import html
import json
import os
import re
import struct
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import altair as alt

from assay.charts.curves import HOVER
from assay.charts.style import NO_BREAK, OBJECTS
from assay.errors import UsageError, quote
from assay.files.writing import read_or_make, write

# The scripts that draw a chart in a browser; every page contains them.

# The only global name that the scripts define: a page's own script calls it to draw charts.
EMBED = "window.vegaEmbed=vegaEmbed;"
# The SHA-256 of the scripts that each version of vl-convert makes. Every page runs the scripts, so only known ones are
# cached; with another version of vl-convert they are made each time.
SCRIPTS = {
    "1.7.0": "b632ae0b65aa27fc22d8045458c2c0fe06694dc252b134fa415b52ef8a7a7220",
    "1.8.0": "b66996bb5822b536e6808945330c26223bf890967feb4a7e681b432d3563ea8a",
    "1.9.0": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
    "1.9.0.post1": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
}


@cache
def vega() -> str:
    """Return the scripts of Vega-Lite from the cache, because vl-convert takes a second to bundle them."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise UsageError("a page needs altair and vl-convert: pip install altair vl-convert-python") from None

    def bundle() -> str:
        # </script> or <!-- within a string would end the script element
        return re.sub(r"<(?=/script|!--)", r"\\x3c", vl_convert.javascript_bundle(EMBED), flags=re.IGNORECASE)

    return read_or_make("vega.js", SCRIPTS.get(version("vl-convert-python")), bundle)


# Characters that XML cannot contain, not even escaped: control characters, and the lone surrogates that Python makes of
# file names that are not UTF-8.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Pixels of a picture per pixel of the chart: fine enough for print.
SCALE = 2
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ margin: 0; background: {background}; }}</style>
</head>
<body>
<div id="chart"></div>
<script>{bundle}</script>
<script>vegaEmbed("#chart", {spec}, {{actions: false}});</script>
</body>
</html>
"""


def save(chart: alt.LayerChart, path: str | os.PathLike[str]) -> None:
    """Write a chart, whole or not at all, in the format that the ending of the file names.

    That is .svg, .png, .pdf, .json or .html, which is a page that needs no other files.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in ENDINGS:
        expected = f"choose from {', '.join(ENDINGS)}"
        raise UsageError(f"{os.fspath(path)}: a chart cannot be written as {quote(ending)}; {expected}")
    # skip validation, which takes a tenth of a second: tests check our charts against the schema
    write(path, ENDINGS[ending](chart.to_dict(validate=False)))


# The largest picture and specification, in bytes, that a notebook stores with the chart.
LARGEST_PICTURE, LARGEST_SPECIFICATION = 1_000_000, 1_000_000


def for_notebooks(chart: alt.LayerChart) -> alt.LayerChart:
    """Make a chart carry a picture beside its Vega-Lite specification in a notebook.

    So it shows offline, on code hosts and in PDFs, where scripts are not loaded or not run.
    """
    # an attribute that is set on a chart would become a part of its specification
    object.__setattr__(chart, "__class__", notebook_chart())
    return chart


@cache
def notebook_chart() -> type[alt.LayerChart]:
    """Return the class of charts that carry a picture."""
    class NotebookChart(alt.LayerChart):
        def _repr_mimebundle_(self, *args: Any, **how: Any) -> Any:
            # if the user chose another renderer of Altair, keep it
            own = alt.renderers.active != "default"
            return super()._repr_mimebundle_(*args, **how) if own else notebook_bundle(self)

    return NotebookChart


def notebook_bundle(chart: alt.LayerChart) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a chart as a notebook stores and shows it: a picture, and the specification for those who can draw it.

    A large picture gets a lower resolution; a large specification is left out. Without vl-convert there is no picture.
    """
    from altair import VEGALITE_VERSION

    spec = chart.to_dict(validate=False)
    bundle: dict[str, Any] = {"text/plain": f"<chart: {title_of(spec)}>"}
    about: dict[str, Any] = {}
    if len(_json(spec)) <= LARGEST_SPECIFICATION:
        # a notebook file stores objects only under types that end in +json
        bundle[f"application/vnd.vegalite.v{VEGALITE_VERSION.partition('.')[0]}+json"] = spec
    if find_spec("vl_convert") is None:
        return bundle, about
    for scale in (SCALE, 1):
        picture = _png(spec, scale)
        if len(picture) <= LARGEST_PICTURE:
            width, height = picture_size(picture)
            bundle["image/png"] = base64.b64encode(picture).decode()
            about["image/png"] = {"width": width // scale, "height": height // scale}
            break
    return bundle, about


def picture_size(png: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG in pixels, from its first chunk."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _svg(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_svg(_still(spec)).encode()


def _png(spec: dict[str, Any], scale: float = SCALE) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(_still(spec), scale=scale)


def _pdf(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_pdf(_still(spec))


def _html(spec: dict[str, Any]) -> bytes:
    title, background = html.escape(title_of(spec)), spec["config"]["background"]
    # a name such as </script> must not end the script element
    inside = _json(_visible(spec)).decode().replace("<", "\\u003c")
    page = PAGE.format(title=title, background=background, bundle=vega(), spec=inside)
    return page.encode("utf-8", "replace")


def title_of(spec: dict[str, Any]) -> str:
    """Return the title of a chart on one line; its name if it has no title."""
    text: str | list[str] = spec.get("title", {}).get("text", spec["name"])
    return text if isinstance(text, str) else " ".join(text)


def _json(spec: dict[str, Any]) -> bytes:
    return json.dumps(spec, indent=1).encode()


def _still(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the specification of a picture, without the layer that only shows tooltips."""
    layers = [layer for layer in spec["layer"] if layer.get("name") != HOVER]
    return _visible({**spec, "layer": layers})


def _visible(part: Any) -> Any:
    """Write out characters that a picture cannot show, for example as \\x01, and change names that Vega mistakes."""
    if isinstance(part, dict):
        return {key: _visible(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_visible(value) for value in part]
    if not isinstance(part, str):
        return part
    if part in OBJECTS:
        return part + NO_BREAK
    # these two end a line, and would break a Vega expression that contains them
    part = part.replace("\u2028", "\ufffd").replace("\u2029", "\ufffd")
    return NOT_XML.sub(lambda match: repr(match[0])[1:-1], part)


ENDINGS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    ".svg": _svg,
    ".png": _png,
    ".pdf": _pdf,
    ".html": _html,
    ".json": _json,
}
