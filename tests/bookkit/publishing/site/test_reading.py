import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.release import EDITIONS, OFFERED, VOLUMES, download_path
from bookkit.publishing.site import reading as site_reading
from bookkit.publishing.site.reading import with_names

DRAWING = (
    '<?xml version="1.0"?>\n<svg width="75pt" height="30.2pt" viewBox="0 0 75 30">'
)
PAGE = '<p><img src="../_images/a.svg" /><img src="../_images/b.svg" /></p>'


@pytest.fixture
def find(tmp_path):
    for name in ("a.svg", "b.svg"):
        (tmp_path / name).write_text(DRAWING)
    return lambda name: tmp_path / name


def test_figures_after_the_first_are_fetched_when_they_come_near(find):
    first, second = site_reading.load_late(PAGE, find).split("<img")[1:]
    assert "loading" not in first
    assert 'loading="lazy"' in second


def test_a_drawing_without_a_size_and_a_missing_one_get_none(tmp_path):
    (tmp_path / "c.svg").write_text("<svg>")
    page = '<img src="_images/c.svg">'
    assert "width" not in site_reading.load_late(page, lambda name: tmp_path / name)
    assert "width" not in site_reading.load_late(page, lambda name: None)


@pytest.fixture
def fresh(tmp_path):
    """A book without chapters, described anew."""
    (tmp_path / "_toc.yml").write_text("root: book/index\n")
    site_reading.describe_state.cache_clear()
    yield
    site_reading.describe_state.cache_clear()


def test_footer_names_the_day_of_the_book_and_not_of_the_build(
    fresh, tmp_path, monkeypatch
):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert site_reading.describe_state(tmp_path).startswith("State of 2 January 1970. ")


def test_footer_and_appendix_count_the_same_outputs(fresh):
    root = find_root(Path(__file__))
    page = (root / f"{site_reading.CHECKED_PAGE}.md").read_text("utf-8")
    [count] = re.findall(r"compares ([\d,]+) outputs", page)
    assert f"{count} outputs, checked with" in site_reading.describe_state(root)


def test_footer_names_no_day_that_nobody_knows(fresh, tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    state = site_reading.describe_state(tmp_path)
    assert state.startswith("0 outputs, checked with torch ")


@pytest.mark.parametrize("there", [True, False])
def test_footer_links_to_what_is_offered_only_where_it_is_published(
    fresh, tmp_path, there
):
    config = SimpleNamespace(book_downloads=there)
    app = SimpleNamespace(srcdir=tmp_path, config=config)
    context = {"pathto": lambda path, resource=0: f"../{path}"}
    site_reading.add_footer(app, "", "", context, None)
    links = re.findall(r'<a href="\.\./([^"]+)">', context["theme_extra_footer"])
    offered = [f"downloads/{path.name}" for path in OFFERED.values()] if there else []
    assert links == [site_reading.CHECKED_PAGE, *offered]


@facts("there", [True, False])
@facts("page", ["index", "using_this_book"])
def test_a_page_offers_the_editions_only_where_they_are_published(
    build, monkeypatch, page, there
):
    monkeypatch.delenv("BOOK_DOWNLOADS", raising=False)
    if there:
        monkeypatch.setenv("BOOK_DOWNLOADS", "yes")
    text = (find_root(Path(__file__)) / f"book/{page}.md").read_text("utf-8")
    [line] = re.findall(r"^:::\{only\} released\n.*?\n:::$", text, re.M | re.S)
    body, warnings = build(f"# Page\n\n{line}\n")
    offered = [download_path(kind) for kind in EDITIONS | VOLUMES]
    links = re.findall(r'<a href="\.\./(downloads/[^"]+)">', body)
    assert warnings == ""
    assert links == (offered if there else [])
    assert ("d-print-none" in body) is there


def test_an_arrow_gets_a_name():
    write = with_names(lambda kind: f"<{kind}><summary><i></i></summary></{kind}>")
    assert '<summary aria-label="Pages of this section"><i>' in write("nav")
