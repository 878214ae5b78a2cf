"""The search box over the documents, the gold that questions get, and the command."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

import assay
from assay.assessing.launch import Address, study_of_example, study_of_questions
from assay.assessing.people import open_document
from assay.assessing.progress import GoldFile
from assay.assessing.search import PassageSearch, in_pieces, parse_query, passages
from assay.documents.lookup import Documents
from assay.errors import InputError
from assay.studies.strokes import Stroke
from assay.studies.study import describe_document, new_id, open_study
from helpers.assessing import plain_client, stroke, write_documents
from helpers.commands import invoke

TEXTS = {
    "ferry": "The ferry leaves the harbour at five.\n\nTickets are sold on board." + " Nothing else." * 20,
    "café": "Cafés near the harbour open at six. A ferryman drinks coffee.",
    "long": "filler " * 1000 + "needle" + " filler" * 1000,
}


@pytest.fixture
def search(folder):
    search = PassageSearch("study.db", write_documents(folder / "documents", TEXTS))
    yield search
    search.close()


def found(search, query):
    hits, some = search.find(query)
    return sorted({hit.document for hit in hits}), some


@pytest.mark.parametrize(
    ("query", "documents", "some"),
    [
        ("ferry", ["ferry"], False),
        ("FERRY harbour", ["ferry"], False),
        ("ferry*", ["café", "ferry"], False),
        ('"leaves the harbour"', ["ferry"], False),
        ('"harbour leaves"', [], False),
        ("cafes", ["café"], False),
        ("ferry coffee", ["café", "ferry"], True),
        ("needle", ["long"], False),
        ("", [], False),
        ('"', [], False),
        ("NEAR( ferry OR harbour NOT - ^ : {", ["café", "ferry"], True),
        ("document:ferry", [], False),
    ],
)
def test_words_phrases_and_prefixes_are_found(search, query, documents, some):
    assert found(search, query) == (documents, some)


def test_hits_say_where_they_begin_and_what_was_searched_for(search):
    (hit,), _ = search.find("needle")
    text = "".join(piece for piece, _ in hit.pieces)
    assert TEXTS["long"][hit.start : hit.start + len(text)] == text
    assert [piece for piece, is_found in hit.pieces if is_found] == ["needle"]


@pytest.mark.parametrize("text", [*TEXTS.values(), "", "a", "a\n\n\nb", "x" * 5000, "\n\n" * 50, "one.\n\n" * 300])
def test_passages_are_the_whole_text(text):
    found = list(passages(text))
    assert "".join(text[start:end] for start, end in found) == text
    assert all(end - start <= 1200 + 200 for start, end in found)


def test_the_index_is_made_again_only_if_a_document_changed(search, folder):
    search.prepare()
    search.close()
    before = os.stat("study.db-search").st_mtime_ns
    again = PassageSearch("study.db", search.documents)
    assert found(again, "ferry") == (["ferry"], False)
    again.close()
    assert os.stat("study.db-search").st_mtime_ns == before
    (folder / "documents/new.txt").write_text("A ferry too.")
    again = PassageSearch("study.db", Documents(folder / "documents", cache=False))
    assert found(again, "ferry") == (["ferry", "new"], False)
    again.close()


def test_queries_and_marks_are_taken_apart():
    assert parse_query('ferry "two words" pre* a"b -') == ['"ferry"', '"two words"', '"pre" *', '"a""b"']
    assert in_pieces("a\ufdd0b\ufdd1c") == [("a", False), ("b", True), ("c", False)]


@pytest.fixture
def questions(folder):
    """A study of two questions, with a document opened for each."""
    documents = write_documents(folder / "documents", TEXTS)
    Path("questions.jsonl").write_text('{"query_id": "q1", "text": "When?"}\n{"query_id": "q2", "text": "Where?"}\n')
    with open_study(study_of_questions("questions.jsonl", "gold.jsonl")) as study:
        study.add_assessor("me", "organiser")
        study.add_documents([describe_document(name, text) for name, text in TEXTS.items()])
        yield study, documents, [open_document(study, "me", topic, "ferry") for topic in ("q1", "q2")]


def test_gold_is_what_evaluate_takes(questions):
    study, documents, (first, _) = questions
    study.append(first.id, [Stroke(new_id(), "highlight", 4, 9, "1"), Stroke(new_id(), "highlight", 39, 46, "2")])
    GoldFile(study, documents, "gold.jsonl").write()
    rows = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
    assert rows[0] == {
        "query_id": "q1", "doc_id": "ferry", "start": 4, "end": 9, "text": "ferry", "fact": "1", "annotator": "me",
        "assisted": False, "search": "SQLite FTS5 bm25",
    }  # fmt: skip
    Path("run.jsonl").write_text('{"query_id": "q1", "doc_id": "ferry", "start": 0, "end": 20, "rank": 1}\n')
    scores = assay.evaluate("gold.jsonl", "run.jsonl", ["R@5"])
    assert scores["R@5"] == 5 / 12  # "ferry" of "ferry" and "Tickets"


def test_a_file_of_another_study_is_never_overwritten(questions):
    study, documents, (first, _) = questions
    Path("gold.jsonl").write_text("mine")
    with pytest.raises(InputError) as error:
        GoldFile(study, documents, "gold.jsonl")
    assert str(error.value) == "gold.jsonl: this study did not write the file, or someone changed it since; choose another output"
    Path("gold.jsonl").unlink()
    GoldFile(study, documents, "gold.jsonl").write()
    study.append(first.id, [Stroke(new_id(), "highlight", 4, 9, "1")])
    GoldFile(study, documents, "gold.jsonl").write()
    assert len(Path("gold.jsonl").read_text().splitlines()) == 1
    Path("gold.jsonl").write_text(Path("gold.jsonl").read_text() + "\n")
    with pytest.raises(InputError, match="someone changed it since"):
        GoldFile(study, documents, "gold.jsonl")


def test_questions_can_be_added_later(questions):
    study, *_ = questions
    study.close()
    Path("questions.jsonl").write_text('{"query_id": "q1", "text": "When?"}\n{"query_id": "q3", "text": "Who?"}\n')
    with open_study(study_of_questions("questions.jsonl", "gold.jsonl")) as again:
        assert [topic.name for topic in again.topics()] == ["q1", "q2", "q3"]


def test_what_the_command_cannot_do_is_refused(folder):
    write_documents(folder / "documents", TEXTS)
    Path("questions.jsonl").write_text('{"query_id": "q1", "text": "When?"}\n')
    (folder / "empty").mkdir()
    path, documents = study_of_example(str(folder))
    refused = {
        ("no.db", "--invite", "anna"): (1, "no.db: no such file; expected a study (make one with `assay pool`)\n"),
        ("none.db",): (1, "none.db: no such file; expected a study or questions\n"),
        (path,): (2, "no documents to judge; pass --documents\n"),
        ("questions.jsonl", "--documents", "documents"): (1, "questions.jsonl: not a study; if these are questions, pass --output to name a file for the gold\n"),
        ("none.jsonl", "--documents", "documents"): (1, "none.jsonl: no such file; expected a study or questions\n"),
        (path, "--documents", documents, "-o", "gold.jsonl"): (2, "--output works only with questions; `assay convert` writes the judgments of a study\n"),
        (path, "--documents", documents, "--host", "0.0.0.0"): (2, "0.0.0.0 can be reached from the network, and without TLS others there can read everything; pass --certificate and --key, or --insecure\n"),
        (path, "--documents", documents, "--host", "0.0.0.0", "--insecure"): (2, "0.0.0.0 is not a host name; pass --allow-host with the name under which others reach this machine\n"),
        (path, "--documents", documents, "--certificate", "c.pem"): (2, "--certificate requires --key\n"),
        (path, "--documents", documents, "--certificate", "c.pem", "--key", "k.pem"): (1, "c.pem: no such file; expected a PEM file\n"),
        (path, "--documents", documents, "--certificate", "questions.jsonl", "--key", "questions.jsonl"): (1, "questions.jsonl: not a certificate in PEM that questions.jsonl is the key of\n"),
        ("questions.jsonl", "--documents", "empty", "-o", "gold.jsonl"): (1, "empty: there are no documents here; expected text or XML files\n"),
        ("--demo", "--documents", documents): (2, "--demo brings its own study and documents; leave out STUDY, --documents and --output\n"),
        (path, "--revoke", "eve"): (1, f"{path}: no assessor 'eve' in the study\n"),
    }  # fmt: skip
    for words, (status, says) in refused.items():
        done = invoke("assess", *words)
        assert (done.exit_code, done.stderr) == (status, says)


def test_a_missing_extra_is_told(folder, monkeypatch):
    path, documents = study_of_example(str(folder))
    monkeypatch.setitem(sys.modules, "starlette", None)
    done = invoke("assess", path, "--documents", documents)
    why = "`assay assess` needs Starlette and uvicorn; install them with: pip install 'assay-ir[assess]'\n"
    assert (done.exit_code, done.stderr) == (2, why)
    # and nothing was begun
    Path("questions.jsonl").write_text('{"query_id": "q1", "text": "When?"}\n')
    assert invoke("assess", "questions.jsonl", "--documents", documents, "-o", "gold.jsonl").stderr == why
    assert not Path("gold.study.db").exists()


def test_a_link_is_printed_and_can_be_revoked(folder):
    path, _ = study_of_example(str(folder))
    done = invoke("assess", path, "--invite", "anna")
    assert re.fullmatch(r"http://127.0.0.1:8765/join#[\w-]{43}\n", done.stdout)
    assert invoke("assess", path, "--revoke", "anna").exit_code == 0
    with open_study(path) as study:
        assert [(one.name, one.role, one.revoked) for one in study.assessors()] == [("anna", "assessor", True)]


@pytest.mark.parametrize(
    ("words", "opened", "url"),
    [
        ((), None, "http://127.0.0.1:8765"),
        ((), "http://127.0.0.1:9", "http://127.0.0.1:9"),
        ((), "https://lab.example:9", "https://lab.example:9"),
        (("--host", "lab.example"), "http://127.0.0.1:9", "http://lab.example:8765"),
        (("--host", "0.0.0.0", "--insecure"), "http://lab.example:9", "http://127.0.0.1:8765"),
        (("--host", "::1", "--port", "9"), None, "http://[::1]:9"),
        (("--host", "0.0.0.0", "--allow-host", "lab.example", "--certificate", "c.pem"), None, "https://lab.example:8765"),
    ],
)
def test_a_link_leads_to_the_server_that_was_named_or_else_to_the_last_one(folder, words, opened, url):
    path, _ = study_of_example(str(folder))
    if opened:
        with open_study(path) as study:
            study.set("address", opened)
    done = invoke("assess", path, "--invite", "anna", *words)
    assert done.stdout.startswith(f"{url}/join#")
    note = (
        "note: this link works only on this computer; for others, start the server with --host 0.0.0.0 --allow-host NAME, and "
        "pass the same here\n"
    )
    assert done.stderr == ("" if "lab" in url else note)


@pytest.mark.parametrize(
    ("address", "hosts", "url"),
    [
        (Address(), {"127.0.0.1:9", "localhost:9", "[::1]:9"}, "http://127.0.0.1:9"),
        (Address("10.0.0.5", names=("Lab.example",)), {"10.0.0.5:9", "lab.example:9"}, "http://Lab.example:9"),
        (Address("10.0.0.5", certificate="c"), {"10.0.0.5:9"}, "https://10.0.0.5:9"),
        (Address("0.0.0.0", names=("lab",)), {"lab:9", "127.0.0.1:9", "localhost:9", "[::1]:9"}, "http://lab:9"),
        (Address("::1"), {"[::1]:9", "localhost:9"}, "http://[::1]:9"),
        (Address("fd00::2"), {"[fd00::2]:9"}, "http://[fd00::2]:9"),
    ],
)
def test_a_server_answers_to_its_own_names_only(address, hosts, url):
    assert (address.hosts(9), address.url(9)) == (hosts, url)


def started(*words):
    """The command as another process, the link that it prints, and its address."""
    process = subprocess.Popen([sys.executable, "-m", "assay", "assess", "--no-browser", *words], stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    link = line.split(" open ")[1].strip()
    url = link.partition("/join#")[0]
    for _ in range(200):
        try:
            plain_client(url).get("/")
            break
        except httpx.HTTPError:
            time.sleep(0.05)
    return process, link, url


def test_nothing_that_was_acknowledged_is_lost_when_the_server_is_killed(folder):
    path, documents = study_of_example(str(folder))
    words = [path, "--documents", documents, "--port", "0"]
    said, cookies = [], None
    for _ in range(3):
        process, link, url = started(*words)
        try:
            with plain_client(url, headers={"origin": url, "x-assay": "1"}, cookies=cookies) as client:
                if cookies is None:
                    assert client.post("/join", json={"token": link.partition("#")[2]}).status_code == 200
                    cookies = client.cookies
                here = client.get("/api/topic", params={"topic": "1"}).json()["documents"][0]["id"]
                waiting = []
                for number in range(25):
                    waiting.append(stroke("highlight", number, number + 1))
                    assert client.post(f"/api/strokes/{here}", json={"strokes": waiting[-2:]}).status_code == 200
                    said += [one["id"] for one in waiting[-2:]]
        finally:
            process.kill()
            process.wait()
            process.stderr.close()
    with open_study(path) as study:
        stored = [one.id for one in study.strokes(here)]
        assert set(stored) == set(said)
        assert len(stored) == len(set(stored)) == 75


def test_the_command_stops_when_it_is_told_to_and_a_second_server_is_refused(folder):
    write_documents(folder / "documents", TEXTS)
    Path("questions.jsonl").write_text('{"query_id": "q1", "text": "When?"}\n')
    words = ["questions.jsonl", "--documents", "documents", "-o", "gold.jsonl"]
    process, _, _ = started(*words, "--port", "0")
    try:
        done = invoke("assess", *words, "--no-browser")
        assert (done.exit_code, done.stderr) == (1, "gold.study.db: another `assay assess` has this study open; use its page, or stop it first\n")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        process.stderr.close()
    assert Path("gold.jsonl").read_text() == ""
