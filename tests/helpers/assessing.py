"""A study that is served, and people who have opened it."""

import threading
from contextlib import contextmanager, suppress

import httpx
from selenium.common.exceptions import WebDriverException

from assay.assessing.launch import Address, make_server, study_of_documents
from assay.assessing.people import Suggester, deal, invite, redeem
from assay.documents.lookup import Documents
from assay.studies.strokes import StudySettings
from assay.studies.study import StudyTopic, new_id, open_study

TOPIC = StudyTopic("1", "ferries", "When do ferries leave?", "Only times of departure are relevant.")


def write_documents(folder, texts):
    """Documents as files; a name with an ending stays as it is."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / (name if "." in name else f"{name}.txt")).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Documents(folder, cache=False)


def plain_client(url, **options):
    """A client of a server without TLS; to read the certificates of authorities would take longer than its requests."""
    return httpx.Client(base_url=url, verify=False, **options)


class Served:
    """A study, its server, and what people need to open it."""

    def __init__(self, study, documents, url):
        self.study, self.documents, self.url = study, documents, url

    def client(self, name="anna", role="assessor"):
        """Someone with a session, who sends what the page sends."""
        client = plain_client(self.url, headers={"origin": self.url, "x-assay": "1"}, timeout=30)
        token = invite(self.study, name, role)
        answer = client.post("/join", json={"token": token})
        assert answer.status_code == 200, answer.text
        return client


@contextmanager
def served(path, documents, gold=None, address=None, suggest=None):
    """Serve a study in another thread of this process."""
    address = address or Address(port=0)
    with open_study(path, serve=True) as study:
        deal(study, again=False)
        listening = address.listen()
        port = listening.getsockname()[1]
        suggester = suggest and Suggester(study, suggest, "test")
        server = make_server(study, documents, address, port, gold and gold(study), suggester)
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
    """Open the page as someone who has a session already."""
    browser.driver.get("about:blank")
    for log in ("browser", "performance"):
        browser.driver.get_log(log)
    cookie = {"name": f"assay-{live.study.id[:8]}", "value": session_for(live.study, name, role), "url": live.url}
    browser.driver.execute_cdp_cmd("Network.setCookie", cookie | {"httpOnly": True, "sameSite": "Strict"})
    browser.driver.get(live.url)
    browser.wait("document.documentElement.dataset.ready === 'true'")
    return browser


def join_by_link(browser, live, name="anna", role="assessor"):
    """Open the page as someone: by the button of a link."""
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
    browser.wait("document.documentElement.dataset.waiting === '0'")


def crash_tab(browser, then):
    """Kill the tab's process, as if the machine had run out of memory, and go to another tab."""
    with suppress(WebDriverException):
        browser.driver.get("chrome://crash")
    browser.driver.switch_to.window(then)


OPEN = """const opened = (name) => new Promise((then) => {
  const isOpen = () => document.getElementById("name").textContent === name && assayPage.fold;
  if (!isOpen()) [...document.querySelectorAll("#documents button")].find((one) => one.firstChild.textContent === name).click();
  const wait = setInterval(() => {
    if (!isOpen()) return;
    clearInterval(wait);
    then();
  }, 5);
});
"""


def open_document(browser, name):
    """Open a document of the list by its button."""
    in_each(browser, [name], "")


def in_each(browser, names, code):
    """What some code returns in each of some documents of the list, which are opened by their buttons."""
    walk = f"""{OPEN} const [names, done] = arguments, found = [];
        (async () => {{
          for (const name of names) {{
            await opened(name);
            found.push((() => {{ {code} }})() ?? null);
          }}
          done(found);
        }})().catch((error) => done(String(error)));"""
    return browser.driver.execute_async_script(walk, list(names))


