"""Unwrap what other packages return: ranx, trectools, Chroma, FAISS, Qdrant, logs, datasets of ir_datasets.

It becomes a dict by topic, a list of records or a frame. Objects are recognised by their shape, so only ir_datasets is
imported. To read what a further package returns, change this module alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from assay.errors import InputError, UsageError, count_noun, shorten
from assay.reading.schema import schema_of
from assay.reading.values import id_of, is_frame
from assay.tables.column_names import LISTS, LOG_NAMES
from assay.tables.places import Place
from assay.vocabulary import FileKind

# The prefix of a dataset of ir_datasets, the same as in PyTerrier.
DATASET = "irds:"
# Keys that a result of Chroma's query() may have; `ids` is always there. Each holds one list per question, or None.
QUERIED = {"ids", "documents", "metadatas", "distances", "embeddings", "included", "uris", "data"}
# Attributes or keys under which the answer to a question holds its list of results: those of Pinecone, Qdrant,
# Weaviate, LlamaIndex and OpenAI, chains of LangChain, and the names that logs use, as Elasticsearch, Redis and
# Haystack do.
GROUPS = "groups"
HELD = ("matches", "points", "objects", "source_nodes", "data", "context", *LISTS)


def materialize(given: Any) -> Any:
    """Return an iterator as a list, also inside a dict, because it can be read only once; anything else unchanged."""
    if not is_read_once(given):
        return given
    return {name: materialize(each) for name, each in given.items()} if isinstance(given, dict) else list(given)


def is_read_once(given: Any) -> bool:
    """Return whether the input is an iterator of records or results, or a dict that holds one."""
    if isinstance(given, dict):
        first = next(iter(given.values()), None)
        if isinstance(first, dict):
            return is_read_once(first)
        # a dict of scores may be large, so its values are not checked one by one
        return hasattr(first, "__iter__") and any(map(is_read_once, given.values()))
    # tables and open files may be iterators too, but have readers of their own
    is_other = hasattr(given, "__arrow_c_stream__") or hasattr(given, "read")
    return isinstance(given, Iterator) and not is_other


def by_topic(given: Any, kind: FileKind, label: str = "") -> Any:
    """Return a log as a dict of its lists by topic; anything else unchanged.

    A log has one record, object or frame row per question, which holds the list of its results.
    """
    is_table = is_frame(given) and hasattr(type(given), "columns")
    if not is_table and not (isinstance(given, list | tuple) and given):
        return given
    if is_table and not may_be_log(map(str, given.columns)):
        return given
    from assay.reading.lists import is_log_record, is_named_log, lists_by_topic, named_lists_by_topic
    from assay.reading.records import flat, is_record
    from assay.reading.texts import records_in_memory

    records = records_in_memory(given) if is_table else iter(given)
    first = next(records, None)
    if not is_record(first):
        return given
    numbered = ((Place(label or kind, at, "record"), each) for at, each in enumerate(chain([first], records), 1))
    if is_named_log(flat(first), kind):
        return named_lists_by_topic(numbered, kind)
    return lists_by_topic(numbered) if is_log_record(first) else given


def may_be_log(names: Iterable[str]) -> bool:
    """Return whether a table has a column that may hold a list of results."""
    return not {*LISTS, *LOG_NAMES, "input"}.isdisjoint(names)


def unwrap(given: Any) -> Any:
    """Return an object of another package as a dict, a frame or a list; anything else unchanged."""
    package = type(given).__module__.partition(".")[0]
    if package == "ranx" and hasattr(given, "to_dict"):
        return given.to_dict()
    if package == "polars" and hasattr(given, "collect"):
        return given.collect()
    # a Spark frame stays on its cluster
    if package not in ("pandas", "polars", "pyspark") and hasattr(given, "__arrow_c_stream__"):
        return frame_of_arrow(given)
    if package == "trectools":
        return next((getattr(given, name) for name in ("run_data", "qrels_data") if hasattr(given, name)), given)
    if package in ("ragas", "deepeval"):
        return next((getattr(given, name) for name in ("samples", "test_cases") if hasattr(given, name)), given)
    return given


def frame_of_arrow(given: Any) -> Any:
    """Return a table or stream of Arrow as a polars frame, or unchanged if polars cannot read it.

    A stream can be read only once.
    """
    import polars as pl

    try:
        return pl.DataFrame(given)
    except (Exception, pl.exceptions.PanicException):
        # the fault is reported when the input is read
        return given


def unwrapped_run(given: Any) -> Any:
    """Return a run as a dict or a frame if it is an object of another package or holds some by topic; else unchanged.

    Judgments are not treated this way, because a dict within them has document ids as its keys, which may be any words.
    """
    given = materialize(given)
    if is_searched(given) or (is_array(given) and given.ndim == 2):
        hint = "pass the ids by topic, for example dict(zip(topics, ids))"
        raise UsageError(f"FAISS's search() returns arrays without topics; {hint}")
    if not isinstance(given, dict):
        return by_topic(unwrap(given), "run")
    if is_queried(given):
        hint = "pass one result per topic, for example {topic: collection.query(query_texts=[text])}"
        raise UsageError(f"Chroma's query() returns results without topics; {hint}")
    told = ((topic, each) for topic, each in given.items() if each is not None and not is_empty_list(each))
    topic, first = next(told, ("", None))
    if listed_results(first, topic) is first:
        return given
    return {topic: listed_results(results, topic) for topic, results in given.items()}


def is_list_of_one(given: Any) -> bool:
    """Return whether a list holds one list of objects or dicts, as Milvus returns for one question."""
    from assay.reading.records import is_record

    holds_one = isinstance(given, list) and len(given) == 1 and isinstance(given[0], list)
    return holds_one and all(map(is_record, given[0]))


def is_empty_list(given: Any) -> bool:
    """Return whether a question has an empty list of results."""
    return isinstance(given, list | tuple) and not given


def listed_results(given: Any, topic: Any) -> Any:
    """Return the list of results that an object of another package holds for a question; anything else unchanged."""
    if type(given).__module__.startswith("elastic_transport"):
        given = given.body
    of_dict = isinstance(given, dict)
    if is_searched(given):
        return listed_ids(given[1])
    if is_list_of_one(given):
        return given[0]
    # most inputs are documents with their scores
    is_plain = of_dict and given.keys().isdisjoint((*HELD, GROUPS, "ids"))
    if isinstance(given, list | tuple | str) or given is None or is_plain:
        return given
    if is_frame(given):
        return rows_of_question(given, topic)
    if is_queried(given):
        return chunks_queried(given, topic)
    if is_array(given):
        return listed_ids(given)
    if isinstance(groups := given.get(GROUPS) if of_dict else getattr(given, GROUPS, None), list):
        # Qdrant sorts groups best first, and hits within each group
        return [hit for group in groups for hit in listed_results(group, topic)]
    for name in HELD:
        inner = given.get(name) if of_dict else getattr(given, name, None)
        # Elasticsearch nests hits within hits
        inner = inner.get(name) if isinstance(inner, dict) else inner
        if isinstance(inner, list):
            return inner
    return given


def is_in_memory(given: Any) -> bool:
    """Return whether the input is a frame with its rows here, not on a cluster of Spark."""
    is_remote = type(given).__module__.startswith("pyspark")
    return is_frame(given) and not is_remote and hasattr(type(unwrap(given)), "columns")


def only_topic(run: Any) -> str:
    """Return the topic that all records of a list or a frame name; empty if they name several, or none."""
    read: Callable[[Any], Iterator[Any]] = iter
    if is_in_memory(run):
        from assay.reading.texts import records_in_memory as read

        run = unwrap(run)
        if len(set(run.columns)) < len(run.columns):
            # it is refused when it is read
            return ""
    elif not isinstance(run, list):
        return ""
    from assay.reading.lists import named_topic

    # most runs have other topics at their end than at their beginning
    topics = (named_topic(each) for part in (run[-1:], run[:1], run) for each in read(part))
    first = next(topics, "")
    return first if all(each == first for each in topics) else ""


def rows_of_question(frame: Any, topic: Any) -> Any:
    """Return the rows of a frame with the results of one question as records, best first.

    A frame with a topic column is a whole run and returned unchanged, unless all its rows name this topic.
    """
    if not is_in_memory(frame):
        return frame
    from assay.reading.texts import records_in_memory

    schema = schema_of([str(name) for name in unwrap(frame).columns])
    if schema.own_topic and (not id_of(topic) or only_topic(frame) != id_of(topic)):
        return frame
    records, score = list(records_in_memory(frame)), schema.column("score")
    if type(frame).__module__.startswith("pandas") and score and any(each[score] is not None for each in records):
        # pandas writes NaN for a missing value, but a score that is NaN is refused in every other list
        records = [each if each[score] is not None else {**each, score: math.nan} for each in records]
    return records


def unwrapped_judgments(given: Any) -> Any:
    """Return judgments as a dict, a frame or records if they are an object of another package; else unchanged.

    A dict by topic may hold a frame for each question.
    """
    given = unwrap(materialize(given))
    if isinstance(given, dict) and any(map(is_frame, given.values())):
        return {topic: rows_of_question(each, topic) if is_frame(each) else each for topic, each in given.items()}
    return by_topic(given, "judgments")


def is_array(given: Any) -> bool:
    """Return whether the input is a numpy array."""
    return type(given).__module__ == "numpy" and hasattr(given, "tolist") and hasattr(given, "dtype")


def is_searched(given: Any) -> bool:
    """Return whether the input is what FAISS's search() returns: a pair of distances and ids."""
    is_pair = type(given) is tuple and len(given) == 2 and all(map(is_array, given))
    return is_pair and given[1].dtype.kind in "iu" and given[0].shape == given[1].shape


