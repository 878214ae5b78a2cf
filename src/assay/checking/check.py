"""Check a run or judgments: find every fault in the file, and summarise what is in it."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.checking.parts import CheckRequest, check_highlights, check_parts, check_whole, count_unresolved
from assay.checking.summary import Report, distinct
from assay.documents.location import WINDOWS, compare_texts
from assay.errors import InputError, UsageError, count_noun, list_names, type_name
from assay.evaluation.tasks import limits_of
from assay.files.source import Source
from assay.ranking.gold_standards import annotators_of, checked_standards, with_several_annotators, with_several_sets
from assay.ranking.judged_subtopics import refuse_faulty_subtopics
from assay.reading import locate
from assay.reading.chunk_ids import chunk_rows
from assay.reading.format import MOST_FAULTS, Format, Readable, Request
from assay.reading.formats.json import JsonByTopic
from assay.reading.given import GivenFile, asked_format, is_file, refuse_columns, refuse_unknown_columns, source_of
from assay.reading.read import opened_documents
from assay.reading.recognition import recognise, recognise_folder
from assay.reading.rows import Rows
from assay.reading.schema import schema_of, told_columns, unused_columns
from assay.reading.text_locator import TextLocator, has_values_within, sample_of_table
from assay.reading.texts import (
    has_ends_of_texts,
    needs_rows,
    readable_rows,
    rows_of_table,
    says_no_answers,
    tells_places,
)
from assay.tables import judgments as tables
from assay.tables.ids import Floats, Ints, pair_keys, repeated_rows
from assay.tables.places import Place, Places
from assay.tables.run import ChunkRun, DocumentRun, Run, SpanRun
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import DocumentsLike

# Files of whole documents: first a fast check by blocks; only if something is wrong, each row by itself.


def summarise_documents(report: Report, source: Source, format: Format, names: set[str] | None = None) -> Report | None:
    """Fill the report of a file of whole documents, block by block, if the file has no faults.

    Return None if each row must be looked at. If `names` is given, the ids of the documents are added to it.
    """
    try:
        for table in tables_of(source, report, format):
            if isinstance(table, tables.SubtopicJudgments | tables.SampleJudgments):
                return None
            topics, starts = table.topic.streaks()
            topic = np.repeat(np.arange(len(topics)), np.diff(starts))
            scattered = len(set(topics)) < len(topics) or not report.sizes.keys().isdisjoint(topics)
            if scattered or len(repeated_rows(pair_keys(np.arange(len(topics)), topic, table.document))):
                return None
            report.sizes.update(dict(zip(topics, np.diff(starts).tolist(), strict=True)))
            if names is not None:
                names |= names_in(table)
            if isinstance(table, Run):
                tied = zip(topics, ties(topic, table.score), strict=True)
                report.ties.update({name: number for name, number in tied if number})
            else:
                report.notes += table.notes
                report.grades.update(table.grade.tolist())
                good = np.bincount(topic, table.grade > 0)
                report.relevant.update(name for name, number in zip(topics, good, strict=True) if number)
    except InputError:
        return None
    return report


def tables_of(source: Source, report: Report, format: Format) -> Iterator[Run | tables.Judgments]:
    """Yield the tables of a file of whole documents: judgments as one table, a run in blocks of whole topics."""
    if report.kind == "judgments":
        yield format.judgments(source)
        return
    for block in format.run_blocks(source, Request(ranks=True)):
        if run := block():
            yield run


def names_in(table: Run | tables.Judgments) -> set[str]:
    """Return the ids of the documents in a table."""
    return set(table.document[tables.group_keys(table.document.keys())[0]].texts())


def ties(topic: Ints, score: Floats) -> list[int]:
    """Return, for each topic, how many results have the same score as another one."""
    order = np.lexsort((score, topic))
    topic, score = topic[order], score[order]
    same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    tied = np.append(same, False) | np.append(False, same)
    return np.bincount(topic[tied], minlength=int(topic.max(initial=-1)) + 1).tolist()


def add_readable_rows(report: Report, readable: Readable[Any]) -> Report:
    """Add the rows that can be read to the report, for a run or for judgments with grades."""
    report.add_faults(readable.faults)
    table: Run | tables.Judgments | None = readable.table
    if table is None:
        return report
    values = (table.score if isinstance(table, Run) else table.grade).tolist()
    seen: dict[tuple[str, str], int] = {}
    duplicates: list[tuple[str, str, Place, Place]] = []
    scores: defaultdict[str, Counter[float]] = defaultdict(Counter)
    for row, pair in enumerate(zip(table.topic.texts(), table.document.texts(), strict=True)):
        if pair in seen and not isinstance(table, ChunkRun):
            duplicates.append((*pair, readable.places[seen[pair]], readable.places[row]))
            continue
        seen[pair] = row
        topic, value = pair[0], values[row]
        report.sizes[topic] += 1
        if report.kind == "run":
            scores[topic][value] += 1
        else:
            report.grades[value] += 1
            if value > 0:
                report.relevant.add(topic)
    report.add_duplicates(duplicates)
    for topic, counts in scores.items():
        if tied := sum(times for times in counts.values() if times > 1):
            report.ties[topic] = tied
    return report


# Compare the texts of rows with the documents at their offsets.

# How many wrong rows are reported one by one.
FEW = 5


def rows_with_texts(
    source: Source,
    kind: FileKind | None,
    format: Format,
    columns: Mapping[str, str],
    documents: DocumentCollection | None,
) -> tuple[Rows | None, list[InputError]]:
    """Return the rows of a file with texts, without the faulty ones, and the faults.

    The rows are None if the file has no texts, or if it cannot be read; then the fault says why.
    """
    try:
        kind = kind or format.kind_of(source, Request(columns=columns))
        rows = rows_of_file(GivenFile(kind, source.label, source, format), columns, documents)
    except InputError as error:
        return None, [error]
    if rows is None:
        return None, []
    wrong = dict(rows.faults())
    right = [row for row in range(len(rows)) if row not in wrong]
    faults = [rows.places[row].fault(what) for row, what in islice(wrong.items(), MOST_FAULTS)]
    return rows.having([rows.records[row] for row in right], right) if right else None, faults


def rows_of_file(given: GivenFile, columns: Mapping[str, str], documents: DocumentCollection | None) -> Rows | None:
    """Return the rows of a file with texts, or with values inside its columns; None if it can be read by columns."""
    if not given.format.may_have_texts:
        return None
    if not given.format.has_columns:
        return given.format.rows_with_texts(given.source, given.kind, Request(documents, columns=columns))
    sample = sample_of_table(given, columns, documents)
    # a table of columns cannot hold questions without an answer
    if sample.text is None and not needs_rows(sample) and not says_no_answers(given.names(), given.kind):
        return None
    return rows_of_table(given.records(columns), given.kind, given.label, columns, documents)


def rows_within(rows: Rows, source: Source, format: Format, columns: Mapping[str, str]) -> bool:
    """Return whether a file has values within its columns, so that an evaluation reads it row by row."""
    return has_values_within(GivenFile(rows.kind, source.label, source, format), columns)


def check_texts(report: Report, rows: Rows, documents: DocumentCollection | None) -> Report:
    """Add to the report how many texts match their offsets; without documents, only lengths are compared."""
    collection = locate.documents_for(rows, documents)
    placed = [row for row in rows.placed_rows() if "text" in rows.records[row]]
    if collection is None:
        return lengths_compared(report, rows, placed)
    try:
        names = locate.documents_of_rows(rows, collection)
    except InputError as error:
        # a name could be several documents
        report.add_faults([] if report.faults else [error])
        return report
    placed = [row for row in placed if locate.is_comparable(rows, row, names[row], collection)]
    if placed:
        evidence = compare_texts(rows.quotes_of_rows(placed, [str(names[row]) for row in placed]), collection)
        wrong = [placed[each.row] for each in evidence.wrong] if rows.kind == "run" else []
        found = locate.search_texts(rows, wrong, names, collection)
        if fitting := locate.surrounded_in_place(rows, found):
            evidence = replace(evidence, wrong=[each for each in evidence.wrong if placed[each.row] not in fitting])
            report.notes.append(f"texts: {locate.surrounded_words(rows, len(fitting), evidence.compared)}")
        if evidence.wrong:
            first = [rows.places[placed[each.row]].fault(str(each)) for each in evidence.wrong[:FEW]]
            causes = "".join(f"; {cause}" for cause in evidence.causes())
            number = f"{len(evidence.wrong):,} of {count_noun(evidence.compared, 'text')}"
            report.add_some_faults(first, len(evidence.wrong), f"the offsets of {number} are wrong{causes}")
        if evidence.short:
            first = length_faults(rows, [placed[each.row] for each in evidence.short[:FEW]])
            report.add_some_faults(first, len(evidence.short), evidence.short_texts())
        report.notes.append(
            f"texts: {count_noun(evidence.compared, 'text')} compared with the documents: {evidence.summary()}"
        )
    told = set(rows.placed_rows())
    unplaced = [row for row in range(len(rows)) if row not in told and "text" in rows.records[row]]
    if unplaced:
        report = found_texts(report, rows, unplaced, names, collection)
    return report


def found_texts(
    report: Report, rows: Rows, which: list[int], names: list[str | None], collection: DocumentCollection
) -> Report:
    """Add to the report how many texts without offsets were found; texts that were not found are faults."""
    spans, notes = locate.found_places(rows, which, names, collection, "drop")
    missing = [row for row in which if row not in spans]
    few = [
        rows.places[row].fault(f"{rows.records[row]['text']!r:.60} was not found in {collection.label}")
        for row in missing[:FEW]
    ]
    number = f"{len(missing):,} of {count_noun(len(which), 'text')}"
    report.add_some_faults(few, len(missing), f"{number} were not found" if len(missing) > FEW else "")
    report.notes.extend(f"texts: {note.partition(': ')[2]}" for note in notes)
    return report


def length_faults(rows: Rows, which: list[int]) -> list[InputError]:
    """Return a fault for each row whose text has another length than its span."""
    return [rows.places[row].fault(locate.length_fault(rows, row).partition(": ")[2]) for row in which]


def lengths_compared(report: Report, rows: Rows, placed: list[int]) -> Report:
    """Add faults for texts whose length does not match their offsets, or that differ from others at the same place."""
    wrong = [row for row in placed if locate.length_differs(rows.records[row])]
    few = length_faults(rows, wrong[:FEW])
    number = f"the offsets of {len(wrong):,} of {count_noun(len(placed), 'text')}"
    report.add_some_faults(few, len(wrong), f"{number} do not match their lengths" if len(wrong) > FEW else "")
    unlike = locate.contradictions(rows, placed)
    few = [
        rows.places[row].fault(locate.contradiction_words(rows, row, before).partition(": ")[2])
        for row, before in unlike[:FEW]
    ]
    number = f"{len(unlike):,} of {count_noun(len(placed), 'text')}"
    what = f"{number} differ from another text with the same start; {locate.OF_PARENT}"
    report.add_some_faults(few, len(unlike), what if unlike else "")
    return report


def check(
    path: str | os.PathLike[str] | Source,
    kind: FileKind | None = None,
    format: str | None = None,
    task: str | None = None,
    documents: DocumentsLike | None = None,
    lengths: Mapping[str, int] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Report:
    """Find every fault of a run or of judgments, and summarise the file.

    task: a task of INEX; breaking its rules is a fault. documents: a folder, an archive or a JSONL file, in which to
    look up element paths and lengths, and to compare the texts of rows with. lengths: the lengths of documents by name,
    for example those of a report on judgments. columns: which column of a table holds what, for example
    {"document": "chunk_id"}, if the names are not the usual ones.

    If nothing can be read because the file is missing, empty or not text, that is an InputError.
    """
    if task is not None:
        limits_of(task)  # refuses an unknown one
    asked = CheckRequest(task, opened_documents(documents), lengths, told_columns(columns))
    if not is_file(path):
        raise UsageError(f"check reads a file; expected its path, found an object of type {type_name(path)}")
    source = source_of(path)
    if in_folder := recognise_folder(source.path):
        only = "judgments" if in_folder.folders_hold == ("judgments",) else kind
        return checked_file(source, only, in_folder, asked)
    if not any(block.strip() for block in source.blocks()):
        raise source.fault("the input is empty; expected a run or judgments")
    chosen = chosen_format(source, kind, asked_format(format))
    refuse_columns(source, chosen, asked.request)
    if columns:
        refuse_unknown_columns([GivenFile(kind or "run", source.label, source, chosen).opened()], columns)
    if kind is None and asked.documents is not None and has_chunks(source, chosen, asked.request.columns):
        return checked_chunks(source, chosen, asked.documents, asked.request.columns)
    try:
        return checked_file(source, kind, chosen, asked)
    except InputError as error:
        # errors from arithmetic on spans do not name the file
        if error.path is None:
            raise source.fault(error.what) from None
        raise


def chosen_format(source: Source, kind: FileKind | None, told: Format | None) -> Format:
    """Return the format of a file; if the user named a format for runs but the file has judgments, recognise it."""
    if told is not None and ("judgments" in told.holds or kind == "run"):
        return told
    recognised = recognise(source, kind)
    return recognised if told is None or kind or recognised.kind_of(source) == "judgments" else told


# The chunks of a corpus, which `chunks=` takes: a table without topics.


def has_chunks(source: Source, format: Format, columns: Mapping[str, str]) -> bool:
    """Return whether a table has places or texts, but neither topics nor values of results or gold."""
    schema = schema_of(format.column_names(source), columns) if format.has_columns else schema_of([])
    is_other = any(map(schema.column, ("topic", "score", "rank", "grade")))
    return not is_other and bool(schema.spans or schema.text)


def checked_chunks(source: Source, format: Format, documents: DocumentCollection, columns: Mapping[str, str]) -> Report:
    """Return the report of a table of chunks, compared with their documents."""
    report = Report(source.label, "chunks", format.name)
    rows = chunk_rows(source, source.label, columns)
    report.add_faults(rows.places[row].fault(what) for row, what in islice(rows.faults(), MOST_FAULTS))
    names = locate.documents_of_rows(rows, documents)
    own = {name: documents.own_id(name) for name in dict.fromkeys(names) if name is not None}
    length = {name: len(text) for name, text in documents.texts([each for each in own.values() if each is not None])}
    of_documents = f" of {count_noun(len(length), 'document')}" if length else ""
    report.notes.append(f"{count_noun(len(rows), 'chunk')}{of_documents}")
    without_text = [row for row in rows.placed_rows() if "text" not in rows.records[row]]
    lengths = [length.get(own.get(names[row] or "") or "") for row in without_text]
    faults = [chunk_fault(rows.records[row], size) for row, size in zip(without_text, lengths, strict=True)]
    wrong = [rows.places[row].fault(what) for row, what in zip(without_text, faults, strict=True) if what]
    number = f"the offsets of {len(wrong):,} of {count_noun(len(without_text), 'chunk')}"
    report.add_some_faults(wrong[:FEW], len(wrong), f"{number} are wrong" if len(wrong) > FEW else "")
    return check_texts(report, rows, documents)


def chunk_fault(record: Mapping[str, Any], length: int | None) -> str:
    """Return why a chunk without a text is not in its document; empty if it is. `length` is that of the document."""
    if length is None:
        return f"there is no document {record['document']}"
    if record["end"] <= length:
        return ""
    place = f"{record['start']}-{record['end']}"
    return f"chunk {place} goes beyond the end of document {record['document']}, which has {length:,} characters"


def checked_file(source: Source, kind: FileKind | None, format: Format, asked: CheckRequest) -> Report:
    """Return the report of a file with a known format."""
    if format.only_documents:
        kind = kind or format.kind_of(source, asked.request)
        names: set[str] | None = set() if asked.documents is not None else None
        at_once = Report(source.label, kind, format.name)
        if (kind == "judgments" or not asked.task) and summarise_documents(at_once, source, format, names):
            return with_missing(at_once, names, asked, kind == "run")
    rows, faults = rows_with_texts(source, kind, format, asked.request.columns, asked.documents)
    columns = asked.request.columns
    may_be_placed = rows is not None and (asked.documents is not None or has_ends_of_texts(rows))
    placed = rows is not None and may_be_placed and not tells_places(rows, source, format, columns)
    # a reader of columns knows neither questions without an answer nor values within a column
    placed = placed or (rows is not None and (bool(rows.unanswerable) or rows_within(rows, source, format, columns)))
    if rows is not None and placed:
        readable = readable_rows(rows, asked.documents)
    else:
        readable = readable_columns(source, kind, format, asked, faults)
    report = Report(source.label, readable.kind, format.name)
    report.notes += readable.table.notes if readable.table is not None else ()
    if kind is None and readable.kind == "run" and isinstance(readable.table, SpanRun):
        report.notes += note_guess(source, format, asked)
    report = check_run(report, readable, asked) if readable.kind == "run" else check_judgments(report, readable, asked)
    if placed or not report.faults:
        # the reader of columns does not find all faults of rows with texts
        report.add_faults(faults)
    report = report if rows is None else check_texts(report, rows, asked.documents)
    if rows is not None and rows.unanswerable:
        report.notes.append(f"questions without an answer: {list_names(rows.unanswerable)}")
    report.notes += note_unused_columns(source, readable.kind, format, asked)
    is_judgments = readable.kind == "judgments"
    if not report.faults and (is_judgments or not placed) and readable.unresolved is None:
        report.add_faults(filter(None, [refusal_of(source, readable.kind, format, asked)]))
    # if there are texts, they show whether the offsets are right
    report.notes += line_ends(readable, asked) if rows is None else ()
    is_graded = readable.table is not None and not isinstance(readable.table, Run | tables.HighlightJudgments)
    return with_missing(report, document_names(readable), asked, not is_graded)


def readable_columns(
    source: Source, kind: FileKind | None, format: Format, asked: CheckRequest, faults: list[InputError]
) -> Readable[Any]:
    """Return the rows of a file that is read by its columns; if that is impossible, its `faults` as rows with texts."""
    try:
        return format.readable(source, kind, asked.request)
    except InputError:
        if not faults:
            raise
        return Readable(kind or format.kind_of(source, asked.request), None, Places(source.label), faults)


def line_ends(readable: Readable[Any], asked: CheckRequest) -> list[str]:
    """Return a note if there are offsets and documents have Windows line ends, which programs often count as one."""
    table = readable.table
    if asked.documents is None or not isinstance(table, tables.HighlightJudgments | SpanRun):
        return []
    try:
        are_of_windows = [WINDOWS in text for _, text in asked.documents.texts(names_in(table))]
    except InputError:
        # an unreadable collection is reported as a fault elsewhere, if it is needed
        return []
    number = sum(are_of_windows)
    of_all = f"{number:,} of {count_noun(len(are_of_windows), 'document')}"
    told = "Python's text mode counts each as one, so offsets made there need documents with line feeds only"
    return [f"line ends: Windows (two characters each) in {of_all}; {told}"] if number else []


def note_unused_columns(source: Source, kind: FileKind, format: Format, asked: CheckRequest) -> list[str]:
    """Return a note on the columns that Assay does not use; the user may have meant one of them for something."""
    names = format.column_names(source) if format.has_columns else []
    left = unused_columns(schema_of(names, asked.request.columns), kind)
    return [f"columns not used: {list_names(left, 12)}"] if left else []


def note_guess(source: Source, format: Format, asked: CheckRequest) -> list[str]:
    """Return a note if spans by topic were taken for a run although nothing shows whether they are results or gold."""
    if not isinstance(format, JsonByTopic) or not format.may_be_gold(source, asked.request):
        return []
    what = "nothing shows whether these spans are results or evidence"
    return [f"kind: {what}; if they are evidence, pass kind=judgments"]


def refusal_of(source: Source, kind: FileKind, format: Format, asked: CheckRequest) -> InputError | None:
    """Return the error with which an evaluation refuses a file whose rows are right one by one."""
    given = GivenFile(kind, source.label, source, format)
    try:
        if kind == "judgments":
            TextLocator(asked.documents, columns=asked.request.columns).read_judgments(given, asked.request)
        # read every block, because any of them may have a fault
        elif not sum(block() is not None for block in given.run_blocks(asked.request)):
            return source.fault("the input is empty; expected a run")
    except InputError as error:
        return error
    return None


def document_names(readable: Readable[Any]) -> set[str]:
    """Return the ids of the documents in a file, as far as it can be read."""
    if readable.table is None:
        return set(readable.unresolved.documents if readable.unresolved is not None else ())
    return names_in(readable.table)


def with_missing(report: Report, names: Collection[str] | None, asked: CheckRequest, needed: bool) -> Report:
    """Add a note on the documents that are not in the collection, if there is one; a fault if none is there.

    `needed`: an evaluation looks up the documents of this file.
    """
    if asked.documents is None or not names:
        return report
    collection = asked.documents
    try:
        missing = sorted(name for name in names if name not in collection)
        is_none_there = len(missing) == len(names) and not any(locate.own_name(name, collection) for name in missing)
    except InputError:
        # an unreadable collection is reported as a fault elsewhere, if it is needed
        return report
    if is_none_there and needed and not report.faults:
        report.add_faults([none_there(missing, report.path, collection)])
    elif missing:
        number = f"{len(missing):,} of {count_noun(len(names), 'document')}"
        report.notes.append(f"not in {collection.label}: {number} ({list_names(missing)})")
        report.caveat = f"documents are missing from {collection.label}"
    return report


def none_there(missing: list[str], path: str, collection: DocumentCollection) -> InputError:
    """Return the fault of a file none of whose documents is in the collection, or the error about its files."""
    try:
        remedy = locate.add_or_rename(collection)
    except InputError as error:
        return error
    return InputError(f"no document of this file is in {collection.label}: {list_names(missing)}; {remedy}", path)


def check_run(report: Report, readable: Readable[Run], asked: CheckRequest) -> Report:
    """Fill the report of a run, of whole documents or of parts."""
    if isinstance(readable.table, DocumentRun):
        return check_whole(add_readable_rows(report, readable), readable, asked)
    return check_parts(report, readable, asked)


def check_judgments(report: Report, readable: Readable[tables.Judgments], asked: CheckRequest) -> Report:
    """Fill the report of judgments, with highlighted text or with grades."""
    judgments, unresolved = readable.table, readable.unresolved
    if unresolved is not None:
        report = count_unresolved(report, unresolved)
    elif isinstance(judgments, tables.HighlightJudgments):
        report = check_highlights(report, readable, asked)
    else:
        report = add_readable_rows(report, readable)
    if isinstance(judgments, tables.ElementJudgments):
        rows = np.unique(judgments.elements.row)
        documents = distinct(len(np.unique(judgments.document[rows].keys())), len(rows))
        report.notes.append(f"elements: {len(judgments.elements.path):,} assessed in {documents}")
    if judgments is not None and judgments.labels is not None:
        check_labels(report, judgments)
    if isinstance(judgments, tables.SubtopicJudgments):
        check_subtopics(report, judgments)
    if isinstance(judgments, tables.SampleJudgments):
        number = len(judgments.strata.number()[0])
        sampled = f"{np.count_nonzero(judgments.grade >= 0):,} of {count_noun(len(judgments), 'document')} were judged"
        report.notes.append(f"strata of a sample: {number:,}; {sampled}")
    return report


def check_labels(report: Report, judgments: tables.Judgments) -> None:
    """Add how many annotators and sets of evidence there are, or the fault that prevents counting them."""
    try:
        by_topic = checked_standards(judgments)
    except InputError as fault:
        report.add_faults([fault])
        return
    topics = f"of {count_noun(len(by_topic), 'topic')}"
    if annotators := annotators_of(judgments):
        several = f"several in {with_several_annotators(by_topic):,} {topics}"
        report.notes.append(f"annotators: {len(annotators):,} ({list_names(annotators)}), {several}")
    if alternatives := with_several_sets(by_topic):
        report.notes.append(f"sets of evidence: several in {alternatives:,} {topics}")


def check_subtopics(report: Report, judgments: tables.SubtopicJudgments) -> None:
    """Add how many subtopics there are, or the fault that prevents counting them."""
    try:
        refuse_faulty_subtopics(judgments)
    except InputError as fault:
        report.add_faults([fault])
        return
    told = judgments.subtopics
    topics = judgments.topic[told.row].texts()
    pairs = {pair for pair in zip(topics, told.subtopic.texts(), strict=True) if pair[1]}
    of_topics = sorted(Counter(topic for topic, _ in pairs).values())
    spread = f"{of_topics[0]:,}" if of_topics[0] == of_topics[-1] else f"{of_topics[0]:,} to {of_topics[-1]:,}"
    report.notes.append(f"subtopics: {len(pairs):,} in {count_noun(len(of_topics), 'topic')}, {spread} per topic")