# Documents in many scripts, with emoji, combining marks, right-to-left text, CDATA, entities and carriage returns.
SCRIPTS = {
    "latin.txt": "Die Fähre fährt um fünf. Sie kehrt um neun zurück!\n\nZweiter Absatz: naïve cafés, e\u0301 und ﬁ.",
    "greek.xml": "<a><t>Πλοία</t><p>Το πλοίο φεύγει στις <b>πέντε</b>. Και γυρίζει.</p></a>",
    "arabic.txt": "تغادر العبارة في الساعة الخامسة. وتعود في التاسعة.\n\nמעבורת עוזבת בחמש. mixed 123 עברית.",
    "chinese.xml": "<a><p>渡輪五點離開。它九點回來。</p><p>𠮷野家🙂👩‍👩‍👧‍👦在這裡。</p></a>",
    "devanagari.txt": "नौका पाँच बजे निकलती है। वह नौ बजे लौटती है।\n\nक्षत्रिय र्‍क",
    "thai.txt": "เรือออกตอนห้าโมง กลับมาตอนเก้าโมง\n\nกำลังใจ",
    "emoji.txt": "🙂🙃 ferry 🚢🇬🇷 leaves 👍🏽 at 5️⃣. \U0001d4d5\U0001d4ee\U0001d4fb\U0001d4fb\U0001d4ee",
    "combining.txt": "Z̸̗͝a̷̻͠l̶̦̏g̵̟͗o̴̜͝ text. a\u0300\u0316\u0301 b\u20dd\n\nHangul \u1112\u1161\u11ab 한",
    "entities.xml": '<!DOCTYPE a SYSTEM "a.dtd" [<!ENTITY ship "s">]><a><p>x &amp; y &lt;b&gt; &#169; &eacute; &ship;&#x1F6A2; &#13; end</p></a>',
    "cdata.xml": "<a><p>before <![CDATA[<script>alert(1)</script> & ]]> after</p><!-- c --><p>t<?pi x?>wo</p></a>",
    "returns.txt": "one\r\ntwo\rthree\n\r\nfour\u2028five\u2029six\u0085seven\x0beight\x0c",
    "spaces.txt": "  leading \u00a0\u2003\u3000 wide\u200b\u200d\u2060\ufeff joined \t tabs  \n\n\n   \n trailing   ",
    "mixed.xml": "<book><sec><title>One</title><p>A <i>very</i> <b><i>deep</i></b> line.</p><list><item>x</item> tail <item>y</item></list></sec></book>",
    "table.xml": "<a><row><cell>1</cell><cell>2</cell></row><row><cell>3</cell><cell>4</cell></row><code>if x:\n    y</code></a>",
    "one.txt": "x",
    "long.txt": "A sentence of a long text. " * 2000,
}  # fmt: skip
# Draws random strokes in the open document and waits until they are saved; of each the kind, and offset and text as the
# browser itself counts them, and the passages that they make.
DRAW = """
const [count, seed, done] = arguments;
let state = seed;
const random = (most) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % most; };
const root = document.getElementById("doc");
document.getElementById("snap").value = "character";
const nodes = [];
for (const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT); walk.nextNode();) nodes.push(walk.currentNode);
const point = () => {
  const node = nodes[random(nodes.length)], characters = [...node.data];
  return [node, characters.slice(0, random(characters.length + 1)).join("").length];
};
const drawn = [];
for (let number = 0; number < count; number += 1) {
  const range = document.createRange(), [a, b] = [point(), point()];
  range.setStart(...a);
  range.setEnd(...a);
  if (range.comparePoint(...b) < 0) range.setStart(...b); else range.setEnd(...b);
  if (!range.toString()) continue;
  // what stands before the range, counted without Assay
  const before = document.createRange();
  before.setStart(root, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const selection = getSelection();
  if (random(2)) selection.setBaseAndExtent(range.endContainer, range.endOffset, range.startContainer, range.startOffset);
  else { selection.removeAllRanges(); selection.addRange(range); }
  document.dispatchEvent(new Event("selectionchange"));
  const kind = random(4) ? "highlight" : "unhighlight";
  drawn.push([kind, [...before.toString()].length, range.toString()]);
  root.dispatchEvent(new KeyboardEvent("keydown", { key: kind === "highlight" ? "h" : "u", bubbles: true }));
}
// the server has all of them
const wait = setInterval(() => {
  if (document.documentElement.dataset.waiting !== "0") return;
  clearInterval(wait);
  done([drawn, assayPage.fold.now.passages.map((one) => [one.start, one.end])]);
}, 5);
"""
