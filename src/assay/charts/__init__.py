"""Charts of scores: each function returns an Altair chart, one self-contained Vega-Lite specification.

The same scores give the same chart. Runs are always the field `run`; every colour stands in the config, see `config`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.charts.lines import budget, budget_measures, curve
from assay.charts.saving import save
from assay.charts.style import config
from assay.charts.systems import heatmap, scatter
from assay.charts.topics import differences, distribution

if TYPE_CHECKING:
    import altair as alt

CHARTS: dict[str, Callable[..., alt.LayerChart]] = {
    "curve": curve,
    "differences": differences,
    "distribution": distribution,
    "scatter": scatter,
    "heatmap": heatmap,
    "budget": budget,
}

__all__ = [
    "CHARTS", "budget", "budget_measures", "config", "curve", "differences", "distribution", "heatmap", "save", "scatter",
]  # fmt: skip
