"""A waterfall chart: all facts of a test set, how many each cause or stage lost, and how many were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import altair as alt

from assay.charts import style
from assay.errors import count_noun

if TYPE_CHECKING:
    from assay.charts.style import Data
    from assay.evaluation.misses import Misses

# The height of a bar in pixels.
STEP = 30
ALL, READ = "all facts", "read"
KINDS = (ALL, "lost", READ)


def waterfall(misses: Misses, **look: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Draw what became of the facts, from all of them to those that were read."""
    facts = misses.facts
    rows: list[dict[str, Any]] = [{"step": ALL, "from": 0, "to": facts, "kind": ALL}]
    left = facts
    for cause, number in misses.counts.items():
        if cause == READ:
            rows.append({"step": READ, "from": 0, "to": number, "kind": READ})
        else:
            rows.append({"step": cause, "from": left - number, "to": left, "kind": "lost"})
            left -= number
    for row in rows:
        row["facts"] = row["to"] - row["from"]
        row["label"] = f"{row['facts']:,}"
        row["share"] = row["facts"] / max(facts, 1)
    of = " → ".join(map(style.cut_to_fit, misses.stages)) if misses.stages else style.cut_to_fit(misses.run)
    title = [f"What happened to {count_noun(facts, 'fact')}", f"{of}; {misses.measure}"]
    size = style.look_of(look, height=STEP * len(rows))
    return waterfall_chart([row["step"] for row in rows], title, size, style.inline(rows))


@style.skip_schema_check
def waterfall_chart(steps: list[str], title: list[str], look: style.Look, data: Data) -> alt.LayerChart:
    """Make the chart from its data: a bar for each step."""
    place = alt.Chart().encode(y=alt.Y("step:N", sort=steps, title=None, axis=alt.Axis(labelLimit=240)))
    bars = place.mark_bar().encode(
        x=alt.X("from:Q", title="facts", axis=alt.Axis(format=",d", tickMinStep=1)),
        x2=alt.X2("to:Q"),
        color=alt.Color("kind:N", scale=alt.Scale(domain=list(KINDS)), legend=None),
        tooltip=[alt.Tooltip("step:N"), alt.Tooltip("facts:Q", format=","), alt.Tooltip("share:Q", format=".1%")],
    )
    labels = place.mark_text(align="left", dx=4, fontSize=look.font_size).encode(
        x=alt.X("to:Q"), text=alt.Text("label:N")
    )
    return style.layered_chart({"bars": bars, "labels": labels}, "misses", title, look, data)
