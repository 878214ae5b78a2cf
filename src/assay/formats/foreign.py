"""Runs and judgments as other packages hold them: ranx, trectools, Chroma, and the datasets of ir_datasets.

They are told by the shape of the objects; only ir_datasets is imported, where one of its datasets is asked for.
"""

from __future__ import annotations

from typing import Any

from assay.errors import InputError, UsageError, counted

# What stands before the name of a dataset of ir_datasets, as in PyTerrier.
DATASET = "irds:"
# Some of what a result of Chroma's query() has, each a list for each question, or None.
QUERIED = ("ids", "documents", "metadatas", "distances")


def unwrapped(given: Any) -> Any:
    """An object of another package as a dict or a frame; anything else as it is."""
    package = type(given).__module__.partition(".")[0]
    if package == "ranx" and hasattr(given, "to_dict"):
        return given.to_dict()
    if package == "trectools":
        return next((getattr(given, name) for name in ("run_data", "qrels_data") if hasattr(given, name)), given)
    if isinstance(given, dict):
        if is_queried(given):
            hint = "give one for each topic, as {topic: collection.query(query_texts=[text])}"
            raise UsageError(f"a result of Chroma's query() does not tell its topics; {hint}")
        if is_queried(next(iter(given.values()), None)):
            return {topic: chunks_queried(topic, result) for topic, result in given.items()}
    return given


def is_queried(given: Any) -> bool:
    """Whether something is a result of Chroma's query()."""
    return isinstance(given, dict) and all(name in given for name in QUERIED) and "included" in given


def chunks_queried(topic: Any, result: Any) -> Any:
    """The chunks of a result of Chroma's query() for one question, best first; ids alone where it has nothing more."""
    if not is_queried(result):
        return result
    if len(result["ids"]) != 1:
        raise UsageError(f"topic {topic} has {counted(len(result['ids']), 'list')} of Chroma's query(); expected one")
    ids, texts, metadata = (result[name] and result[name][0] for name in ("ids", "documents", "metadatas"))
    if not texts and not any(metadata or ()):
        return ids
    return [
        {"id": each, **({"text": texts[at]} if texts else {}), "metadata": (metadata and metadata[at]) or {}}
        for at, each in enumerate(ids)
    ]


def judgments_given(given: Any) -> Any:
    """Judgments as a dict or a frame where they are an object of another package or a dataset; others as they are."""
    if isinstance(given, str) and given.startswith(DATASET):
        return judged_in(given.removeprefix(DATASET))
    return unwrapped(given)


def name_of(given: Any) -> str | None:
    """The name that a run of another package has: that of ranx, or of trectools' frame the tag of its first row."""
    package, name = type(given).__module__.partition(".")[0], None
    if package == "ranx":
        name = getattr(given, "name", None)
    elif package == "trectools" and "system" in getattr(given, "run_data", ()) and len(given.run_data):
        name = given.run_data["system"].iloc[0]
    return name if isinstance(name, str) and name else None


def judged_in(dataset: str) -> dict[str, dict[str, Any]]:
    """The judgments of a dataset of ir_datasets, which gets them where it does not have them yet."""
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise UsageError(f"{DATASET}{dataset} is a dataset of ir_datasets: pip install ir_datasets") from None
    try:
        loaded = ir_datasets.load(dataset)
    except KeyError:
        raise InputError("is no dataset that ir_datasets knows", f"{DATASET}{dataset}") from None
    if not loaded.has_qrels():
        raise InputError("has no judgments; expected a dataset with qrels", f"{DATASET}{dataset}")
    judgments: dict[str, dict[str, Any]] = {}
    for judged in loaded.qrels_iter():
        judgments.setdefault(judged.query_id, {})[judged.doc_id] = judged.relevance
    return judgments
