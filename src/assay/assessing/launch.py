"""Start a study, also from a file of questions or from the example, and run its server."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.assessing.new_study import described_topics
from assay.assessing.people import Suggester, deal, invite, load_suggest
from assay.documents.lookup import Documents
from assay.errors import InputError, UsageError
from assay.files.examples import examples_folder
from assay.reading.topics import read_titles
from assay.studies.strokes import StudySettings
from assay.studies.study import Study, StudyTask, StudyTopic, Support, create_study, describe_document, open_study

if TYPE_CHECKING:
    import uvicorn

    from assay.assessing.progress import GoldFile

PORT = 8765
EXTRA = "`assay assess` needs Starlette and uvicorn; install them with: pip install 'assay-ir[assess]'"


def require_extra() -> None:
    """Refuse to go on without the packages that the server needs."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError(EXTRA) from None


def read_study_topics(path: str | os.PathLike[str]) -> list[StudyTopic]:
    """Read topics with title, description and narrative from a file."""
    return list(described_topics(read_titles(path).topics, path, untitled=""))


def study_of_questions(questions: str, output: str) -> str:
    """Return the path of the study for questions, beside the gold file; make the study if it does not exist."""
    path = f"{os.path.splitext(output)[0]}.study.db"
    topics = read_study_topics(questions)
    if os.path.exists(path):
        with open_study(path) as study:
            if study.settings.mode != "questions":
                raise InputError("not a study of questions; choose another output", path)
            add_questions(study, topics)
    else:
        with create_study(path, StudySettings("questions")) as study:
            add_questions(study, topics)
    return path


def add_questions(study: Study, topics: list[StudyTopic]) -> None:
    """Add questions that the study lacks; each is a task without a document."""
    study.add_topics(topics)
    study.add_tasks([StudyTask(topic.name, None, number) for number, topic in enumerate(topics)])


def study_of_documents(
    path: str, topics: Iterable[StudyTopic], documents: Documents, names: Iterable[str], settings: StudySettings
) -> None:
    """Make a study in which every topic has the same documents."""
    topics, names = list(topics), list(names)
    with create_study(path, settings) as study:
        study.add_topics(topics)
        study.add_documents([describe_document(name, text) for name, text in documents.texts(names)])
        study.add_tasks(
            [StudyTask(topic.name, name, place) for topic in topics for place, name in enumerate(names, 1)]
        )


def study_of_example(folder: str) -> tuple[str, str]:
    """Make a study of the example collection in a folder; return its path and that of the documents."""
    example, path = examples_folder() / "focused", os.path.join(folder, "study.db")
    documents = Documents(example / "documents", cache=False)
    names = [name for name, _ in documents.texts()]
    study_of_documents(path, read_study_topics(example / "topics.tsv"), documents, sorted(names), StudySettings())
    rows = [line.split() for line in (example / "passages.run").read_text("utf-8").splitlines()]
    with open_study(path) as study:
        study.add_support(
            Support(topic, document, "passages", int(rank), int(start), int(start) + int(length))
            for topic, _, document, rank, _, _, start, length in rows
        )
    return path, str(example / "documents")


