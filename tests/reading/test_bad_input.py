"""Bad input: one line that says where and why, whole, and an exit status; never a traceback.

The same file is refused in the same words whatever the size of the blocks in which it is read.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.files import source
from helpers.cases import Case
from helpers.commands import invoke
from helpers.corpus import tarred, zipped
from helpers.files import parquet, written
from helpers.samples import in_turn

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
KEEP_ONE = "; pass duplicates=first or duplicates=best to keep one"
RUN = "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n2 Q0 d1 1 1 t\n"
MANY = "".join(f"{topic} Q0 d{n} {n} {100 - n} t\n" for topic in (1, 2, 3) for n in range(50))
CSV = "topic,document,score\n1,d1,2.5\n1,d2,1.5\n"
JSONL = '{"topic": "1", "document": "d1", "score": 2.5}\n{"topic": "1", "document": "d2", "score": 1}\n'
RUN_FIELDS = "topic Q0 document rank score tag"
LOOKS_LIKE_A_RUN = (
    f"this looks like a run ({RUN_FIELDS}); expected judgments (topic iteration document grade): pass judgments first, then the runs"
)
SWAPPED = f"; expected {RUN_FIELDS}: are rank and score swapped?"
MORE_FIELDS = "; expected 6 fields, found 7: does an id contain whitespace?"
LIKE_CSV = "; this looks like CSV without column names: begin with"
LOOK_LIKE_JUDGMENTS = "; these look like judgments: pass judgments first, then the runs"


def flipped(data: bytes, place: int) -> bytes:
    """The data with the bits of one byte turned round."""
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


def run_with(value: str) -> str:
    return f"1 Q0 d1 1 2.5 t\n1 Q0 d2 2 {value} t\n"


def qrels_with(grade: str) -> str:
    return f"1 0 d1 1\n1 0 d2 {grade}\n"


LINES = [
    Case(f"r:2: expected 6 fields ({RUN_FIELDS}), found 5: '1 Q0 d2 2 1.5'", "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5\n"),
    Case(f"r:1: expected 6 fields ({RUN_FIELDS}), found 5: '1 Q0 d1 1 2.5'", "1 Q0 d1 1 2.5 "),
    Case(f"r:5: expected 6 fields ({RUN_FIELDS}), found 1: 'x'", "# comment\n\n1 Q0 d1 1 2.5 t\n\nx\n"),
    Case(f"r:4: expected 6 fields ({RUN_FIELDS}), found 4: '1 Q0 d3 3'", run_with("1") + "\r\n1 Q0 d3 3\r\n"),
    Case(
        f"r:3: expected 6 fields ({RUN_FIELDS}), found 4: '1 Q0 d3 3'", run_with("1").replace("\n", "\r") + "1 Q0 d3 3"
    ),
    Case(f"r:151: expected 6 fields ({RUN_FIELDS}), found 3: '3 Q0 d77'", MANY + "3 Q0 d77\n"),
    Case("q:2: expected 4 fields (topic iteration document grade), found 3: '1 0 d2'", qrels="1 0 d1 1\n1 0 d2\n"),
    Case(f"q:1: {LOOKS_LIKE_A_RUN}", qrels=RUN),
    Case(f"q:3: {LOOKS_LIKE_A_RUN}", qrels="# comment\n\n1 Q0 d1 1 2.5\n"),
    Case(f"r:1: expected 6 fields ({RUN_FIELDS}), found 4: '1 0 d1 1'{LOOK_LIKE_JUDGMENTS}", content=QRELS),
    Case(
        f"r:1: expected 6 fields ({RUN_FIELDS}), found 1: 'qid|docno|score'; this looks like a table separated by |; expected commas, semicolons or tabs",
        "qid|docno|score\n1|d1|2.5\n",
    ),
    Case(
        f"r:1: expected 6 fields ({RUN_FIELDS}), found 3: '1 d1 1'; if these are query_id doc_id rank, put these names above them: (printf 'query_id\\tdoc_id\\trank\\n'; tr -s ' ' '\\t' < r) > named.tsv",
        "1\td1\t1\n1\td2\t2\n",
    ),
    Case(
        f"r:1: expected 6 fields ({RUN_FIELDS}), found 4: '1 d1 1 9.5'; if these are query_id doc_id rank score, put these names above them: (printf 'query_id\\tdoc_id\\trank\\tscore\\n'; tr -s ' ' '\\t' < r) > named.tsv",
        "1 d1 1 9.5\n1 d2 2 8.5\n",
    ),
    Case(
        "q:1: expected 4 fields (topic iteration document grade), found 3: '1 d1 1'; if these are query_id doc_id grade, put these names above them: (printf 'query_id\\tdoc_id\\tgrade\\n'; tr -s ' ' '\\t' < q) > named.tsv",
        qrels="1 d1 1\n",
    ),
    Case("r:2: score 'x' is not a number", run_with("x")),
    Case("r:2: score 'nan' is not a finite number", run_with("nan")),
    Case("r:2: score 'inf' is not a finite number", run_with("inf")),
    Case("r:2: score '-Infinity' is not a finite number", run_with("-Infinity")),
    Case("r:2: score '1e999' is too large for a number", run_with("1e999")),
    Case("r:2: score '1_000' is not a number", run_with("1_000")),
    Case("r:2: score '0x10' is not a number", run_with("0x10")),
    Case("r:2: score '1,5' is not a number", run_with("1,5")),
    Case("r:2: score '--1' is not a number", run_with("--1")),
    Case("r:2: score '.' is not a number", run_with(".")),
    Case("r:2: score '1.2.3' is not a number", run_with("1.2.3")),
    Case("r:2: score '1e' is not a number", run_with("1e")),
    Case("r:2: score '٣' is not a number", run_with("٣")),
    Case(f"r:2: score '{'9' * 59}…' is not a number", run_with("9" * 90 + "x")),
    Case("r:120: score 'x' is not a number", MANY.replace("3 Q0 d19 19 81", "3 Q0 d19 19 x")),
    Case("q:2: grade '1.5.0' is not a number", qrels=qrels_with("1.5.0")),
    Case("q:2: grade 'x' is not a number", qrels=qrels_with("x")),
    Case("q:2: grade 'nan' is not a finite number", qrels=qrels_with("nan")),
    Case("q:2: grade '-inf' is not a finite number", qrels=qrels_with("-inf")),
    Case("q:2: grade '1e20' is too large; expected at most 15 digits", qrels=qrels_with("1e20")),
    Case("q:2: grade '1e999' is too large; expected at most 15 digits", qrels=qrels_with("1e999")),
    Case("r:2: rank 'x' is not a whole number", run_with("1").replace("d2 2", "d2 x"), words=["--ties", "rank"]),
    Case("r:2: rank '1.5' is not a whole number", run_with("0.5").replace("d2 2", "d2 1.5"), words=["--ties", "rank"]),
    Case(f"r:1: rank '9.5' is not a whole number{SWAPPED}", "1 Q0 a 9.5 1 t\n1 Q0 b 8 2 t\n"),
    Case(f"r:2: rank '8.5' is not a whole number{SWAPPED}", "1 Q0 a 9 1 t\n1 Q0 b 8.5 2 t"),
    Case(f"r:2: rank '8.5' is not a whole number{SWAPPED}", "1 Q0 a 9 1 t\n1 Q0 b 8.5 2 t", words=["--ties", "rank"]),
    Case("r:1: rank 'v2' is not a whole number; tag '9.5' is a number: does an id contain whitespace?",
         "1 Q0 a v2 1 9.5\n1 Q0 a v3 2 8.5\n"),
    Case("r:2: score 'x' is not a number", "# a\n1 Q0 a 1 x t\n1 Q0 b 8.5 2 t\n"),
    Case("r:2: document Apollo is retrieved twice for topic 1 (first on line 1); the tags 9.5 and 8.5 look like scores: does an id contain whitespace?",
         "1 Q0 Apollo 13 1 9.5\n1 Q0 Apollo 14 2 8.5\n"),
    Case(f"r:2: rank 'York' is not a whole number{MORE_FIELDS}", RUN.replace("d2", "New York")),
    Case(f"r:2: rank 'York' is not a whole number{MORE_FIELDS}", RUN.replace(" ", "\t").replace("d2", "New York")),
    Case(f"r:1: rank 'York' is not a whole number{MORE_FIELDS}", "1 Q0 New York 1 2.5 t\n"),
    Case(f"r:2: tag '2.5' is a number{MORE_FIELDS}", RUN.replace("d2 2 1.5", "Apollo 13 2 2.5")),
    Case(f"r:1: tag '0.9' is a number{MORE_FIELDS}", "1 Q0 Apollo 13 1 0.9 t\n1 Q0 Apollo 12 2 0.8 t\n"),
    Case("r:1: tag '0.9' is a number; expected 6 fields, found 9: does an id contain whitespace?",
         "1 Q0 Apollo 13 1 0.9 t 0 10\n"),
    Case("q:2: grade 'York' is not a number; expected 4 fields, found 5: does an id contain whitespace?",
         qrels=QRELS.replace("d2", "New York")),
    Case("r:4: document d1 is retrieved twice for topic 1 (first on line 1); pass --duplicates first or --duplicates best to keep one", RUN + "1 Q0 d1 3 0.5 t\n"),
    Case("r:4: document d1 is retrieved twice for topic 1 (first on line 1); the tags t and bm25 suggest two runs in one file: split them; pass --duplicates first or --duplicates best to keep one", RUN + "1 Q0 d1 1 2.5 bm25\n1 Q0 d2 2 1.5 bm25\n"),
    Case(f"r:152: expected 6 fields ({RUN_FIELDS}), found 4: '1 Q0 d0 1'", MANY + "1 Q0 d0 3 0.5 t\n1 Q0 d0 1\n"),
    Case("r:151: document d0 is retrieved twice for topic 1 (first on line 1); pass --duplicates first or --duplicates best to keep one", MANY + "1 Q0 d0 3 0.5 t\n"),
    Case("r:152: document d7 is retrieved twice for topic 9 (first on line 1); pass --duplicates first or --duplicates best to keep one", f"9 Q0 d7 1 1 t\n{MANY}9 Q0 d7 2 1 t"),
    Case("r:5: document d1 is retrieved twice for topic 7 (first on line 4); pass --duplicates first or --duplicates best to keep one", RUN + "7 Q0 d1 1 1 t\n7 Q0 d1 2 1 t\n"),
    Case("q:6: document d1 is judged twice for topic 1 (first on line 1)", qrels=QRELS + "\n# comment\n1 0 d1 2"),
    Case("r: the input is empty; expected a run", ""),
    Case("r: the input is empty; expected a run", "# comment"),
    Case("r: the input is empty; expected a run", "# comment\n# and another\n"),
    Case("r: the input is empty; expected a run", "\n\n  \n\r\n"),
    Case("r: the input is empty; expected a run", "\ufeff"),
    Case("q: the input is empty; expected judgments", qrels=""),
    Case("q: the input is empty; expected judgments", qrels="# comment"),
    Case("q: the input is empty; expected judgments", qrels=" \n\n"),
    Case("q: the input is empty; expected judgments", qrels="\ufeff\n"),
    Case("r: this is a picture; pass a text", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    Case('r: this is a frame of pandas by columns; write it with df.to_json(orient="records")',
         pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}).to_json()),
    Case("r: this is a file of saved scores; pass it as --scores", '{"assay": "scores",\n"form": 1}\n'),
    Case("q: this is an HTML page or a drawing; pass a run, judgments or texts", qrels="<!DOCTYPE html>\n<p>One.\n"),
    Case("r: this is a PDF; extract its text, for example with pdftotext", b"%PDF-1.7\n%\xe2\xe3"),
    Case("r:2: not a text file (it has a zero byte here); expected a TREC run", RUN.replace("d2", "d\0")),
    Case("r:2: not UTF-8 (byte 0xE9); convert the file, for example with iconv", RUN.replace("d2", "d\xe9").encode("latin-1")),
    Case("q:1: not a text file (it has a zero byte here); expected TREC qrels", qrels=b"\0\1\2\3"),
    Case("r: UTF-16, not UTF-8; convert the file, for example with iconv", RUN.encode("utf-16")),
    Case("q: UTF-16, not UTF-8; convert the file, for example with iconv", qrels=b"\xfe\xff" + QRELS.encode("utf-16-be")),
    Case("r:1: not a text file (it has a zero byte here); expected a TREC run", RUN.encode("utf-16-le")),
    Case("r and q share no topic: 7 vs 1, 2", "7 Q0 d1 1 2.5 t\n"),
    Case("r and q share no topic: 7, 8, … vs 1, 2", "7 Q0 d 1 1 t\n8 Q0 d 1 1 t\n9 Q0 d 1 1 t\n"),
    Case("r:2: document has 70,000 bytes; expected an id of at most 65,535", RUN.replace("d2", "d" * 70_000)),
    Case(
        "q:1: topic has 70,000 bytes; expected an id of at most 65,535",
        qrels=QRELS.replace("1 0 d1", "1" * 70_000 + " 0 d1"),
    ),
]

COMPRESSED = [
    Case("r: this is a ZIP archive; unpack it and pass one of its files, or if it is a spreadsheet, save it as CSV", zipped()),
    Case("r: this is a tar archive; unpack it and pass one of its files", tarred("w:gz")),
    Case("q: this is a tar archive; unpack it and pass one of its files", qrels=tarred("w:")),
    Case("r: the gzip data is cut short", gzip.compress(RUN.encode())[:-9]),
    Case("r: the gzip data is cut short", gzip.compress(RUN.encode())[:4]),
    Case("r: the gzip data is damaged", flipped(gzip.compress(RUN.encode()), -6)),
    Case("r: the gzip data is damaged", gzip.compress(RUN.encode()) + b"and more"),
    Case("r: the bzip2 data is cut short", bz2.compress(RUN.encode())[:-3]),
    Case("r: the bzip2 data is damaged", flipped(bz2.compress(RUN.encode()), 20)),
    Case("r: the xz data is cut short", lzma.compress(RUN.encode())[:-3]),
    Case("r: the xz data is damaged", flipped(lzma.compress(RUN.encode()), 30)),
    Case("r: the zstd data is cut short", zstd.compress(RUN.encode())[:-3]),
    Case("r: the zstd data is damaged", flipped(zstd.compress(RUN.encode()), 6)),
    Case("q: the gzip data is cut short", qrels=gzip.compress(QRELS.encode())[:-4]),
    Case("r:2: score 'x' is not a number", gzip.compress(run_with("x").encode())),
]

TABLES = [
    Case("r: no score or rank column; the columns are topic, document; if the rows are sorted best first, add a column rank", "topic,document\n1,d1\n"),
    Case("r: no document column; the columns are topic, score; expected a column such as doc_id, or pass --column, for example document=NAME", "topic,score\n1,1\n"),
    Case("r: no topic column; the columns are user, docno, score; expected a column such as query_id, or pass --column, for example topic=NAME", "user,docno,score\n1,d1,1\n"),
    Case("q: no grade column; the columns are topic, document", qrels="topic,document\n1,d1\n"),
    Case(
        f"r: no score or rank column; the columns are qid, docid, rel{LOOK_LIKE_JUDGMENTS}",
        "qid,docid,rel\n1,d1,1\n",
    ),
    Case(
        "q: this looks like a run, because it has a score and a rank; expected judgments with a grade",
        qrels="qid,docid,rank,score\n1,d1,1,1\n",
    ),
    Case("r: the input is empty; expected a run", "topic,document,score\n"),
    Case("q: the input is empty; expected judgments", qrels="topic,document,grade\n\n"),
    Case("r:1: two columns are named score", "topic,document,score,score\n1,d1,1,2\n"),
    Case("r:1: two columns are named x", "topic,document,score,x,x\n1,d1,1,2,3\n"),
    Case("r:3: score is missing", CSV.replace("1.5", "")),
    Case("r:3: score is missing", CSV.replace(",1.5", "")),
    Case("r:3: document is missing", CSV.replace("d2", "")),
    Case("r:3: topic is missing", CSV.replace("1,d2", '"",d2')),
    Case("r:3: score '2,5' is not a number", CSV.replace("1.5", '"2,5"')),
    Case("r:4: score 'x' is not a number", 'topic,document,score\n1,"d\n1",1\n1,d2,x\n'),
    Case("r:6: score 'nan' is not a finite number", 'topic,document,score\r\n1,"d\r\n1",1\r\n\r\n \r\n1,d2,nan\r\n'),
    Case("r:3: score '1e999' is too large for a number", CSV.replace("1.5", "1e999")),
    Case("r:3: score '1_0' is not a number", CSV.replace("1.5", "1_0")),
    Case("r:3: expected 3 values (topic, document, score), found 4", CSV.replace("1.5", "1.5,6")),
    Case("r:3: a quote is not closed", CSV.replace("d2", '"d2')),
    Case("r:3: text after a closing quote; expected a separator or the line end", CSV.replace("d2", '"d2"x')),
    Case("r:2: document has 200,000 bytes; expected an id of at most 65,535", CSV.replace("d1", "d" * 200_000)),
    Case("r:2: document has 133,334 bytes; expected an id of at most 65,535", CSV.replace("d1", '"' + 'd""' * 66_666 + 'dd"')),
    Case("r:3: document d1 is retrieved twice for topic 1 (first on line 2); pass --duplicates first or --duplicates best to keep one", CSV.replace("d2", "d1")),
    Case("r:3: not UTF-8 (byte 0xE9); convert the file, for example with iconv", CSV.replace("d2", "d\xe9").encode("latin-1")),
    Case("r:3: not a text file (it has a zero byte here); expected a table with named columns", CSV.replace("d2", "d\0")),
    Case("r: UTF-16, not UTF-8; convert the file, for example with iconv", CSV.encode("utf-16")),
    Case("r:3: score 'x' is not a number", CSV.replace(",", "\t").replace("1.5", "x")),
    Case("r:2: rank 'x' is not a whole number", "topic,document,rank\n1,d1,x\n"),
    Case("r:2: rank '1.5' is not a whole number", "topic,document,rank,score\n1,d1,1.5,2\n", words=["--ties", "rank"]),
    Case("r: the run has no rank column; ties=rank requires it", CSV, words=["--ties", "rank"]),
    Case("q:2: grade '1,5' is not a number", qrels='qid,docid,rel\n1,d1,"1,5"\n'),
    Case("q:2: grade '1e20' is too large; expected at most 15 digits", qrels="qid,docid,rel\n1,d1,1e20\n"),
    Case("q:3: document d1 is judged twice for topic 1 (first on line 2)", qrels="qid,docid,rel\n1,d1,1\n1,d1,0\n"),
    Case(f"r:1: expected 6 fields ({RUN_FIELDS}), found 1: 'a,b,c'{LIKE_CSV} the line topic,document,score", "a,b,c\n1,d1,1\n"),
    Case(f"r:1: expected 6 fields ({RUN_FIELDS}), found 1: '1,d1,0,9,2.5'{LIKE_CSV} the line topic,document,start,end,score",
         "1,d1,0,9,2.5\n"),
    Case(f"r:1: expected 6 fields ({RUN_FIELDS}), found 1: '1,Q0,d1,1,2.5,t'{LIKE_CSV} the line topic,Q0,document,rank,score,tag",
         "1,Q0,d1,1,2.5,t\n"),
    Case(f"r:1: expected 6 fields ({RUN_FIELDS}), found 1: '1,\"a,b\",2,3'{LIKE_CSV} a line that names the 4 columns, among them "
         "topic, document, score", '1,"a,b",2,3\n'),
    Case(f"q:1: expected 4 fields (topic iteration document grade), found 1: '1,d1,1'{LIKE_CSV} the line topic,document,grade", qrels="1,d1,1\n"),
    Case(f"q:1: expected 4 fields (topic iteration document grade), found 1: '1,0,d1,1'{LIKE_CSV} the line topic,Q0,document,grade",
         qrels="1,0,d1,1\n"),
    Case(f"q:1: expected 4 fields (topic iteration document grade), found 1: '1,d1,0,9,1'{LIKE_CSV} the line topic,document,start,end,grade",
         qrels="1,d1,0,9,1\n"),
    Case("q:1: expected 4 fields (topic iteration document grade), found 1: '1,d1'", qrels="1,d1\n"),
    Case("r: no topic column; the columns are Question Nr, docno, score; pass --column, for example topic='Question Nr'",
         "Question Nr,docno,score\n1,d1,1\n"),
    Case("r: no topic column; the columns are query text, TopicId, docno, score; pass --column, for example topic=TopicId",
         "query text,TopicId,docno,score\na,1,d1,1\n"),
    Case("q: no topic column; the columns are 1 0 d1 1; expected a column such as query_id, or pass --column, for example topic=NAME", CSV, words=["--format", "csv"]),
    Case("r:3: not valid JSON (Expecting property name enclosed in double quotes at column 2): '{bad'", JSONL + "{bad\n"),
    Case("r:4: not valid JSON (Extra data at column 4): '{} {}'; expected one object per line, without a comma after it", JSONL + "\n{} {}\n"),
    Case("r:3: expected a JSON object, found '[1, 2]'", JSONL + "[1, 2]\n"),
    Case("r:3: expected a JSON object, found 'null'", JSONL + "null\n"),
    Case("r: no document column; the columns are topic; expected a column such as doc_id, or pass --column, for example document=NAME", '[{"topic": 1}]'),
    Case("r:3: topic [1] is neither text nor a whole number", JSONL + '{"topic": [1], "document": "d3", "score": 1}\n'),
    Case(
        "r:3: document {'a': 1} is neither text nor a whole number",
        JSONL + '{"topic": 1, "document": {"a": 1}, "score": 1}\n',
    ),
    Case("r:3: document False is neither text nor a whole number", JSONL + '{"topic": 1, "document": false, "score": 1}\n'),
    Case(
        "r:3: document '\\ud800' contains a lone surrogate, which is not valid Unicode",
        JSONL + '{"topic": "1", "document": "\\ud800", "score": 1}\n',
    ),
    Case(
        "r:3: document '\\udc00' contains a lone surrogate, which is not valid Unicode",
        JSONL
        + '{"topic": "1", "document": "\\udc00", "score": 1}\n{"topic": "1", "document": "\\udc01", "score": 2}\n',
    ),
    Case("r:3: score is missing", JSONL + '{"topic": "1", "document": "d3"}\n'),
    Case("r: the input is empty; expected a run", '{"q1": null, "q2": null}'),
    Case("r: no topic column; the columns are doc_id, score; expected a column such as query_id, or pass --column, for example topic=NAME",
         '{"doc_id": null, "score": null}\n{"doc_id": null, "score": null}\n'),
    Case("r:3: document is missing", JSONL + '{"topic": "1", "document": null, "score": 1}\n'),
    Case("r:3: score 'x' is not a number", JSONL + '{"topic": "1", "document": "d3", "score": "x"}\n'),
    Case("r:3: score 'nan' is not a finite number", JSONL + '{"topic": "1", "document": "d3", "score": NaN}\n'),
    Case("r:3: score True is neither text nor a number", JSONL + '{"topic": "1", "document": "d3", "score": true}\n'),
    Case("r:1: topic 1.5 is neither text nor a whole number", '{"topic": 1.5, "document": "d3", "score": 1}\n'),
    Case("r: topic 1, document d1: score 'high' is not a number", '{"1": {"d1": "high"}}'),
    Case("r: the object has two values named '1'; expected one", '{"1": {"d1": 1.5}, "1": {"d1": 2}}'),
    Case("r:1: not valid JSON (Expecting ',' delimiter at column 9)", '{"1": [5'),
    Case("r: cannot parse this JSON: a number is too long or the brackets are too deep", '{"a": ' + '{"a":' * 100_000),
    Case("r:2: not UTF-8 (byte 0xFF); convert the file, for example with iconv", JSONL.encode().replace(b"d2", b"\xff")),
    Case(
        "r: row 1: topic True is neither text nor a whole number",
        parquet(topic=[True], document=["d"], score=[1]),
    ),
    Case("r: row 1: score [1] is neither text nor a number", parquet(topic=[1], document=["d"], score=[[1]])),
    Case("r: row 2: score 'x' is not a number", parquet(topic=[1, 1], document=["d", "e"], score=["1", "x"])),
    Case("r: row 2: topic is missing", parquet(topic=[1, None], document=["d", "e"], score=[1, 2])),
    Case(
        "r: row 1: topic 1.5 is neither text nor a whole number",
        parquet(topic=[1.5, 1], document=["d", "e"], score=[1, 2]),
    ),
    Case(
        "r: row 2: document d is retrieved twice for topic 1 (first in row 1); pass --duplicates first or --duplicates best to keep one",
        parquet(qid=[1, 1], did=["d", "d"], sim=[1, 2]),
    ),
    Case("r: the input is empty; expected a run", parquet(topic=[], document=[], score=[])),
    Case("q: row 1: grade 'inf' is not a finite number", qrels=parquet(topic=[1], document=["d"], grade=[float("inf")])),
]

FILES = [
    Case("nothing.run: no such file", args=["q", "nothing.run"]),
    Case("nothing.qrels: no such file", args=["nothing.qrels", "r"]),
    Case("folder: this is a folder; expected a file", args=["q", "folder"]),
    Case("folder: this is a folder; expected a file", args=["folder", "r"]),
    Case("standard input: the input is empty; expected a run", args=["q", "-"]),
    Case("standard input can be read only once", args=["-", "-"], status=2),
    Case("run r was given twice", args=["q", "r", "r"], status=2),
    Case("broken.py: cannot run the file: ZeroDivisionError: division by zero", words=["--define", "broken.py"]),
    Case("typo.py: cannot run the file: SyntaxError: invalid syntax (typo.py, line 1)", words=["--define", "typo.py"]),
]

MEASURES = {
    "APP": "unknown measure 'APP'; did you mean AP? `assay measures` lists all\n"
    "did you mean: assay evaluate q r -m AP -m AP",
    "xyzzy": "unknown measure 'xyzzy'; `assay measures` lists all",
    "P(": "'P(' is not a measure; expected for example AP, P@10 or nDCG(dcg=exp)@10",
    "P@": "'P@' is not a measure; expected for example AP, P@10 or nDCG(dcg=exp)@10",
    "P@0": "P@0: expected a rank, at least 1",
    "P@-1": "P@-1: expected a rank, at least 1",
    "P@x": "'P@x': k=x; expected a whole number",
    "P@1.5": "'P@1.5': k=1.5; expected a whole number",
    "nDCG(dcg=exp)@5, 0": "nDCG@0: expected a rank, at least 1",
    "IPrec@1.5": "IPrec@1.5: expected a recall level between 0 and 1",
    "P(rel=x)": "'P(rel=x)': rel=x; expected a number",
    "P(foo=1)@5": "'P(foo=1)@5': P has no parameter 'foo'; it takes rel, k, chars, tokens, fit, unit",
}


@pytest.fixture
def folder(folder, tmp_path):
    """The folder to work in, with some files that cannot be run."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "typo.py").write_text("def\n")
    return tmp_path


