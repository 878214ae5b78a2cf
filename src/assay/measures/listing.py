"""All measures as text: the list by family, and what one of them is."""

from __future__ import annotations

import inspect

from assay.errors import UsageError
from assay.measures.base import as_typed as written_value
from assay.measures.notation import ALIASES, find, is_own, known, unknown
from assay.measures.spellings import translated
from assay.vocabulary import FAMILIES

TITLES = {
    "ranked": "The order of relevant results",
    "levels": "Precision at levels of recall",
    "pooled": "Incomplete judgments",
    "sampled_pools": "Judgments of a stratified sample",
    "graded": "The order of results by grade",
    "blended": "Gain and precision blended",
    "user_models": "How a reader goes down the results",
    "diversity": "Subtopics: novelty and diversity",
    "sets": "What was retrieved, whatever its order",
    "counts": "Counts and judgments",
    "focused": "Highlighted text",
    "budgets": "What it costs to read",
    "entries": "Scores of a document, for gP and AgP",
    "passages": "Passages of TREC Genomics",
    "elsewhere": "Others' formulas",
    "snippets": "Others' formulas: BioASQ's snippets",
    "ragas_contexts": "Others' formulas: ragas' contexts",
    "xcg": "Assessed elements: cumulated gain",
    "precall": "Assessed elements: recall and precision",
}


def listing(columns: int = 0) -> str:
    """All measures by family: the name and the first sentence of what it is, in so many columns, or a line each."""
    import textwrap

    width = max(len(cls.__name__) for cls in known())
    families = {title: [cls for name in FAMILIES[family] if (cls := find(name))] for family, title in TITLES.items()}
    families["Your own"] = [cls for cls in known() if is_own(cls)]
    margin = " " * (width + 4)
    parts = []
    for title, classes in families.items():
        entries = [f"  {cls.__name__:{width}}  {cls.sentence()}" for cls in classes]
        wrapped = [
            textwrap.fill(entry, max(columns, 40), subsequent_indent=margin) if columns else entry for entry in entries
        ]
        parts += ["\n".join([f"{title}:", *wrapped, ""])] if entries else []
    also = ", ".join(f"{alias} for {name}" for alias, name in ALIASES.items())
    closing = f"Also understood, in any case of letters: {also}.\n`assay measures nDCG` explains one of them.\n"
    return "\n".join([*parts, textwrap.fill(closing, columns) + "\n" if columns else closing])


class Explanation(str):
    """A text that shows itself as it reads, and not in quotation marks."""

    def __repr__(self) -> str:
        return self.rstrip()


def explain(name: str) -> Explanation:
    """One measure: what it is, its formula and source, its parameters; of `P(rel=2)@5` too."""
    plain = (translated(name.strip()) or name).partition("@")[0].partition("(")[0].strip()
    cls = find(plain)
    if cls is None:
        raise UsageError(unknown(name, plain))
    lines = [f"{cls.__name__}", "", inspect.getdoc(cls) or "", ""]
    if cls.parameters():
        lines.append("Parameters:")
        for parameter_name, (default, meaning) in cls.parameters().items():
            written = f"@{parameter_name}" if parameter_name == cls.cutoff else parameter_name
            shown = "" if default in (None, (), "") else f" (default {written_value(default)})"
            lines.append(f"  {written:<10} {meaning}{shown}")
    also = [alias for alias, called in ALIASES.items() if called == cls.__name__]
    lines += [f"Also called {', '.join(also)}."] if also else []
    return Explanation("\n".join(lines).rstrip() + "\n")
