"""One page for paper, one package for devices, from a site of two pages."""

from datetime import UTC, datetime
from zipfile import ZipFile

import pytest
from lxml import etree

from bookkit.edition.contents import Book, Part, read_book
from bookkit.edition.epub import make_epub
from bookkit.edition.one_page import build_page, name_of
from bookkit.edition.pdf import find_chromium
from bookkit.notebooks import NotebookError

FORMULA = (
    '<span class="math"><span class="katex"><span class="katex-mathml"><math>'
    "<semantics><msub><mi>e</mi><mi>max</mi><mo>\u2061</mo></msub><mo><mi>m</mi><mi>o</mi></mo>"
    '<annotation encoding="application/x-tex">e_{\\max}</annotation></semantics></math>'
    '</span><span class="katex-html" aria-hidden="true">e</span></span></span>'
)
DRAWING = (
    b"<?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC 'a'\n  'b'>\n"
    b'<svg xmlns="http://www.w3.org/2000/svg"><path id="x"/><path d="M0 0"/></svg>'
)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "_config.yml").write_text(
        "title: T & T\nauthor: A\nsphinx: {config: {language: en}}\n"
        "repository: {url: 'https://github.com/Owner/name'}\n"
    )
    (tmp_path / "_toc.yml").write_text(
        "root: book/index\nparts:\n- caption: One\n  chapters:\n"
        "  - file: book/a/b\n    sections:\n    - file: book/a/c\n"
    )
    pages = {
        "index": f'<h1>Start</h1><a href="a/b.html#s">b</a>{FORMULA}',
        "a/b": '<h1>B</h1><section id="s"><h2>S</h2></section><a href="#s">s</a>',
        "a/c": '<h1>C</h1><a href="../x.html"><img src="../../_images/p.svg"></a>',
    }
    for name, inside in pages.items():
        page = tmp_path / f"_build/html/book/{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<html><body><article>{inside}</article></body></html>")
    (tmp_path / "_build/html/_images").mkdir()
    (tmp_path / "_build/html/_images/p.svg").write_bytes(DRAWING)
    (tmp_path / "book/_editions").mkdir(parents=True)
    (tmp_path / "book/_editions/cover.svg").write_text("<svg/>")
    (tmp_path / "book/_editions/epub.css").write_text("")
    return tmp_path


def one_page(root):
    site = root / "_build/html"
    return build_page(read_book(root), site, styles=[], extra="")


def test_book_has_its_pages_in_order(root):
    book = read_book(root)
    assert book.pages == ["book/index.html", "book/a/b.html", "book/a/c.html"]
    assert book.address == "https://owner.github.io/name/"
    assert book.parts == [Part("One", ["book/a/b.html", "book/a/c.html"])]


def test_a_contents_file_without_parts_is_refused(root):
    (root / "_toc.yml").write_text("root: book/index\n")
    with pytest.raises(NotebookError, match="must list the parts of the book; add"):
        read_book(root)


def test_places_of_different_pages_have_different_names():
    assert name_of("book/a/b.html", "summary") == "a.b.summary"
    assert name_of("book/index.html") == "index"


def test_links_lead_to_places_on_the_one_page_or_to_the_site(root):
    links = one_page(root).body.xpath("//section//a/@href")
    assert {"#a.b.s", "#a.b", "#a.c"} <= set(links)
    assert "https://owner.github.io/name/book/x.html" in links


def test_a_link_to_no_place_is_refused(root):
    page = root / "_build/html/book/a/b.html"
    page.write_text(page.read_text().replace('href="#s"', 'href="#t"'))
    with pytest.raises(NotebookError, match=r"#a\.b\.t \(s\) does not"):
        one_page(root)


def test_headings_stand_below_the_parts(root):
    page = one_page(root)
    assert page.headings() == ["Contents", "Start", "One", "B", "S", "C"]
    assert [h.text_content() for h in page.body.iter("h2")] == ["Start", "B", "C"]


def test_a_formula_on_paper_is_seen_once_and_has_words(root):
    (formula,) = one_page(root).body.find_class("katex")
    assert formula.get("aria-label") == r"e_{\max}"
    assert formula.text_content() == "e"


def test_numbers_stand_beside_the_chapters(root):
    numbers = {"index": 3, "a.b": 5, "a.c": 7}
    page = one_page(root).write_numbers(numbers)
    for number in numbers.values():
        assert f'<span class="edition-page">{number}</span>' in page


def test_an_epub_is_the_same_bytes_every_time(root):
    first = make_epub(root).read_bytes()
    assert make_epub(root).read_bytes() == first


def test_formulas_of_an_epub_are_complete_mathml(root):
    with ZipFile(make_epub(root)) as archive:
        tree = etree.fromstring(archive.read("book/index.xhtml"))
    (math,) = tree.iter("{*}math")
    (script,), (operator, _) = math.iter("{*}msub"), math.iter("{*}mo")
    assert math.get("alttext") == r"e_{\max}"
    assert len(script) == 2
    assert sorted(o.text for o in (operator, _)) == ["mo", "\u2061"]


def test_drawings_of_an_epub_refer_to_nothing_elsewhere(root):
    with ZipFile(make_epub(root)) as archive:
        drawing = archive.read("book/images/p.svg")
    assert b"DOCTYPE" not in drawing
    assert b'<path d="" id="x"/><path d="M0 0"/>' in drawing


def test_an_epub_says_when_the_book_changed(root, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    with ZipFile(make_epub(root)) as archive:
        package = archive.read("book/package.opf").decode()
    assert "1970-01-02T00:00:00Z" in package
    assert "<dc:title>T &amp; T</dc:title>" in package


def test_a_missing_browser_is_named():
    with pytest.raises(NotebookError, match="install Debian's package chromium"):
        find_chromium(which=lambda name: None)


def test_a_book_knows_when_it_changed():
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    book = Book("T", "A", "u", "r", "en", "i.html", [], moment)
    assert book.changed == moment
    assert book.pages == ["i.html"]
