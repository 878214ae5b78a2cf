"""What must be the same before two scores of a topic are compared; what cannot be told is an error, never a pass."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError, UsageError, counted, listed
from assay.evaluation.provenance import MeasureFacts, Provenance
from assay.measures.base import Measure
from assay.public.scores import Scores
from assay.tables.ids import Floats


def refuse_other_origins(now: Provenance, before: Provenance, label: str) -> None:
    """Judgments, documents and rules must be those of the baseline."""
    # what a rule makes of judgments, as of copies or blanks, makes them others too
    for name in sorted({*now.rules, *before.rules}):
        was, is_now = before.rules.get(name), now.rules.get(name)
        if was != is_now:
            can_be_given = isinstance(was, str) or was is True
            instead = f"give {name}={was}, or a new baseline" if can_be_given else "expected the same"
            raise InputError(
                f"was measured with {name}={rule_shown(was)}, and this run with {rule_shown(is_now)}; {instead}", label
            )
    if now.gold != before.gold:
        what = f"is of other judgments ({before.gold[:8]}) than these ({now.gold[:8]})"
        raise InputError(f"{what}; expected the same, or a new baseline", label)
    if now.documents != before.documents:
        raise InputError(other_documents(now.documents, before.documents), label)


def rule_shown(value: object) -> str:
    """The value of a rule; one that is not given is none."""
    return "none" if value is None else str(value)


def other_documents(now: str | None, before: str | None) -> str:
    """What is said where the documents are not those of the baseline."""
    if before is None:
        return "was measured without documents, and this run with documents; expected the same, or a new baseline"
    if now is None:
        return "was measured with documents; give documents="
    return f"is of other documents ({before[:8]}) than these ({now[:8]}); expected the same, or a new baseline"


def refuse_other_topics(now: Scores, before: Scores, label: str) -> None:
    """The topics must be the same, each of them."""
    instead = "expected the same topics, or a new baseline"
    if lacking := sorted(set(now.topics) - set(before.topics)):
        what = f"lacks {counted(len(lacking), 'topic')} of {len(now.topics):,} that are judged here"
        raise InputError(f"{what}: {listed(lacking)}; {instead}", label)
    if beyond := sorted(set(before.topics) - set(now.topics)):
        what = f"has {counted(len(beyond), 'topic')} of {len(before.topics):,} that are not judged here"
        raise InputError(f"{what}: {listed(beyond)}; {instead}", label)


def refuse_missing_topics(scores: Scores, system: str, label: str) -> None:
    """A run must have results for all topics that count."""
    values = scores.values[scores.systems.index(system)]
    missing = set(scores.missing.get(system, ()))
    leaves_out = scores.made_of().rules.get("topics") == "relevant"
    lacking = [
        topic
        for number, topic in enumerate(scores.topics)
        if topic in missing and not (leaves_out and np.isnan(values[:, number]).all())
    ]
    if lacking:
        what = f"has no results for {counted(len(lacking), 'topic')} of {len(scores.topics):,}: {listed(lacking)}"
        # a run could pass by leaving out what it is bad at
        leaving = "; the policy common for topics would leave them out, and a gate does not"
        common = leaving if scores.made_of().rules.get("topics") == "common" else ""
        also = "give topics=judged and give allow_missing=" if common else "give allow_missing="
        raise InputError(f"{what}{common}; expected results for all; if they shall count 0, {also}", label)


def refuse_other_measure(measure: Measure, now: MeasureFacts, baseline: Scores, label: str) -> None:
    """A measure must be in the baseline, and count the same in the same way."""
    told = {each.name: each for each in baseline.made_of().measures}
    if str(measure) not in told:
        raise InputError(f"has no {measure}; there are {listed(list(told), 12)}", label)
    before = told[str(measure)]
    if before.unit != now.unit:
        raise InputError(f"has {measure} counted in {before.unit}, and here it is counted in {now.unit}", label)
    if before.version != now.version:
        what = f"has {measure} of version {before.version}, and here it is of version {now.version}"
        raise InputError(f"{what}; expected a new baseline", label)
    for name in sorted({*before.parameters, *now.parameters}):
        was, is_now = before.parameters.get(name, "none"), now.parameters.get(name, "none")
        if was != is_now:
            raise InputError(
                f"has {measure} with {name}={was}, and here it is {is_now}; expected a new baseline", label
            )


def pair_of_values(
    measure: Measure, now: Scores, run: str, before: Scores, baseline: str, label: str
) -> tuple[list[str], Floats, Floats]:
    """The topics that count, and the values of the baseline and of the run for each of them."""
    places = {topic: number for number, topic in enumerate(before.topics)}
    order = [places[topic] for topic in now.topics]
    after_all = now.values[now.systems.index(run), [str(each) for each in now.measures].index(str(measure))]
    rows = [str(each) for each in before.measures]
    before_all = before.values[before.systems.index(baseline), rows.index(str(measure))][order]
    told, missing = ~np.isnan(after_all), np.isnan(before_all)
    for lacks, where in ((told & missing, label), (~told & ~missing, run)):
        if lacks.any():
            names = [topic for topic, without in zip(now.topics, lacks, strict=True) if without]
            raise InputError(f"has no value of {measure} for {counted(len(names), 'topic')}: {listed(names)}", where)
    if not told.any():
        raise InputError(f"has no value of {measure} for any topic", run)
    topics = [topic for topic, counts in zip(now.topics, told, strict=True) if counts]
    return topics, before_all[told], after_all[told]


def chosen_baseline(before: Scores, asked: str | None, label: str) -> str:
    """The run of the baseline that a run is compared with."""
    if asked is None and len(before.systems) == 1:
        return before.systems[0]
    if asked is None:
        raise InputError(
            f"has {len(before.systems)} runs, {listed(before.systems)}; to say which, give baseline=", label
        )
    if asked not in before.systems:
        raise UsageError(f"{label} has no run {asked!r}; there are {listed(before.systems)}")
    return asked
