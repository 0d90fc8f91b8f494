"""What every page owes its reader, run by Streamlit without a browser: always from app.py, then switched to."""

import pytest

import attention_core as ac
from tests.apps.opening import ROOT, opened, texts

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("source", ac.SAMPLES)
def test_a_page_renders_for_every_sample(page, source):
    app = opened(page)
    app.radio(key="source").set_value(source).run()
    assert not app.exception
    e = ac.sample(source)
    assert f"{source} · {len(e):,} × {e.dimension}" in texts(app)
    assert "This cannot be shown" not in texts(app)
    assert "nan" not in texts(app).lower().split()
