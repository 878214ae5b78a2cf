"""Locate rows with texts in documents: check the offsets they state, or find their texts. Nothing is guessed.

Rows come in, and Rows go out: with the document, the start and the end of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.documents.location import (
    AMBIGUOUS,
    EXACT,
    HOW_FOUND,
    MISSING,
    NORMALIZED,
    TOLERABLE,
    Span,
    TextEvidence,
    between_ellipses,
    compare_texts,
    found_in_documents,
    id_or_name,
    unreadable_note,
)
from assay.documents.names import AmbiguousDocument, without_ending, without_folders
from assay.errors import InputError, count_noun, list_names, quote
from assay.reading.faults import no_offsets_or_text
from assay.reading.rows import Rows, empty
from assay.reading.values import NO_NAMES
from assay.vocabulary import Texts

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.documents.near import Surrounded

# How many rows an error names.
FEW = 3
AS_TOLD = "or texts=ignore to trust the offsets"
NOT_FOUND = "run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found"
INSTEAD = f"{NOT_FOUND}, {AS_TOLD}"
WITHOUT_DOCUMENTS = f"pass documents= to count each text where the documents have it, {AS_TOLD}"
OF_PARENT = "do these offsets count from a parent chunk, not from the start of the document?"
# Endings of a text that was truncated.
CUT = "...", "…", "...]", "…]", "...)", "…)"


def locate(
    rows: Rows, documents: DocumentCollection | None, policy: Texts = "check", spelling: Mapping[str, str] = NO_NAMES
) -> Rows:
    """Return the rows with their spans. If there are documents, texts are compared with them and searched in them.

    `spelling` gives the names that the judgments use for documents. Notes on the decisions are added to the rows.
    """
    collection = documents_for(rows, documents)
    if collection is None and len(rows) and all(map(is_plainly_placed, rows.records)):
        # nothing to compare with
        return rows
    records, numbers = rows.records, range(len(rows))
    names = documents_of_rows(rows, collection)
    # rows may name a document in several ways, or not at all; the first name counts, but for that of the judgments
    known = dict.fromkeys(filter(None, names)) if collection is not None else {}
    own = {} if collection is None else {name: id_or_name(name, collection) for name in known}
    called = {each: name for name, each in reversed(own.items())}
    said = [row for row in rows.placed_rows() if names[row] is not None and is_trusted(rows, row, collection, policy)]
    # the rows whose text is where they say, and where the texts of others are
    right, spans = set(said), dict[int, list[Any]]()
    if collection is None:
        refuse_unplaced(rows, [row for row in numbers if row not in right])
    notes: list[str] = [*name_notes(rows, names, collection)]
    wrong: set[int] = set()
    with_text = [row for row in said if is_comparable(rows, row, names[row], collection)]
    if policy != "ignore" and with_text:
        if collection is None:
            notes += told_without_documents(rows, with_text)
        else:
            evidence = compare_texts(rows.quotes_of_rows(with_text, [str(names[row]) for row in with_text]), collection)
            wrong = {with_text[misplaced.row] for misplaced in (*evidence.wrong, *evidence.short)}
            right -= wrong
    open_rows = [row for row in numbers if row not in right]
    if wrong and policy == "check":
        spans, further = corrected_places(rows, with_text, evidence, names, collection)
        notes += further
        open_rows = [row for row in open_rows if row not in wrong]
    refuse_without_offsets_or_text(rows, open_rows, collection)
    if open_rows:
        places, further = found_places(rows, open_rows, names, collection, policy)
        spans |= places
        notes += further
    placed, of_rows = [], []
    # many rows name the same few documents
    @cache
    def spell(name: str) -> str:
        # what was found in a document already has its own id
        own_id = own.get(name, name)
        return spelling.get(own_id, called.get(own_id, name))

    for row, said_there in enumerate(records):
        if row in right:
            name = spell(str(names[row]))
            placed.append(said_there if said_there["document"] == name else {**said_there, "document": name})
            of_rows.append(row)
            continue
        for name, start, end, *around in spans.get(row, ()):
            record = {**said_there, "document": spell(name), "start": start, "end": end}
            if around:
                record["before"], record["after"] = around
            placed.append(record)
            of_rows.append(row)
    if not placed and open_rows:
        raise InputError(f"none of {count_noun(len(open_rows), 'text')} was found in {collection.label}", rows.label)
    if not placed:
        raise empty(rows)
    if rows.kind == "judgments":
        notes += lost_question_notes(rows, {*of_rows})
        join_quotations(placed)
    located = rows.having(placed, of_rows)
    located.notes = [*rows.notes, *notes]
    located.are_compared = collection is not None and bool(with_text) and policy != "ignore"
    if wrong:
        # offsets that count from a parent chunk are known to be no offsets of the document
        checked = [row for row in with_text if (row in right or row in spans) and "in_parent" not in records[row]]
        moved = sum(row in spans and not is_where_said(records[row], spans[row]) for row in checked)
        located.wrong_offsets = moved, len(checked)
    return located


def refuse_unplaced(rows: Rows, unplaced: list[int]) -> None:
    """Raise an error if a row lacks a document that others have, or a place, and there are no documents to search.

    This comes before texts are compared with their offsets.
    """
    for row, record in enumerate(rows.records if rows.schema and "document" in rows.schema.fields else ()):
        if "start" in record and "in_parent" not in record and "document" not in record:
            raise rows.places[row].fault("document is missing")
    refuse_without_offsets_or_text(rows, unplaced, None)
    if unplaced:
        raise unknown_places(rows, unplaced)


def is_plainly_placed(record: Mapping[str, Any]) -> bool:
    """Return whether a row has a document, a start and an end, but no text and no parent chunk."""
    return (
        "start" in record and "end" in record and "document" in record and "text" not in record
        and "in_parent" not in record
    )  # fmt: skip


def join_quotations(records: list[dict[str, Any]]) -> None:
    """Number the quotations of a topic that an ellipsis splits into several spans.

    The spans of one quotation are one alternative of a fact.
    """
    with_ellipsis: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in records:
        if "quotation" not in record and between_ellipses(record.get("text", "")):
            key = tuple(record.get(name) for name in ("topic", "fact", "text"))
            with_ellipsis.setdefault(key, []).append(record)
    for number, spans in enumerate(with_ellipsis.values(), 1):
        for record in spans if len(spans) > 1 else ():
            record["quotation"] = f"ellipsis {number}"


def documents_for(rows: Rows, collection: DocumentCollection | None) -> Any:
    """Return the documents to search: the user's, unless the rows have their own and the user's has none of these."""
    if not rows.texts or (collection is not None and any(collection.own_id(name) is not None for name in rows.texts)):
        return collection
    from assay.documents.lookup import TextsInMemory

    return TextsInMemory(rows.texts)


def is_comparable(rows: Rows, row: int, name: str | None, collection: Any) -> bool:
    """Return whether a row has a text to compare. A file with documents of its own need not contain all of them."""
    if "text" not in rows.records[row]:
        return False
    return collection is None or not rows.texts or collection.own_id(name) is not None


def documents_of_rows(rows: Rows, collection: DocumentCollection | None) -> list[str | None]:
    """Return the document of each row: the first of its names that the collection has, if there is a collection.

    If a row names a document, its text is searched only there. An id that a framework made up does not count: if the
    collection does not have it, the text is searched in all documents.
    """
    if collection is None:
        return [record.get("document") for record in rows.records]
    # many rows name the same few documents
    there = cache(partial(name_there, collection=collection))
    documents: list[str | None] = []
    for row, record in enumerate(rows.records):
        first, known = record.get("document"), None
        for name in () if first is None else record.get("documents", (first,)):
            try:
                known = there(name)
            except AmbiguousDocument as error:
                raise error.of_row(rows.places[row]) from None
            if known is not None:
                break
        # a chunk of a corpus must be in one of the documents
        may_be_absent = "made_up" not in record and not (rows.of_corpus and "text" not in record)
        documents.append(first if known is None and may_be_absent else known)
    return documents


def name_there(name: str, collection: DocumentCollection) -> str | None:
    """Return the part of a name or path that the collection knows: all of it, or without as few folders as possible."""
    return next((each for each in without_folders(name) if each and collection.own_id(each) is not None), None)


def own_name(name: str, collection: DocumentCollection) -> str | None:
    """Return the collection's own id of the document that a name or path means; None if it has none."""
    there = name_there(name, collection)
    return None if there is None else collection.own_id(there)


