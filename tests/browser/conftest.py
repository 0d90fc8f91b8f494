"""A dashboard on a free port and a Chromium that may talk to nothing else."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"
MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
READY = "[data-testid='stApp'][data-test-script-state='notRunning'][data-test-connection-state='CONNECTED']"
BEGUN = "[data-testid='stMain'] [data-testid='stElementContainer']"
"""A page that waits for its first run on a busy machine looks as idle as one that has ended it."""
SETTLED = '() => !document.querySelector(\'[data-stale="true"], [data-testid="stSkeleton"]\')'
PROBES = re.compile(r"/[^/]+/_stcore/(health|host-config)$")
"""On a deep link the front end looks for its server below the page's path first, and gets a 404 there."""


def find_browser():
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    return found or (MAC_CHROME if Path(MAC_CHROME).exists() else None)


class Server:
    """`streamlit run app.py` as a process of its own."""

    def __init__(self, log):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
        command += ["--server.address", "127.0.0.1", "--server.port", str(self.port)]
        with open(log, "wb") as output:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        self._wait()

    def _wait(self):
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).read()
                return
            except (urllib.error.URLError, OSError):
                assert self.process.poll() is None, Path(self.log).read_text()
                time.sleep(0.1)
        raise TimeoutError(Path(self.log).read_text())

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server") / "log")
    yield running
    running.stop()


@pytest.fixture
def cold_server(tmp_path):
    running = Server(tmp_path / "log")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def chromium():
    path = find_browser()
    if path is None:
        message = f"no Chromium or Chrome found (looked for {', '.join(NAMES)} on PATH; set CHROMIUM to its path)"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Reader:
    """One browser window: what it saw, what it asked other hosts for, and short words for what readers do."""

    def __init__(self, context, url):
        self.context, self.url = context, url
        self.problems, self.external = [], []
        context.route("**/*", self._guard)
        self.page = context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _guard(self, route):
        if route.request.url.startswith((self.url, "data:", "blob:")):
            route.continue_()
        else:
            self.external.append(route.request.url)
            route.abort()

    def _heard(self, message):
        if message.type == "error" and not PROBES.search((message.location or {}).get("url", "")):
            self.problems.append(message.text)

    def go(self, path=""):
        self.page.goto(f"{self.url}/{path}", wait_until="domcontentloaded")
        self.page.wait_for_selector(BEGUN, state="attached", timeout=60_000)
        return self.settle()

    def settle(self):
        """Waits until no script runs and nothing on the page is stale."""
        self.page.wait_for_timeout(250)
        self.page.wait_for_selector(READY, timeout=60_000)
        self.page.wait_for_function(SETTLED, timeout=60_000)
        return self

    def text(self):
        return self.page.locator("[data-testid='stMain']").inner_text()

    def ask(self, word):
        """Types a query word and presses Enter."""
        box = self.page.locator(".st-key-q input")
        box.click()
        box.fill(word)
        box.press("Enter")
        return self.settle()

    def chart(self, key):
        """The figure of that key as the browser drew it: its data."""
        locator = self.page.locator(f".st-key-{key} .js-plotly-plot").first
        locator.wait_for(state="visible")
        return locator.evaluate(
            "p => p.data.map(t => ({type: t.type, words: (t.customdata || []).map(c => Array.isArray(c) ? c[0] : c)}))"
        )

    def neighbours(self, measure):
        return self.chart(f"bars-{measure}")[0]["words"]

    def upload(self, *files):
        """Chooses the own file as source and uploads it; a second file holds its words."""
        self.page.locator(".st-key-source label", has_text="file").click()
        self.settle()
        inputs = self.page.locator("[data-testid='stFileUploaderDropzoneInput']")
        for i, file in enumerate(files):
            inputs.nth(i).set_input_files(file)
            self.settle()
        return self.settle()

    def screenshot(self, name):
        ARTIFACTS.mkdir(exist_ok=True)
        main = self.page.locator("[data-testid='stMain']")
        height = min(5000, int(main.evaluate("m => m.scrollHeight")) + 40)
        size = self.page.viewport_size
        self.page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})
        self.settle()
        self.page.screenshot(path=ARTIFACTS / f"{name}.png")
        self.page.set_viewport_size(size)


@pytest.fixture
def open_reader(chromium, server):
    """Makes readers with windows of any size and colour scheme; each must end without an error or a foreign request."""
    readers = []

    def make(at=server, **settings):
        window = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", "locale": "en-US"}
        readers.append(Reader(chromium.new_context(**{**window, **settings}), at.url))
        return readers[-1]

    yield make
    for reader in readers:
        reader.context.close()
        assert reader.problems == []
        assert reader.external == []


@pytest.fixture
def reader(open_reader):
    return open_reader()
