"""What the server of a study stores, shows and refuses."""

import asyncio
import json
import re
import socket
import threading
import time

import httpx
import pytest

from assay.assessing import people, server
from assay.assessing.people import invite, revoke
from assay.documents.lookup import Documents
from assay.errors import InputError
from assay.reading.read import read_judgments
from assay.studies.strokes import Passage, StudySettings
from assay.studies.study import new_id, open_study
from helpers.assessing import TOPIC, make_study, plain_client, served, stroke, write_documents

TEXTS = {"d1": "The ferry leaves at five. 🙂 It returns at nine.", "d2": "Nothing about ships."}


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A server that all these tests share."""
    path, documents = make_study(tmp_path_factory.mktemp("live"), TEXTS)
    with served(path, documents) as live:
        live.anna, live.boss = live.client("anna"), live.client("boss", "organiser")
        yield live


def number(client, document="d1"):
    listed = client.get("/api/topic", params={"topic": "1"}).json()["documents"]
    return next(one["id"] for one in listed if one["document"] == document)


def test_an_assessor_judges_a_document(live):
    study = live.anna.get("/api/study").json()
    assert study["me"] == {"name": "anna", "role": "assessor"}
    assert [(one["name"], one["narrative"], one["documents"]) for one in study["topics"]] == [("1", TOPIC.narrative, 2)]
    here = number(live.anna)
    text = live.anna.get(f"/api/text/{here}").json()
    assert text["text"] == TEXTS["d1"]
    sent = [stroke("highlight", 4, 24), stroke("entry", 4), stroke("validate")]
    stored = live.anna.post(f"/api/strokes/{here}", json={"strokes": sent}).json()["stored"]
    assert [one[0] for one in stored] == [one["id"] for one in sent]
    shown = live.anna.get(f"/api/document/{here}").json()
    assert [one[1] for one in shown["strokes"]][-3:] == ["highlight", "entry", "validate"]
    assert (shown["state"], shown["relevant"], shown["length"]) == ("done", True, len(TEXTS["d1"]))
    assert "others" not in shown
    following = live.anna.get("/api/next", params={"topic": "1"}).json()["next"]
    assert following == number(live.anna, "d2")
    live.anna.post(f"/api/strokes/{here}", json={"strokes": [stroke("reopen")]})


# What is refused: a request that differs from a good one in one point, the status, and what is said.
OWN_PAGE = "changes are accepted only from this server's own page"
NAME = "this server does not have that name; use the address that it printed"
LOGIN = "you are not logged in, or your access ended; ask for a new link"
WRONG = "a stroke has a value of the wrong type"
OBJECT = "expected a JSON object"
NOT_YOURS = "no such document, or it is not assigned to you"
REFUSED = {
    "another origin": ({"headers": {"origin": "http://evil.example"}}, 403, OWN_PAGE),
    "the origin of another port": ({"headers": {"origin": "http://127.0.0.1:1"}}, 403, OWN_PAGE),
    "an opaque origin": ({"headers": {"origin": "null"}}, 403, OWN_PAGE),
    "no origin": ({"headers": {"origin": ""}}, 403, OWN_PAGE),
    "an origin that only begins alike": ({"headers": {"origin": "{url}.evil.example"}}, 403, OWN_PAGE),
    "no header of the page, as a form sends": ({"headers": {"x-assay": ""}}, 403, OWN_PAGE),
    "the type of a form": ({"headers": {"content-type": "text/plain"}}, 415, "expected application/json"),
    "another host": ({"headers": {"host": "evil.example"}}, 421, NAME),
    "another host on this port": ({"headers": {"host": "evil.example:{port}"}}, 421, NAME),
    "the host without its port": ({"headers": {"host": "127.0.0.1"}}, 421, NAME),
    "no cookie": ({"cookies": {}}, 401, LOGIN),
    "a guessed cookie": ({"cookies": {"{cookie}": "x" * 43}}, 401, LOGIN),
    "a hash for a cookie": ({"cookies": {"{cookie}": people.hash_token("x")}}, 401, LOGIN),
    "someone else's document": ({"number": "{other}"}, 404, NOT_YOURS),
    "no document": ({"number": 99999}, 404, NOT_YOURS),
    "too large a body": ({"content": b'{"strokes": "' + b"a" * (1 << 20) + b'"}'}, 413, "the request is larger than 1 MB"),
    "no JSON": ({"content": b"{"}, 400, OBJECT),
    "JSON that is no object": ({"content": b"[]"}, 400, OBJECT),
    "JSON without an end": ({"content": b'{"a":' * 20_000}, 400, OBJECT),
    "bytes that are no text": ({"content": b'{"strokes": "\xff"}'}, 400, OBJECT),
    "no strokes": ({"json": {"strokes": []}}, 400, "expected 1 to 500 strokes"),
    "too many strokes": ({"json": {"strokes": [stroke("undo")] * 501}}, 400, "expected 1 to 500 strokes"),
    "an id of another form": ({"strokes": [stroke("undo", id="x")]}, 400, WRONG),
    "a float for a place": ({"strokes": [stroke("highlight", 1.5, 3)]}, 400, WRONG),
    "true for a place": ({"strokes": [stroke("highlight", True, 3)]}, 400, WRONG),
    "a huge place": ({"strokes": [stroke("highlight", 1, 1 << 60)]}, 400, WRONG),
    "half a character": ({"content": json.dumps({"strokes": [stroke("note", value="\ud800")]}).encode()}, 400, WRONG),
    "a NUL": ({"strokes": [stroke("note", value="a\0")]}, 400, WRONG),
    "an endless time": ({"content": json.dumps({"strokes": [stroke("undo", client_at=float("inf"))]}).encode()}, 400, WRONG),
    "a time that is no number": ({"strokes": [stroke("undo", client_at="now")]}, 400, WRONG),
    "an unknown field": ({"strokes": [stroke("undo", seq=3)]}, 400, "expected a stroke with id, kind, start, end, value and client_at"),
    "a place beyond the text": ({"strokes": [stroke("highlight", 1, 900)]}, 409, f"highlight: expected 0 <= start < end <= {len(TEXTS['d1'])}, found 1 and 900"),
    "an exhaustivity": ({"strokes": [stroke("exhaustivity", value="2 /a[1]")]}, 409, "this study does not ask for exhaustivity"),
    "a value that is too long": ({"strokes": [stroke("note", value="a" * 20_001)]}, 409, "note: the value is longer than 20,000 characters"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_change_is_refused(live, what):
    change, status, says = REFUSED[what]
    client = live.anna
    here = number(client)
    before = len(live.study.strokes(here))
    cookie, port = live.study.id[:8], live.url.rpartition(":")[2]
    fill = lambda text: str(text).format(url=live.url, port=port, cookie=f"assay-{cookie}", other=number(live.boss) if what.startswith("someone") else 0)  # noqa: E731
    if what.startswith("someone"):
        people.adjudicate(live.study, "boss", "1", "d1")
    headers = {"origin": live.url, "x-assay": "1", "content-type": "application/json"}
    headers |= {name: fill(value) for name, value in change.get("headers", {}).items()}
    cookies = {fill(k): v for k, v in change["cookies"].items()} if "cookies" in change else dict(client.cookies)
    strokes = change.get("strokes", [stroke("highlight", 4, 9)])
    content = change.get("content") or json.dumps(change.get("json", {"strokes": strokes}))
    target = fill(change.get("number", here))
    jar = "; ".join(f"{name}={value}" for name, value in cookies.items())
    with plain_client(live.url, headers=headers | ({"cookie": jar} if jar else {})) as other:
        answer = other.post(f"/api/strokes/{target}", content=content)
    assert (answer.status_code, answer.json()["error"]) == (status, says)
    assert len(live.study.strokes(here)) == before


def test_a_body_without_a_length_is_limited_too(live):
    here = number(live.anna)
    pieces = (b"a" * (1 << 18) for _ in range(8))
    answer = live.anna.post(f"/api/strokes/{here}", content=pieces, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (413, "the request is larger than 1 MB")


@pytest.mark.parametrize("path", ["/", "/join", "/page/main.js", "/page/nothing.js", "/api/study", "/nothing"])
def test_every_answer_has_the_headers(live, path):
    for client in (live.anna, plain_client(live.url)):
        answer = client.get(path)
        assert {name: answer.headers.get(name) for name in server.HEADERS} == server.HEADERS
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


@pytest.mark.parametrize("path", ["/api/study", "/api/topic?topic=1", "/api/next?topic=1", "/api/search?q=a", "/api/export", "/api/organise", "/api/document/1", "/api/text/1"])  # fmt: skip
def test_nothing_is_told_to_strangers(live, path):
    answer = plain_client(live.url).get(path)
    assert (answer.status_code, answer.json()) == (401, {"error": LOGIN})


def test_the_page_is_shown_to_strangers_only_as_a_door(live):
    answer = plain_client(live.url).get("/")
    assert answer.status_code == 401
    assert "To open a study, use the link that you were given." in answer.text


@pytest.mark.parametrize(("path", "body"), [("/api/invite", {"name": "eve", "role": "organiser"}), ("/api/revoke", {"name": "boss"}), ("/api/adjudicate", {"topic": "1", "document": "d1"})])  # fmt: skip
def test_only_organisers_organise(live, path, body):
    answer = live.anna.post(path, json=body)
    assert (answer.status_code, answer.json()) == (403, {"error": "only organisers may do this"})
    for path in ("/api/organise", "/api/export"):
        assert live.anna.get(path).status_code == 403


@pytest.mark.parametrize("name", ["../server.py", "..%2fserver.py", "main.js%00", "MAIN.JS", "main", ".js", "%2e%2e/study.py", "study.db"])
def test_only_files_of_the_page_are_served(live, name):
    assert live.anna.get(f"/page/{name}").status_code == 404


def test_an_assessor_sees_only_their_own_documents(live):
    theirs = people.adjudicate(live.study, "boss", "1", "d1").id
    for path in (f"/api/document/{theirs}", f"/api/text/{theirs}"):
        assert live.anna.get(path).status_code == 404
        assert live.boss.get(path).status_code == 200
    assert live.boss.get(f"/api/document/{number(live.anna)}").status_code == 404


def test_a_link_is_redeemed_by_its_button_only_and_once(live):
    token = invite(live.study, "carl")
    with plain_client(live.url) as visitor:
        # a program that looks at links to show them finds a page, and uses nothing up
        for _ in range(3):
            assert visitor.get(f"/join?token={token}").status_code == 200
        headers = {"origin": live.url, "x-assay": "1"}
        answer = visitor.post("/join", json={"token": token}, headers=headers)
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"assay-{live.study.id[:8]}=")
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        assert token not in cookie
        replay = visitor.post("/join", json={"token": token}, headers=headers)
        assert (replay.status_code, replay.json()["error"]) == (403, "this link was used already, or is not valid; ask for a new invitation")
        assert visitor.post("/join", json={"token": token}).status_code == 403
    revoke(live.study, "carl")


def test_an_expired_link_and_an_ended_access_open_nothing(live):
    late = invite(live.study, "dora", days=0.01)
    live.study.write(lambda sql: sql.execute("UPDATE assessor SET expires = ? WHERE name = 'dora'", [time.time() - 1]) and None)
    with plain_client(live.url, headers={"origin": live.url, "x-assay": "1"}) as visitor:
        answer = visitor.post("/join", json={"token": late})
        assert (answer.status_code, answer.json()["error"]) == (403, "this link has expired; ask for a new invitation")
    dora = live.client("dora")
    assert dora.get("/api/study").status_code == 200
    assert live.boss.post("/api/revoke", json={"name": "dora"}).status_code == 200
    assert dora.get("/api/study").status_code == 401


def test_many_requests_and_guesses_are_slowed_down(folder, monkeypatch):
    path, documents = make_study(folder, TEXTS)
    monkeypatch.setattr(server, "BURST", 20.0)
    monkeypatch.setattr(server, "RATE", 0.1)
    monkeypatch.setattr(server, "JOIN_BURST", 10.0)
    monkeypatch.setattr(server, "JOIN_RATE", 0.01)
    with served(path, documents) as live:
        client = plain_client(live.url, headers={"origin": live.url, "x-assay": "1"})
        codes = [client.post("/join", json={"token": "a"}).status_code for _ in range(12)]
        assert codes == [403] * 10 + [429] * 2
        codes = [client.get("/api/study").status_code for _ in range(15)]
        assert set(codes) == {401, 429}


def test_a_stroke_that_is_sent_twice_counts_once(live):
    here = number(live.anna)
    sent = {"strokes": [stroke("highlight", 30, 32)]}
    first, again = (live.anna.post(f"/api/strokes/{here}", json=sent).json() for _ in range(2))
    assert first == again
    live.anna.post(f"/api/strokes/{here}", json={"strokes": [stroke("undo")]})


def test_a_full_disk_keeps_the_page_trying(folder):
    path, documents = make_study(folder, TEXTS)
    with served(path, documents) as live:
        anna = live.client()
        here = number(anna)
        live.study.write(lambda sql: sql.execute("PRAGMA max_page_count=1") and None)
        answers = [anna.post(f"/api/strokes/{here}", json={"strokes": [stroke("note", value=new_id() * 500)]}) for _ in range(9)]
        assert answers[-1].status_code == 503
        assert answers[-1].json()["error"].endswith("the disk is full, and the last change is not stored; make room, then try again")


def test_a_text_that_changed_is_refused_while_the_server_runs_and_when_it_starts(folder):
    path, documents = make_study(folder, TEXTS)
    with served(path, documents) as live:
        anna = live.client()
        here = number(anna)
        anna.post(f"/api/strokes/{here}", json={"strokes": [stroke("highlight", 4, 9)]})
        (folder / "documents/d1.txt").write_text("another text")
        (folder / "documents/d2.txt").write_text("another text")
        answer = anna.get(f"/api/text/{number(anna, 'd2')}")
        what = f"{path}: the text of 1 document changed since the study was made"
        remedy = f"restore the documents, or move the judgments to a new study: assay locate {path} --documents NEW -o moved.db"
        assert (answer.status_code, answer.json()["error"]) == (409, f"{what} (d2); 0 judgments would refer to the wrong text; {remedy}")
    with pytest.raises(InputError) as error, served(path, documents):
        pass
    assert str(error.value) == f"{what} (d1); 1 judgment would refer to the wrong text; {remedy}"


def test_people_are_blind_to_one_another_and_organisers_decide(folder):
    path, documents = make_study(folder, TEXTS, StudySettings(judges=2))
    with served(path, documents) as live:
        anna, bob, boss = live.client("anna"), live.client("bob"), live.client("boss", "organiser")
        for client, span in ((anna, (4, 24)), (bob, (4, 14))):
            done = [stroke("highlight", *span), stroke("entry", 4), stroke("validate")]
            assert client.post(f"/api/strokes/{number(client)}", json={"strokes": done}).status_code == 200
            assert client.post(f"/api/strokes/{number(client, 'd2')}", json={"strokes": [stroke("validate")]}).status_code == 200
        told = boss.get("/api/organise").json()
        assert [(one["name"], one["done"], one["documents"], one["relevant"]) for one in told["progress"]] == [
            ("anna", 2, 2, 1), ("bob", 2, 2, 1), ("boss", 0, 0, 0),
        ]  # fmt: skip
        (row,) = told["disagreements"]
        # 10 characters are shared of 20 and 10
        assert (row["document"], round(row["f1"], 6), row["decided"]) == ("d1", round(2 * 10 / 30, 6), False)
        opened = boss.post("/api/adjudicate", json={"topic": "1", "document": "d1"}).json()["number"]
        others = boss.get(f"/api/document/{opened}").json()["others"]
        assert [(one["name"], one["passages"]) for one in others] == [("anna", [[4, 24, ""]]), ("bob", [[4, 14, ""]])]
        done = [stroke("highlight", 4, 24), stroke("entry", 4), stroke("validate")]
        boss.post(f"/api/strokes/{opened}", json={"strokes": done})
        assert boss.get("/api/organise").json()["disagreements"][0]["decided"]
        main = [judged for judged in live.study.judgments() if judged.main and judged.document == "d1"]
        assert [(one.assessor, one.judgment.passages) for one in main] == [("boss", (Passage(4, 24),))]
        assert set(re.findall("anna|bob", anna.get(f"/api/document/{number(anna)}").text)) == set()
        reopened = [stroke("highlight", 0, 2)]
        assert boss.post(f"/api/strokes/{opened}", json={"strokes": [stroke("reopen"), *reopened]}).status_code == 200
        exported = [json.loads(line) for line in boss.get("/api/export").text.splitlines()]
        # what is not done is not exported, and a document without highlighted text is
        assert [(row["document"], row.get("text"), row["annotator"]) for row in exported] == [
            ("d1", "ferry leaves at five", "assessor-1"), ("d1", "ferry leav", "assessor-2"),
            ("d2", None, "assessor-1"), ("d2", None, "assessor-2"),
        ]  # fmt: skip
        named = [json.loads(line) for line in boss.get("/api/export", params={"names": 1}).text.splitlines()]
        assert [row["annotator"] for row in named] == ["anna", "bob", "anna", "bob"]


def test_organisers_export_grades(folder):
    path, documents = make_study(folder, TEXTS, StudySettings("grades", (0, 1, 2)))
    with served(path, documents) as live:
        anna, boss = live.client("anna"), live.client("boss", "organiser")
        sent = {"strokes": [stroke("grade", value="2"), stroke("validate")]}
        assert anna.post(f"/api/strokes/{number(anna)}", json=sent).status_code == 200
        exported = [json.loads(line) for line in boss.get("/api/export").text.splitlines()]
        assert exported == [{"topic": "1", "document": "d1", "grade": 2}]


def test_a_request_that_is_no_http_does_no_harm(live):
    host, port = live.url.removeprefix("http://").split(":")
    for sent in (b"\0\0\0\n\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection((host, int(port)), timeout=5) as raw:
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            assert not raw.recv(1000).startswith(b"HTTP/1.1 200")
    assert live.anna.get("/api/study").status_code == 200


def test_cookies_are_for_tls_only_where_there_is_tls(folder):
    path, documents = make_study(folder, TEXTS)
    with open_study(path) as study:
        app = server.Server(study, documents, {"lab.example:443"}, "https").app
        headers = {"origin": "https://lab.example:443", "x-assay": "1", "host": "lab.example:443"}

        async def joined():
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://lab.example") as client:
                return await client.post("/join", json={"token": invite(study, "anna")}, headers=headers)

        cookie = asyncio.run(joined()).headers["set-cookie"]
    assert cookie.startswith(f"__Host-assay-{study.id[:8]}=")
    assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


def test_a_document_that_is_too_long_for_a_page_is_refused(live, monkeypatch):
    monkeypatch.setattr(server, "LARGEST_DOCUMENT", 20)
    answer = live.anna.get(f"/api/text/{number(live.anna)}")
    assert (answer.status_code, answer.json()["error"]) == (413, "the document has more than 20 characters, too many for a page")


def test_many_people_judge_at_once_and_every_stroke_is_stored_once(folder):
    people_count, strokes = 12, 12
    path, documents = make_study(folder, {f"d{n}": "text " * 40 for n in range(people_count * 2)})
    with served(path, documents) as live:
        clients = [live.client(f"p{n}") for n in range(people_count)]
        problems = []

        def judge(client, name):
            here = live.study.assignments(name)[0].id
            for number in range(strokes):
                answer = client.post(f"/api/strokes/{here}", json={"strokes": [stroke("highlight", number, number + 1)]})
                if answer.status_code != 200:
                    problems.append(answer.text)

        threads = [threading.Thread(target=judge, args=[client, f"p{n}"]) for n, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        stored = [len(live.study.strokes(live.study.assignments(f"p{n}")[0].id)) for n in range(people_count)]
        assert stored == [strokes] * people_count


def test_a_document_outside_the_pool_is_opened_by_its_id(folder):
    path, documents = make_study(folder, TEXTS)
    write_documents(folder / "documents", {"extra": "A ferry of another pier."})
    documents = Documents(folder / "documents", cache=False)
    with served(path, documents) as live:
        anna = live.client()
        found = anna.get("/api/search", params={"q": "pier"}).json()
        assert [hit["document"] for hit in found["hits"]] == ["extra"]
        opened = [anna.post("/api/open", json={"topic": "1", "document": name}).json()["number"] for name in ("extra", "extra.txt", "d1")]
        assert opened[0] == opened[1]
        assert opened[2] == number(anna, "d1")
        anna.post(f"/api/strokes/{opened[0]}", json={"strokes": [stroke("highlight", 2, 7), stroke("entry", 2), stroke("validate")]})
        listed = anna.get("/api/topic", params={"topic": "1"}).json()["documents"]
        assert [(one["document"], one["in_pool"]) for one in listed] == [("d1", True), ("d2", True), ("extra", False)]
        answer = anna.post("/api/open", json={"topic": "1", "document": "none"})
        assert (answer.status_code, answer.json()["error"]) == (404, "there is no document 'none'")
        answer = anna.post("/api/open", json={"topic": "7", "document": "extra"})
        assert (answer.status_code, answer.json()["error"]) == (404, "no such topic, or it is not assigned to you")
    judged = read_judgments(path)
    assert list(zip(judged.document.texts(), judged.grade.tolist(), strict=True)) == [("extra", 1)]


def test_a_document_of_the_pool_that_someone_else_judges_is_not_opened(folder):
    path, documents = make_study(folder, TEXTS)
    with served(path, documents) as live:
        people = {name: live.client(name) for name in ("anna", "bob")}
        (theirs,) = [one.document for one in live.study.assignments("bob")]
        answer = people["anna"].post("/api/open", json={"topic": "1", "document": theirs})
        why = f"document '{theirs}' is in the pool, and someone else judges it"
        assert (answer.status_code, answer.json()["error"]) == (403, why)