def is_trusted(rows: Rows, row: int, collection: DocumentCollection | None, policy: Texts) -> bool:
    """Return whether the stated place of a row may be used. A place that counts from another chunk may not.

    Even that may be used if the text can be compared with the document, or if the policy is to ignore texts.
    """
    record = rows.records[row]
    return "in_parent" not in record or (collection is not None and "text" in record) or policy == "ignore"


def spell_document_name(name: str, collection: DocumentCollection | None, spelling: Mapping[str, str]) -> str:
    """Return the name that the judgments use for a document."""
    return spelling.get(id_or_name(name, collection), name) if collection is not None and spelling else name


def length_differs(record: Mapping[str, Any]) -> bool:
    """Return whether end − start differs from the length of the text; a text with an ellipsis may have any length."""
    return span_size(record) != len(record["text"]) and not between_ellipses(record["text"])


def span_size(record: Mapping[str, Any]) -> int:
    """Return the number of characters between start and end."""
    return int(record["end"] - record["start"])


def length_notes(rows: Rows, which: list[int]) -> Iterator[str]:
    """Note the texts whose length differs from that of their span; raise an error if these are more than a tenth.

    Without documents, only the lengths can be compared.
    """
    wrong = [row for row in which if length_differs(rows.records[row])]
    if not wrong:
        return
    first = "; ".join(length_fault(rows, row) for row in wrong[:FEW])
    what = f"the offsets of {len(wrong):,} of {count_noun(len(which), 'text')} do not match their lengths ({first})"
    if len(wrong) > len(which) / 10:
        raise InputError(f"{what}; {WITHOUT_DOCUMENTS}", rows.label)
    yield f"{rows.label}: {what}; Assay used the offsets"


