"""Moving a control of Step by step at 12 tokens: the server's time for one run of the page, and what a reader waits.

    python -m benchmarks.redraw [--rounds 40]

The server's part runs the page in this process as Streamlit's own tests do, so that neither the network nor a browser
takes part. The browser's opens the dashboard in Chromium, and lasts from the click until the last change of the page is
painted, all figures drawn. Both change the mask, which redraws all of the page, and the stage, which redraws the part
below it. Prints the median, the best and the 95th percentile in milliseconds, beside what the median should stay below
on two cores.
"""

import argparse
import os
import shutil
import statistics
import time
import urllib.parse

from playwright.sync_api import Page, sync_playwright
from streamlit.testing.v1 import AppTest

from benchmarks.serving import ROOT, served

SENTENCE = "the animal did not cross the street because it was too tired"
CONTROLS = {"mask": (["causal"], []), "stage": ("scores", "softmax")}
CLICKS = {"mask": ("causal", "causal"), "stage": ("scores", "softmax")}
TARGETS = {"server": 60, "browser": 400}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
IDLE = "[data-testid='stApp'][data-test-script-state='notRunning'][data-test-connection-state='CONNECTED']"
QUIET = 700
"""Milliseconds without a change after which the page counts as drawn."""
WATCH = """() => {
    const main = document.querySelector("[data-testid='stMain']");
    const now = () => { window.changed = performance.now(); };
    main.addEventListener("click", (event) => { window.clicked = event.timeStamp; }, true);
    new MutationObserver(() => { now(); requestAnimationFrame(() => setTimeout(now)); })  // after the frame
        .observe(main, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


def by_server(rounds: int) -> None:
    """Runs of the page without a browser."""
    for name, options in CONTROLS.items():
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.query_params["sentence"] = SENTENCE
        app.run().switch_page("pages/step_by_step.py").run()
        times = []
        for i in range(rounds + 2):
            started = time.perf_counter()
            app.get_by_key(name).set_value(options[i % 2]).run()
            times.append(1000 * (time.perf_counter() - started))
            assert not app.exception, app.exception
        report("server", name, times)


def by_browser(executable: str, rounds: int) -> None:
    """The same clicked in a browser."""
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with served() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.goto(f"{server.url}/step_by_step?{urllib.parse.urlencode({'sentence': SENTENCE})}")
        page.locator(".st-key-map-of-stage .js-plotly-plot").wait_for(timeout=120_000)
        settle(page)
        page.evaluate(WATCH)
        for name, clicks in CLICKS.items():
            times = []
            for i in range(rounds + 2):
                page.locator(f".st-key-{name} button", has_text=clicks[i % 2]).first.click()
                settle(page)
                times.append(page.evaluate("window.changed - window.clicked"))
            report("browser", name, times)
        browser.close()


def settle(page: Page) -> None:
    """Waits until no script runs and the page has not changed for a while."""
    page.wait_for_timeout(QUIET)
    page.wait_for_selector(IDLE)
    page.wait_for_function(f"performance.now() - (window.changed || 0) > {QUIET}")


def report(where: str, name: str, times: list[float]) -> None:
    times = sorted(times[2:])  # the first runs fill caches
    median, p95 = statistics.median(times), times[int(0.95 * len(times))]
    print(f"{where:7s} {name:5s}  median {median:.0f} ms (target {TARGETS[where]}), ", end="")
    print(f"best {times[0]:.0f} ms, p95 {p95:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    by_server(rounds)
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        print("browser  not measured: no Chromium or Chrome on PATH, set CHROMIUM to its path")
    else:
        by_browser(executable, rounds)


if __name__ == "__main__":
    main()
