"""The server of a study: what the page can request, and what the server refuses.

Every answer has the headers of `HEADERS`. A request is refused unless it names a host that the server has (against DNS
rebinding); a change is refused unless it comes from the server's own page (`Origin`, and a header that no form sets).
Bodies, rates and values have limits. An assessor reaches only their own assignments; the assignments of others look as
if they did not exist.
"""

import asyncio
import json
import math
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from assay.assessing import people, progress
from assay.assessing.document_view import view
from assay.assessing.progress import GoldFile, gold_rows
from assay.assessing.search import RANKING, PassageSearch
from assay.converting.convert import convert
from assay.documents.lookup import Documents
from assay.errors import AssayError, InputError, quote
from assay.studies.export import text_elements
from assay.studies.strokes import Stroke
from assay.studies.study import WITH_TEXT, Assessor, Assignment, RefusedStroke, Study, StudyDocument
from assay.vocabulary import ROLES

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
# The folder with the files of the page, and the types of files that are served.
PAGE = files("assay.assessing") / "page"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
LARGEST_BODY = 1 << 20
MOST_STROKES = 500
LARGEST_DOCUMENT = 20_000_000
# How many bytes of documents are cached in the form in which they are sent, beside their texts.
MOST_KEPT = 16 << 20
# Requests per second that one visitor may make, in the long run and at once; then the same for redeeming links.
RATE, BURST = 50.0, 300.0
JOIN_RATE, JOIN_BURST = 0.5, 40.0
ID = re.compile(r"[0-9a-f]{32}")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Buckets:
    """Rate limits per visitor: `burst` requests at once, and `rate` per second after that (token buckets)."""

    def __init__(self, rate: float, burst: float):
        self.rate, self.burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, visitor: str) -> bool:
        """Count a request, and tell whether it is allowed."""
        now = time.monotonic()
        left, then = self._left.pop(visitor, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        self._left[visitor] = (left - 1 if left >= 1 else left), now
        while len(self._left) > 10_000:
            self._left.popitem(last=False)
        return left >= 1


class Guard:
    """Refuses requests that our page would never send, before anything else sees them; adds headers to every answer."""

    def __init__(self, app: Any, hosts: set[str], scheme: str):
        self.app, self.hosts = app, hosts
        self.origins = {f"{scheme}://{host}" for host in hosts}
        self.visitors, self.joins = Buckets(RATE, BURST), Buckets(JOIN_RATE, JOIN_BURST)
        # visitors can invent cookies, but hardly addresses; many people may share an address
        self.addresses = Buckets(10 * RATE, 10 * BURST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        seen = 0

        async def limited() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                raise HTTPException(413, TOO_LARGE)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        refused = self.refusal(scope)
        if refused is not None:
            await refused(scope, receive, with_headers)
        else:
            await self.app(scope, limited, with_headers)

    def refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is refused; None if it may pass."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
        if headers.get("host", "").lower() not in self.hosts:
            return problem(421, "this server does not have that name; use the address that it printed")
        address = str((scope.get("client") or ("",))[0])
        if not (self.addresses.allows(address) and self.visitors.allows(headers.get("cookie", "") or address)):
            return problem(429, "too many requests; wait a moment")
        if scope["method"] not in ("GET", "HEAD"):
            if headers.get("origin") not in self.origins or headers.get("x-assay") != "1":
                return problem(403, "changes are accepted only from this server's own page")
            if headers.get("content-type", "").partition(";")[0] != "application/json":
                return problem(415, "expected application/json")
            if scope["path"] == "/join" and not self.joins.allows(address):
                return problem(429, "too many attempts; wait a minute")
            length = headers.get("content-length", "0")
            if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST_BODY:
                return problem(413, TOO_LARGE)
        return None


TOO_LARGE = f"the request is larger than {LARGEST_BODY >> 20} MB"


def problem(status: int, what: str) -> JSONResponse:
    """Return an answer that says what is wrong."""
    return JSONResponse({"error": what}, status)


class Server:
    """The routes of a study: everything that the page can request.

    Starlette runs handlers without `async` in threads, so that SQLite and the disk keep nobody else waiting.
    """

    def __init__(
        self,
        study: Study,
        documents: Documents,
        hosts: set[str],
        scheme: str = "http",
        gold: GoldFile | None = None,
        suggester: people.Suggester | None = None,
    ):
        self.study, self.documents, self.gold, self.suggester = study, documents, gold, suggester
        self.search = PassageSearch(study.path, documents)
        self.cookie = f"{'__Host-' if scheme == 'https' else ''}assay-{study.id[:8]}"
        self.scheme = scheme
        self._reading = threading.Lock()
        self._kept: OrderedDict[str, tuple[bytes, str]] = OrderedDict()
        self._gold_wanted: asyncio.Event | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        study.elements_of = lambda document: text_elements(document, documents)
        refuse_changed_texts(study, documents)
        routes = [
            Route("/", self.home),
            Route("/join", self.join, methods=["GET", "POST"]),
            Route("/page/{name}", self.page_file),
            Route("/api/study", self.get_study),
            Route("/api/topic", self.get_topic),
            Route("/api/document/{number:int}", self.get_document),
            Route("/api/text/{number:int}", self.get_text),
            Route("/api/strokes/{number:int}", self.post_strokes, methods=["POST"]),
            Route("/api/next", self.get_next),
            Route("/api/search", self.get_search),
            Route("/api/open", self.post_open, methods=["POST"]),
            Route("/api/organise", self.get_organise),
            Route("/api/invite", self.post_invite, methods=["POST"]),
            Route("/api/revoke", self.post_revoke, methods=["POST"]),
            Route("/api/adjudicate", self.post_adjudicate, methods=["POST"]),
            Route("/api/export", self.get_export),
        ]
        handlers: dict[Any, Any] = {HTTPException: say_http, AssayError: say_refusal}
        self.app = Guard(Starlette(routes=routes, exception_handlers=handlers), hosts, scheme)

    # who makes a request

    def assessor(self, request: Request) -> Assessor:
        """Return who makes a request; 401 if they are not logged in."""
        session = request.cookies.get(self.cookie, "")
        found = people.session_of(self.study, session) if session else None
        if found is None:
            raise HTTPException(401, "you are not logged in, or your access ended; ask for a new link")
        return found

    def organiser(self, request: Request) -> Assessor:
        """Return who makes a request; 403 if they are not an organiser."""
        found = self.assessor(request)
        if found.role != "organiser":
            raise HTTPException(403, "only organisers may do this")
        return found

    def assignment(self, request: Request) -> tuple[Assessor, Assignment]:
        """Return who makes a request, and the assignment that it names; 404 if it is not their own."""
        who = self.assessor(request)
        found = self.study.assignment(request.path_params["number"])
        if found is None or found.assessor != who.name:
            raise HTTPException(404, "no such document, or it is not assigned to you")
        return who, found

    # the page

    def home(self, request: Request) -> Response:
        """Send the page; without a session, send the page that asks for a link."""
        session = request.cookies.get(self.cookie, "")
        if not session or people.session_of(self.study, session) is None:
            return page_file("join.html", 401)
        return page_file("index.html")

    async def join(self, request: Request) -> Response:
        """Send the page of a link, which has one button (GET), or redeem the link and open a session (POST)."""
        if request.method == "GET":
            return page_file("join.html")
        token = text_of(await body_of(request), "token", 200)
        session = await run_in_threadpool(people.redeem, self.study, token)
        answer = JSONResponse({"ok": True})
        answer.set_cookie(
            self.cookie, session, max_age=int(people.SESSION_DAYS * people.DAY), path="/", httponly=True,
            samesite="strict", secure=self.scheme == "https",
        )  # fmt: skip
        return answer

    async def page_file(self, request: Request) -> Response:
        """Send a file of the page."""
        return page_file(request.path_params["name"])

    # judging

    def get_study(self, request: Request) -> Response:
        """Send the settings, who makes the request, and their topics with the progress of each."""
        who = self.assessor(request)
        counts: dict[str, dict[str, int]] = {}
        for one in self.study.assignments(who.name):
            count = counts.setdefault(one.topic, {"documents": 0, "done": 0, "answered": 0})
            if one.document is not None:
                count["documents"] += 1
                count["done"] += one.state == "done"
                count["answered"] |= one.relevant
            elif one.state != "new":
                count["answered"] |= self.study.judgment(one).no_answer
        topics = [asdict(topic) | counts[topic.name] for topic in self.study.topics() if topic.name in counts]
        return JSONResponse(
            {
                "id": self.study.id,
                "settings": asdict(self.study.settings),
                "entry_point": self.study.settings.entry_point,
                "me": {"name": who.name, "role": who.role},
                "topics": topics,
                "ranking": RANKING,
            }
        )

    def get_topic(self, request: Request) -> Response:
        """Send the documents of a topic, and in a study of questions the evidence so far."""
        who = self.assessor(request)
        topic = request.query_params.get("topic", "")
        own = self.study.assignments(who.name, topic)
        if not own:
            raise HTTPException(404, "no such topic, or it is not assigned to you")
        answer: dict[str, Any] = {"documents": [summary(one) for one in own if one.document is not None]}
        if self.study.settings.mode == "questions":
            answer |= self.evidence(own)
        return JSONResponse(answer)

    def evidence(self, own: list[Assignment]) -> dict[str, Any]:
        """Return the evidence that one person found for a question, and whether they said that it has no answer."""
        found: list[dict[str, Any]] = []
        question, no_answer = None, False
        for one in own:
            judgment = self.study.judgment(one)
            if one.document is None:
                question, no_answer = one.id, judgment.no_answer
                continue
            text = self.text(one.document) if judgment.passages else ""
            for start, end, fact in judgment.passages:
                place = {"assignment": one.id, "document": one.document, "start": start, "end": end}
                found.append(place | {"fact": fact, "text": text[start:end][:300]})
        return {"evidence": found, "question": question, "no_answer": no_answer}

    def get_document(self, request: Request) -> Response:
        """Send everything about a document but its text: strokes, what systems returned, elements to assess."""
        who, one = self.assignment(request)
        answer: dict[str, Any] = summary(one) | {
            "topic": one.topic,
            "sha256": one.sha256,
            "length": one.length,
            "strokes": [stroke_out(stroke) for stroke in self.study.strokes(one.id)],
            "support": [],
            "elements": [],
        }
        if one.document is not None:
            answer["support"] = [asdict(row) for row in self.study.support(one.topic, one.document)]
            if self.study.settings.mode == "exhaustivity":
                answer["elements"] = self.elements(one.document)
            if who.role == "organiser":
                answer["others"] = self.others(one)
            # an organiser who adjudicates sees what people marked, but no suggestions of a program
            if self.suggester is not None and not answer.get("others"):
                answer |= self.suggestions(self.suggester, one)
        return JSONResponse(answer)

    def suggestions(self, suggester: people.Suggester, one: Assignment) -> dict[str, Any]:
        """Return what the user's program suggests; if it fails, return the error, and people judge without it."""
        try:
            return {"suggestions": suggester.suggestions(one, self.text(one.document or ""))}
        except InputError as error:
            return {"suggestions": [], "suggestion_problem": str(error)}

    def others(self, one: Assignment) -> list[dict[str, Any]]:
        """Return the finished judgments of others, for an organiser who adjudicates; nobody else ever sees them."""
        judged = [other for other in self.study.judgments(topic=one.topic) if other.task == one.task]
        return [
            {"name": other.assessor, "passages": [list(each) for each in other.judgment.passages]}
            | {"entry": other.judgment.entry, "grade": other.judgment.grade, "note": other.judgment.note}
            for other in judged
            if other.role == "assessor" and other.state == "done"
        ]

    def get_text(self, request: Request) -> Response:
        """Send the text of a document and its blocks; refuse it if it is not the text of the study."""
        _, one = self.assignment(request)
        if one.document is None:
            raise HTTPException(404, "no such document, or it is not assigned to you")
        if one.length > LARGEST_DOCUMENT:
            raise HTTPException(413, f"the document has more than {LARGEST_DOCUMENT:,} characters, too many for a page")
        expected = StudyDocument(one.document, one.sha256, one.length)
        sent, _ = self.content(expected)
        return Response(sent, media_type="application/json")

    def content(self, expected: StudyDocument) -> tuple[bytes, str]:
        """Return a document as it is sent, and its text; refuse it if it is not the text of the study."""
        with self._reading:
            if expected.name not in self._kept:
                seen = view(self.documents, expected.name)
                if seen.document != expected:
                    raise self.study.changed_documents_error([expected.name])
                sent = {"text": seen.text, "kind": seen.kind, "behind": seen.behind, "at": seen.at, "xml": seen.is_xml}
                packed = json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode()
                self._kept[expected.name] = packed, seen.text
                while len(self._kept) > 1 and sum(len(each) for each, _ in self._kept.values()) > MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(expected.name)
            return self._kept[expected.name]

    def judged_text(self, one: Assignment) -> str | None:
        """Return the text that someone judges; None if it cannot be read, so that strokes are stored anyway."""
        if one.document is None:
            return None
        with suppress(AssayError):
            return self.content(StudyDocument(one.document, one.sha256, one.length))[1]
        return None

    def text(self, document: str) -> str:
        """Return the text of a document."""
        with self._reading:
            return self.documents.text(document)

    def elements(self, document: str) -> list[list[Any]]:
        """Return the elements of a document: path, start and end of each."""
        with self._reading:
            return [list(one) for one in text_elements(document, self.documents)]

    async def post_strokes(self, request: Request) -> Response:
        """Store strokes; answer when they are on disk."""
        _, one = self.assignment(request)
        given = (await body_of(request)).get("strokes")
        if not isinstance(given, list) or not 0 < len(given) <= MOST_STROKES:
            raise HTTPException(400, f"expected 1 to {MOST_STROKES} strokes")
        strokes = [stroke_in(each) for each in given]
        try:
            has_text = any(stroke.kind in WITH_TEXT for stroke in strokes)
            text = await run_in_threadpool(self.judged_text, one) if has_text else None
            stored = await asyncio.wrap_future(self.study.submit_strokes(one.id, strokes, text))
        except RefusedStroke as error:
            raise HTTPException(409, str(error)) from None
        except InputError as error:
            # a full disk: the page keeps the strokes and sends them again
            raise HTTPException(503, str(error)) from None
        self.write_gold_soon()
        return JSONResponse({"stored": [[stroke.id, stroke.seq] for stroke in stored]})

    def write_gold_soon(self) -> None:
        """Write the gold file in the background; strokes that arrive meanwhile are written the next time."""
        if self.gold is None:
            return
        if self._gold_wanted is None:
            self._gold_wanted = asyncio.Event()
            task = asyncio.create_task(self._keep_gold(self._gold_wanted))
            self._tasks.add(task)
        self._gold_wanted.set()

    async def _keep_gold(self, wanted: asyncio.Event) -> None:
        while self.gold is not None:
            await wanted.wait()
            wanted.clear()
            # if the file cannot be written now, the next stroke tries again: the strokes themselves are stored
            with suppress(AssayError):
                await run_in_threadpool(self._write_gold)

    def _write_gold(self) -> None:
        with self._reading:
            if self.gold is not None:
                self.gold.write()

    def get_next(self, request: Request) -> Response:
        """Send the number of the next document to judge in a topic, other than `after`; null if all are done."""
        who = self.assessor(request)
        topic, after = request.query_params.get("topic", ""), request.query_params.get("after", "")
        number = int(after) if re.fullmatch("[0-9]{1,15}", after) else 0
        found = people.next_assignment(self.study, who.name, topic, number)
        return JSONResponse({"next": found.id if found else None})

    # searching for documents

    def get_search(self, request: Request) -> Response:
        """Send passages that match a query; with `id=1`, look for a document with this id first."""
        self.assessor(request)
        query = request.query_params.get("q", "")
        if request.query_params.get("id") == "1" and self.own_id(query) is not None:
            return JSONResponse({"document": query, "hits": [], "some": False})
        hits, some = self.search.find(query)
        return JSONResponse({"document": None, "hits": [asdict(hit) for hit in hits], "some": some})

    def own_id(self, document: str) -> str | None:
        """Return the id that the collection has for a document; None if there is no such document."""
        with self._reading:
            return self.documents.own_id(document)

    async def post_open(self, request: Request) -> Response:
        """Open a document that was found, also one outside the pool, and send the number of the assignment."""
        who = self.assessor(request)
        body = await body_of(request)
        topic, document = text_of(body, "topic", 1000), text_of(body, "document", 1000)
        number = await run_in_threadpool(self.open_found, who.name, topic, document)
        return JSONResponse({"number": number})

    def open_found(self, assessor: str, topic: str, document: str) -> int:
        """Open a document that someone found, and return the number of the assignment."""
        if not self.study.assignments(assessor, topic):
            raise HTTPException(404, "no such topic, or it is not assigned to you")
        name = self.name_in_topic(topic, document)
        if name is None:
            raise HTTPException(404, f"there is no document {quote(document)}")
        own = next((one for one in self.study.assignments(assessor, topic) if one.document == name), None)
        if own is None and any(task.document == name and task.in_pool for task in self.study.tasks(topic)):
            raise HTTPException(403, f"document {quote(name)} is in the pool, and someone else judges it")
        return own.id if own else self.open_document(assessor, topic, name)

    def name_in_topic(self, topic: str, document: str) -> str | None:
        """Return the name of a document in a topic, however its id is spelled; None if there is no such document."""
        own = self.own_id(document)
        if own is None or self.study.document(own) is not None:
            return own
        # a study uses the document ids of the runs
        names = [task.document for task in self.study.tasks(topic) if task.document is not None]
        return document if document in names else next((name for name in names if self.own_id(name) == own), own)

    def open_document(self, assessor: str, topic: str, document: str) -> int:
        """Let someone judge a document, and add it to the study with its present text if it is new."""
        with self._reading:
            seen = view(self.documents, document).document
        known = self.study.document(document)
        if known is None:
            self.study.add_documents([seen])
        elif known != seen:
            raise self.study.changed_documents_error([document])
        return people.open_document(self.study, assessor, topic, document).id

    # organising

    def get_organise(self, request: Request) -> Response:
        """Send progress, disagreements and agreement."""
        self.organiser(request)
        study = self.study
        answer = {
            "progress": progress.progress(study),
            "disagreements": progress.disagreements(study),
            "agreement": progress.agreement_figures(study),
        }
        return JSONResponse(answer)

    async def post_invite(self, request: Request) -> Response:
        """Invite someone, and send the link."""
        self.organiser(request)
        body = await body_of(request)
        name, role = text_of(body, "name", 100), text_of(body, "role", 20)
        if role not in ROLES:
            raise HTTPException(400, f"unknown role; choose from {', '.join(ROLES)}")
        token = await run_in_threadpool(people.invite, self.study, name, role)
        return JSONResponse({"link": f"{self.scheme}://{request.headers['host']}/join#{token}"})

    async def post_revoke(self, request: Request) -> Response:
        """End the access of someone."""
        who = self.organiser(request)
        name = text_of(await body_of(request), "name", 100)
        if name == who.name:
            raise HTTPException(400, "you cannot end your own access here")
        await run_in_threadpool(people.revoke, self.study, name)
        return JSONResponse({"ok": True})

    async def post_adjudicate(self, request: Request) -> Response:
        """Open a document on which people disagree, so that the organiser can decide."""
        who = self.organiser(request)
        body = await body_of(request)
        topic, document = text_of(body, "topic", 1000), text_of(body, "document", 1000)
        opened = await run_in_threadpool(people.adjudicate, self.study, who.name, topic, document)
        return JSONResponse({"number": opened.id})

    def get_export(self, request: Request) -> Response:
        """Send the judgments as JSON lines, with names only if they are requested."""
        self.organiser(request)
        names = request.query_params.get("names") == "1"
        headers = {"content-disposition": "attachment; filename=judgments.jsonl"}
        content = self.exported(names)
        return Response(content, media_type="application/x-ndjson", headers=headers)

    def exported(self, names: bool) -> bytes:
        """Return the gold of questions, or the judgments of documents that are done, with the highlighted text."""
        with self._reading:
            if self.study.settings.mode == "questions":
                rows = list(gold_rows(self.study, self.documents, names))
            else:
                lines = convert(self.study.path, "jsonl", pseudonyms=not names).splitlines()
                rows = [json.loads(line) for line in lines]
                for row in rows:
                    if row.get("end"):
                        row["text"] = self.documents.text(row["document"])[row["start"] : row["end"]]
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def refuse_changed_texts(study: Study, documents: Documents) -> None:
    """Refuse a study if the text of a judged document changed; store texts that the study lacks."""
    judged = list(dict.fromkeys(one.document for one in study.assignments() if one.document and one.state != "new"))
    study.check_texts(documents.texts(judged))
    if lacking := study.documents_without_texts():
        study.keep_texts(documents.texts(lacking))


# Requests and answers.


async def say_http(request: Request, error: Exception) -> Response:
    """Answer with the message of an HTTP error."""
    assert isinstance(error, HTTPException)
    return problem(error.status_code, error.detail)


async def say_refusal(request: Request, error: Exception) -> Response:
    """Answer with the message of an error that Assay raised."""
    return problem(403 if isinstance(error, people.NotInvited) else 409, str(error))


def page_file(name: str, status: int = 200) -> Response:
    """Return a file of the page; 404 if there is none of that name."""
    kind = TYPES.get("." + name.rpartition(".")[2])
    file = PAGE / name
    if kind is None or not re.fullmatch(r"[a-z]+\.[a-z]+", name) or not file.is_file():
        raise HTTPException(404, "there is no such page")
    return Response(file.read_bytes(), status, media_type=kind)


async def body_of(request: Request) -> dict[str, Any]:
    """Read the JSON object of a request."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise HTTPException(400, "expected a JSON object")
    return body


def text_of(body: dict[str, Any], name: str, longest: int) -> str:
    """Return a text from the body of a request; 400 if it is missing, too long, or cannot be stored."""
    value = body.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= longest or not is_storable(value):
        raise HTTPException(400, f"expected {name}, a text of up to {longest} characters")
    return value


def is_storable(text: str) -> bool:
    """Tell whether a text can be stored: it has no lone surrogates and no NUL."""
    return "\0" not in text and not re.search("[\ud800-\udfff]", text)


def stroke_in(given: object) -> Stroke:
    """Check a stroke that the page sent, and return it."""
    if not isinstance(given, dict) or not given.keys() <= {"id", "kind", "start", "end", "value", "client_at"}:
        raise HTTPException(400, "expected a stroke with id, kind, start, end, value and client_at")
    number, kind, value, when = given.get("id"), given.get("kind"), given.get("value"), given.get("client_at", 0)
    places = [given.get("start"), given.get("end")]
    good = isinstance(number, str) and ID.fullmatch(number) and isinstance(kind, str) and len(kind) < 20
    good = good and (value is None or (isinstance(value, str) and is_storable(value)))
    good = good and isinstance(when, int | float) and math.isfinite(when)
    good = good and all(place is None or (type(place) is int and abs(place) < 1 << 53) for place in places)
    if not good:
        raise HTTPException(400, "a stroke has a value of the wrong type")
    return Stroke(number, kind, places[0], places[1], value, float(when))  # type: ignore[arg-type]


def stroke_out(stroke: Stroke) -> list[Any]:
    """Return a stroke in the form that the page reads."""
    return [stroke.id, stroke.kind, stroke.start, stroke.end, stroke.value]


def summary(one: Assignment) -> dict[str, Any]:
    """Return an assignment as the list of documents shows it."""
    names = ("id", "document", "state", "seconds", "relevant", "in_pool")
    return {name: getattr(one, name) for name in names}