def length_fault(rows: Rows, row: int) -> str:
    """Say how the length of a text differs from that of its span."""
    record = rows.records[row]
    size = count_noun(len(record["text"]), "character")
    text, span = quote(record["text"], 40), f"{record['start']}-{record['end']}"
    return f"{rows.in_words(row)}: {text} has {size}, but {span} has {span_size(record)}"


def contradiction_notes(rows: Rows, which: list[int]) -> Iterator[str]:
    """Note texts that differ from another text with the same start; raise an error if these are more than a tenth."""
    wrong = contradictions(rows, which)
    if not wrong:
        return
    number, words = f"{len(wrong):,} of {count_noun(len(which), 'text')}", contradiction_words(rows, *wrong[0])
    what = f"{number} differ from another text with the same start ({words}); {OF_PARENT}"
    if len(wrong) > len(which) / 10:
        raise InputError(f"{what} pass documents= to locate the texts, {AS_TOLD}", rows.label)
    yield f"{rows.label}: {what} Assay used the offsets"


def contradictions(rows: Rows, which: list[int]) -> list[tuple[int, int]]:
    """Return each row whose text differs from that of an earlier row with the same start, and that earlier row."""
    first: dict[tuple[str, int], int] = {}
    wrong = []
    for row in which:
        record = rows.records[row]
        before = first.setdefault((record["document"], record["start"]), row)
        ours, theirs = record["text"], rows.records[before]["text"]
        if any(map(between_ellipses, (ours, theirs))):
            # each part of such a text stands with the whole text
            continue
        if not (ours.startswith(theirs) or theirs.startswith(ours)):
            wrong.append((row, before))
    return wrong


def contradiction_words(rows: Rows, row: int, before: int) -> str:
    """Say how the text of a row differs from that of an earlier row with the same start."""
    record = rows.records[row]
    ours, theirs = (quote(rows.records[each]["text"], 40) for each in (row, before))
    place = f"{record['start']} in document {record['document']}"
    return f"{rows.in_words(row)}: {ours} begins at {place}, and so does {theirs} ({rows.in_words(before)})"


def told_without_documents(rows: Rows, which: list[int]) -> list[str]:
    """Return the notes on some texts and their spans that are possible without documents."""
    return [*length_notes(rows, which), *contradiction_notes(rows, which)]