def refused(case: Case, folder) -> None:
    written(QRELS if case.qrels is None else case.qrels, "q")
    written(RUN if case.content is None else case.content, "r")
    result = invoke("evaluate", *(case.args or ["q", "r"]), *case.words, "-m", "AP")
    assert (result.stderr, result.stdout, result.exit_code) == (case.message + "\n", "", case.status)


@pytest.mark.parametrize(("case", "block"), in_turn([*LINES, *COMPRESSED], None, 128, 14), ids=repr)
def test_a_file_of_lines_is_refused(case, block, folder, monkeypatch):
    if block:
        monkeypatch.setattr(source, "BLOCK", block)
    refused(case, folder)


@pytest.mark.parametrize("case", [*TABLES, *FILES], ids=repr)
def test_a_table_or_a_path_is_refused(case, folder):
    refused(case, folder)


OF_ONE_FILE = [
    case for case in (*LINES, *TABLES) if case.message[:2] in ("r:", "q:") and "is empty" not in case.message
]


@pytest.mark.parametrize("case", OF_ONE_FILE, ids=repr)
def test_what_the_evaluation_refuses_is_shown_by_the_check(case, check):
    """A message that belongs to one file stands, whole, in the check of that file; but not what an evaluation may do."""
    name = case.message[0]
    kind = "run" if name == "r" else "judgments"
    if "looks like a run" in case.message or "has no rank column" in case.message or "--format" in case.words:
        pytest.skip("the check is told what the file is")
    shown, status = check([name, "--kind", kind], **{name: case.content if name == "r" else case.qrels})
    said = case.message.replace("expected a TREC run", "expected a run or judgments").replace(
        "TREC qrels", "a run or judgments"
    )
    said = said.partition("; pass --duplicates")[0].partition("; the tags ")[0]
    assert status == 1
    assert said in shown.splitlines()


