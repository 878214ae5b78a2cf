"""A study: topics, documents, pools, who judges what, and every stroke, in one SQLite file.

    with create_study("study.db", StudySettings("highlight")) as study:       # or open_study("study.db")
        study.add_topics([StudyTopic("1", "title")])
        study.add_documents([describe_document("d1", text)])             # hash and length, not the text itself
        pool = study.add_pool({"recipe": "depth", "depth": 10}, seed=1, runs={"bm25": "a fingerprint"})
        study.add_tasks([StudyTask("1", "d1", 1, stratum="1-10", probability=1.0)], pool)
        study.add_support([Support("1", "d1", "bm25", rank=1, start=0, end=80)])
        anna = study.add_assessor("anna")
        study.assign([("1", "d1", anna)])
        study.append(assignment, [Stroke(new_id(), "highlight", 3, 9)], text)  # returns when they are on disk
        for judged in study.judgments():                                 # what every assignment adds up to
            judged.topic, judged.document, judged.assessor, judged.judgment.passages

These functions take and return the names of topics, documents and assessors; only tasks and assignments have numbers.
`judgments()` folds the strokes (`strokes.py`). `assignments()` lists who judges what with state, time and relevance;
every stroke updates these. `query()` runs any other SELECT.

All changes go through one writer thread: `write(change)` runs `change(connection)` in a transaction that it shares with
whatever else waits at that moment (group commit), and returns its result once the transaction is on disk. `submit` does
the same and returns a future. If a change fails, only that one is undone. Other processes may read meanwhile, and may
write short changes, for example an invitation. `serve=True` refuses a second server on the same study.

A study stores the text of each highlight and entry point, so that `assay locate` can move judgments to documents that
changed.

A study of questions also has tasks without a document (`StudyTask(topic, None)`): there people say "no answer".
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import sqlite3
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self, TypeVar

from assay.errors import InputError, count_noun, quote
from assay.studies.strokes import Element, Fold, Judgment, Kind, Stroke, StudySettings
from assay.vocabulary import ROLES

# The id "Assa" in the header of the file marks it as a study; the version of its tables is next to it.
APPLICATION, VERSION = 0x41737361, 2
# The SQL that upgrades the tables of each older version to the next.
MIGRATIONS = {1: "ALTER TABLE stroke ADD COLUMN text TEXT"}

# The number of an assignment is never used again. Otherwise a page that was open while documents were dealt again could
# send its strokes to another document.
TABLES = """
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE topic (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, description TEXT NOT NULL,
    narrative TEXT NOT NULL);
CREATE TABLE document (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL,
    length INTEGER NOT NULL);
CREATE TABLE pool (id INTEGER PRIMARY KEY, recipe TEXT NOT NULL, seed INTEGER, runs TEXT NOT NULL);
CREATE TABLE task (id INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topic,
    document INTEGER REFERENCES document, pool INTEGER REFERENCES pool, position INTEGER NOT NULL, stratum TEXT,
    probability REAL, in_pool INTEGER NOT NULL);
CREATE UNIQUE INDEX task_of ON task (topic, ifnull(document, 0));
CREATE TABLE support (task INTEGER NOT NULL REFERENCES task, run TEXT NOT NULL, rank INTEGER NOT NULL, start INTEGER,
    end INTEGER);
