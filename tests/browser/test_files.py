"""Files: uploads that are read and refused, words that attack, downloads."""

import csv
import io
import re
import urllib.request

import pytest

import attention_core as ac

ROWS = {"otter_copy": "1.0 2.0 2.0", "beaver": "1.0 2.0 1.5", "otter": "1.0 2.0 2.0", "desk": "2.0 -1.0 0.0"}
ATTACK = "<img src=x onerror=alert(1)>"


def vec(path, rows, header=True):
    lines = [f"{len(rows)} 3"] if header else []
    path.write_text("\n".join([*lines, *(f"{word} {numbers}" for word, numbers in rows.items())]) + "\n")
    return path


def test_a_file_is_read_and_shown_on_every_page(reader, tmp_path):
    file = vec(tmp_path / "mine.vec", ROWS)
    e = ac.load(file)
    reader.go("rankings").upload(file)
    assert reader.neighbours("euclidean") == list(ac.compare(e, "otter_copy", 10)["euclidean"].words)
    assert f"file={e.fingerprint[:12]}-4x3" in reader.page.url
    assert "mine" not in reader.page.url
    reader.page.locator(".st-key-navigation a").first.click()
    reader.settle()
    assert "4 × 3" in reader.text()


def test_an_upload_stays_in_its_session(reader, open_reader, tmp_path):
    reader.go("rankings").upload(vec(tmp_path / "mine.vec", ROWS))
    link = reader.page.url.partition("8501/")[2] or reader.page.url.rsplit("/", 1)[1]
    other = open_reader().go(link)
    assert "This link shows an uploaded file" in other.text()
    assert "otter" not in other.text()


def test_the_example_file_can_be_downloaded_and_uploaded(reader, tmp_path):
    reader.go("?source=file")
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="A small example file").click()
    file = tmp_path / "example.vec"
    download.value.save_as(file)
    reader.upload(file)
    assert "100 × 50" in reader.text()


def test_words_can_come_in_a_second_file(reader, tmp_path):
    import numpy as np

    np.save(tmp_path / "vectors.npy", np.eye(4, 3, dtype=np.float32))
    (tmp_path / "words.txt").write_text("a\nb\nc\nd\n")
    reader.go("rankings").upload(tmp_path / "vectors.npy")
    assert "This cannot be shown" in reader.text()
    reader.page.locator("[data-testid='stFileUploaderDropzoneInput']").nth(1).set_input_files(tmp_path / "words.txt")
    reader.settle()
    assert "4 × 3" in reader.text()


REFUSED = {
    "a cut row": ("5 3\nriver 0.5 -0.25 1.0\nstone 0.75 0.125\n", "line 3"),
    "not a number": ("river 0.5 nan 1.0\nstone 0.75 0.125 1.0\n", "river"),
    "an empty file": ("", "empty"),
    "prose": ("It was a bright cold day in April, and the clocks were striking.\n" * 3, "the content looks like"),
}


@pytest.mark.parametrize(("content", "named"), REFUSED.values(), ids=REFUSED)
def test_a_refused_file_is_explained_and_the_app_lives_on(reader, tmp_path, content, named):
    file = tmp_path / "bad.vec"
    file.write_text(content)
    reader.go("rankings").upload(file)
    assert "This cannot be shown" in reader.text()
    assert named in reader.text()
    reader.page.locator(".st-key-source label", has_text="wiki-zh").click()
    reader.settle()
    assert reader.neighbours("cosine")[0] == "君主"


@pytest.mark.parametrize(
    "word", [ATTACK, "![x](http://example.org/x.png)", "`<b>`", "$x^2$", ":material/home:", "=1+1"]
)
def test_a_hostile_word_is_shown_as_text(reader, tmp_path, word):
    dialogs = []
    reader.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    reader.go("rankings?tab=Table").upload(vec(tmp_path / "hostile.vec", {word: "1.0 2.0 2.0", **ROWS}))
    assert word in " ".join(reader.text().split()) or word.startswith(("`", "=", "$", ":"))
    assert dialogs == []
    assert reader.page.locator("[data-testid='stMain'] img[src='x']").count() == 0
    reader.ask("otter")
    assert reader.neighbours("euclidean")[0] in (word, "otter_copy", word.replace("<", "&lt;").replace(">", "&gt;"))


def test_a_hostile_word_that_is_suggested_is_shown_as_text(reader, tmp_path):
    image = "![cat](http://example.org/x.png)"
    reader.go("rankings").upload(
        vec(tmp_path / "hostile.vec", {image: "1.0 2.0 2.0", ":material/home:": "0 1 2", **ROWS})
    )
    reader.ask(image[:-1])
    buttons = reader.page.locator("[class*='st-key-suggestion-'] button")
    assert image in buttons.all_inner_texts()
    assert reader.page.locator("[class*='st-key-suggestion-'] img").count() == 0
    reader.ask(":material/hom:")
    assert ":material/home:" in [text.replace("\u2060", "") for text in buttons.all_inner_texts()]


def test_the_bytes_of_an_upload_leave_the_server_with_its_reading(reader, server, tmp_path):
    rows = {f"word{i}": f"{i}.0 {i % 11}.0 {i % 13}.5" for i in range(20_000)}
    reader.go("rankings").upload(vec(tmp_path / "large.vec", rows))
    assert "20,000 × 3" in reader.text()
    metrics = urllib.request.urlopen(f"{server.url}/_stcore/metrics").read().decode()
    kept = re.findall(r'cache_memory_bytes\{cache_type="UploadedFileManager"[^}]*\} (\S+)', metrics)
    assert sum(map(float, kept)) < (tmp_path / "large.vec").stat().st_size


def test_the_table_can_be_downloaded(reader):
    reader.go("rankings?k=5&q=cat")
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-rankings button").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    e = ac.sample("glove-en")
    c = ac.compare(e, "cat", 5)
    assert [row["word"] for row in rows if row["measure"] == "dot"] == list(c["dot"].words)
    assert [float(row["score"]) for row in rows if row["measure"] == "dot"] == c["dot"].scores.tolist()
    assert {row["fingerprint"] for row in rows} == {e.fingerprint}


def test_the_snippet_prints_what_the_page_shows(reader, capsys):
    reader.go("rankings?k=3&q=cat&normalise=true")
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    code = reader.page.locator("[data-testid='stCode'] code").inner_text()
    exec(code, {})
    assert reader.neighbours("dot")[0] in capsys.readouterr().out


def test_ten_thousand_words_and_more_are_typed(reader, tmp_path):
    rows = {f"word{i}": f"{i % 7}.0 {i % 11}.0 {i % 13}.5" for i in range(10_001)}
    reader.go("rankings").upload(vec(tmp_path / "large.vec", rows))
    reader.ask("word12")
    assert "of word12" in " ".join(reader.text().split())
    reader.ask("wrd12")
    assert "“wrd12” is not among the words" in reader.text()