@pytest.mark.parametrize("typed", MEASURES)
def test_a_measure_is_refused(typed, folder):
    refused(Case(MEASURES[typed], words=["-m", typed], status=2), folder)


def test_ten_megabytes_on_one_line(folder):
    refused(Case("r:1: the line has more than 4,194,304 bytes; is this a text file with one row per line?", "1" * 10_000_000), folder)
    refused(Case("r:2: the line has more than 4,194,304 bytes; is this a text file with one row per line?", RUN[:16] + f"1 Q0 {'d' * 10_000_000} 1 1 t\n"), folder)
    refused(
        Case("r:2: document has 1,000,000 bytes; expected an id of at most 65,535", f"\n1 Q0 {'d' * 1_000_000} 1 1 t"),
        folder,
    )


@pytest.mark.parametrize("place", [-1, -10, 60, 4])
def test_a_damaged_parquet_file_is_refused_with_what_polars_says_of_it(place, folder):
    damaged = parquet(topic=["1"] * 9, document=[*"abcdefghi"], score=[1.5] * 9)[:place]
    if place == 4:
        refused(Case(f"r:1: expected 6 fields ({RUN_FIELDS}), found 1: 'PAR1'", damaged), folder)
        return
    with pytest.raises(pl.exceptions.PolarsError) as theirs:
        pl.read_parquet(io.BytesIO(damaged))
    why = str(theirs.value).splitlines()[0]
    refused(Case(f"r: cannot read the file as Parquet: {why if len(why) <= 100 else why[:99] + '…'!r}", damaged), folder)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_may_not_be_read_is_refused(folder):
    (folder / "locked").write_text(RUN)
    (folder / "locked").chmod(0)
    refused(Case("locked: cannot read the file: Permission denied", args=["q", "locked"]), folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ties", "coin"], "Invalid value for '--ties': 'coin' is not one of 'docno', 'input', 'rank', 'expected'."),
        (
            ["--topics", "few"],
            "Invalid value for '--topics': 'few' is not one of 'judged', 'relevant', 'common', 'error'.",
        ),
        (
            ["--format", "xls"],
            "Invalid value for '--format': 'xls' is not one of 'trec', 'sampled', 'fol', 'elements', 'inex', 'genomics', "
            "'spans', 'csv', 'tsv', 'jsonl', 'json', 'doccano', 'label_studio', 'ragas', 'clapnq', 'legalbench', 'squad', 'chroma', 'brat', "
            "'kilt', 'hotpot', 'qasper', 'bioasq', 'nuggets', 'trec_rag', 'web_annotation', 'study', 'parquet'.",
        ),
        (["--depth", "0"], "Invalid value for '--depth': 0 is not in the range x>=1."),
        (["--digits", "18"], "Invalid value for '--digits': 18 is not in the range 0<=x<=17."),
        (["--define", "none.py"], "Invalid value for '--define': File 'none.py' does not exist."),
    ],
)
def test_an_option_is_refused(words, said, folder):
    (folder / "q").write_text(QRELS)
    (folder / "r").write_text(RUN)
    result = invoke("evaluate", "q", "r", *words)
    assert (result.stderr.splitlines()[-1], result.stdout, result.exit_code) == (f"Error: {said}", "", 2)


