"""Runs and judgments as other packages hold them: ranx, trectools, Chroma, and the datasets of ir_datasets.

They are told by the shape of the objects; only ir_datasets is imported, where one of its datasets is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.errors import InputError, UsageError, counted, shortened
from assay.tables.column_names import LISTS
from assay.tables.places import Place

# What stands before the name of a dataset of ir_datasets, as in PyTerrier.
DATASET = "irds:"
# Some of what a result of Chroma's query() has, each a list for each question, or None.
QUERIED = ("ids", "documents", "metadatas", "distances", "included")
# Where the results for a question hold the list of them: those of Pinecone, Qdrant, Weaviate and LlamaIndex, chains of
# LangChain, and what logs call it, as Elasticsearch, Redis and Haystack do.
HELD = ("matches", "points", "objects", "source_nodes", "context", *LISTS)


def held(given: Any) -> Any:
    """What can be read only once, as a generator can, as a list, also under the names of a dict; others as they are."""
    if not is_read_once(given):
        return given
    return {name: held(each) for name, each in given.items()} if isinstance(given, dict) else list(given)


def is_read_once(given: Any) -> bool:
    """Whether something is an iterator of records or results, or a dict of such."""
    if isinstance(given, dict):
        first = next(iter(given.values()), None)
        if isinstance(first, dict):
            return is_read_once(first)
        # scores, of which there are many, are not looked at one by one
        return hasattr(first, "__iter__") and any(map(is_read_once, given.values()))
    # neither is a table nor an open file
    is_other = hasattr(given, "__arrow_c_stream__") or hasattr(given, "read")
    return isinstance(given, Iterator) and not is_other


def by_topic(given: Any, label: str) -> Any:
    """The lists of a log by topic, where records have one each; anything else as it is."""
    first = given[0] if isinstance(given, list | tuple) and given else None
    if not isinstance(first, Mapping) or first.keys().isdisjoint(LISTS):
        return given
    from assay.reading.records import is_log_record, lists_by_topic

    numbered = ((Place(label, number, "record"), record) for number, record in enumerate(given, 1))
    return lists_by_topic(numbered) if is_log_record(first) else given


def unwrapped(given: Any) -> Any:
    """An object of another package as a dict or a frame; anything else as it is."""
    package = type(given).__module__.partition(".")[0]
    if package == "ranx" and hasattr(given, "to_dict"):
        return given.to_dict()
    if package == "polars" and hasattr(given, "collect"):
        return given.collect()
    # what is on a cluster stays there
    if package not in ("pandas", "polars", "pyspark") and hasattr(given, "__arrow_c_stream__"):
        return frame_of_arrow(given)
    if package == "trectools":
        return next((getattr(given, name) for name in ("run_data", "qrels_data") if hasattr(given, name)), given)
    return given


def frame_of_arrow(given: Any) -> Any:
    """A table of Arrow, or a stream of one, which can be read only once, as a frame; as it is where that cannot be."""
    import polars as pl

    try:
        return pl.DataFrame(given)
    except (Exception, pl.exceptions.PanicException):
        # what is wrong with it is told when it is read
        return given


def run_given(given: Any) -> Any:
    """A run as a dict or a frame where it is an object of another package, or holds such objects by topic; others as
    they are. Of judgments a dict in a dict may name documents, whatever they are called.
    """
    given = held(given)
    if not isinstance(given, dict):
        return by_topic(unwrapped(given), "run")
    if is_queried(given):
        hint = "give one for each topic, as {topic: collection.query(query_texts=[text])}"
        raise UsageError(f"a result of Chroma's query() does not tell its topics; {hint}")
    told = ((topic, each) for topic, each in given.items() if each is not None and not is_empty_list(each))
    topic, first = next(told, ("", None))
    if listed_results(first, topic) is first:
        return given
    return {topic: listed_results(results, topic) for topic, results in given.items()}


def is_empty_list(given: Any) -> bool:
    """Whether there are no results for a question."""
    return isinstance(given, list | tuple) and not given


def listed_results(given: Any, topic: Any) -> Any:
    """The list of results for a question that an object of another package holds; anything else as it is."""
    of_dict = isinstance(given, dict)
    # most are documents with their scores
    if isinstance(given, list | tuple | str) or given is None or (of_dict and given.keys().isdisjoint(HELD)):
        return given
    if is_queried(given):
        return chunks_queried(given, topic)
    if type(given).__module__ == "numpy" and hasattr(given, "tolist"):
        return given.tolist()
    for name in HELD:
        inner = given.get(name) if of_dict else getattr(given, name, None)
        # Elasticsearch has hits in its hits
        inner = inner.get(name) if isinstance(inner, dict) else inner
        if isinstance(inner, list):
            return inner
    return given


def is_queried(given: Any) -> bool:
    """Whether something is a result of Chroma's query()."""
    return isinstance(given, dict) and all(name in given for name in QUERIED)


def chunks_queried(result: dict[str, Any], topic: Any) -> list[Any]:
    """The chunks of a result of Chroma's query() for one question, best first; ids alone where it has nothing more.

    It may have been taken out of its lists of one.
    """
    ids, texts, metadata = (result[name] for name in ("ids", "documents", "metadatas"))
    if any(isinstance(each, list) for each in ids):
        if len(ids) != 1:
            hint = 'as in dict(zip(topics, result["documents"]))'
            what = f"topic {topic} has {counted(len(ids), 'list')} of Chroma's query()"
            raise UsageError(f"{what}; expected one, {hint}")
        ids, texts, metadata = (each and each[0] for each in (ids, texts, metadata))
    if not texts and not any(metadata or ()):
        return list(ids)
    return [
        {"id": each, "text": texts[at] if texts else None, "metadata": (metadata and metadata[at]) or {}}
        for at, each in enumerate(ids)
    ]


def judgments_given(given: Any) -> Any:
    """Judgments as a dict or a frame where they are an object of another package or a dataset; others as they are."""
    if isinstance(given, str) and given.startswith(DATASET):
        return judged_in(given.removeprefix(DATASET))
    return by_topic(unwrapped(held(given)), "judgments")


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
    name = f"{DATASET}{dataset}"
    judgments: dict[str, dict[str, Any]] = {}
    try:
        loaded = ir_datasets.load(dataset)
        if not loaded.has_qrels():
            raise InputError("has no judgments; expected a dataset with qrels", name)
        for judged in loaded.qrels_iter():
            judgments.setdefault(judged.query_id, {})[judged.doc_id] = judged.relevance
    except KeyError:
        raise InputError("is no dataset that ir_datasets knows", name) from None
    except (InputError, MemoryError):
        raise
    except Exception as error:
        # whatever a download, a disk or a licence that was not accepted ends in
        why = shortened(next(iter(str(error).splitlines()), "") or type(error).__name__, 200)
        raise InputError(f"ir_datasets cannot load it: {why}; is there a network?", name) from None
    return judgments