@dataclass(frozen=True)
class Address:
    """The address of a server: where it listens, its host names, and its TLS certificate and key."""

    host: str = "127.0.0.1"
    port: int = PORT
    names: tuple[str, ...] = ()
    certificate: str | None = None
    key: str | None = None

    @property
    def scheme(self) -> str:
        """http or https."""
        return "https" if self.certificate else "http"

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def is_everywhere(self) -> bool:
        """Whether it listens at all addresses of the machine, so that its host name is unknown."""
        return self.host in ("0.0.0.0", "::")

    def _host_names(self) -> list[str]:
        """Return the host names of the server, best first."""
        if self.is_loopback or self.is_everywhere:
            loopback = ["[::1]", "localhost"] if self.host == "::1" else ["127.0.0.1", "localhost", "[::1]"]
            return [*self.names, *loopback]
        return [*self.names, f"[{self.host}]" if ":" in self.host else self.host]

    def hosts(self, port: int) -> set[str]:
        """Return the values of the Host header that the server accepts."""
        names = [name.lower() for name in self._host_names()]
        return {f"{name}:{port}" for name in names} | {name for name in names if port in (80, 443)}

    def url(self, port: int) -> str:
        """Return the address that people open."""
        return f"{self.scheme}://{self._host_names()[0]}:{port}"

    def check_certificate(self) -> None:
        """Refuse a certificate and a key that a server cannot use."""
        if self.certificate is None:
            return
        for path in (self.certificate, self.key):
            if path is not None and not os.path.isfile(path):
                raise InputError("no such file; expected a PEM file", path)
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.certificate, self.key)
        except (OSError, ValueError):
            raise InputError(f"not a certificate in PEM that {self.key} is the key of", self.certificate) from None

    def listen(self) -> socket.socket:
        """Return a socket that listens; if the default port is taken, use any free one."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        for port in (self.port, 0) if self.port == PORT else (self.port,):
            # asyncio sends answers at once (TCP_NODELAY) only if the protocol is named; otherwise each would wait 40 ms
            listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind((self.host, port))
            except OSError as error:
                listening.close()
                problem = error
                continue
            listening.listen(128)
            return listening
        raise InputError(f"cannot listen at {self.host}:{self.port}: {problem.strerror}; choose another port")


def make_server(
    study: Study,
    documents: Documents,
    address: Address,
    port: int,
    gold: GoldFile | None = None,
    suggester: Suggester | None = None,
) -> uvicorn.Server:
    """Return the server of a study, ready to run."""
    import uvicorn

    from assay.assessing.server import Server

    served = Server(study, documents, address.hosts(port), address.scheme, gold, suggester)
    config = uvicorn.Config(
        served.app, log_level="warning", access_log=False, ws="none", lifespan="off", server_header=False,
        timeout_keep_alive=30, timeout_graceful_shutdown=3, limit_concurrency=500,
        ssl_certfile=address.certificate, ssl_keyfile=address.key,
    )  # fmt: skip
    return uvicorn.Server(config)


def run_study(
    path: str,
    documents: Documents,
    address: Address,
    name: str,
    output: str | None,
    suggest: str | None,
    ready: Callable[[str, str], None],
) -> None:
    """Serve a study until someone stops it; call `ready(url, link)` when it can be opened."""
    from assay.assessing.progress import GoldFile

    address.check_certificate()
    with open_study(path, serve=True) as study:
        # refuse missing documents now, not at the first search
        next(iter(documents.readable_texts({})), None)
        gold = GoldFile(study, documents, output) if output else None
        if gold:
            gold.write()
        deal(study, again=False)
        listening = address.listen()
        port = listening.getsockname()[1]
        suggester = Suggester(study, load_suggest(suggest), suggest) if suggest else None
        server = make_server(study, documents, address, port, gold, suggester)
        url = address.url(port)
        study.set("address", url)
        link = f"{url}/join#{invite(study, name, 'organiser', days=1)}"
        ready(url, link)
        try:
            # on Ctrl+C the server shuts down in order, and then raises the interrupt again
            server.run(sockets=[listening])
        finally:
            if gold:
                gold.write()


def invitation(path: str, name: str, role: str, days: float, address: Address | None = None) -> str:
    """Invite someone to a study, even while a server has it open; return the link.

    address: the address of the server; by default the one where the study was last opened.
    """
    with open_study(path) as study:
        token = invite(study, name, role, days)
        known = None if address else study.setting("address")
        address = address or Address()
        return f"{known or address.url(address.port)}/join#{token}"


def is_local(link: str) -> bool:
    """Return whether a link opens only on this computer."""
    return Address(urlsplit(link).hostname or "").is_loopback