def test_a_measure_without_a_closed_form_refuses_expected_ties(folder):
    why = "GMbpref has no closed form for the expected value over ties; pass --ties docno or --ties input or --ties rank"
    refused(Case(why, words=["--ties", "expected", "-m", "GMbpref"], status=2), folder)


@pytest.mark.parametrize(
    ("run", "qrels", "words"),
    [
        (run_with("1").replace("d2 2", "d2 " + "9" * 30), QRELS, []),
        ("topic,document,rank,score\n1,d1,x,2\n2,d1,y,1\n", QRELS, []),
        (RUN, qrels_with("-1"), []),
        (RUN, qrels_with("2.0"), []),
        (RUN, "1 0 d1 1 and more\n", []),
        (RUN.replace("t\n", "t and more\n"), QRELS, []),
        (RUN, QRELS, ["-m", "AP@10"]),
        ("BZh9 Q0 d1 1 1 t\n" + RUN, QRELS, []),
        ("PAR1 Q0 d1 1 1 t\n" + RUN, QRELS, []),
        ("{1} Q0 d1 1 1 t\n" + RUN, QRELS, []),
        ("# query, document\n" + RUN, QRELS, []),
    ],
)
def test_what_only_looks_bad_is_read(run, qrels, words, folder):
    (folder / "q").write_text(qrels)
    (folder / "r").write_text(run)
    result = invoke("evaluate", "q", "r", "-m", "AP", "--quiet", *words)
    assert (result.stderr, result.exit_code) == ("", 0)
    assert result.stdout.split("\n")[1].split("\t")[1] != "0.0"


