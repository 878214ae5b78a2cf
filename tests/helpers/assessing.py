"""A study that is served, and people who have opened it."""

import threading
from contextlib import contextmanager

import httpx

from assay.assessing.people import deal, invite, redeem
from assay.assessing.starting import Address, make_server, study_of_documents
from assay.assessing.strokes import StudySettings
from assay.assessing.study import StudyTopic, new_id, open_study
from assay.documents.lookup import Documents

TOPIC = StudyTopic("1", "ferries", "When do ferries leave?", "Only times of departure are relevant.")


def write_documents(folder, texts):
    """Documents as files; a name with an ending stays as it is."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / (name if "." in name else f"{name}.txt")).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Documents(folder, cache=False)


class Served:
    """A study, its server, and what people need to open it."""

    def __init__(self, study, documents, url):
        self.study, self.documents, self.url = study, documents, url

    def client(self, name="anna", role="assessor"):
        """Someone with a session, who sends what the page sends."""
        client = httpx.Client(base_url=self.url, headers={"origin": self.url, "x-assay": "1"}, timeout=30)
        token = invite(self.study, name, role)
        answer = client.post("/join", json={"token": token})
        assert answer.status_code == 200, answer.text
        return client


@contextmanager
def served(path, documents, gold=None, address=None):
    """Serve a study in another thread of this process."""
    address = address or Address(port=0)
    with open_study(path, serve=True) as study:
        deal(study, again=False)
        listening = address.listen()
        port = listening.getsockname()[1]
        server = make_server(study, documents, address, port, gold and gold(study))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield Served(study, documents, f"http://127.0.0.1:{port}")
        finally:
            server.should_exit = True
            thread.join()


def make_study(folder, texts, settings=None, topics=(TOPIC,)):
    """A study of some documents for every topic; its path, and the documents."""
    documents = write_documents(folder / "documents", texts)
    path = str(folder / "study.db")
    study_of_documents(path, topics, documents, list(dict.fromkeys(name for name, _ in documents.texts())), settings or StudySettings())
    return path, documents


def session_for(study, name, role="assessor"):
    """The token of a session, for a cookie."""
    return redeem(study, invite(study, name, role))


def stroke(kind, start=None, end=None, value=None, **more):
    """A stroke as the page sends it."""
    return {"id": new_id(), "kind": kind, "start": start, "end": end, "value": value, "client_at": 1.0} | more


def join(browser, live, name="anna", role="assessor"):
    """Open the page as someone: by the button of a link."""
    browser.driver.get("about:blank")
    for log in ("browser", "performance"):
        browser.driver.get_log(log)
    browser.driver.get(f"{live.url}/join#{invite(live.study, name, role)}")
    browser.until(lambda: browser.js("return document.getElementById('open') && !document.getElementById('open').hidden"))
    browser.click("#open")
    return ready(browser)


def ready(browser):
    """Wait until the page has opened what it opens first."""
    browser.until(lambda: browser.js("return location.pathname === '/' && document.documentElement.dataset.ready === 'true'"))
    return browser


def saved(browser):
    """Wait until the server has everything."""
    browser.until(lambda: browser.js("return document.documentElement.dataset.waiting === '0'"))


def open_document(browser, name):
    """Open a document of the list by its button."""
    browser.js("[...document.querySelectorAll('#documents button')].find((one) => one.firstChild.textContent === arguments[0]).click()", name)
    browser.until(lambda: browser.js("return document.getElementById('name').textContent === arguments[0] && Boolean(assayPage.fold)", name))
