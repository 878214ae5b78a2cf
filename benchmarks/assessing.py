"""How well people can judge: offsets in the browser, large documents, kills, and many assessors at once.

    python benchmarks/assessing.py            # all, some minutes
    python benchmarks/assessing.py load kills # some: strokes, large, listed, kills, tabs, load

Prints a table with the bar of each figure. Needs the extra `assess`, httpx, selenium, chromium and chromedriver.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from assay.assessing.people import deal, invite, redeem  # noqa: E402
from assay.studies.strokes import StudySettings  # noqa: E402
from assay.studies.study import StudyTask, StudyTopic, create_study, describe_document, new_id, open_study  # noqa: E402
from helpers.assessing import DRAW, SCRIPTS, crash_tab, join, make_study, open_document, ready, saved, served, stroke  # noqa: E402

ROWS: list[tuple[str, str, str]] = []


def told(what: str, figure: str, bar: str) -> None:
    ROWS.append((what, figure, bar))
    print(f"{what}: {figure} (bar: {bar})", flush=True)


# Presses a key so many times; how long each takes to the next painted frame.
TIMED = """
const [key, times, done] = arguments, found = [];
const root = document.getElementById("doc");
const once = () => {
  const start = performance.now();
  root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      found.push(performance.now() - start);
      if (found.length < times) setTimeout(once, 5); else done(found);
    };
    channel.port2.postMessage(0);
  });
};
once();
"""


def browser_in(folder: Path):
    from helpers.browser import Browser

    return Browser(folder / "profile")


def strokes(folder: Path) -> None:
    """Random strokes over documents of many scripts: offsets against Assay's own text."""
    texts = dict(SCRIPTS)
    rng = random.Random(1)
    blocks = [
        (0x41, 0x7B), (0x391, 0x3C9), (0x5D0, 0x5EB), (0x621, 0x64B), (0x905, 0x94E), (0x4E00, 0x4E80),
        (0x1F600, 0x1F640), (0x300, 0x310), (0x1D400, 0x1D450),
    ]  # fmt: skip
    alphabet = [chr(code) for block in blocks for code in range(*block)]
    for number in range(20 - len(texts)):
        texts[f"random{number}.txt"] = "".join(rng.choice([*alphabet, " ", "\n", "\r", ". "]) for _ in range(3000))
    path, documents = make_study(folder, texts)
    browser, wrong, count = browser_in(folder), 0, 0
    with served(path, documents) as live:
        join(browser, live)
        for one in live.study.assignments("anna"):
            open_document(browser, one.document)
            drawn = browser.driver.execute_async_script(DRAW, 60, rng.randrange(1 << 30))
            saved(browser)
            text = documents.text(one.document)
            made = [each for each in live.study.strokes(one.id) if each.kind != "time"]
            count += len(made)
            seen = [[each.kind, each.start, text[each.start : each.end]] for each in made]
            wrong += sum(one != want for one, want in zip(seen, drawn, strict=True))
    browser.driver.quit()
    told("random strokes in Chromium over 20 documents", f"{count:,} strokes, {wrong} offsets that differ", "0")


def large(folder: Path) -> None:
    """A document of 1 MB: how long it takes to open, and from a key to the next painted frame."""
    sentences = "Dough bakes well at 230 degrees; the first minutes decide how the bread ends up. Steam keeps it soft. "
    section = f"<sec><st>Title</st>{f'<p>{sentences * 4}</p>' * 10}</sec>"
    body = section * 240
    path, documents = make_study(folder, {"small": "text", "large.xml": f"<article>{body}</article>"})
    browser = browser_in(folder)
    with served(path, documents) as live:
        join(browser, live)
        opening = []
        for _ in range(5):
            open_document(browser, "small")
            start = time.perf_counter()
            open_document(browser, "large")
            browser.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            opening.append(time.perf_counter() - start)
        size = len(documents.text("large"))
        browser.js("document.getElementById('doc').focus()")
        moves = browser.driver.execute_async_script(TIMED, "ArrowRight", 100)
        keys = []
        for _ in range(100):
            browser.driver.execute_async_script(TIMED, "ArrowRight", 1)
            keys += browser.driver.execute_async_script(TIMED, "h", 1)
        saved(browser)
    browser.driver.quit()
    told(f"document of {size / 1e6:.2f} MB: open, median of 5", f"{statistics.median(opening):.2f} s", "1 s")
    for what, times in (("cursor moved", moves), ("highlighted", keys)):
        told(f"key to paint, 95th percentile, {what}", f"{sorted(times)[int(0.95 * len(times))]:.0f} ms", "50 ms")