# Objects in memory.

PAIRS = {"topic": ["1", "1"], "document": ["d1", "d2"]}
JUDGED = {"1": {"d1": 1}}
EXPECTED = "expected a file, a dict of dicts, a frame or records (topic, document, {}), found {}"


def frame(**columns):
    return pd.DataFrame({**PAIRS, **columns})


RUNS_IN_MEMORY = [
    ({"1": {"d1": None}}, "bm25: topic 1, document d1: score is missing"),
    ({"1": {"d1": "x"}}, "bm25: topic 1, document d1: score 'x' is not a number"),
    ({"1": {"d1": True}}, "bm25: topic 1, document d1: score True is neither text nor a number"),
    ({"1": {"d1": float("nan")}}, "bm25: topic 1, document d1: score 'nan' is not a finite number"),
    ({"1": {"d1": float("inf")}}, "bm25: topic 1, document d1: score 'inf' is not a finite number"),
    ({"1": {"d1": 10**400}}, f"bm25: topic 1, document d1: score '1{'0' * 58}…' is too large for a number"),
    ({"1": {"d1": [1]}}, "bm25: topic 1, document d1: score [1] is neither text nor a number"),
    ({"1": {"d1": 1 + 0j}}, "bm25: topic 1, document d1: score (1+0j) is neither text nor a number"),
    ({1.5: {"d1": 1}}, "bm25: topic 1.5 is neither text nor a whole number"),
    ({None: {"d1": 1}}, "bm25: topic is missing"),
    ({True: {"d1": 1}}, "bm25: topic True is neither text nor a whole number"),
    ({"": {"d1": 1}}, "bm25: topic is missing"),
    ({"1": {b"d1": 1}}, "bm25: topic 1, result 1: document b'd1' is neither text nor a whole number"),
    ({"1": {float("nan"): 1}}, "bm25: topic 1, result 1: document is missing"),
    ({"1": {"d" * 70_000: 1}},
     f"bm25: topic 1, document {'d' * 58}…: document has 70,000 bytes; expected an id of at most 65,535"),
    ({10**5000: {"d1": 1}}, "bm25: topic of type int has too many digits for an id; expected text or a shorter number"),
    ({"1": {"d1": 1}, "2": 5}, "bm25: topic 2 has 5; expected a dict of document: score"),
    ({"1": [{"d1": 1}]}, "bm25: topic 1, result 1: document is missing; the keys are d1"),
    ({"1": [({"d1": 1}, 0.5)]}, "bm25: topic 1, result 1: document is missing; the keys are d1"),
    ({7: {"d1": 1}, "7": {"d1": 1}}, "bm25: topics 7 (a number) and '7' (a string) are the same topic; expected it once"),
    ({}, "bm25: the input is empty; expected a run"),
    ({"1": {}}, "bm25: the input is empty; expected a run"),
    (iter([]), "bm25: the input is empty; expected a run"),
    (5, "bm25: " + EXPECTED.format("score", "5")),
    (None, "bm25: " + EXPECTED.format("score", "None")),
    (b"bytes", "bm25: " + EXPECTED.format("score", "b'bytes'")),
    ("a\0b", "'a\\x00b' is not a path: embedded null byte"),
    ("", "'': no such file"),
    ([("1", "d1", 2), ("1", "d2")], "bm25: record 2: expected topic, document and score, found ('1', 'd2')"),
    ([("1", 0, "d1", 2)], "bm25: record 1: expected topic, document and score, found ('1', 0, 'd1', 2)"),
    (
        [{"topic": "1", "score": 2}],
        "bm25: no document column; the columns are topic, score; expected a column such as doc_id, or pass columns=, for example document=NAME",
    ),
    (
        [{"topic": "1", "document": "d1", "score": 2}, ("1", "d2", 1)],
        "bm25: record 2: found ('1', 'd2', 1) after records of another kind; write all of them as dicts, or all as tuples",
    ),
    (
        [("1", "d2", 1), {"topic": "1"}],
        "bm25: record 2: found {'topic': '1'} after records of another kind; write all of them as dicts, or all as tuples",
    ),
    (["1 Q0 d1 1 2 t"], "bm25: record 1: expected topic, document and score, found '1 Q0 d1 1 2 t'"),
    ([("1", "d1", 1), ("1", "d1", 2)], "bm25: record 2: document d1 is retrieved twice for topic 1 (first in record 1)" + KEEP_ONE),
    ([{"topic": "1", "document": "d1", "score": None}], "bm25: record 1: score is missing"),
    (frame(score=[1, np.nan]), "bm25: row 2: score is missing"),
    (frame(score=[1, None]), "bm25: row 2: score is missing"),
    (frame(score=pd.array([1, None], dtype="Int64")), "bm25: row 2: score is missing"),
    (frame(score=[1, np.inf]), "bm25: row 2: score 'inf' is not a finite number"),
    (frame(score=["1", "x"]), "bm25: row 2: score 'x' is not a number"),
    (frame(score=[1, "x"]), "bm25: row 2: score 'x' is not a number"),
    (frame(score=[True, False]), "bm25: row 1: score True is neither text nor a number"),
    (frame(score=[1, True]), "bm25: row 2: score True is neither text nor a number"),
    (frame(score=[[1], [2]]), "bm25: row 1: score [1] is neither text nor a number"),
    (frame(score=[10**400, 1]), f"bm25: row 1: score '1{'0' * 58}…' is too large for a number"),
    (frame(score=[1, 2], topic=[1.5, 1]), "bm25: row 1: topic 1.5 is neither text nor a whole number"),
    (frame(score=[1, 2], topic=[1, np.nan]), "bm25: row 2: topic is missing"),
    (frame(score=[1, 2], topic=["1", None]), "bm25: row 2: topic is missing"),
    (frame(score=[1, 2], topic=["1", ""]), "bm25: row 2: topic is missing"),
    (frame(score=[1, 2], topic=[True, False]), "bm25: row 1: topic True is neither text nor a whole number"),
    (
        frame(score=[1, 2], document=["d1", "d1"]),
        "bm25: row 2: document d1 is retrieved twice for topic 1 (first in row 1)" + KEEP_ONE,
    ),
    (frame(), "bm25: no score or rank column; the columns are topic, document; if the rows are sorted best first, add a column rank"),
    (
        frame(rel=[1, 0]),
        f"bm25: no score or rank column; the columns are topic, document, rel{LOOK_LIKE_JUDGMENTS}",
    ),
    (
        frame(score=[1, 2]).set_index("topic"),
        "bm25: no topic column, but the index has topic; call reset_index() to make it a column",
    ),
    (
        frame(score=[1, 2]).rename(columns={"document": "docno"}).set_index("docno"),
        "bm25: no document column, but the index has docno; call reset_index() to make it a column",
    ),
    (pd.concat([frame(score=[1, 2]), pd.DataFrame({"score": [1, 2]})], axis=1), "bm25: two columns are named score"),
    (frame(score=[1, 2], x=0, y=0).set_axis(["topic", "document", "score", "", ""], axis=1), "bm25: two columns are named ''"),
    (pd.DataFrame(), "bm25: no topic column; there are no columns at all; expected a column such as query_id, or pass columns=, for example topic=NAME"),
    (pd.Series([1, 2]), "bm25: a pandas Series is not a table; expected a DataFrame"),
    (pl.DataFrame({**PAIRS, "score": [1.0, float("nan")]}), "bm25: row 2: score 'nan' is not a finite number"),
    (pl.DataFrame({**PAIRS, "score": [None, 1.0]}), "bm25: row 1: score is missing"),
    (pl.DataFrame({"topic": [], "document": [], "score": []}), "bm25: the input is empty; expected a run"),
    (
        pl.LazyFrame({**PAIRS, "score": [1, 2]}).drop("topic"),
        "bm25: no topic column; the columns are document, score; expected a column such as query_id, or pass columns=, for example topic=NAME",
    ),
    (pa.table({**PAIRS, "score": ["1", "x"]}), "bm25: row 2: score 'x' is not a number"),
]


