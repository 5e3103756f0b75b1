"""Scripts and styles reach the site when only they have changed."""

from types import SimpleNamespace

import pytest

from bookkit.publishing.site.pages import read_one_again


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


def test_an_epub_that_has_no_scripts_reads_no_page_again(app):
    (app.outdir / "_static/translator.js").unlink()
    assert read_one_again(app, None, set(), set(), set()) == ["index"]
    app.builder.name = "epub"
    assert read_one_again(app, None, set(), set(), set()) == []