def listed_ids(given: Any) -> Any:
    """Return an array as a list. Among whole numbers, -1 is dropped, because FAISS writes it for "no result"."""
    given = given[0] if given.ndim == 2 and len(given) == 1 else given
    is_whole = given.dtype.kind in "iu"
    return [each for each in given.tolist() if each != -1] if is_whole and given.ndim == 1 else given.tolist()


def is_queried(given: Any) -> bool:
    """Return whether the input is a result of Chroma's query()."""
    has_ids = isinstance(given, dict) and isinstance(given.get("ids"), list)
    return has_ids and len(given) > 1 and given.keys() <= QUERIED


def chunks_queried(result: dict[str, Any], topic: Any) -> list[Any]:
    """Return the chunks of Chroma's query() for one question, best first; only ids if it returned nothing else.

    Chroma nests each value in a list of one per question. The user may have unpacked these lists already.
    """
    ids, texts, metadata = result["ids"], result.get("documents"), result.get("metadatas")
    if any(isinstance(each, list) for each in ids):
        if len(ids) != 1:
            hint = 'for example dict(zip(topics, result["documents"]))'
            what = f"topic {topic} has {count_noun(len(ids), 'list')} of Chroma's query()"
            raise UsageError(f"{what}; expected one, {hint}")
        ids, texts, metadata = (each and each[0] for each in (ids, texts, metadata))
    if not texts and not any(metadata or ()):
        return list(ids)
    return [
        {"id": each, "text": texts[at] if texts else None, "metadata": (metadata and metadata[at]) or {}}
        for at, each in enumerate(ids)
    ]


def judged_in(dataset: str) -> dict[str, dict[str, Any]]:
    """Return the judgments of a dataset of ir_datasets, which downloads them if needed."""
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise UsageError(f"{DATASET}{dataset} needs the package ir_datasets: pip install ir_datasets") from None
    name = f"{DATASET}{dataset}"
    judgments: dict[str, dict[str, Any]] = {}
    try:
        loaded = ir_datasets.load(dataset)
        if not loaded.has_qrels():
            raise InputError("this dataset has no judgments; expected one with qrels", name)
        for judged in loaded.qrels_iter():
            judgments.setdefault(judged.query_id, {})[judged.doc_id] = judged.relevance
    except KeyError:
        raise InputError("ir_datasets has no dataset of this name", name) from None
    except (InputError, MemoryError):
        raise
    except Exception as error:
        # a download, a disk or an unaccepted licence may fail in any way
        why = shorten(next(iter(str(error).splitlines()), "") or type(error).__name__, 200)
        raise InputError(f"ir_datasets cannot load this dataset: {why} (no network?)", name) from None
    return judgments
