"""Pages lead on to what moved, and are written anew when what makes them changes."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ExtensionError

from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths
from bookkit.checking.facts import facts
from bookkit.publishing.site import pages as site_pages


def test_redirect_names_the_title_and_the_target(build, tmp_path):
    build("# Welcome\n")
    html = (tmp_path / "out/way/in.html").read_text("utf-8")
    page = BeautifulSoup(html, "html.parser")
    assert page.title.text == "Small & sound"
    assert page.find("meta", content="0; url=../index.html")
    assert page.find("a", href="../index.html")


def test_address_of_a_page_that_was_split_leads_to_both_halves(build, tmp_path):
    build(
        "# One\n\n```{toctree}\nnew/two\n```\n", others={"new/two.md": "# Two & a half"}
    )
    html = (tmp_path / "out/old/one.html").read_text("utf-8")
    page = BeautifulSoup(html, "html.parser")
    assert page.find("meta", content="0; url=../index.html")
    links = [(link.text, link["href"]) for link in page.select("li a")]
    assert links == [("One", "../index.html"), ("Two & a half", "../new/two.html")]
    parts = json.loads(page.script.text.partition("parts = ")[2].partition(";")[0])
    assert parts == {"fig-b": "../new/two.html#fig-b", "thm-c": "../new/two.html#thm-d"}


def test_page_that_lost_parts_and_is_still_there_leads_to_them(build):
    text = "# One\n\n```{toctree}\nnew/two\n```\n"
    html, _ = build(text, others={"new/two.md": "# Two"})
    scripts = BeautifulSoup(html, "html.parser").find_all("script")
    found = [code.text for code in scripts if "Where parts of this page" in code.text]
    assert len(found) == 1
    assert '"fig-e": "new/two.html#fig-e"' in found[0]


def test_page_that_lost_no_parts_gets_no_script(build, tmp_path):
    build("# One\n\n```{toctree}\nnew/two\n```\n", others={"new/two.md": "# Two"})
    html = (tmp_path / "out/new/two.html").read_text("utf-8")
    assert "Where parts of this page" not in html


def test_digest_changes_with_the_sources(tmp_path):
    style = tmp_path / "book/_static/book.css"
    style.parent.mkdir(parents=True)
    style.write_text("a")
    first = site_pages.digest_sources(tmp_path)
    style.write_text("b")
    assert site_pages.digest_sources(tmp_path) != first
    style.write_text("a")
    assert site_pages.digest_sources(tmp_path) == first


@facts(
    "name",
    [
        "code/bookkit/book/boxes.py",
        "code/bookkit/publishing/site/outputs.py",
        "code/bookkit/publishing/maps/chapters.py",
        "code/bookkit/publishing/site/katex_lines.js",
        "code/bookkit/publishing/site/search/sections.py",
        "book/_static/book.css",
        "book/_static/explorers.js",
        "code/chapters/decoding/answers.py",
    ],
)
def test_pages_depend_on_what_makes_them(name):
    root = find_root(Path(__file__))
    assert root / name in site_pages.list_sources(root)


def test_pages_depend_on_nothing_that_python_writes(tmp_path):
    compiled = tmp_path / "code/bookkit/book/__pycache__/boxes.pyc"
    compiled.parent.mkdir(parents=True)
    compiled.touch()
    assert site_pages.list_sources(tmp_path) == []


ROOT = find_root(Path(__file__))


def read(root, *pages):
    env = SimpleNamespace(doc2path=lambda page: str(root / f"{page}.ipynb"))
    site_pages.read_notebooks(None, env, pages)


def test_the_notebooks_of_the_book_can_be_read():
    read(ROOT, *(str(path.with_suffix("")) for path in notebook_paths(ROOT)))


@facts(
    "text, said",
    [
        ("", "must be a notebook in JSON, and is not"),
        ("[]", "must be a notebook with a list of cells"),
        ('{"cells": [], "nbformat": 3, "nbformat_minor": 0}', "and has 3.0"),
    ],
)
def test_a_broken_notebook_stops_the_build_with_its_name(tmp_path, text, said):
    (tmp_path / "book").mkdir(exist_ok=True)
    (tmp_path / "_config.yml").write_text("title: A\n")
    (tmp_path / "book/a.ipynb").write_text(text)
    with pytest.raises(ExtensionError) as caught:
        read(tmp_path, "book/a")
    assert str(caught.value).startswith("book/a.ipynb ")
    assert said in str(caught.value)


def test_pages_that_a_build_did_not_come_to_are_written_by_the_next(
    build, monkeypatch, tmp_path
):
    def page(warm):
        return build("# Two", "two.md", {"index.md": "# One\n\n[](two.md)"}, warm=warm)

    page(warm=False)
    monkeypatch.setattr(site_pages, "digest_sources", lambda root: "of other sources")
    with monkeypatch.context() as patch:
        patch.setattr(StandaloneHTMLBuilder, "write_doc", interrupt)
        with pytest.raises(KeyboardInterrupt):
            page(warm=True)
    (tmp_path / "out/two.html").write_text("by the old sources")
    assert "Two" in page(warm=True)[0]


def interrupt(*_):
    raise KeyboardInterrupt


def test_the_first_page_is_read_at_every_build_of_the_site():
    for name, pages in (("html", ["index"]), ("epub", [])):
        builder, config = SimpleNamespace(name=name), SimpleNamespace(root_doc="index")
        app = SimpleNamespace(builder=builder, config=config)
        assert site_pages.read_first_page(app, None) == pages
