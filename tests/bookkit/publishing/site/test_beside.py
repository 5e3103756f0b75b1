"""Scripts and styles reach the site when only they have changed."""

from types import SimpleNamespace

import pytest

from bookkit.publishing.site.beside import read_one_again


@pytest.fixture
def app(tmp_path):
    for folder in ("book/static", "out/_static"):
        (tmp_path / folder / "search").mkdir(parents=True)
        (tmp_path / folder / "search" / "engine.js").write_text("find()")
    config = SimpleNamespace(html_static_path=["book/static"], root_doc="index")
    return SimpleNamespace(confdir=tmp_path, outdir=tmp_path / "out", config=config)


def test_no_page_is_read_again_where_nothing_changed(app):
    assert read_one_again(app, None, set(), set(), set()) == []


@pytest.mark.parametrize("name", ["search/engine.js", "new.css"])
def test_a_page_is_read_again_for_a_file_that_changed_or_is_new(app, name):
    (app.confdir / "book/static" / name).write_text("lose()")
    assert read_one_again(app, None, set(), set(), set()) == ["index"]