CREATE INDEX support_of ON support (task);
CREATE TABLE assessor (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL, token_hash TEXT UNIQUE,
    expires REAL, revoked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE session (hash TEXT PRIMARY KEY, assessor INTEGER NOT NULL REFERENCES assessor, expires REAL NOT NULL)
    WITHOUT ROWID;
CREATE TABLE assignment (id INTEGER PRIMARY KEY AUTOINCREMENT, task INTEGER NOT NULL REFERENCES task,
    assessor INTEGER NOT NULL REFERENCES assessor, position INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'new',
    seconds REAL NOT NULL DEFAULT 0, relevant INTEGER NOT NULL DEFAULT 0, assisted INTEGER NOT NULL DEFAULT 0,
    main INTEGER NOT NULL DEFAULT 0, UNIQUE (task, assessor));
CREATE INDEX assignment_of ON assignment (assessor, position);
CREATE TABLE stroke (id TEXT PRIMARY KEY, assignment INTEGER NOT NULL REFERENCES assignment, seq INTEGER NOT NULL,
    kind TEXT NOT NULL, start INTEGER, end INTEGER, value TEXT, client_at REAL NOT NULL, server_at REAL NOT NULL,
    text TEXT, UNIQUE (assignment, seq)) WITHOUT ROWID;
"""

# The role of a program. It judges too, but never counts as a person.
PROGRAM = "program"
# How many folds are cached, so that a new stroke need not apply all earlier ones again.
MOST_FOLDS = 256
# How many seconds a change waits for another process that writes.
PATIENCE = 30.0
# How many characters after an entry point are stored, to find it again if the document changes.
ENTRY_TEXT = 120

Result = TypeVar("Result")
Change = Callable[[sqlite3.Connection], Result]


@dataclass(frozen=True)
class StudyTopic:
    """A topic, or a question."""

    name: str
    title: str
    description: str = ""
    narrative: str = ""


@dataclass(frozen=True)
class StudyDocument:
    """What a study stores of a document: the SHA-256 of its text in UTF-8, and its number of characters."""

    name: str
    sha256: str
    length: int


@dataclass(frozen=True)
class StudyTask:
    """A document to judge for a topic, with its place in the order of judging and its chance of being in the pool."""

    topic: str
    document: str | None
    position: int = 0
    stratum: str | None = None
    probability: float | None = None
    in_pool: bool = True


@dataclass(frozen=True)
class Support:
    """What a run returned of a document: the whole of it, or a part."""

    topic: str
    document: str
    run: str
    rank: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Assessor:
    """Someone who judges (assessor), who may also see everything (organiser), or a program, which is never a person."""

    name: str
    role: str
    revoked: bool
    expires: float | None


@dataclass(frozen=True)
class Assignment:
    """A document of a topic that an assessor judges, and its state."""

    id: int
    task: int
    topic: str
    document: str | None
    assessor: str
    role: str
    position: int
    stratum: str | None
    probability: float | None
    in_pool: bool
    state: str
    seconds: float
    relevant: bool
    assisted: bool
    main: bool
    sha256: str
    length: int


@dataclass(frozen=True)
class JudgedDocument(Assignment):
    """An assignment with its judgment."""

    judgment: Judgment


class RefusedStroke(InputError):
    """A stroke that is not allowed; none of the strokes that came with it is stored."""


def new_id() -> str:
    """Return a new id for a stroke."""
    return secrets.token_hex(16)


def describe_document(name: str, text: str) -> StudyDocument:
    """Return what a study stores of a document; refuse texts that a page cannot show unchanged."""
    if "\0" in text:
        raise InputError(f"document {quote(name)} contains a NUL character at {text.index(chr(0))}; remove it")
    try:
        return StudyDocument(name, sha256(text.encode()).hexdigest(), len(text))
    except UnicodeEncodeError as error:
        what = f"document {quote(name)} contains half a character (a lone surrogate) at {error.start}; remove it"
        raise InputError(what) from None


def create_study(path: str | os.PathLike[str], settings: StudySettings) -> Study:
    """Make a new study; refuse to overwrite any file."""
    label = os.fspath(path)
    if os.path.exists(label):
        raise InputError("the file exists; choose another name for the study, or delete the file", label)
    refuse_bad_place(label)
    try:
        with report_errors(label), closing(sqlite3.connect(label, isolation_level=None)) as connection:
            # one transaction makes the tables and the header, so that there is never half a study
            connection.execute("BEGIN IMMEDIATE")
            for statement in TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO setting VALUES ('settings', ?)", [json.dumps(asdict(settings))])
            connection.execute("INSERT INTO setting VALUES ('id', ?)", [new_id()])
            connection.execute(f"PRAGMA application_id={APPLICATION}")
            connection.execute(f"PRAGMA user_version={VERSION}")
            connection.execute("COMMIT")
    except InputError:
        # a full disk leaves an empty file
        Path(label).unlink(missing_ok=True)
        raise
    return open_study(label)


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a temporary path for a new study; rename the file at the end, or leave nothing if something fails."""
    label, part = os.fspath(path), Path(f"{os.fspath(path)}.part")
    refuse_bad_place(label)
    part.unlink(missing_ok=True)
    try:
        yield os.fspath(part)
        # move everything from the write-ahead log into the file before it gets its name
        with report_errors(label), closing(sqlite3.connect(part)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        part.replace(label)
    except InputError as error:
        raise (InputError(error.what, label) if error.path == os.fspath(part) else error) from None
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(f"{part}{ending}").unlink(missing_ok=True)


def open_study(path: str | os.PathLike[str], serve: bool = False) -> Study:
    """Open a study; `serve=True` refuses if another server has it open."""
    label = os.fspath(path)
    if not os.path.isfile(label):
        raise InputError("no such file; expected a study (make one with `assay pool`)", label)
    refuse_bad_place(label)
    if not is_study(label):
        raise InputError("not a study of Assay; make one with `assay pool`", label)
    connection = connect(label)
    try:
        with report_errors(label):
            upgrade_tables(connection, label)
    finally:
        connection.close()
    return Study(label, serve)


def upgrade_tables(connection: sqlite3.Connection, path: str) -> None:
    """Bring the tables of an older version up to date; refuse those of a newer one."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        what = f"made by a newer Assay (format {version}, this version reads up to {VERSION})"
        raise InputError(f"{what}; update Assay", path)
    if version < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        # another process may have upgraded the tables meanwhile
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for step in range(version, VERSION):
            connection.execute(MIGRATIONS[step])
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")


def is_study(path: str | os.PathLike[str]) -> bool:
    """Tell from its first bytes whether a file is a study."""
    try:
        with open(path, "rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head[:16] == b"SQLite format 3\0" and head[68:72] == APPLICATION.to_bytes(4, "big")


class Study:
    """An open study; `create_study` and `open_study` make it."""

    def __init__(self, path: str, serve: bool):
        self.path = path
        self._lock = hold_for_server(path) if serve else None
        self._folds: OrderedDict[int, tuple[Fold, int]] = OrderedDict()
        # whoever knows the documents sets this; only studies of exhaustivity use the elements
        self.elements_of: Callable[[str], Iterable[Element]] = lambda document: ()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._waiting: SimpleQueue[tuple[Change[Any], Future[Any]] | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name=f"writer of {path}", daemon=True)
        self._writer.start()
        self.settings = read_settings(self.setting("settings") or "{}", path)
        self.id = self.setting("id") or ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write all waiting changes, and close the file."""
        if self._writer.is_alive():
            self._waiting.put(None)
            self._writer.join()
        for connection in self._readers:
            connection.close()
        self._readers.clear()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # reading

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        with report_errors(self.path):
            return self._reader().execute(sql, values).fetchall()

    def _reader(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            self._local.connection = connect(self.path)
            self._local.connection.execute("PRAGMA query_only=1")
            # each thread has its own connection, so keep their caches small
            self._local.connection.execute("PRAGMA cache_size=-500")
            self._readers.append(self._local.connection)
        return self._local.connection

    def setting(self, name: str) -> str | None:
        """Return the value of a setting; None if it was never set."""
        rows = self.query("SELECT value FROM setting WHERE name = ?", name)
        return rows[0][0] if rows else None

    def topics(self) -> list[StudyTopic]:
        """Return the topics in the order in which they were added."""
        rows = self.query("SELECT name, title, description, narrative FROM topic ORDER BY id")
        return [StudyTopic(*row) for row in rows]

    def documents(self) -> list[StudyDocument]:
        """Return all documents."""
        return [StudyDocument(*row) for row in self.query("SELECT name, sha256, length FROM document ORDER BY id")]

    def document(self, name: str) -> StudyDocument | None:
        """Return a document by name; None if the study lacks it."""
        rows = self.query("SELECT name, sha256, length FROM document WHERE name = ?", name)
        return StudyDocument(*rows[0]) if rows else None

    def tasks(self, topic: str | None = None) -> list[StudyTask]:
        """Return the tasks of one topic or of all, in the order of judging."""
        rows = self.query(
            """SELECT topic.name, document.name, position, stratum, probability, in_pool
            FROM task JOIN topic ON topic.id = task.topic LEFT JOIN document ON document.id = task.document
            WHERE ?1 IS NULL OR topic.name = ?1 ORDER BY topic.id, position, task.id""",
            topic,
        )
        return [StudyTask(*row) for row in ((*row[:5], bool(row[5])) for row in rows)]

    def support(self, topic: str, document: str) -> list[Support]:
        """Return what the runs returned of a document for a topic."""
        rows = self.query(
            """SELECT run, rank, start, end FROM support JOIN task ON task.id = support.task
            JOIN topic ON topic.id = task.topic JOIN document ON document.id = task.document
            WHERE topic.name = ? AND document.name = ? ORDER BY rank, run""",
            topic,
            document,
        )
        return [Support(topic, document, *row) for row in rows]

    def rankings(self, topic: str) -> dict[str, list[str]]:
        """Return the documents to judge for a topic in the order of each run, by run."""
        rows = self.query(
            """SELECT run, document.name, min(rank) FROM support JOIN task ON task.id = support.task
            JOIN topic ON topic.id = task.topic JOIN document ON document.id = task.document
            WHERE topic.name = ? GROUP BY run, document.name ORDER BY run, min(rank)""",
            topic,
        )
        runs: dict[str, list[str]] = {}
        for run, document, _ in rows:
            runs.setdefault(run, []).append(document)
        return runs

    def pools(self) -> list[dict[str, Any]]:
        """Return the recipes of the pools, with seed and runs."""
        rows = self.query("SELECT recipe, seed, runs FROM pool ORDER BY id")
        return [json.loads(recipe) | {"seed": seed, "runs": json.loads(runs)} for recipe, seed, runs in rows]

    def assessors(self) -> list[Assessor]:
        """Return all assessors, including programs and people whose access ended."""
        rows = self.query("SELECT name, role, revoked, expires FROM assessor ORDER BY id")
        return [Assessor(name, role, bool(revoked), expires) for name, role, revoked, expires in rows]

    def assignments(self, assessor: str | None = None, topic: str | None = None) -> list[Assignment]:
        """Return who judges what, for one assessor or topic or for all, in the order of judging."""
        found = self._assigned({"assessor.name = ?": assessor, "topic.name = ?": topic})
        return [Assignment(**row) for row in found]

    def assignment(self, number: int) -> Assignment | None:
        """Return an assignment by its number; None if there is none."""
        rows = self._assigned({"assignment.id = ?": number})
        return Assignment(**rows[0]) if rows else None

    def _assigned(self, given: dict[str, object]) -> list[dict[str, Any]]:
        asked = {condition: value for condition, value in given.items() if value is not None}
        rows = self.query(
            f"""SELECT assignment.id, task.id, topic.name, document.name, assessor.name, role, assignment.position,
            stratum, probability, in_pool, state, seconds, relevant, assisted, main, ifnull(sha256, ''),
            ifnull(length, 0)
            FROM assignment JOIN task ON task.id = assignment.task JOIN topic ON topic.id = task.topic
            JOIN assessor ON assessor.id = assignment.assessor LEFT JOIN document ON document.id = task.document
            WHERE {" AND ".join(asked) or "1"} ORDER BY topic.id, assignment.position, assignment.id""",
            *asked.values(),
        )
        names = list(Assignment.__dataclass_fields__)
        booleans = {"in_pool", "relevant", "assisted", "main"}
        return [
            {name: bool(value) if name in booleans else value for name, value in zip(names, row, strict=True)}
            for row in rows
        ]

    def strokes(self, assignment: int) -> list[Stroke]:
        """Return the strokes of an assignment in their order."""
        return self._strokes(self._reader(), assignment)

    def _strokes(self, connection: sqlite3.Connection, assignment: int) -> list[Stroke]:
        rows = connection.execute(
            """SELECT id, kind, start, end, value, client_at, seq, server_at FROM stroke WHERE assignment = ?
            ORDER BY seq""",
            [assignment],
        )
        return [Stroke(*row) for row in rows]

    def stroke_texts(self, assignment: int) -> list[tuple[Kind, int, str | None]]:
        """Return the kind, start and text of each highlight and entry point of an assignment, in their order."""
        return self.query(
            f"SELECT kind, start, text FROM stroke WHERE assignment = ? AND {HAS_TEXT} ORDER BY seq", assignment
        )

    def passage_texts(self, judged: JudgedDocument) -> list[str | None]:
        """Return the text of each passage of a judgment, as it was highlighted; None if the study lacks it."""
        characters: dict[int, str] = {}
        for kind, start, text in self.stroke_texts(judged.id):
            if kind == "highlight":
                characters.update(enumerate(text or "", start))
        spans = [range(start, end) for start, end, _ in judged.judgment.passages]
        return ["".join(map(characters.__getitem__, span)) if span[0] in characters else None for span in spans]

    def documents_without_texts(self) -> list[str]:
        """Return judged documents for which the study lacks the text of a highlight or entry point."""
        rows = self.query(
            f"""SELECT DISTINCT document.name FROM stroke JOIN assignment ON assignment.id = stroke.assignment
            JOIN task ON task.id = assignment.task JOIN document ON document.id = task.document
            WHERE {HAS_TEXT} AND text IS NULL ORDER BY document.id"""
        )
        return [name for (name,) in rows]

    def judgment(self, assignment: Assignment) -> Judgment:
        """Return the judgment that the strokes of an assignment add up to."""
        fold = self._new_fold(assignment.document, assignment.length)
        for stroke in self.strokes(assignment.id):
            fold.apply(stroke)
        return fold.judgment

    def judgments(self, assessor: str | None = None, topic: str | None = None) -> Iterator[JudgedDocument]:
        """Yield the judgments of one assessor or topic or of all, also of documents that are not done."""
        for one in self.assignments(assessor, topic):
            yield JudgedDocument(**vars(one), judgment=self.judgment(one))

    def _new_fold(self, document: str | None, length: int) -> Fold:
        needs_elements = self.settings.mode == "exhaustivity" and document is not None
        return Fold(self.settings, length, self.elements_of(document) if needs_elements and document else ())

    # writing

    def write(self, change: Change[Result]) -> Result:
        """Run a change in the writer's transaction; return its result when it is on disk."""
        return self.submit(change).result()

    def submit(self, change: Change[Result]) -> Future[Result]:
        """Hand a change to the writer thread, and return a future of its result."""
        future: Future[Result] = Future()
        if not self._writer.is_alive():
            raise InputError("the study is closed", self.path)
        self._waiting.put((change, future))
        return future

    def _write_all(self) -> None:
        connection = connect(self.path)
        connection.execute("PRAGMA foreign_keys=1")
        while batch := self._next_batch():
            self._write_batch(connection, batch)
        connection.close()

    def _next_batch(self) -> list[tuple[Change[Any], Future[Any]]]:
        """Wait for changes, and return all that wait, up to 500; empty when the study is closed."""
        first = self._waiting.get()
        if first is None:
            return []
        batch = [first]
        while not self._waiting.empty() and len(batch) < 500:
            if (job := self._waiting.get()) is None:
                self._waiting.put(None)
                break
            batch.append(job)
        return batch

    def _write_batch(self, connection: sqlite3.Connection, batch: list[tuple[Change[Any], Future[Any]]]) -> None:
        done: list[tuple[Future[Any], Any]] = []
        try:
            with report_errors(self.path):
                connection.execute("BEGIN IMMEDIATE")
                for change, future in batch:
                    connection.execute("SAVEPOINT change")
                    try:
                        result = change(connection)
                    except sqlite3.OperationalError:
                        raise
                    except Exception as error:
                        connection.execute("ROLLBACK TO change")
                        future.set_exception(error)
                    else:
                        done.append((future, result))
                    connection.execute("RELEASE change")
                connection.execute("COMMIT")
        except Exception as error:
            # for example a full disk: nothing of the batch is stored, and every waiting change gets the error
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            self._folds.clear()
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
        else:
            for future, result in done:
                future.set_result(result)

    def set(self, name: str, value: str) -> None:
        """Store a setting."""
        self.write(lambda sql: sql.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [name, value]) and None)

    def add_topics(self, topics: Iterable[StudyTopic]) -> None:
        """Add topics; topics that the study has get the new texts."""
        rows = [(topic.name, topic.title, topic.description, topic.narrative) for topic in topics]
        self._many(
            """INSERT INTO topic (name, title, description, narrative) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE
            SET title = excluded.title, description = excluded.description, narrative = excluded.narrative""",
            rows,
        )

    def add_documents(self, documents: Iterable[StudyDocument]) -> None:
        """Add documents; refuse one that the study has with another text."""
        given = list(documents)

        def change(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT OR IGNORE INTO document (name, sha256, length) VALUES (?, ?, ?)",
                [(one.name, one.sha256, one.length) for one in given],
            )
            for one in given:
                there = connection.execute("SELECT sha256 FROM document WHERE name = ?", [one.name]).fetchone()[0]
                if there != one.sha256:
                    raise InputError(f"the study has another text of document {quote(one.name)}", self.path)

        self.write(change)

    def add_pool(self, recipe: dict[str, Any], seed: int | None = None, runs: dict[str, str] | None = None) -> int:
        """Store the recipe of a pool, its seed and its runs with their fingerprints; return its number."""
        values = [json.dumps(recipe), seed, json.dumps(runs or {})]
        sql = "INSERT INTO pool (recipe, seed, runs) VALUES (?, ?, ?)"
        return self.write(lambda connection: int(connection.execute(sql, values).lastrowid or 0))

    def add_tasks(self, tasks: Iterable[StudyTask], pool: int | None = None) -> None:
        """Add documents to judge; a task that the study has stays as it is."""
        rows = [(t.topic, t.document, pool, t.position, t.stratum, t.probability, t.in_pool) for t in tasks]
        self._refuse_unknown("topic", [row[0] for row in rows])
        self._refuse_unknown("document", [row[1] for row in rows if row[1] is not None])
        self._many(
            """INSERT OR IGNORE INTO task (topic, document, pool, position, stratum, probability, in_pool)
            VALUES ((SELECT id FROM topic WHERE name = ?1), (SELECT id FROM document WHERE name = ?2),
            ?3, ?4, ?5, ?6, ?7)""",
            rows,
        )

    def add_support(self, support: Iterable[Support]) -> None:
        """Store what runs returned of the documents to judge."""
        self._many(
            f"INSERT INTO support (task, run, rank, start, end) SELECT ({TASK}), ?3, ?4, ?5, ?6",
            [(one.topic, one.document, one.run, one.rank, one.start, one.end) for one in support],
        )

    def add_assessor(self, name: str, role: str = "assessor") -> str:
        """Add an assessor, unless the study has one of that name; return the name."""
        if role not in (*ROLES, PROGRAM):
            raise InputError(f"unknown role {quote(role)}; choose from {', '.join(ROLES)}", self.path)
        if not name.strip() or len(name) > 100 or not name.isprintable():
            raise InputError(f"{quote(name)} is not a valid name; expected 1 to 100 printable characters")
        self._many("INSERT OR IGNORE INTO assessor (name, role) VALUES (?, ?)", [(name, role)])
        return name

    def assign(
        self, who: Iterable[tuple[str, str | None, str]], main: bool = False, assisted: bool = False
    ) -> None:
        """Assign documents, each given as (topic, document, assessor); existing assignments stay as they are."""
        who = list(who)
        self._refuse_unknown("assessor", [assessor for _, _, assessor in who])
        self._many(
            f"""INSERT OR IGNORE INTO assignment (task, assessor, position, main, assisted)
            SELECT task.id, assessor.id, task.position, ?4, ?5 FROM task, assessor
            WHERE task.id = ({TASK}) AND assessor.name = ?3""",
            [(topic, document, assessor, main, assisted) for topic, document, assessor in who],
        )

    def _refuse_unknown(self, table: str, names: list[str]) -> None:
        known = {name for (name,) in self.query(f"SELECT name FROM {table}")}
        if unknown := [name for name in names if name not in known]:
            raise InputError(f"no {table} {quote(unknown[0])} in the study; add it first", self.path)

    def _many(self, sql: str, rows: list[tuple[Any, ...]]) -> None:
        self.write(lambda connection: connection.executemany(sql, rows) and None)

    def append(self, assignment: int, strokes: Iterable[Stroke], text: str | None = None) -> list[Stroke]:
        """Add strokes to an assignment; return them as they are stored, once they are on disk.

        A stroke whose id is stored already is returned as it was stored. If one stroke is not allowed, none of them is
        added. text: the text of the document; the study stores the highlighted parts of it.
        """
        return self.submit_strokes(assignment, list(strokes), text).result()

    def submit_strokes(self, assignment: int, strokes: list[Stroke], text: str | None) -> Future[list[Stroke]]:
        """Hand strokes to the writer thread, and return a future of the stored strokes; see `append`."""
        return self.submit(lambda connection: self._append(connection, assignment, strokes, text))

    def _append(
        self, connection: sqlite3.Connection, assignment: int, strokes: list[Stroke], text: str | None
    ) -> list[Stroke]:
        fold, last = self._fold(connection, assignment)
        # drop the fold from the cache until all strokes are accepted
        self._folds.pop(assignment, None)
        stored, now = [], time.time()
        for stroke in strokes:
            sql = "SELECT assignment, kind, start, end, value, client_at, seq, server_at FROM stroke WHERE id = ?"
            there = connection.execute(sql, [stroke.id]).fetchone()
            if there:
                if there[:5] != (assignment, stroke.kind, stroke.start, stroke.end, stroke.value):
                    raise RefusedStroke(f"stroke {stroke.id} was stored before with another content")
                stored.append(Stroke(stroke.id, *there[1:]))
                continue
            if problem := fold.apply(stroke):
                raise RefusedStroke(problem)
            last += 1
            row = (stroke.id, stroke.kind, stroke.start, stroke.end, stroke.value, stroke.client_at, last, now)
            connection.execute(
                """INSERT INTO stroke (id, kind, start, end, value, client_at, seq, server_at, assignment, text)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (*row, assignment, text_at(stroke, text)),
            )
            stored.append(Stroke(*row))
        judgment = fold.judgment
        connection.execute(
            "UPDATE assignment SET state = ?, seconds = ?, relevant = ? WHERE id = ?",
            [judgment.state, judgment.seconds, judgment.is_relevant, assignment],
        )
        self._folds[assignment] = fold, last
        while len(self._folds) > MOST_FOLDS:
            self._folds.popitem(last=False)
        return stored

    def _fold(self, connection: sqlite3.Connection, assignment: int) -> tuple[Fold, int]:
        """Return the fold of an assignment and the number of its last stroke.

        The cached fold is used only if no other process added strokes.
        """
        sql = "SELECT ifnull(max(seq), 0) FROM stroke WHERE assignment = ?"
        (last,) = connection.execute(sql, [assignment]).fetchone()
        if assignment in self._folds and self._folds[assignment][1] == last:
            return self._folds[assignment]
        found = connection.execute(
            """SELECT document.name, document.length FROM assignment JOIN task ON task.id = assignment.task
            LEFT JOIN document ON document.id = task.document WHERE assignment.id = ?""",
            [assignment],
        ).fetchone()
        if found is None:
            raise RefusedStroke(f"there is no assignment {assignment}")
        fold = self._new_fold(found[0], found[1] or 0)
        for stroke in self._strokes(connection, assignment):
            fold.apply(stroke)
        return fold, last

    def keep_texts(self, texts: Iterable[tuple[str, str]]) -> None:
        """Store missing texts of highlights and entry points, for documents that have not changed."""
        for name, text in texts:
            if describe_document(name, text) == self.document(name):
                self.write(partial(keep_texts_of, name=name, text=text))

    def check_texts(self, texts: Iterable[tuple[str, str]]) -> None:
        """Refuse documents whose text is not the one that was judged; the error counts the judgments concerned."""
        known = {one.name: one for one in self.documents()}
        changed = [name for name, text in texts if name in known and describe_document(name, text) != known[name]]
        if changed:
            raise self.changed_documents_error(changed)

    def changed_documents_error(self, documents: list[str]) -> InputError:
        """Return the error about documents whose text changed."""
        marks = ", ".join("?" * len(documents))
        (count,) = self.query(
            f"""SELECT count(DISTINCT assignment.id) FROM assignment JOIN task ON task.id = assignment.task
            JOIN document ON document.id = task.document WHERE state != 'new' AND document.name IN ({marks})""",
            *documents,
        )[0]
        what = f"the text of {count_noun(len(documents), 'document')} changed since the study was made"
        concerned = f"{count_noun(count, 'judgment')} would refer to the wrong text"
        move = f"assay locate {shlex.quote(self.path)} --documents NEW -o moved.db"
        remedy = f"restore the documents, or move the judgments to a new study: {move}"
        return InputError(f"{what} ({', '.join(documents[:3])}); {concerned}; {remedy}", self.path)


# The kinds of strokes that have a text, and the SQL condition for them.
WITH_TEXT = ("highlight", "entry")
HAS_TEXT = "(kind = 'highlight' OR kind = 'entry' AND stroke.start IS NOT NULL)"


def text_at(stroke: Stroke, text: str | None) -> str | None:
    """Return the text that a study stores with a stroke; None if it stores none."""
    if text is None or stroke.start is None or stroke.kind not in WITH_TEXT:
        return None
    return text[stroke.start : stroke.end if stroke.kind == "highlight" else stroke.start + ENTRY_TEXT]


def keep_texts_of(connection: sqlite3.Connection, name: str, text: str) -> None:
    """Store the missing texts of the strokes of a document."""
    rows = connection.execute(
        f"""SELECT stroke.id, kind, stroke.start, stroke.end FROM stroke
        JOIN assignment ON assignment.id = stroke.assignment JOIN task ON task.id = assignment.task
        JOIN document ON document.id = task.document WHERE document.name = ? AND {HAS_TEXT} AND text IS NULL""",
        [name],
    ).fetchall()
    texts = [(text_at(Stroke(*row), text), row[0]) for row in rows]
    connection.executemany("UPDATE stroke SET text = ? WHERE id = ?", texts)


# The task of a topic (?1) and a document (?2), which may be NULL.
TASK = """SELECT task.id FROM task JOIN topic ON topic.id = task.topic WHERE topic.name = ?1
    AND task.document IS (SELECT document.id FROM document WHERE document.name = ?2)"""


def read_settings(text: str, path: str) -> StudySettings:
    """Read the settings of a study from their stored form."""
    try:
        stored = json.loads(text)
        return StudySettings(**stored | {"grades": tuple(stored["grades"])})
    except (ValueError, KeyError, TypeError):
        raise InputError("cannot read the settings of the study; restore it from a copy", path) from None


# SQLite: connections, errors, the lock of a server, and where a study may be.


def connect(path: str) -> sqlite3.Connection:
    """Open a connection whose commits are on disk when they return."""
    with report_errors(path):
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.Error:
            connection.close()
            raise
    return connection


PROBLEMS = {
    "SQLITE_FULL": "the disk is full, and the last change is not stored; make room, then try again",
    "SQLITE_READONLY": "cannot write the study: the file or its folder is read-only",
    "SQLITE_CANTOPEN": "cannot open or make the study; check that its folder exists and that you may write there",
    "SQLITE_NOTADB": "not a study of Assay; make one with `assay pool`",
    "SQLITE_CORRUPT": "the study is damaged; restore it from a copy",
    "SQLITE_BUSY": "another program is writing to the study; close that program, then try again",
    "SQLITE_IOERR": "cannot read or write the study: the disk is full or reports an error",
}


@contextmanager
def report_errors(path: str) -> Iterator[None]:
    """Turn errors of SQLite into errors about the study."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "") or ""
        problem = next((text for name, text in PROBLEMS.items() if code.startswith(name)), f"SQLite: {error}")
        raise InputError(problem, path) from None


def hold_for_server(path: str) -> sqlite3.Connection:
    """Keep other servers from the study until this process ends, however it ends."""
    lock = connect(f"{path}-server")
    lock.execute("PRAGMA busy_timeout=0")
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise InputError("another `assay assess` has this study open; use its page, or stop it first", path) from None
    return lock


NETWORK = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "smb2", "afs", "afpfs", "ncpfs", "ceph", "glusterfs", "lustre", "webdav",
    "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "davfs", "fuse.davfs2", "gfs2", "beegfs",
}  # fmt: skip


def refuse_bad_place(path: str, mounts: str | None = None) -> None:
    """Refuse a folder that is missing or read-only, and a network drive, on which SQLite cannot lock files reliably."""
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise InputError(f"cannot make the study: no folder {os.path.dirname(path)}", path)
    if is_network_drive(folder, mounts):
        raise InputError("the study is on a network drive, where SQLite can lose data; move it to a local disk", path)
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise InputError("cannot write the study: the file or its folder is read-only", path)


def is_network_drive(folder: str, mounts: str | None = None) -> bool:
    """Tell whether a folder is on a network drive, as far as the system says; `mounts` is a table like /proc/mounts."""
    if sys.platform == "win32":
        import ctypes

        root = os.path.splitdrive(os.path.abspath(folder))[0] + "\\"
        return root.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(root) == 4
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text("utf-8", "replace")
        except OSError:
            return False
    best = ("", "")
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) > 2:
            point = fields[1].replace("\\040", " ").rstrip("/")
            if f"{folder}/".startswith(f"{point}/") and len(point) >= len(best[0]):
                best = point, fields[2]
    return best[1] in NETWORK


