"""The house rules that a reader of the code relies on."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = sorted((ROOT / "attention_core").rglob("*.py"))
DASHBOARD = sorted((ROOT / "dashboard").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
SOURCES = [ROOT / "app.py", *CORE, *DASHBOARD, *PAGES]

LAYERS = [
    {"errors", "compute", "embeddings", "memory", "compiled"},
    {"samples", "loaders", "measures"},
    {"similarity", "attention", "kv_cache", "experiments"},
    {"plots", "export", "report"},
]
"""Parts of the core, lowest first: a part imports its own layer and those below."""


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def imports(path):
    """Every module that a file imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)} uses a relative import"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def tops(path):
    return {module.partition(".")[0] for module in imports(path)}


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_the_core_knows_no_user_interface(path):
    assert not tops(path) & {"streamlit", "dashboard", "pages", "app"}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_holds_no_maths_and_no_drawing(path):
    assert not tops(path) & {"numpy", "torch", "sklearn", "scipy", "pandas", "plotly"}


@pytest.mark.parametrize("path", [p for p in CORE if p.parent.name == "plots"], ids=name_of)
def test_plots_draw_numbers_that_they_are_given(path):
    assert not tops(path) & {"torch", "sklearn", "scipy"}


@pytest.mark.parametrize("path", [*DASHBOARD, *CORE], ids=name_of)
def test_nothing_imports_the_pages(path):
    assert not tops(path) & {"pages", "app"}


def level(module):
    part = module.split(".")[1]
    return next((i for i, layer in enumerate(LAYERS) if part in layer), None)


@pytest.mark.parametrize(
    "path", [p for p in CORE if p.name != "__init__.py" or p.parent.name != "attention_core"], ids=name_of
)
def test_the_core_imports_downwards_only(path):
    own = level(".".join(path.relative_to(ROOT).with_suffix("").parts))
    assert own is not None, f"{name_of(path)} belongs to no layer"
    for module in imports(path):
        if module.startswith("attention_core.") and level(module) is not None:
            assert level(module) <= own, f"{name_of(path)} imports {module}"


def siblings(folder):
    return [p for p in (ROOT / "attention_core" / folder).glob("*.py") if p.name != "__init__.py"]


@pytest.mark.parametrize("path", siblings("measures"), ids=name_of)
def test_a_measure_imports_no_sibling_but_base(path):
    others = {m for m in imports(path) if m.startswith("attention_core.measures.")}
    assert all(m.split(".")[2] == "base" for m in others)


@pytest.mark.parametrize("path", siblings("loaders"), ids=name_of)
def test_a_loader_imports_no_sibling_but_base(path):
    others = {m for m in imports(path) if m.startswith("attention_core.loaders.")}
    assert all(m.split(".")[2] == "base" for m in others)


@pytest.mark.parametrize("path", siblings("attention"), ids=name_of)
def test_a_form_of_attention_imports_no_sibling_but_what_all_build_on(path):
    others = {m for m in imports(path) if m.startswith("attention_core.attention.")}
    assert {m.split(".")[2] for m in others} <= {"base", "scaled", "rotary", "projections"}


@pytest.mark.parametrize("name", ["base", "scaled", "rotary", "projections"])
def test_what_all_forms_of_attention_build_on_imports_the_base_alone(name):
    path = ROOT / "attention_core" / "attention" / f"{name}.py"
    others = {m for m in imports(path) if m.startswith("attention_core.attention.")}
    assert {m.split(".")[2] for m in others} <= {"base"}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_starts_with_the_guard(path):
    statements = [s for s in ast.parse(path.read_text()).body if not isinstance(s, (ast.Import, ast.ImportFrom))]
    assert isinstance(statements[0], ast.Expr)  # the docstring
    assert ast.unparse(statements[1]) == "view = frame.require()"


@pytest.mark.parametrize(
    "path", [ROOT / "app.py", *PAGES, *(p for p in DASHBOARD if p.name not in ("cache.py", "kept.py"))], ids=name_of
)
def test_only_the_cache_caches(path):
    assert "st.cache_" not in path.read_text()