@pytest.mark.parametrize(("run", "message"), RUNS_IN_MEMORY, ids=[message[:60] for _, message in RUNS_IN_MEMORY])
def test_a_run_in_memory_is_refused(run, message):
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(JUDGED, {"dense": {"1": {"d1": 1}}, "bm25": run}, "AP")
    assert str(caught.value) == message


JUDGMENTS_IN_MEMORY = [
    ({"1": {"d1": "one"}}, "judgments: topic 1, document d1: grade 'one' is not a number"),
    ({"1": {"d1": None}}, "judgments: topic 1, document d1: grade is missing"),
    ({"1": {"d1": True}}, "judgments: topic 1, document d1: grade True is neither text nor a number"),
    ({"1": {"d1": float("nan")}}, "judgments: topic 1, document d1: grade 'nan' is not a finite number"),
    (
        {"1": {"d1": 10**16}},
        "judgments: topic 1, document d1: grade '10000000000000000' is too large; expected at most 15 digits",
    ),
    (
        {"1": {"d1": 10**5000}},
        "judgments: topic 1, document d1: grade of type int is too large; expected at most 15 digits",
    ),
    ({1.5: {"d1": 1}}, "judgments: topic 1.5 is neither text nor a whole number"),
    ({"1": 5}, "judgments: topic 1 has 5; expected a dict of document: grade"),
    ({}, "judgments: the input is empty; expected judgments"),
    ([], "judgments: the input is empty; expected judgments"),
    (5, "judgments: " + EXPECTED.format("grade", "5")),
    ([("1", "d1")], "judgments: record 1: expected topic, document and grade, found ('1', 'd1')"),
    ([("1", "d1", 1), (1, "d1", 2)], "judgments: record 2: document d1 is judged twice for topic 1 (first in record 1)"),
    (frame(rel=[1, None]), "judgments: row 2: grade is missing"),
    (frame(rel=[1, float("inf")]), "judgments: row 2: grade 'inf' is not a finite number"),
    (frame(rel=[1, "x"]), "judgments: row 2: grade 'x' is not a number"),
    (frame(rel=[1, 1e20]), "judgments: row 2: grade '1e+20' is too large; expected at most 15 digits"),
    (frame(rel=[True, False]), "judgments: row 1: grade True is neither text nor a number"),
    (frame(), "judgments: no grade column; the columns are topic, document"),
]


