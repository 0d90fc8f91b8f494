"""Opens pages without a browser, and reads what they show."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


def opened(page="", **link):
    """The app at a page, as a link with these parameters opens it."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in link.items():
        app.query_params[name] = value
    if page:
        app.switch_page(page)  # before the first run, which would draw every card of Overview
    app.run()
    assert not app.exception, app.exception
    return app


def texts(app):
    kinds = (app.markdown, app.text, app.caption, app.info, app.warning, app.error, app.title)
    return "\n".join(element.value for kind in kinds for element in kind)


def bars(app, measure):
    spec = json.loads(app.get_by_key(f"bars-{measure}").proto.spec)
    return [row[0] for row in spec["data"][0]["customdata"]]
