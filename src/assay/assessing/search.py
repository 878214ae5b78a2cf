"""The search box over the documents: SQLite's FTS5, in a file beside the study, made on first use.

Words, "phrases" and prefix* of passages; hits are ranked by FTS5's own bm25(), never by a system under test.
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
# A passage is a paragraph, or some short ones, or a part of a long one.
SHORTEST, LONGEST = 200, 1200
# Characters that no text has; they enclose what was found.
OPEN, CLOSE = "\ufdd0", "\ufdd1"


@dataclass(frozen=True)
class Hit:
    """A passage: its document, where it begins, and its text in pieces, each with whether it was searched for."""

    document: str
    start: int
    pieces: list[tuple[str, bool]]


class PassageSearch:
    """A search over documents, whose index is beside the study."""

    def __init__(self, path: str, documents: Documents):
        self.path, self.documents = f"{path}-search", documents
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def find(self, query: str, most: int = 20) -> tuple[list[Hit], bool]:
        """The best passages with all terms of a query; if there are none, those with some, which the second value says.
        """
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
        """Make the index unless it is there."""
        with self._lock, report_errors(self.path):
            self._open()

    def close(self) -> None:
        """Let go of the file."""
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
        # a document that cannot be read cannot be judged either; opening it says why
        for name, text in self.documents.readable_texts({}):
            rows = [(text[start:end], name, start) for start, end in passages(text)]
            connection.executemany("INSERT INTO passage VALUES (?, ?, ?)", rows)
        connection.execute("INSERT INTO made VALUES (?)", [mark])
        connection.execute("COMMIT")


FIND = """SELECT document, start, highlight(passage, 0, ?, ?) FROM passage WHERE passage MATCH ?
    ORDER BY bm25(passage), rowid LIMIT ?"""


def parse_query(query: str) -> list[str]:
    """The terms of a query as FTS5 takes them; signs that mean something to FTS5 mean nothing."""
    terms = []
    for phrase, word in TERM.findall(query[:1000]):
        text = phrase or word.strip("*")
        if any(sign.isalnum() for sign in text):
            quoted = '"' + text.replace('"', '""') + '"'
            terms.append(f"{quoted} *" if word.endswith("*") else quoted)
    return terms


def passages(text: str) -> Iterator[tuple[int, int]]:
    """Where the passages of a text begin and end: together they are the whole text."""
    start = 0
    for match in PARAGRAPHS.finditer(text):
        end = match.end()
        if end - start < SHORTEST and end < len(text):
            continue
        while end - start > LONGEST:
            # at the end of a line or sentence, or else anywhere
            cut = max(text.rfind(sign, start + LONGEST // 2, start + LONGEST) for sign in ("\n", ". ", " "))
            cut = cut + 1 if cut > 0 else start + LONGEST
            yield start, cut
            start = cut
        if end > start:
            yield start, end
        start = end


def in_pieces(text: str) -> list[tuple[str, bool]]:
    """A text whose matches are enclosed, in pieces."""
    pieces = []
    for number, piece in enumerate(re.split(f"[{OPEN}{CLOSE}]", text)):
        if piece:
            pieces.append((piece, number % 2 == 1))
    return pieces


def mark_of_all(path: str) -> str:
    """What says whether any document changed: names, sizes and times of all files."""
    facts = []
    for folder, folders, names in os.walk(path) if os.path.isdir(path) else [("", [], [path])]:
        folders.sort()
        for name in sorted(names):
            file = os.path.join(folder, name)
            if os.path.exists(file):
                stat = os.stat(file)
                facts.append(f"{file}\0{stat.st_size}\0{stat.st_mtime_ns}")
    return sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()