def name_notes(rows: Rows, names: list[str | None], collection: DocumentCollection | None) -> Iterator[str]:
    """Note that rows match documents only by the end of their names, or with other folders than the documents have."""
    if collection is None:
        return
    told = {record["document"]: name for record, name in zip(rows.records, names, strict=True) if name is not None}
    owns = {first: own for first, name in told.items() if (own := collection.own_id(name)) is not None}
    others = {first: own for first, own in owns.items() if first != own and is_named_by_its_end(first, own)}
    if others:
        first, own = next(iter(others.items()))
        what = f"{count_noun(len(others), 'document')} matched by the end of the name"
        yield f"{rows.label}: {what}, for example {quote(first)} with {quote(own)}"


def is_named_by_its_end(name: str, own: str) -> bool:
    """Return whether two names of a document are the same except for their folders and the file ending."""
    ours, theirs = (without_ending(each.replace("\\", "/")).rpartition("/") for each in (name, own))
    return ours[0] != theirs[0] and ours[2] == theirs[2]


def corrected_places(
    rows: Rows, which: list[int], evidence: TextEvidence, names: list[str | None], collection: DocumentCollection
) -> tuple[dict[int, list[Any]], list[str]]:
    """Return where the texts really are whose offsets are wrong, and notes on them.

    In a run, texts that are found nowhere are left out; more than a tenth is an error. In judgments, each quotation
    must be in its document exactly once.
    """
    spans = {which[each.row]: [(names[which[each.row]], *each.spans[0][1:3])] for each in evidence.short}
    short = (f"{rows.label}: {evidence.short_texts(length_fault(rows, which[each.row]))}" for each in evidence.short)
    notes = list(islice(short, 1))
    wrong = [which[misplaced.row] for misplaced in evidence.wrong]
    if not wrong:
        return spans, notes
    found = search_texts(rows, wrong, names, collection)
    spans |= found.spans
    fitting = surrounded_in_place(rows, found)
    around = surrounded_words(rows, len(found.surrounded), evidence.compared) if found.surrounded else ""
    if fitting:
        evidence = replace(evidence, wrong=[each for each in evidence.wrong if which[each.row] not in fitting])
        wrong = [row for row in wrong if row not in fitting]
    if not wrong:
        return spans, [*notes, f"{rows.label}: {around}"]
    what = f"the offsets of {len(wrong):,} of {count_noun(evidence.compared, 'text')} are wrong ({evidence.summary()})"
    what += "".join(f"; {cause}" for cause in evidence.causes())
    missing = [row for row in wrong if row not in found.spans]
    unsure = [row for row in wrong if row in found.ambiguous] if rows.kind == "judgments" else []
    if len(missing) > TOLERABLE * evidence.compared or (rows.kind == "judgments" and (missing or unsure)):
        refused = {*missing, *unsure}
        absent = {each.said.document: None for each in evidence.wrong if each.length is None}
        if all(each.length is None for each in evidence.wrong):
            raise absent_documents(rows, len(wrong), evidence.compared, list(absent), collection)
        few = [each for each in evidence.wrong if which[each.row] in refused][:FEW]
        first = "; ".join(f"{rows.in_words(which[each.row])}: {each}" for each in few)
        raise InputError(f"{what}; {first}; {INSTEAD}", rows.label)
    left_out = f", and left out {len(missing):,} not found" if missing else ""
    also = f"; {around}" if around else ""
    return spans, [*notes, f"{rows.label}: {what}; Assay located them by their texts instead{left_out}{also}"]


def absent_documents(
    rows: Rows, number: int, total: int, absent: list[str], collection: DocumentCollection
) -> InputError:
    """Return the error about texts whose documents are all missing from the collection."""
    verb = "names a document that is" if number == 1 else "name documents that are"
    what = f"{number:,} of {count_noun(total, 'text')} {verb} not in {collection.label}: {list_names(absent)}"
    return InputError(f"{what}; {add_or_rename(collection)}", rows.label)


def add_or_rename(collection: DocumentCollection) -> str:
    """Return what to do about documents that are all missing from the collection, with the id of one that is there."""
    theirs = [f"its ids are like {quote(name)}; " for name, _ in islice(collection.texts(), 1)]
    return f"{''.join(theirs) or 'it has no documents; '}add these documents, or rename the ids"


def is_where_said(record: Mapping[str, Any], spans: list[Any]) -> bool:
    """Return whether the passage that was found in a row's text lies between the row's start and end."""
    return len(spans) == 1 and record["start"] <= spans[0][1] and spans[0][2] <= record["end"]