def listed(folder: Path, size: int = 500) -> None:
    """A topic with as many documents as INEX pooled: from a key to the next painted frame."""
    texts = {f"d{n:04}": "The ferry leaves at five. It returns at nine." for n in range(size)}
    path, documents = make_study(folder, texts)
    browser = browser_in(folder)
    with served(path, documents) as live:
        join(browser, live)
        browser.js("document.getElementById('doc').focus()")
        browser.driver.execute_async_script(TIMED, "ArrowRight", 1)
        keys = [time for _ in range(50) for key in "hz" for time in browser.driver.execute_async_script(TIMED, key, 1)]
        saved(browser)
    browser.driver.quit()
    what = f"topic with {size} documents: key to paint, 95th percentile, highlighted and undone"
    told(what, f"{sorted(keys)[int(0.95 * len(keys))]:.0f} ms", "50 ms")


def serve_in_process(path: str, documents: str, port: int) -> tuple[subprocess.Popen[str], str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    words = ["assess", path, "--documents", documents, "--no-browser", "--port", str(port)]
    command = [sys.executable, "-m", "assay", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    link = process.stderr.readline().split(" open ")[1].strip()
    url = link.partition("/join#")[0]
    while True:
        try:
            httpx.get(url)
            return process, url
        except httpx.HTTPError:
            time.sleep(0.02)


def kills(folder: Path, count: int = 50, total: int = 10_000) -> None:
    """Kill the server again and again while strokes are sent; what it acknowledged must be there, once."""
    path, documents = make_study(folder, {f"d{n}": "text " * 5000 for n in range(5)})
    with open_study(path) as study:
        session = redeem(study, invite(study, "anna"))
        numbers = [one.id for one in study.assignments("anna")]
        cookie = f"assay-{study.id[:8]}"
    acknowledged, sent, rng, deaths = [], 0, random.Random(2), 0
    port = 18765
    while deaths < count or sent < total:
        process, url = serve_in_process(path, documents.label, port)
        end = time.monotonic() + rng.uniform(0.2, 1.5)
        killer = threading.Timer(max(0.05, end - time.monotonic()), process.kill)
        killer.start()
        headers = {"origin": url, "x-assay": "1", "cookie": f"{cookie}={session}"}
        with httpx.Client(base_url=url, headers=headers) as client:
            while True:
                here = rng.choice(numbers)
                batch = [stroke("note", value=new_id()) for _ in range(rng.randint(1, 12))]
                try:
                    answer = client.post(f"/api/strokes/{here}", json={"strokes": batch})
                except httpx.HTTPError:
                    # it may have been stored or not: the page sends it again
                    break
                if answer.status_code == 429:
                    time.sleep(0.1)
                    continue
                assert answer.status_code == 200, answer.text
                acknowledged += [one["id"] for one in batch]
                sent += len(batch)
        killer.join()
        process.wait()
        deaths += 1
    with open_study(path) as study:
        stored = [row[0] for row in study.query("SELECT id FROM stroke")]
        gaps = sum([one.seq for one in study.strokes(n)] != list(range(1, len(study.strokes(n)) + 1)) for n in numbers)
    lost, doubled = len(set(acknowledged) - set(stored)), len(stored) - len(set(stored))
    what = f"{deaths} kills of the server during {len(acknowledged):,} acknowledged strokes"
    told(what, f"{lost} lost, {doubled + gaps} doubled", "0, 0")


def tabs(folder: Path, count: int = 20, total: int = 10_000) -> None:
    """Kill the tab again and again while strokes are made; what the page kept must be there, once."""
    path, documents = make_study(folder, {"d1": "word " * 5000})
    browser, kept = browser_in(folder), []
    # the page answers with what it has kept so far, and goes on until the tab is killed
    draw = """
    const [least, done] = arguments, made = [];
    (async () => {
      for (;;) {
        const id = [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join("");
        const note = { id, kind: "note", start: null, end: null, value: id, client_at: 1 };
        await assayPage.outbox.add(assayPage.current.id, note);
        made.push(id);
        if (made.length === least) done([...made]);
      }
    })();
    """
    with served(path, documents) as live:
        join(browser, live)
        first = browser.driver.current_window_handle
        for _ in range(count):
            browser.driver.switch_to.new_window("tab")
            browser.driver.get(live.url)
            ready(browser)
            kept += browser.driver.execute_async_script(draw, -(-total // count))
            crash_tab(browser, first)
        browser.driver.get(live.url)
        ready(browser)
        saved(browser)
        (one,) = live.study.assignments("anna")
        stored = [each.id for each in live.study.strokes(one.id)]
    browser.driver.quit()
    lost, doubled = len(set(kept) - set(stored)), len(stored) - len(set(stored))
    told(f"{count} kills of the tab during {len(stored):,} strokes", f"{lost} lost, {doubled} doubled", "0, 0")


def load(folder: Path, people: int = 50, seconds: float = 60, size: int = 10_000) -> None:
    """Many assessors who make a stroke every two seconds, in a pool of many documents."""
    collection = folder / "documents"
    collection.mkdir()
    texts = {f"d{n:05}": f"Document {n} is about bread and steam. " * 40 for n in range(size)}
    with open(collection / "all.jsonl", "w") as file:
        import json

        file.writelines(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items())
    path = str(folder / "study.db")
    with create_study(path, StudySettings()) as study:
        study.add_topics([StudyTopic(str(n), f"topic {n}") for n in range(people)])
        study.add_documents([describe_document(name, text) for name, text in texts.items()])
        study.add_tasks([StudyTask(str(n % people), name, n) for n, name in enumerate(texts)])
        for n in range(people):
            study.add_assessor(f"p{n}")
        deal(study)
        sessions = [redeem(study, invite(study, f"p{n}")) for n in range(people)]
        cookie = f"assay-{study.id[:8]}"
    process, url = serve_in_process(path, str(collection / "all.jsonl"), 18766)
    times: list[float] = []
    errors: list[str] = []

    async def judge(session: str, number: int) -> None:
        rng = random.Random(number)
        headers = {"origin": url, "x-assay": "1", "cookie": f"{cookie}={session}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=30) as client:
            topic = (await client.get("/api/study")).json()["topics"][0]["name"]
            documents = (await client.get("/api/topic", params={"topic": topic})).json()["documents"]
            await asyncio.sleep(rng.uniform(0, 2))
            end, made = time.monotonic() + seconds, 0
            while time.monotonic() < end:
                here = documents[made // 5 % len(documents)]["id"]
                if made % 5 == 0:
                    await client.get(f"/api/document/{here}")
                    await client.get(f"/api/text/{here}")
                start = rng.randrange(1000)
                begin = time.perf_counter()
                sent = {"strokes": [stroke("highlight", start, start + 9)]}
                answer = await client.post(f"/api/strokes/{here}", json=sent)
                times.append(time.perf_counter() - begin)
                if answer.status_code != 200:
                    errors.append(answer.text)
                made += 1
                await asyncio.sleep(2)

    async def everyone() -> None:
        await asyncio.gather(*(judge(session, number) for number, session in enumerate(sessions)))

    asyncio.run(everyone())
    facts = dict(line.split(":", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    memory = int(facts["VmHWM"].split()[0]) / 1024
    process.terminate()
    process.wait()
    times.sort()
    median, late = 1000 * statistics.median(times), 1000 * times[int(0.99 * len(times))]
    what = f"{people} assessors, a stroke every 2 s each, pool of {size:,} documents, {len(times):,} strokes"
    figures = f"median {median:.0f} ms, 99th percentile {late:.0f} ms, {len(errors)} errors, {memory:.0f} MB"
    told(what, figures, "30 ms, 300 ms, 0, 150 MB")


ALL = {"strokes": strokes, "large": large, "listed": listed, "kills": kills, "tabs": tabs, "load": load}

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as place:
            ALL[name](Path(place))
    print("\n| test | figure | bar |\n|---|---|---|")
    for row in ROWS:
        print("| " + " | ".join(row) + " |")
