"""Scripts and styles reach the site when only they have changed."""

from types import SimpleNamespace

import pytest

from bookkit.checking.facts import facts
from bookkit.publishing.site.beside import read_one_again


@pytest.fixture
def app(tmp_path):
    return put_files(tmp_path)


def put_files(tmp_path):
    """Put files beside a page as a build does; the value is what Sphinx knows of it."""
    for folder in ("book/static", "out/_static"):
        (tmp_path / folder / "search").mkdir(parents=True)
        (tmp_path / folder / "search" / "engine.js").write_text("find()")
    for file in ("code/translator.js", "out/_static/translator.js"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("translate()")
    (tmp_path / "book/static" / "button.js_t").write_text("{{ name }}")
    paths = ["book/static", "code/translator.js"]
    config = SimpleNamespace(html_static_path=paths, root_doc="index")
    builder = SimpleNamespace(name="html")
    places = {"confdir": tmp_path, "outdir": tmp_path / "out"}
    return SimpleNamespace(**places, config=config, builder=builder)


def test_no_page_is_read_again_where_nothing_changed(app):
    # The source was only written again.
    (app.confdir / "book/static" / "search" / "engine.js").write_text("find()")
    assert read_one_again(app, None, set(), set(), set()) == []


def test_a_copy_may_be_other_than_its_source(app):
    for folder, words in (("book/static", "/* wide */ a {}"), ("out/_static", "a {}")):
        (app.confdir / folder / "wide.css").write_text(words)
    assert read_one_again(app, None, set(), set(), set()) == []


@facts(
    "name",
    ["book/static/search/engine.js", "book/static/new.css", "code/translator.js"],
)
def test_a_page_is_read_again_for_a_file_that_changed_or_is_new(tmp_path, name):
    app = put_files(tmp_path)
    (app.confdir / name).write_text("lose()")
    assert read_one_again(app, None, set(), set(), set()) == ["index"]


def test_an_epub_that_has_no_scripts_reads_no_page_again(app):
    (app.outdir / "_static/translator.js").unlink()
    assert read_one_again(app, None, set(), set(), set()) == ["index"]
    app.builder.name = "epub"
    assert read_one_again(app, None, set(), set(), set()) == []
