"""Moving a control of Step by step at 12 tokens: the server's time for one run of the page, without a browser.

    python -m benchmarks.redraw [--rounds 40]

Runs the page in this process as Streamlit's own tests do, so that neither the network nor a browser takes part, and
changes the mask, which redraws all of the page, and the stage, which redraws the part below it. Prints the median and
the 95th percentile in milliseconds.
"""

import argparse
import statistics
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

SENTENCE = "the animal did not cross the street because it was too tired"
CONTROLS = {"mask": (["causal"], []), "stage": ("scores", "softmax")}


def opened() -> AppTest:
    app = AppTest.from_file(str(Path(__file__).resolve().parents[1] / "app.py"), default_timeout=60)
    app.query_params["sentence"] = SENTENCE
    return app.run().switch_page("pages/step_by_step.py").run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    for name, options in CONTROLS.items():
        app, times = opened(), []
        for i in range(rounds + 2):
            started = time.perf_counter()
            app.get_by_key(name).set_value(options[i % 2]).run()
            times.append(1000 * (time.perf_counter() - started))
            assert not app.exception, app.exception
        times = sorted(times[2:])  # the first runs fill caches
        print(f"{name}: median {statistics.median(times):.0f} ms, p95 {times[int(0.95 * len(times))]:.0f} ms")


if __name__ == "__main__":
    main()
