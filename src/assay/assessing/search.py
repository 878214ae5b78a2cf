"""The search box over the documents: an index of SQLite's FTS5 in a file beside the study, made on first use.

A query has words, "phrases" and prefix*; passages are ranked by FTS5's own bm25(), never by a system under test.
"""

import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from assay.assessing.document_view import PARAGRAPHS
from assay.documents.lookup import Documents
from assay.studies.study import connect, report_errors

RANKING = "SQLite FTS5 bm25"
TOKENS = "unicode61 remove_diacritics 2"
TERM = re.compile(r'"([^"]*)"?|(\S+)')
# The shortest and longest passage in characters: short paragraphs are joined, and long ones are divided.
SHORTEST, LONGEST = 200, 1200
# Characters that no text contains; they mark the beginning and the end of a match.
OPEN, CLOSE = "\ufdd0", "\ufdd1"


@dataclass(frozen=True)
class Hit:
    """A passage: its document, its start, and its text in pieces, each with whether it matches the query."""

    document: str
    start: int
    pieces: list[tuple[str, bool]]


class PassageSearch:
    """A search over documents; its index is a file beside the study."""

    def __init__(self, path: str, documents: Documents):
        self.path, self.documents = f"{path}-search", documents
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def find(self, query: str, most: int = 20) -> tuple[list[Hit], bool]:
        """Return the best passages with all terms of a query, or else with some, and whether they have only some."""
        terms = parse_query(query)
        if not terms:
            return [], False
        with self._lock, report_errors(self.path):
            for joined in (" AND ".join(terms), " OR ".join(terms)):
                if found := self._open().execute(FIND, [OPEN, CLOSE, joined, most]).fetchall():
                    hits = [Hit(name, start, in_pieces(text)) for name, start, text in found]
                    return hits, joined != " AND ".join(terms)
        return [], False

    def prepare(self) -> None:
        """Make the index if it does not exist."""
        with self._lock, report_errors(self.path):
            self._open()

    def close(self) -> None:
        """Close the file of the index."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            mark = mark_of_all(self.documents.label)
            connection = connect(self.path)
            connection.execute("CREATE TABLE IF NOT EXISTS made (mark TEXT)")
            if connection.execute("SELECT mark FROM made").fetchall() != [(mark,)]:
                self._make(connection, mark)
            self._connection = connection
        return self._connection

    def _make(self, connection: sqlite3.Connection, mark: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM made")
        connection.execute("DROP TABLE IF EXISTS passage")
        connection.execute(
            f"CREATE VIRTUAL TABLE passage USING fts5(text, document UNINDEXED, start UNINDEXED, tokenize='{TOKENS}')"
        )
        # skip a document that cannot be read: nobody can judge it either, and opening it says why
        for name, text in self.documents.readable_texts({}):
            rows = [(text[start:end], name, start) for start, end in passages(text)]
            connection.executemany("INSERT INTO passage VALUES (?, ?, ?)", rows)
        connection.execute("INSERT INTO made VALUES (?)", [mark])
        connection.execute("COMMIT")


FIND = """SELECT document, start, highlight(passage, 0, ?, ?) FROM passage WHERE passage MATCH ?
    ORDER BY bm25(passage), rowid LIMIT ?"""


def parse_query(query: str) -> list[str]:
    """Return the terms of a query in the syntax of FTS5; its operators have no effect."""
    terms = []
    for phrase, word in TERM.findall(query[:1000]):
        text = phrase or word.strip("*")
        if any(sign.isalnum() for sign in text):
            quoted = '"' + text.replace('"', '""') + '"'
            terms.append(f"{quoted} *" if word.endswith("*") else quoted)
    return terms


def passages(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each passage; together the passages are the whole text."""
    start = 0
    for match in PARAGRAPHS.finditer(text):
        end = match.end()
        if end - start < SHORTEST and end < len(text):
            continue
        while end - start > LONGEST:
            # cut at the end of a line, sentence or word, or else anywhere
            cut = max(text.rfind(sign, start + LONGEST // 2, start + LONGEST) for sign in ("\n", ". ", " "))
            cut = cut + 1 if cut > 0 else start + LONGEST
            yield start, cut
            start = cut
        if end > start:
            yield start, end
        start = end


def in_pieces(text: str) -> list[tuple[str, bool]]:
    """Split a text at the marks of its matches into pieces, each with whether it is a match."""
    pieces = []
    for number, piece in enumerate(re.split(f"[{OPEN}{CLOSE}]", text)):
        if piece:
            pieces.append((piece, number % 2 == 1))
    return pieces


def mark_of_all(path: str) -> str:
    """Return a hash of the names, sizes and times of all files; it changes if a document changes."""
    facts = []
    for folder, folders, names in os.walk(path) if os.path.isdir(path) else [("", [], [path])]:
        folders.sort()
        for name in sorted(names):
            file = os.path.join(folder, name)
            if os.path.exists(file):
                stat = os.stat(file)
                facts.append(f"{file}\0{stat.st_size}\0{stat.st_mtime_ns}")
    return sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()
