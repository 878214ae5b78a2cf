"""The page on which people judge, in a real browser."""

import json
import random
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from assay.assessing.launch import Address, study_of_questions
from assay.assessing.progress import GoldFile
from assay.studies.strokes import Element, Fold, Stroke, StudySettings
from assay.studies.study import StudyTopic
from helpers.assessing import (
    DRAW,
    SCRIPTS,
    crash_tab,
    in_each,
    join,
    join_by_link,
    make_study,
    open_document,
    ready,
    saved,
    served,
    write_documents,
)
from helpers.samples import sample

selenium = pytest.importorskip("selenium", reason="the page is tested in a browser by selenium: pip install selenium")

from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

from helpers.browser import CHROMIUM, DRIVER, Browser  # noqa: E402

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver: apt-get install chromium chromium-driver"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """The browser of all these tests."""
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.driver.quit()


def test_random_strokes_have_the_offsets_of_assays_own_text(browser, tmp_path):
    """Over scripts, emoji, combining marks, right-to-left, CDATA, entities and carriage returns."""
    path, documents = make_study(tmp_path, SCRIPTS)
    with served(path, documents) as live:
        join(browser, live)
        for one in live.study.assignments("anna"):
            open_document(browser, one.document)
            drawn, shown = browser.driver.execute_async_script(DRAW, sample(5, 63), random.randrange(1 << 30))
            text = documents.text(one.document)
            strokes = [stroke for stroke in live.study.strokes(one.id) if stroke.kind != "time"]
            assert [(stroke.kind, stroke.start, text[stroke.start : stroke.end]) for stroke in strokes] == list(map(tuple, drawn))
            assert shown == [[start, end] for start, end, _ in live.study.judgment(one).passages]
        assert browser.complaints() == []


def test_keys_move_over_whole_sentences_and_words_of_every_script(browser, tmp_path):
    path, documents = make_study(tmp_path, SCRIPTS)
    walk = """
    const found = [], root = document.getElementById("doc");
    for (const [control, most] of [[false, 40], [true, 60]]) {
      assayPage.cursor = null;
      for (let n = 0; n < most; n += 1) {
        const before = assayPage.cursor;
        root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", ctrlKey: control, bubbles: true }));
        if (before === assayPage.cursor) break;
        found.push([control, assayPage.cursor.start, assayPage.cursor.end,
          assayPage.text.text.slice(assayPage.cursor.start, assayPage.cursor.end)]);
      }
    }
    return found;
    """
    with served(path, documents) as live:
        join(browser, live)
        names = [one.document for one in live.study.assignments("anna") if one.document not in ("long", "one")]
        for name, units in zip(names, in_each(browser, names, walk), strict=True):
            for control in (False, True):
                ours = [unit[1:] for unit in units if unit[0] is control]
                assert all(text.strip() == text != "" for *_, text in ours)
                assert all(before[1] <= after[0] for before, after in pairwise(ours))
            # together the sentences are all that is not blank
            seen = "".join("".join(text.split()) for control, _, _, text in units if not control)
            assert seen == "".join("".join(line.split()) for line in [documents.text(name)])[: len(seen)]
            assert len(seen) > 5


FOLD = """
const [settings, entry, elements, lists, done] = arguments;
import("/page/strokes.js").then(({ Fold }) => done(lists.map((strokes) => {
  const fold = new Fold(settings, entry, elements);
  const allowed = strokes.map((stroke) => !fold.apply(stroke));
  const { passages, grade, note } = fold.now;
  return [allowed, passages.map((one) => [one.start, one.end, one.fact]), fold.now.entry, grade, note,
    [...fold.now.exhaustivity].sort(), fold.state, fold.canUndo, fold.canRedo];
}))).catch((error) => done(String(error)));
"""
TREE = [("/a[1]", 0, 30), ("/a[1]/s[1]", 0, 10), ("/a[1]/s[1]/p[1]", 0, 5), ("/a[1]/s[1]/p[2]", 5, 10), ("/a[1]/s[2]", 10, 20), ("/a[1]/s[3]", 20, 30)]


def random_stroke(rng, mode):
    kind = rng.choice(["highlight"] * 4 + ["unhighlight", "entry", "grade", "note", "undo", "undo", "redo", "validate", "reopen"] + ["exhaustivity", "exhaustivity", "remaining"] * 3 * (mode == "exhaustivity"))
    start = rng.randrange(30)
    if kind in ("highlight", "unhighlight"):
        return {"kind": kind, "start": start, "end": rng.randint(start + 1, 30), "value": str(rng.randint(1, 2)) if mode == "questions" else None}
    values = {"grade": rng.choice(["0", "1"]), "note": rng.choice(["a", "b"]), "exhaustivity": f"{rng.choice('?12')} {rng.choice(TREE)[0]}"}
    values["remaining"] = values["exhaustivity"]
    if kind == "entry" and mode == "questions":
        kind = "undo"
    return {"kind": kind, "start": start if kind == "entry" else None, "end": None, "value": values.get(kind)}


@pytest.fixture(scope="module")
def with_strokes(browser, tmp_path_factory):
    """The browser at a page that has the program for strokes."""
    with served(*make_study(tmp_path_factory.mktemp("strokes"), {"d1": "text"})) as live:
        yield join(browser, live)


@pytest.mark.parametrize(("mode", "grades"), [("highlight", ()), ("exhaustivity", ()), ("questions", ()), ("highlight", (0, 1))])
def test_the_page_adds_strokes_up_as_the_study_does(browser, with_strokes, mode, grades):
    rng, settings = random.Random(4), StudySettings(mode, grades)
    lists, expected = [], []
    for _ in range(sample(15, 200)):
        strokes = [random_stroke(rng, mode) for _ in range(30)]
        strokes = [one for one in strokes if one["kind"] != "grade" or grades]
        folded = Fold(settings, 30, [Element(*one) for one in TREE])
        allowed = [not folded.apply(Stroke("", **one)) for one in strokes]
        judgment = folded.judgment
        lists.append(strokes)
        expected.append([
            allowed, [list(one) for one in judgment.passages], judgment.entry, judgment.grade, judgment.note,
            sorted([path, level] for path, level in judgment.exhaustivity.items()), judgment.state,
            judgment.can_undo and judgment.state != "done", judgment.can_redo and judgment.state != "done",
        ])  # fmt: skip
    shown = browser.driver.execute_async_script(FOLD, {"mode": mode, "grades": list(grades)}, settings.entry_point, TREE, lists)
    assert shown == expected


TEXTS = {
    "d1": "The ferry leaves at five. It returns at nine.\n\nTickets cost two.",
    "d2": "Nothing about ships.",
    "d3": "<a><t>Times</t><p>Five is when the <b>ferry</b> leaves. Nine is late.</p></a>",
}
TEXTS = {"d1": TEXTS["d1"], "d2": TEXTS["d2"], "d3.xml": TEXTS["d3"]}


def press(browser, *keys):
    """Press keys, wherever the focus is; those in one text with a key that is held before them are pressed with it."""
    chain = ActionChains(browser.driver)
    for key in keys:
        if key[0] in (Keys.SHIFT, Keys.CONTROL):
            chain.key_down(key[0]).send_keys(key[1:]).key_up(key[0])
        else:
            chain.send_keys(key)
    chain.perform()


def test_a_topic_is_judged_without_a_mouse(browser, tmp_path):
    path, documents = make_study(tmp_path, TEXTS, StudySettings("highlight", (0, 1, 2)))
    with served(path, documents) as live:
        browser.driver.get("about:blank")
        from assay.assessing.people import invite

        browser.driver.get(f"{live.url}/join#{invite(live.study, 'anna')}")
        browser.until(lambda: browser.js("return document.activeElement && document.activeElement.id === 'open'"))
        press(browser, Keys.ENTER)
        ready(browser)
        press(browser, "d", Keys.ARROW_RIGHT, Keys.SHIFT + Keys.ARROW_RIGHT, "h", "v")
        assert browser.texts("#message") == ["Set the best entry point first: where should a reader begin? (E)"]
        press(browser, "e", "v")
        assert browser.texts("#message") == ["Choose a grade first."]
        press(browser, "2", "t", "a note", Keys.ESCAPE, "v")
        browser.until(lambda: browser.texts("#name") == ["d2"])
        # left for later, and it comes back
        press(browser, "0", "n")
        browser.until(lambda: browser.texts("#name") == ["d3"])
        press(browser, "n")
        browser.until(lambda: browser.texts("#name") == ["d2"])
        press(browser, "v")
        browser.until(lambda: browser.texts("#name") == ["d3"])
        press(browser, "n")
        browser.until(lambda: browser.texts("#message") == ["This is the last document to judge."])
        # by words: the third and fourth, then undone and done again, and the middle erased
        press(browser, "d", *[Keys.CONTROL + Keys.ARROW_RIGHT] * 3, "h", "z", "y", "e", "1", "v")
        browser.until(lambda: browser.texts("#message") == ["All documents are done. Thank you!"])
        saved(browser)
        judged = {one.document: one.judgment for one in live.study.judgments("anna")}
        marked = {name: [documents.text(name)[a:b] for a, b, _ in judgment.passages] for name, judgment in judged.items()}
        assert marked == {"d1": ["The ferry leaves at five. It returns at nine."], "d2": [], "d3": ["is"]}
        assert [(one.state, one.grade, one.entry, one.note) for one in judged.values()] == [
            ("done", 2, 0, "a note"), ("done", 0, None, ""), ("done", 1, 10, ""),
        ]  # fmt: skip
        assert browser.texts("#progress") == ["3 of 3 done"]
        assert all(judgment.seconds >= 0 for judgment in judged.values())
        assert browser.complaints() == []


def test_a_document_of_a_megabyte_is_opened_and_marked_at_its_end(browser, tmp_path):
    # benchmarks/assessing.py measures how fast that is
    section = f"<sec><st>Title</st>{'<p>Dough bakes well at 230 degrees. Steam keeps it soft. </p>' * 40}</sec>"
    path, documents = make_study(tmp_path, {"large.xml": f"<article>{section * 480}<p>Here it ends.</p></article>"})
    assert len(documents.text("large")) > 1_000_000
    with served(path, documents) as live:
        join(browser, live)
        # parts that are out of sight need not be painted
        assert browser.js("return document.querySelectorAll('#doc .group').length") > 50
        last = "const text = assayPage.text; assayPage.cursor = text.unitBefore(text.text.length, 'sentence'); return assayPage.cursor.start"
        assert browser.js(last) == len(documents.text("large")) - len("Here it ends.")
        press(browser, "d", "h", Keys.ARROW_LEFT, "h", "e")
        saved(browser)
        (one,) = live.study.judgments("anna")
        marked = [documents.text("large")[start:end] for start, end, _ in one.judgment.passages]
        assert marked == ["Steam keeps it soft.", "Here it ends."]
        assert browser.complaints() == []


def test_done_documents_change_only_after_they_are_reopened(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"]})
    with served(path, documents) as live:
        join(browser, live)
        press(browser, "d", Keys.ARROW_RIGHT, "h", "e", "v")
        browser.until(lambda: browser.texts("#message") == ["All documents are done. Thank you!"])
        press(browser, "d", Keys.ARROW_RIGHT, "u")
        assert browser.texts("#message") == ["The document is done; reopen it first."]
        press(browser, "r", "z", "z", "z")
        assert browser.texts("#message") == ["Nothing to undo."]
        saved(browser)
        (one,) = live.study.judgments()
        assert (one.judgment.state, one.judgment.passages) == ("highlighting", ())
        # undo survives a reload
        browser.driver.refresh()
        ready(browser)
        press(browser, "y", "y")
        saved(browser)
        (one,) = live.study.judgments()
        assert (len(one.judgment.passages), one.judgment.entry) == (1, 0)


def tap(browser, x, y):
    for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
        browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    time.sleep(0.1)


def tap_on(browser, selector):
    browser.js("arguments[0].scrollIntoView({block: 'center'})", browser.one(selector))
    x, y = browser.js("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", selector)
    tap(browser, x, y)


def test_a_document_is_judged_by_touch_on_a_phone(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"]})
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    with served(path, documents) as live:
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        try:
            join(browser, live)
            assert browser.js("return document.documentElement.scrollWidth <= innerWidth")
            browser.js("document.getElementById('doc').scrollIntoView({block: 'center'})")
            x, y = browser.js("const b = assayPage.text.liveRange(5, 9).getBoundingClientRect(); return [b.x + 2, b.y + 5]")
            tap(browser, x, y)
            browser.until(lambda: browser.js("return Boolean(assayPage.cursor)"))
            for selector in ("#extend", "#highlight", "#entry", "#validate"):
                tap_on(browser, selector)
            browser.until(lambda: browser.texts("#message") == ["All documents are done. Thank you!"])
            saved(browser)
        finally:
            browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        (one,) = live.study.judgments()
        assert [documents.text("d1")[a:b] for a, b, _ in one.judgment.passages] == ["The ferry leaves at five. It returns at nine."]
        assert one.judgment.state == "done"


def test_text_is_marked_with_the_mouse_and_snaps_to_words(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"]})
    with served(path, documents) as live:
        join_by_link(browser, live)
        place = "const b = assayPage.text.liveRange(arguments[0], arguments[0] + 1).getBoundingClientRect(); return [b.x + 1, b.y + b.height / 2]"
        (x1, y1), (x2, y2) = browser.js(place, 6), browser.js(place, 13)
        mouse = ActionChains(browser.driver, duration=50)
        mouse.w3c_actions.pointer_action.move_to_location(int(x1), int(y1))
        mouse.click_and_hold()
        mouse.w3c_actions.pointer_action.move_to_location(int(x2), int(y2))
        mouse.release().perform()
        browser.until(lambda: browser.js("return Boolean(assayPage.selected)"))
        browser.one("#highlight").click()
        saved(browser)
        (one,) = live.study.judgments()
        assert [documents.text("d1")[a:b] for a, b, _ in one.judgment.passages] == ["ferry leaves"]
        # a click on the mark takes it all
        mouse = ActionChains(browser.driver, duration=50)
        mouse.w3c_actions.pointer_action.move_to_location(int(x1), int(y1))
        mouse.click().perform()
        browser.until(lambda: browser.js("return Boolean(assayPage.cursor)"))
        browser.one("#unhighlight").click()
        saved(browser)
        (one,) = live.study.judgments()
        assert one.judgment.passages == ()


def accessible(browser):
    """The nodes of the accessibility tree: role and name."""
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    shown = [node for node in nodes if not node.get("ignored")]
    return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in shown]


def test_a_screen_reader_finds_everything_and_hears_what_changes(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"]})
    with served(path, documents) as live:
        join(browser, live)
        tree = accessible(browser)
        controls = [(role, name) for role, name in tree if role in ("button", "textbox", "searchbox", "checkbox", "combobox", "link", "spinbutton")]
        assert [one for one in controls if not one[1].strip()] == []
        assert {"navigation", "main", "complementary", "article", "toolbar", "document"} <= {role for role, _ in tree}
        press(browser, "d", Keys.ARROW_RIGHT)
        assert browser.texts("#live") == ["The ferry leaves at five."]
        press(browser, "h")
        assert browser.texts("#live") == ["Highlighted: The ferry leaves at five."]
        names = [name for role, name in accessible(browser) if role == "button"]
        assert "The ferry leaves at five." in names
        assert "Remove: The ferry leaves at five." in names
        browser.click("#marks .remove")
        assert browser.texts("#live") == ["No longer highlighted: The ferry leaves at five."]
        assert browser.texts("#marks") == ["Nothing yet."]
        # marks are underlined as well as coloured
        style = "return [...document.styleSheets[0].cssRules].filter((rule) => rule.selectorText?.startsWith('::highlight(mark')).map((rule) => rule.style.textDecorationLine + rule.style.textDecoration)"
        assert all("underline" in rule for rule in browser.js(style))


def act_on(browser, role, name, act="click"):
    """Do something with what the accessibility tree calls so."""
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    (found,) = [
        node["backendDOMNodeId"] for node in nodes
        if not node.get("ignored") and node["role"]["value"] == role and node.get("name", {}).get("value", "").startswith(name)
    ]  # fmt: skip
    element = browser.driver.execute_cdp_cmd("DOM.resolveNode", {"backendNodeId": found})["object"]["objectId"]
    call = {"objectId": element, "functionDeclaration": f"function () {{ this.{act}(); }}"}
    browser.driver.execute_cdp_cmd("Runtime.callFunctionOn", call)


def test_a_topic_is_judged_by_what_a_screen_reader_finds(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"], "d2": "Nothing about ships."})
    with served(path, documents) as live:
        join(browser, live)
        act_on(browser, "document", "Text of the document", "focus")
        press(browser, Keys.ARROW_RIGHT)
        act_on(browser, "button", "Highlight")
        act_on(browser, "button", "Entry point")
        act_on(browser, "button", "Done, next")
        browser.until(lambda: browser.texts("#name") == ["d2"] and browser.js("return Boolean(assayPage.fold)"))
        act_on(browser, "button", "Done, next")
        browser.until(lambda: browser.texts("#message") == ["All documents are done. Thank you!"])
        saved(browser)
        judged = {one.document: one.judgment for one in live.study.judgments()}
        assert [documents.text("d1")[a:b] for a, b, _ in judged["d1"].passages] == ["The ferry leaves at five."]
        assert (judged["d1"].state, judged["d2"].state, judged["d2"].passages) == ("done", "done", ())


def test_what_is_done_while_the_server_is_away_arrives_once(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"]})
    with served(path, documents) as live:
        port = int(live.url.rpartition(":")[2])
        join(browser, live)
    press(browser, "d", Keys.ARROW_RIGHT, "h", Keys.ARROW_RIGHT, "h", "e")
    browser.until(lambda: "not saved yet: The server cannot be reached." in browser.texts("#connection")[0])
    with served(path, documents, address=Address(port=port)) as live:
        browser.until(lambda: browser.texts("#connection") == ["Saved"])
        (one,) = live.study.judgments()
        # the second sentence does not touch the first: a blank is between them
        assert [documents.text("d1")[a:b] for a, b, _ in one.judgment.passages] == ["The ferry leaves at five.", "It returns at nine."]
        assert Counter(stroke.kind for stroke in live.study.strokes(one.id) if stroke.kind != "time") == {"highlight": 2, "entry": 1}


def test_strokes_survive_a_tab_that_is_killed(browser, tmp_path):
    """Strokes that the page has kept are stored once, even if the tab ends before the server hears of them."""
    path, documents = make_study(tmp_path, {"d1": "word " * 3000})
    kept = []
    with served(path, documents) as live:
        join(browser, live)
        draw = """
        const [done] = arguments, made = [];
        (async () => {
          for (let n = 0; n < 10; n += 1) {
            const stroke = { id: [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join(""),
              kind: "highlight", start: 10 * n, end: 10 * n + 4, value: null, client_at: 1 };
            const adding = assayPage.outbox.add(assayPage.current.id, stroke);
            await adding;
            made.push(stroke.id);
          }
          done(made);
        })();
        """
        first = browser.driver.current_window_handle
        for _ in range(sample(2, 20)):
            browser.driver.switch_to.new_window("tab")
            browser.driver.get(live.url)
            ready(browser)
            kept += browser.driver.execute_async_script(draw)
            crash_tab(browser, first)
        browser.driver.get(live.url)
        ready(browser)
        saved(browser)
        (one,) = live.study.assignments("anna")
        stored = [stroke.id for stroke in live.study.strokes(one.id)]
        assert set(kept) <= set(stored)
        assert len(stored) == len(set(stored))


def test_a_text_that_the_page_shows_otherwise_is_not_judged(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"]})
    with served(path, documents) as live:
        session = join(browser, live)
        live.study.write(lambda sql: sql.execute("UPDATE document SET sha256 = replace(sha256, 'a', 'b')") and None)
        session.driver.refresh()
        ready(browser)
        why = "This browser shows a different text from the one in the study, so you cannot judge it here. Please tell the organiser."
        assert browser.texts("#message") == [why]
        press(browser, "d", Keys.ARROW_RIGHT, "h")
        assert browser.texts("#marks") == ["Nothing yet."]
        assert browser.js("return assayPage.fold === null")
        assert [stroke.kind for one in live.study.assignments() for stroke in live.study.strokes(one.id)] == ["time"]


def test_exhaustivity_is_given_to_elements_with_highlighted_text(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d3.xml": TEXTS["d3.xml"]}, StudySettings("exhaustivity"))
    with served(path, documents) as live:
        join(browser, live)
        press(browser, "d", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "h", "e")
        assert browser.texts("#elements .jump") == ["a[1]", "p[1]", "b[1]"]
        press(browser, "v")
        assert browser.texts("#message") == ["Choose the exhaustivity of 3 more elements first."]
        browser.click("#elements li:nth-child(2) .levels button:nth-child(3)")
        browser.click("#elements li:nth-child(2) .rest button:nth-child(1)")
        press(browser, "v")
        browser.until(lambda: browser.texts("#message") == ["All documents are done. Thank you!"])
        saved(browser)
        (one,) = live.study.judgments()
        assert one.judgment.exhaustivity == {"/a[1]": "2", "/a[1]/p[1]": "2", "/a[1]/p[1]/b[1]": "?"}


def test_questions_get_gold_from_a_search(browser, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documents = write_documents(tmp_path / "documents", TEXTS)
    Path("questions.jsonl").write_text('{"query_id": "q1", "text": "When does the ferry leave?"}\n{"query_id": "q2", "text": "How deep is it?"}\n')
    path = study_of_questions("questions.jsonl", "gold.jsonl")
    with served(path, documents, gold=lambda study: GoldFile(study, documents, "gold.jsonl")) as live:
        join(browser, live, "me", "organiser")
        press(browser, "ferry leaves", Keys.ENTER)
        browser.until(lambda: len(browser.texts("#hits li")) == 2)
        hits = browser.texts("#hits .label")
        assert sorted(hits) == ["d1", "d3"]
        browser.js("[...document.querySelectorAll('#hits button')].find((one) => one.firstChild.textContent === 'd1').click()")
        browser.until(lambda: browser.texts("#name") == ["d1"])
        browser.until(lambda: browser.js("return assayPage.cursor && assayPage.cursor.end > assayPage.cursor.start + 5"))
        press(browser, "h")
        browser.js("[...document.querySelectorAll('#hits button')].find((one) => one.firstChild.textContent === 'd3').click()")
        browser.until(lambda: browser.texts("#name") == ["d3"] and browser.js("return assayPage.cursor && assayPage.cursor.end > assayPage.cursor.start + 5"))
        press(browser, "a", Keys.ARROW_RIGHT, "h")
        saved(browser)
        browser.until(lambda: Path("gold.jsonl").exists() and len(Path("gold.jsonl").read_text().splitlines()) == 3)
        rows = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
        assert [(row["query_id"], row["doc_id"], row["text"], row["fact"], row["annotator"], row["search"]) for row in rows] == [
            ("q1", "d1", "The ferry leaves at five.", "1", "me", "SQLite FTS5 bm25"),
            ("q1", "d3", "Five is when the ferry leaves.", "1", "me", "SQLite FTS5 bm25"),
            ("q1", "d3", "Nine is late.", "2", "me", "SQLite FTS5 bm25"),
        ]  # fmt: skip
        assert all(row["text"] == documents.text(row["doc_id"])[row["start"] : row["end"]] for row in rows)
        browser.js("const topics = document.getElementById('topics'); topics.value = 'q2'; topics.dispatchEvent(new Event('change'))")
        browser.until(lambda: browser.texts("#topic h2") == ["How deep is it?"])
        # the document of the other question is closed when the server has answered
        browser.until(lambda: browser.texts("#name") == ["Search the documents, and open a passage"])
        assert not browser.one("#highlight").is_enabled()
        assert browser.texts("#progress") == ["1 of 2 answered"]
        browser.click("#no-answer")
        saved(browser)
        assert browser.texts("#progress") == ["2 of 2 answered"]
        assert browser.texts("#topics option") == ["✓ q1: When does the ferry leave?", "✓ q2: How deep is it?"]
        assert [one["answered"] for one in browser.js("return fetch('/api/study').then((one) => one.json())")["topics"]] == [1, 1]
        unanswered = [one for one in live.study.judgments() if one.judgment.no_answer]
        assert [(one.topic, one.document) for one in unanswered] == [("q2", None)]
        # evidence and "no answer" exclude each other
        browser.js("const topics = document.getElementById('topics'); topics.value = 'q1'; topics.dispatchEvent(new Event('change'))")
        browser.until(lambda: browser.texts("#marks-title") == ["Evidence (3)"])
        browser.click("#no-answer")
        assert browser.texts("#message") == ["This question has evidence; erase that first."]
        assert not browser.one("#no-answer").is_selected()
        assert browser.complaints() == []


def test_organisers_invite_and_decide_on_their_page(browser, tmp_path):
    from helpers.assessing import stroke

    path, documents = make_study(tmp_path, TEXTS, StudySettings(judges=2))
    with served(path, documents) as live:
        people = {"anna": live.client("anna"), "bob": live.client("bob")}
        for (name, client), end in zip(people.items(), (25, 9), strict=True):
            (one,) = [one for one in live.study.assignments(name) if one.document == "d1"]
            strokes = [stroke("highlight", 0, end), stroke("entry", 0), stroke("validate")]
            assert client.post(f"/api/strokes/{one.id}", json={"strokes": strokes}).status_code == 200
        # who has nothing to judge sees the organiser's page at once
        join(browser, live, "boss", "organiser")
        browser.until(lambda: browser.texts("#organiser caption") == ["Progress", "Agreement", "Disagreements"])
        assert browser.texts("#organiser tbody tr:first-child td")[:5] == ["anna", "assessor", "1 of 3", "1", "0 min 0 s"]
        browser.resize(390)
        assert browser.js("return document.documentElement.scrollWidth <= innerWidth")
        browser.resize(None)
        browser.one("#invited").send_keys("carl")
        browser.click("#invite button")
        browser.until(lambda: browser.texts("#link")[0].startswith(f"{live.url}/join#"))
        browser.js("[...document.querySelectorAll('#organiser button')].find((one) => one.textContent === 'Decide').click()")
        browser.until(lambda: browser.texts("#name") == ["d1"] and browser.js("return Boolean(assayPage.fold)"))
        assert browser.texts("#others strong") == ["anna", "bob"]
        browser.click("#others li:nth-child(2) button:last-child")
        press(browser, "d", Keys.ARROW_RIGHT, "e", "v")
        saved(browser)
        main = [one for one in live.study.judgments() if one.main and one.document == "d1"]
        assert [(one.assessor, one.judgment.state, len(one.judgment.passages)) for one in main] == [("boss", "done", 1)]
        assert browser.complaints() == []


def test_a_document_outside_the_pool_is_found_and_judged_by_keys(browser, tmp_path):
    path, _ = make_study(tmp_path, {"d1": TEXTS["d1"]})
    documents = write_documents(tmp_path / "documents", {"pier": "A pier of stone. The ferry is gone.", "tide": "The tide."})
    with served(path, documents) as live:
        join(browser, live)
        assert ("searchbox", "Open a document outside the pool") in accessible(browser)
        # an id opens its document at once
        press(browser, "f", "pier", Keys.ENTER)
        browser.until(lambda: browser.texts("#name") == ["pier"] and browser.js("return Boolean(assayPage.fold)"))
        browser.until(lambda: browser.texts("#hits-note") == ["Opened pier, outside the pool."])
        assert ("StaticText", "Opened pier, outside the pool.") in accessible(browser)
        assert browser.texts("#documents button") == ["d1to do", "pierto do · outside the pool"]
        press(browser, Keys.ARROW_RIGHT, "h", "e", "v")
        browser.until(lambda: browser.texts("#name") == ["d1"])
        # words find passages
        press(browser, "f")
        browser.js("document.getElementById('query').value = ''")
        press(browser, "the tide", Keys.ENTER)
        browser.until(lambda: browser.texts("#hits .label") == ["tide"])
        press(browser, Keys.TAB, Keys.ENTER)
        browser.until(lambda: browser.texts("#name") == ["tide"] and browser.js("return Boolean(assayPage.fold)"))
        saved(browser)
        states = [(one.document, one.in_pool, one.state) for one in live.study.assignments("anna")]
        assert states == [("d1", True, "new"), ("pier", False, "done"), ("tide", False, "new")]
        assert browser.complaints() == []


def test_words_are_coloured_and_what_systems_returned_is_shown_on_demand(browser, tmp_path):
    from assay.studies.study import Support

    path, documents = make_study(tmp_path, {"d1": TEXTS["d1"]})
    with served(path, documents) as live:
        live.study.add_support([Support("1", "d1", "bm25", 2, 4, 9)])
        join(browser, live)
        browser.click("#aids summary")
        browser.one("#words").send_keys("at, ferr* TICK")
        ranges = "return [...CSS.highlights.get(arguments[0]) ?? []].map((one) => one.startContainer.data.slice(one.startOffset, one.endOffset))"
        assert [browser.js(ranges, f"word-{n}") for n in range(3)] == [["at", "at"], ["ferry"], []]
        assert browser.js(ranges, "support") == []
        press(browser, Keys.ESCAPE, "s")
        assert browser.js(ranges, "support") == ["ferry"]
        assert browser.texts("#support li") == ["bm25, rank 2: ferry"]
        press(browser, "s")
        assert browser.texts("#support li") == []


def test_grades_alone_are_asked_for_in_a_study_of_grades(browser, tmp_path):
    path, documents = make_study(tmp_path, {"d1": "one", "d2": "two"}, StudySettings("grades", (0, 1, 2)))
    with served(path, documents) as live:
        join(browser, live)
        assert not any(browser.one(f"#{name}").is_displayed() for name in ("highlight", "entry", "marks"))
        press(browser, "h", "2", "v")
        browser.until(lambda: browser.texts("#name") == ["d2"])
        press(browser, "0", "v")
        browser.until(lambda: browser.texts("#message") == ["All documents are done. Thank you!"])
        saved(browser)
        assert [(one.judgment.grade, one.judgment.state) for one in live.study.judgments()] == [(2, "done"), (0, "done")]




HIT = "window.hit = 1"
# Documents that mean harm: shown as text, or not at all.
SHOWN = {
    "script.txt": f"<script>{HIT}</script>",
    "script.xml": f"<a><script>{HIT}</script><p>text</p></a>",
    "cdata-script.xml": f"<a><p><![CDATA[</div><script>{HIT}</script>]]></p></a>",
    "entity-script.xml": f"<a><p>&lt;script&gt;{HIT}&lt;/script&gt;</p></a>",
    "xhtml.xml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body onload="{HIT}"><script>{HIT}</script>x</body></html>',
    "svg.xml": f'<svg xmlns="http://www.w3.org/2000/svg" onload="{HIT}"><script>{HIT}</script><text>x</text></svg>',
    "image.xml": f'<a><img src="x" onerror="{HIT}"/>text</a>',
    "image.txt": f'<img src=x onerror="{HIT}">',
    "iframe.xml": '<a><iframe src="http://evil.example/"/>text</a>',
    "object.xml": '<a><object data="http://evil.example/"/><embed src="http://evil.example/"/>text</a>',
    "link.xml": '<a><link rel="stylesheet" href="http://evil.example/a.css"/><a href="javascript:window.hit=1">text</a></a>',
    "style.xml": "<a><style>* { display: none } @import url(http://evil.example/)</style><p>text</p></a>",
    "style-attribute.xml": '<a style="position:fixed;inset:0"><p style="background:url(http://evil.example/)">text</p></a>',
    "base.xml": '<a><base href="http://evil.example/"/><p>text</p></a>',
    "meta.xml": '<a><meta http-equiv="refresh" content="0;url=http://evil.example/"/><p>text</p></a>',
    "form.xml": '<a><form action="http://evil.example/"><input name="a"/><button>text</button></form></a>',
    "handlers.xml": f'<a onclick="{HIT}" onmouseover="{HIT}" onfocus="{HIT}" autofocus="1" tabindex="1">text</a>',
    "ids.xml": '<a id="doc"><p id="marks" name="assayPage">text</p><form id="message">x</form></a>',
    "classes.xml": '<a class="primary"><p class="unseen" hidden="1">text</p></a>',
    "aria.xml": '<a role="button" aria-label="Delete all"><p aria-hidden="true">text</p></a>',
    "contenteditable.xml": '<a contenteditable="true" draggable="true"><p>text</p></a>',
    "template.xml": f"<a><template><script>{HIT}</script>x</template><p>text</p></a>",
    "custom-element.xml": "<a><x-evil is='x'>text</x-evil></a>",
    "slot.xml": "<a><slot name='x'>text</slot><shadow>y</shadow></a>",
    "math.xml": f'<math xmlns="http://www.w3.org/1998/Math/MathML"><mi xlink:href="javascript:{HIT}" xmlns:xlink="http://www.w3.org/1999/xlink">x</mi></math>',
    "stylesheet.xml": '<?xml version="1.0"?><?xml-stylesheet href="http://evil.example/a.xsl" type="text/xsl"?><a>text</a>',
    "comment.xml": f"<a><!-- - ><script>{HIT}</script> -->text</a>",
    "bidi.txt": "abc \u202e gnp.exe \u2066 \u2069 \u200f text",
    "zero-width.txt": "a\u200bb\u200cc\u2060d\ufeffe",
    "controls.txt": "a\x01\x02\x07\x08\x1b[31m\x7f\x85b",
    "noncharacters.txt": "a\ufdd0b\ufffec\U0001ffffd",
    "private.txt": "a\ue000b\U000f0000c",
    "template-string.txt": "${window.hit = 1} {{constructor.constructor('window.hit=1')()}} `x`",
    "json.txt": '"}]}</script><script>window.hit=1</script>{"\\u0000": "__proto__"}',
    "proto.xml": "<__proto__><constructor>text</constructor><toString>x</toString></__proto__>",
    "deep.xml": "<a>" * 200 + "text" + "</a>" * 200,
    "wide.xml": "<a>" + "<b>x</b>" * 5000 + "</a>",
    "one-line.txt": "word" * 50_000,
    "many-lines.txt": "\n" * 20_000 + "text",
    "combining-tower.txt": "a" + "\u0301" * 2000 + " b",
    "empty.txt": "",
    "blank.txt": " \n\n \t ",
}  # fmt: skip
NEVER = {
    "nul.txt": b"a\0b",
    "not-utf-8.txt": b"a\xffb",
    "surrogate.txt": b"a\xed\xa0\x80b",
    "file-entity.xml": b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    "web-entity.xml": b'<!DOCTYPE a [<!ENTITY x SYSTEM "http://evil.example/">]><a>&x;</a>',
    "loop.xml": b'<!DOCTYPE a [<!ENTITY a "&b;"><!ENTITY b "&a;">]><a>&a;</a>',
    "too-deep.xml": b"<a>" * 3000 + b"text" + b"</a>" * 3000,
    "unclosed.xml": b"<a><p>text</a>",
}  # fmt: skip


def test_documents_that_mean_harm_are_shown_as_text(browser, tmp_path):
    topic = StudyTopic("1", f"<script>{HIT}</script>", f"<img src=x onerror='{HIT}'>", "</textarea>${x}")
    path, documents = make_study(tmp_path, SHOWN, topics=[topic])
    look = """
    const root = document.getElementById("doc"), all = [...root.querySelectorAll("*")];
    return {
      tags: [...new Set(all.map((one) => one.localName))], named: all.filter((one) => one.attributes.length !== 1).length,
      classes: [...new Set(all.flatMap((one) => [...one.classList]))],
      text: [...root.textContent].length, judged: Boolean(assayPage.fold), hit: window.hit ?? null, where: location.pathname,
    };
    """
    with served(path, documents) as live:
        join(browser, live)
        assigned = live.study.assignments()
        for one, seen in zip(assigned, in_each(browser, [one.document for one in assigned], look), strict=True):
            assert set(seen["tags"]) <= {"div", "span"}, one.document
            assert set(seen["classes"]) <= {"block", "inline", "title", "code", "row", "cell", "group"}, one.document
            assert (seen["named"], seen["text"], seen["judged"], seen["hit"], seen["where"]) == (0, one.length, True, None, "/")
        assert browser.texts("#topic h2") == [topic.title]
        assert browser.complaints() == []
        assert {url.split("/")[2] for url in browser.requests() if url.startswith("http")} == {live.url.split("/")[2]}


def test_there_are_forty_kinds_of_documents_that_mean_harm():
    assert len(SHOWN) + len(NEVER) >= 40


@pytest.mark.parametrize("name", NEVER)
def test_documents_that_cannot_be_shown_as_they_are_are_refused(tmp_path, name):
    from assay.errors import InputError

    with pytest.raises(InputError):
        make_study(tmp_path, {name: NEVER[name]})