@pytest.mark.parametrize("path", [ROOT / "app.py", *PAGES], ids=name_of)
def test_pages_catch_nothing(path):
    assert not any(isinstance(node, ast.Try) for node in ast.walk(ast.parse(path.read_text())))


def test_only_the_frame_shows_errors():
    catching = set()
    for path in DASHBOARD:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ExceptHandler) and not any(isinstance(n, ast.Raise) for n in ast.walk(node)):
                catching.add(path.name)
    assert catching == {"frame.py", "measuring.py"}  # whose thread hands a refusal to the page


TEXTS = {
    "button", "caption", "download_button", "error", "expander", "file_uploader", "header", "info", "markdown", "pills",
    "progress", "radio", "segmented_control", "selectbox", "slider", "subheader", "text_area", "text_input", "title",
    "toggle", "warning", "number_input",
}  # fmt: skip


@pytest.mark.parametrize("path", [*PAGES, *DASHBOARD], ids=name_of)
def test_words_that_a_page_shows_go_through_the_translator(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in TEXTS
            and node.args
        ):
            shown = "".join(literals(node.args[0]))
            words = re.sub(r":red\[", "", shown)
            assert not re.search("[A-Za-z]{2}", words), f"{name_of(path)}:{node.lineno} shows untranslated {shown}"


def literals(node):
    """The literal text in an expression, outside of calls."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, (ast.JoinedStr, ast.BinOp, ast.IfExp)):
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


@pytest.mark.parametrize(
    "path",
    [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").glob("*.py"))],
    ids=name_of,
)
def test_no_module_outgrows_one_idea(path):
    assert len(path.read_text().splitlines()) <= 300


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_pages_are_thin(path):
    assert len(path.read_text().splitlines()) <= 80


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_functions_stay_small(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= 40, f"{name_of(path)}:{node.lineno} {node.name} has {lines} lines"
            arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            assert len([a for a in arguments if a.arg not in ("self", "cls")]) <= 6, f"{name_of(path)}: {node.name}"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_function_returns_a_long_tuple(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
            tuples = [value.elts for value in returned if isinstance(value, ast.Tuple)]
            fixed = [elements for elements in tuples if not any(isinstance(e, ast.Starred) for e in elements)]
            assert all(len(elements) <= 2 for elements in fixed), f"{name_of(path)}: {node.name}"


@pytest.mark.parametrize("path", [p for p in ROOT.rglob("*.py") if ".venv" not in p.parts], ids=name_of)
def test_there_is_no_drawer_for_odds_and_ends(path):
    assert not {*path.relative_to(ROOT).parts, path.stem} & {"utils", "helpers", "common", "misc"}


LIGHT = {
    "the package": "import attention_core",
    "a loader": "import attention_core as ac; list(ac.LOADERS)",
    "embeddings": "import attention_core as ac; ac.Embeddings(['a'], [[1.0, 2.0]], 'x').fingerprint",
    "a sample": "import attention_core as ac; ac.sample('glove-en')",
}


@pytest.mark.parametrize("code", LIGHT.values(), ids=LIGHT)
def test_importing_stays_light(code):
    heavy = "{'torch', 'streamlit', 'sklearn', 'scipy', 'plotly', 'pandas'}"
    check = f"{code}; import sys; found = {heavy} & set(sys.modules); assert not found, found"
    subprocess.run([sys.executable, "-c", check], check=True, cwd=ROOT)


@pytest.mark.parametrize(("package", "name"), [("attention", "scaled"), ("experiments", "overflow")])
def test_a_package_is_there_without_a_second_import(package, name):
    code = f"import attention_core as ac; assert ac.{package}.{name} and '{package}' in dir(ac)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_heap_is_frozen_before_the_first_reader_comes():
    code = "import gc, dashboard.warm; assert gc.get_freeze_count() > 100_000, gc.get_freeze_count()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
