"""Chromium without a window, and what tests ask of it."""

import json
import shutil
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
# the same pages without the parts of a browser that nobody sees, which takes a fifth less processor time
SHELL = shutil.which("chromium-headless-shell")
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1200,900", "--force-device-scale-factor=1",
    # a process that waits for the next page of another server costs more to start than it saves
    "--disable-features=SpareRendererForSitePerProcess",
    # pages do not live long enough for optimised code to pay, and fit into memory without collecting garbage often
    "--js-flags=--no-turbofan,--no-maglev,--min-semi-space-size=32",
]  # fmt: skip
# What a reader can change on the page of a report: its switches, and what they do to its tables.
STATE = """return JSON.stringify([...document.querySelectorAll("select, input, table")]
    .filter((one) => !one.closest("#topic"))
    .map((one) => (one.matches("table") ? one.outerHTML : one.type === "checkbox" ? one.checked : one.value)))"""
FIND = "const one = document.querySelector(arguments[0]);"


class Browser:
    """A browser, and what tests ask of it."""

    def __init__(self, profile):
        options = webdriver.ChromeOptions()
        options.binary_location = self.shell(profile) if SHELL else CHROMIUM
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        self.driver.set_script_timeout(60)
        self.width = self.looked_at = None

    @staticmethod
    def shell(profile):
        """A command that starts Chromium's headless shell with a page, because the driver waits for one."""
        command = Path(f"{profile}.sh")
        command.write_text(f'#!/bin/sh\nexec {SHELL} "$@" about:blank\n')
        command.chmod(0o755)
        return str(command)

    def look(self, path, where="", width=None, anew=False):
        """A page for a test that changes nothing on it: loaded once for all such tests that follow each other."""
        if anew or self.looked_at != (path, width):
            self.open(path, where, width)
            self.looked_at = path, width
            return self
        there = """const [where, done] = arguments;
            if (location.hash === where) { done(); return; }
            addEventListener("hashchange", () => done(), { once: true });
            location.hash = where;"""
        self.driver.execute_async_script(there, where)
        if not where:
            self.until_drawn()
        return self

    @contextmanager
    def borrow(self, path, where=""):
        """A page that `look` shows, for a test that puts back what it changes; if it fails, the next has a new page."""
        before = self.look(path, where).js(STATE)
        self.looked_at = None
        yield self
        assert self.js(STATE) == before
        self.looked_at = path, None

    def take(self, path, where=""):
        """A page that `look` shows, for a test that changes it: the next has a new page."""
        self.look(path, where).looked_at = None
        return self

    def open(self, path, where="", width=None, dark=False):
        """A page in a window that is so wide, as soon as its charts are there; a page of a topic has none."""
        self.looked_at = None
        self.driver.get("about:blank")
        if width != self.width:
            self.resize(width)
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})
        self.driver.get(f"{Path(path).as_uri()}{where}")
        self.wait("document.documentElement.dataset.ready === 'true'")
        if not where:
            self.until_drawn()
        return self

    def until_drawn(self):
        """Wait until every chart is there."""
        self.wait("[...document.querySelectorAll('figure:not([hidden])')].every((one) => one.querySelector('svg'))")

    def wait(self, condition):
        """Wait until a condition holds that the page itself can test, which takes one call, on a page that stays."""
        self.driver.execute_async_script(f"""const [done] = arguments, test = () => {condition};
            if (test()) {{ done(); return; }}
            const timer = setInterval(() => {{ if (test()) {{ clearInterval(timer); done(); }} }}, 10);""")

    def resize(self, width):
        """Make the window so wide, in pixels, or as wide as at first."""
        if width is None:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        else:
            screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        self.width = width

    def until(self, what):
        return WebDriverWait(self.driver, 30, poll_frequency=0.05).until(lambda _: what())

    def js(self, code, *given):
        return self.driver.execute_script(code, *given)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        """What stands in all elements, seen or not."""
        return self.js(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())", selector
        )

    def click(self, selector):
        self.js(f"{FIND} one.scrollIntoView({{ block: 'center' }}); return one", selector).click()

    def choose(self, selector, text):
        """Choose an option of a list by its text; the page hears of it as if someone had."""
        code = """const option = [...one.options].find((each) => each.text === arguments[1]);
            if (!one.checkVisibility() || one.disabled || !option) throw new Error(`no ${arguments[1]} to choose`);
            option.selected = true;
            for (const event of ["input", "change"]) one.dispatchEvent(new Event(event, { bubbles: true }));"""
        self.js(f"{FIND} {code}", selector, text)

    def visit(self, places, code):
        """What some code returns at each place of the page, such as "#topic=1", one after the other."""
        walk = f"""const [places, done] = arguments, found = [];
            const seen = () => {{ {code} }};
            (async () => {{
              for (const place of places) {{
                if (location.hash !== new URL(place, location).hash) {{
                  const arrived = new Promise((then) => addEventListener("hashchange", then, {{ once: true }}));
                  location.hash = place;
                  await arrived;
                }}
                found.push(seen());
              }}
              done(found);
            }})().catch((error) => done(String(error)));"""
        return self.driver.execute_async_script(walk, list(places))

    def hover(self, selector):
        """Move the pointer onto an element and tell what is shown there."""
        element = self.one(selector)
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        # what is shown is gone when the page has moved, which it does with the next frame
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        ActionChains(self.driver).move_to_element(element).perform()
        self.until(lambda: not self.js("return document.getElementById('tip').hidden"))
        return dict(zip(self.texts("#tip span:first-child"), self.texts("#tip span:last-child"), strict=True))

    def complaints(self):
        """Everything that was written to the console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Every address that was asked for."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