@pytest.mark.parametrize(
    ("judgments", "message"), JUDGMENTS_IN_MEMORY, ids=[message[:60] for _, message in JUDGMENTS_IN_MEMORY]
)
def test_judgments_in_memory_are_refused(judgments, message):
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(judgments, {"1": {"d1": 1}}, "AP")
    assert str(caught.value) == message


def test_a_standard_input_that_is_closed_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(JUDGED, "-", "AP")
    assert str(caught.value) == "standard input: cannot read the file: it is closed"


@pytest.mark.parametrize("content", ["", "# comment", "\n"])
def test_an_empty_run_is_no_table(content, folder):
    (folder / "r").write_text(content)
    with pytest.raises(assay.InputError) as caught:
        assay.read_run("r")
    assert str(caught.value) == "r: the input is empty; expected a run"


def test_an_error_keeps_its_parts():
    with pytest.raises(assay.InputError) as caught:
        assay.read_run("nothing.run")
    assert (caught.value.path, caught.value.line, caught.value.what) == ("nothing.run", None, "no such file")


def test_ties_by_rank_need_ranks():
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate(JUDGED, {"bm25": {"1": {"d1": 1}}, "dense": {"1": {"d1": 1}}}, "AP", ties="rank")
    assert str(caught.value) == "bm25: the run has no rank column; ties=rank requires it"


def test_an_unknown_format_is_refused():
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(JUDGED, "no such file", "AP", format="xls")
    known = (
        "trec, sampled, fol, elements, inex, genomics, spans, csv, tsv, jsonl, json, doccano, label_studio, ragas, clapnq, legalbench, squad, "
        "chroma, brat, kilt, hotpot, qasper, bioasq, nuggets, trec_rag, web_annotation, study, parquet"
    )
    assert str(caught.value) == f"unknown format 'xls'; choose from {known}"


def test_the_command_for_fields_without_names_works(folder):
    written("1\td1\t1\n1\td2\t2\n", "ms marco.run")
    error = invoke("evaluate", written(QRELS, "q"), "ms marco.run").stderr
    subprocess.run(error.partition("above them: ")[2], shell=True, check=True)
    # d1 is relevant, and the first result
    assert assay.evaluate("q", "named.tsv", "RR")["RR", "1"] == 1
