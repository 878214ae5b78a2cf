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
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1200,900", "--force-device-scale-factor=1",
]  # fmt: skip


class Browser:
    """A browser, and what tests ask of it."""

    def __init__(self, profile):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        self.driver.set_script_timeout(60)
        self.looked_at = None

    def look(self, path, where=""):
        """A page for a test that changes nothing on it: loaded once for all such tests that follow each other."""
        if self.looked_at != path:
            self.open(path, where)
            self.looked_at = path
            return self
        there = """const [where, done] = arguments;
            if (location.hash === where) { done(); return; }
            addEventListener("hashchange", () => done(), { once: true });
            location.hash = where;"""
        self.driver.execute_async_script(there, where)
        if not where:
            self.until_drawn()
        return self

    def open(self, path, where="", dark=False):
        """A page, as soon as its charts are there."""
        self.looked_at = None
        self.driver.get("about:blank")
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})
        self.driver.get(f"{Path(path).as_uri()}{where}")
        self.until(lambda: self.js("return document.documentElement.dataset.ready === 'true'"))
        if not where:
            self.until_drawn()
        return self

    def until_drawn(self):
        """Wait until every chart is there."""
        undrawn = "[...document.querySelectorAll('figure:not([hidden])')].some((one) => !one.querySelector('svg'))"
        self.until(lambda: not self.js(f"return {undrawn}"))

    @contextmanager
    def as_wide_as(self, width):
        """A time in which the window is so wide, in pixels."""
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        self.looked_at = None
        try:
            yield self
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            self.looked_at = None

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
        self.js("arguments[0].scrollIntoView({block: 'center'})", self.one(selector))
        self.one(selector).click()

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