def surrounded_in_place(rows: Rows, found: FoundTexts) -> set[int]:
    """Return the rows whose passage is where they say: other text around it does not make their offsets wrong."""
    return {row for row in found.surrounded if is_where_said(rows.records[row], found.spans[row])}


def surrounded_words(rows: Rows, number: int, total: int) -> str:
    """Say that some texts hold a passage of a document and other text around it."""
    verb = "holds" if number == 1 else "hold"
    what = f"{number:,} of {count_noun(total, 'text')} {verb} a passage of a document with other text around it"
    what = f"{what}; only the passage can be relevant, but the whole text uses up the budget"
    ceiling = "; a ceiling charges only the passages, so it may be too high within a budget"
    return what + ceiling if rows.of_corpus else what


def refuse_without_offsets_or_text(rows: Rows, which: list[int], collection: DocumentCollection | None) -> None:
    """Raise an error if a row without a usable place has no text either."""
    for row in which:
        record = rows.records[row]
        if "text" in record:
            continue
        if collection is not None and "document" in record and "start" in record:
            what = f"document {quote(record['document'])} is not in {collection.label}"
            raise rows.places[row].fault(f"{what}; expected a document that is there, or a text to locate")
        raise rows.places[row].fault(no_offsets_or_text(rows.schema.names if rows.schema else ()))


def unknown_places(rows: Rows, which: list[int]) -> InputError:
    """Return the error about rows without usable places if there are no documents to search."""
    why = Counter(reason(rows.records[row]) for row in which)
    reasons = ", ".join(f"{times:,} {words}" for words, times in why.items())
    what = f"no usable offsets for {len(which):,} of {count_noun(len(rows), rows.things)} ({reasons})"
    text = quote(rows.records[which[0]]["text"], 40)
    return InputError(
        f"{what}, first in {rows.in_words(which[0])}: {text}; pass documents= to locate their texts", rows.label
    )


def reason(record: Mapping[str, Any]) -> str:
    """Return why the place of a row cannot be used."""
    if "in_parent" in record:
        return "with offsets that count from a parent chunk, not from the start of the document"
    if "start" not in record:
        return "without a start"
    return "with no document" if "document" not in record else "with no end"


def found_places(
    rows: Rows, which: list[int], names: list[str | None], collection: DocumentCollection, policy: Texts
) -> tuple[dict[int, list[Any]], list[str]]:
    """Return the spans of the texts of some rows, and notes on them.

    A text that is not found is an error, unless the policy is `drop`.
    """
    found = search_texts(rows, which, names, collection)
    how = found.how
    counts = ", ".join(f"{how[each]:,} {HOW_FOUND[each]}" for each in (EXACT, NORMALIZED, AMBIGUOUS))
    missing = [row for row in which if row not in found.spans]
    if missing and policy != "drop":
        first = "; ".join(missing_words(rows, row, names[row], row in found.absent) for row in missing[:FEW])
        number = f"{len(missing):,} of {count_noun(len(which), 'text')}"
        what = f"could not find {number} in {collection.label} (found {counts})"
        also = f"; {found.unsearched}" if found.unsearched else ""
        raise InputError(f"{what}: {first}{also}; {NOT_FOUND}", rows.label)
    left = f", and left out {len(missing):,} not found" if missing else ""
    of_all = f"{len(which) - len(missing):,} of " if missing else ""
    note = f"{rows.label}: located {of_all}{count_noun(len(which), 'text')} in {collection.label}: {counts}{left}"
    if rows.kind == "judgments" and found.ambiguous:
        few = list_names([str(topic) for topic in dict.fromkeys(topics_of(rows, sorted(found.ambiguous)))], FEW)
        where = f"evidence in several places counts only at the first (topic {few})"
        note += f"; {where}: pass copies= to count it at each"
    left_out = [f"{rows.label}: {found.unsearched}"] if found.unsearched else []
    if found.surrounded:
        left_out.append(f"{rows.label}: {surrounded_words(rows, len(found.surrounded), len(which))}")
    return found.spans, [note, *left_out, *cut_text_notes(rows.label, found.in_parts, len(which))]


