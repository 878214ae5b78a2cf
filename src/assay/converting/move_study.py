"""Judgments of a study carried over to documents that changed: `assay locate study.db --documents NEW -o moved.db`.

Each highlighted passage and each entry point is located by its text, which the study keeps. Documents that are the same
keep their strokes; those of a changed document become the strokes that add up to what was found of its judgment.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.converting.locate import Locations, locate, opened_texts
from assay.documents.location import AMBIGUOUS, MISSING
from assay.errors import InputError, count_noun, list_names
from assay.studies.export import text_elements
from assay.studies.strokes import Judgment, Stroke
from assay.studies.study import (
    JudgedDocument,
    Study,
    StudyDocument,
    describe_document,
    new_file,
    new_id,
    open_study,
    report_errors,
)

if TYPE_CHECKING:
    from assay.reading.input_types import DocumentsLike

# How many judgments are named.
NAMED = 5
# An entry point in place of the number of a passage.
ENTRY = -1


@dataclass(frozen=True, eq=False)
class MovedStudy:
    """What became of a study whose documents changed: where its passages are now, and which judgments are concerned.

    `complete` judgments are as they were, at new offsets. `reopened` ones lost a passage or an entry point, have one in
    several places, or had exhaustivity: an assessor should look at them again. `unmarked` ones had nothing highlighted,
    and still have not. `dropped` ones are about documents that are not there.
    """

    output: str
    changed: list[str]
    locations: Locations | None
    complete: list[str] = field(default_factory=list)
    reopened: list[str] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def listing(self, option: str, most: int) -> Iterator[str]:
        """Lines about each text that was not found or is in several places, or about `most` of them."""
        doubts = self.locations.doubts if self.locations else []
        for doubt in doubts[:most]:
            yield from replace(doubt, place=doubt.question, question="").lines(option)
        if len(doubts) > most:
            yield f"and {len(doubts) - most:,} more"

    def summary(self) -> Iterator[str]:
        """Lines that say what became of the judgments."""
        if not self.changed:
            yield f"{self.output}: no judged document changed; the study is a copy"
            return
        if self.locations:
            yield self.locations.summary()
        number = count_noun(len(self.changed), "judged document")
        yield f"{self.output}: {number} changed: {list_names(self.changed, NAMED)}"
        if self.complete:
            yield f"{count_noun(len(self.complete), 'judgment')} moved completely"
        if self.unmarked:
            what = "kept with nothing highlighted, although nobody judged the new text"
            yield f"{count_noun(len(self.unmarked), 'judgment')} {what}"
        for names, what in (
            (self.reopened, "incomplete, and open again for the assessor"),
            (self.dropped, "left out, because the document is missing"),
        ):
            if names:
                more = "; …" if len(names) > NAMED else ""
                yield f"{count_noun(len(names), 'judgment')} {what}: {'; '.join(names[:NAMED])}{more}"


def move_study(
    path: str | os.PathLike[str],
    documents: DocumentsLike,
    output: str | os.PathLike[str],
    near: float | None = None,
) -> MovedStudy:
    """Write a new study in which the judgments of changed documents have the offsets of the new texts.

    path: the study, which stays as it is. near: take the passage most like a text that was not found, if its likeness
    is at least this, from 0.6 to 1.
    """
    if os.path.exists(output):
        raise InputError("the file exists; choose another name for the moved study", os.fspath(output))
    collection = opened_texts(documents)
    with new_file(output) as part:
        with open_study(path) as study:
            copy_study(study, part)
        with open_study(part) as study:
            moved = move_judgments(study, os.fspath(path), collection, os.fspath(output), near)
    return moved


def copy_study(study: Study, path: str) -> None:
    """Copy a study as it is at this moment; the copy is a study of its own, to which nobody is logged in."""
    with (
        report_errors(path),
        closing(sqlite3.connect(study.path)) as source,
        closing(sqlite3.connect(path)) as copy,
    ):
        source.backup(copy)
        copy.execute("DELETE FROM session")
        copy.execute("UPDATE setting SET value = ? WHERE name = 'id'", [new_id()])
        copy.execute("DELETE FROM setting WHERE name IN ('gold', 'address')")
        copy.commit()


def move_judgments(study: Study, path: str, documents: Any, output: str, near: float | None) -> MovedStudy:
    """Move the judgments of a copied study to documents that changed."""
    before = {each.name: each for each in study.documents()}
    now = {name: describe_document(name, text) for name, text in documents.texts(list(before))}
    same = {name for name, each in now.items() if each == before[name]}
    judged = [each for each in study.judgments() if each.document and each.document not in same and each.state != "new"]
    changed = list(dict.fromkeys(each.document or "" for each in judged))
    refuse_without_texts(study, path, changed)
    rows = [row for number, each in enumerate(judged) for row in rows_of(study, number, each)]
    locations = locate(rows, documents, near=near) if rows else None
    found: dict[int, list[dict[str, Any]]] = {}
    for row in locations.rows if locations else ():
        found.setdefault(row["judgment"], []).append(row)
    change_documents(study, [each for name, each in now.items() if name not in same])
    study.elements_of = lambda document: text_elements(document, documents)
    moved, texts = MovedStudy(output, changed, locations), dict(documents.texts(changed))
    for number, each in enumerate(judged):
        name, document = name_of(each), each.document or ""
        strokes = [stroke for stroke in study.strokes(each.id) if stroke.kind == "time"]
        study.write(partial(forget_strokes, assignment=each.id))
        if document not in now:
            moved.dropped.append(name)
            continue
        changes, is_whole = moved_strokes(study, each, found.get(number, []), now[document])
        study.append(each.id, [*strokes, *changes], texts[document])
        if not is_whole:
            moved.reopened.append(name)
        else:
            (moved.complete if found.get(number) else moved.unmarked).append(name)
    return moved


def name_of(judged: JudgedDocument) -> str:
    """Which judgment it is, in words."""
    return f"topic {judged.topic}, {judged.document}, by {judged.assessor}"


def refuse_without_texts(study: Study, path: str, changed: list[str]) -> None:
    """Refuse to move judgments whose texts the study does not have."""
    if lacking := [name for name in study.documents_without_texts() if name in set(changed)]:
        what = f"the study lacks the texts that were highlighted in {count_noun(len(lacking), 'document')}"
        again = f"assay assess {shlex.quote(path)} --documents OLD"
        remedy = f"open it once with the documents that were judged: {again}"
        raise InputError(f"{what} ({list_names(lacking, 3)}), because an older Assay stored them; {remedy}", path)


def rows_of(study: Study, number: int, judged: JudgedDocument) -> Iterator[dict[str, Any]]:
    """What is to be located of a judgment, in the order of the text: its passages, and its entry point if that is
    outside them.
    """
    passages, entry = judged.judgment.passages, judged.judgment.entry
    entries = {start: text for kind, start, text in study.stroke_texts(judged.id) if kind == "entry"}
    about = {"judgment": number, "query_id": name_of(judged), "doc_id": judged.document}
    rows = [
        {"passage": passage, "start": passages[passage].start, "text": text}
        for passage, text in enumerate(study.passage_texts(judged))
    ]
    if entry is not None and not any(each.start <= entry < each.end for each in passages):
        rows.append({"passage": ENTRY, "start": entry, "text": entries[entry]})
    for row in sorted(rows, key=lambda row: (row["start"], row["passage"])):
        yield about | row


def moved_strokes(
    study: Study, judged: JudgedDocument, rows: list[dict[str, Any]], document: StudyDocument
) -> tuple[list[Stroke], bool]:
    """The strokes that add up to what was found of a judgment, and whether that is all of it."""
    judgment, strokes = judged.judgment, []
    there = [row for row in rows if row["how"] != MISSING]
    for row in there:
        if row["passage"] != ENTRY:
            fact = judgment.passages[row["passage"]].fact or None
            strokes.append(Stroke(new_id(), "highlight", row["start"], row["end"], fact))
    entry = moved_entry(judgment, there)
    if entry is not None:
        strokes.append(Stroke(new_id(), "entry", entry))
    if judgment.grade is not None:
        strokes.append(Stroke(new_id(), "grade", value=str(judgment.grade)))
    if judgment.note:
        strokes.append(Stroke(new_id(), "note", value=judgment.note))
    is_sure = all(row["how"] not in (MISSING, AMBIGUOUS) for row in rows)
    is_whole = is_sure and (entry is None) == (judgment.entry is None)
    # the elements of a changed document are others: their exhaustivity is to be judged again
    is_whole = is_whole and not (study.settings.mode == "exhaustivity" and judgment.passages)
    if judged.state == "done" and is_whole:
        strokes.append(Stroke(new_id(), "validate"))
    return strokes, is_whole


def moved_entry(judgment: Judgment, rows: list[dict[str, Any]]) -> int | None:
    """Where the entry point is now; None if that is not known, or there is none."""
    if judgment.entry is None:
        return None
    for row in rows:
        if row["passage"] == ENTRY:
            return int(row["start"])
        passage = judgment.passages[row["passage"]]
        if passage.start <= judgment.entry < passage.end:
            within = judgment.entry - passage.start
            is_same = row["end"] - row["start"] == passage.end - passage.start
            return int(row["start"]) + within if is_same or not within else None
    return None


def change_documents(study: Study, documents: list[StudyDocument]) -> None:
    """Keep the hashes and lengths of new texts; what runs returned of them is only known as whole documents."""

    def change(connection: sqlite3.Connection) -> None:
        connection.executemany(
            "UPDATE document SET sha256 = ?, length = ? WHERE name = ?",
            [(each.sha256, each.length, each.name) for each in documents],
        )
        connection.executemany(
            """UPDATE support SET start = NULL, end = NULL WHERE task IN (SELECT task.id FROM task
            JOIN document ON document.id = task.document WHERE document.name = ?)""",
            [(each.name,) for each in documents],
        )

    study.write(change)


def forget_strokes(connection: sqlite3.Connection, assignment: int) -> None:
    """Begin an assignment anew."""
    connection.execute("DELETE FROM stroke WHERE assignment = ?", [assignment])
    connection.execute("UPDATE assignment SET state = 'new', seconds = 0, relevant = 0 WHERE id = ?", [assignment])