def lost_question_notes(rows: Rows, located: Collection[int]) -> Iterator[str]:
    """Note the questions none of whose evidence was located: they have no judgments, so nothing measures them."""
    with_evidence = set(topics_of(rows, list(located)))
    topics = dict.fromkeys(topics_of(rows, [row for row in range(len(rows)) if row not in located]))
    if lost := [str(topic) for topic in topics if topic not in with_evidence]:
        verb = "has no evidence left and is" if len(lost) == 1 else "have no evidence left and are"
        yield f"{rows.label}: {count_noun(len(lost), 'question')} {verb} left out of all means: {list_names(lost)}"


def topics_of(rows: Rows, which: list[int]) -> list[Any]:
    """Return the topics of some rows."""
    return [rows.records[row].get("topic") for row in which]


class FoundTexts(NamedTuple):
    """The result of a search for the texts of some rows.

    spans: the spans of each row that was found; of a row in `surrounded` with the text before and after it.
    how: how many rows were found verbatim, normalized, in several places, or not at all.
    ambiguous: rows with several places. absent: rows whose document is not in the collection.
    in_parts: texts that were found in parts. unsearched: a note on the documents that could not be searched.
    surrounded: rows whose text holds a passage of a document and more around it.
    """

    spans: dict[int, list[Any]]
    how: Counter[str]
    ambiguous: set[int]
    absent: set[int]
    in_parts: list[str]
    unsearched: str
    surrounded: dict[int, Surrounded]


def search_texts(rows: Rows, which: list[int], names: list[str | None], collection: DocumentCollection) -> FoundTexts:
    """Search the texts of some rows in their documents, or in all documents if a row names none."""
    own = {name: collection.own_id(name) for name in {names[row] for row in which} if name is not None}
    absent = {row for row in which if names[row] is not None and own[names[row] or ""] is None}
    asked = [own.get(names[row] or "") for row in which]
    texts = ["" if row in absent else rows.records[row]["text"] for row in which]
    starts = [rows.records[row].get("start") for row in which]
    topics = topics_of(rows, which)
    unreadable: dict[str, InputError] = {}
    every = partial(collection.readable_texts, unreadable)
    answer = found_in_documents(texts, asked, collection.texts, every, starts, topics)
    missing = [at for at, spans in enumerate(answer.spans) if not spans and texts[at]] if rows.kind == "run" else []
    surrounded: dict[int, Surrounded] = {}
    if missing:
        from assay.documents.near import passages_within

        some = passages_within([texts[at] for at in missing], [asked[at] for at in missing], collection.texts, every)
        surrounded = {which[at]: each for at, each in zip(missing, some, strict=True) if each is not None}
    if surrounded:
        texts = [surrounded[row].passage if row in surrounded else text for row, text in zip(which, texts, strict=True)]
        answer = found_in_documents(texts, asked, collection.texts, every, starts, topics)
    hows = list(map(how_found, answer.spans))
    ambiguous = {row for row, how in zip(which, hows, strict=True) if how == AMBIGUOUS}
    found = FoundTexts({}, Counter(hows), ambiguous, absent, [], unreadable_note(unreadable), surrounded)
    for row, text, places, has_parts in zip(which, texts, answer.spans, answer.in_parts, strict=True):
        if places:
            found.spans[row] = [
                (names[row] or answer.names[place.document], place.start, place.end, *surrounded.get(row, ())[1:])
                for place in places
            ]
            found.in_parts.extend([text] if has_parts else [])
    return found


def how_found(places: tuple[Span, ...]) -> str:
    """Return how a text was found; of several parts, the least certain way."""
    if len(places) == 1:
        return places[0].how
    hows = [place.how for place in places]
    return next((each for each in (AMBIGUOUS, NORMALIZED) if each in hows), EXACT) if places else MISSING


def cut_text_notes(label: str, in_parts: list[str], total: int) -> Iterator[str]:
    """Note that texts (of `total`) end in an ellipsis that the documents do not have, as in truncated logs."""
    if cut := sum(text.rstrip().endswith(CUT) for text in in_parts):
        what = f"{cut:,} of {count_noun(total, 'text')} end in an ellipsis"
        yield f"{label}: {what} and count up to there; were they truncated?"


def missing_words(rows: Rows, row: int, name: str | None, absent: bool) -> str:
    """Say that a text was not found, and if its document does not exist."""
    why = f" (there is no document {name})" if absent else ""
    return f"{rows.in_words(row)}: {quote(rows.records[row]['text'], 40)}{why}"
