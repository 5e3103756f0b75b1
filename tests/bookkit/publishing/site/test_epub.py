"""Sphinx binds a small book into an EPUB."""

import io
import os
import re
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest
from lxml import etree
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from bookkit.book.files import find_root
from bookkit.publishing.edition.epub import EPUB, STYLES, mend_drawing

# Of the extension that reads the order of a book.
pytestmark = pytest.mark.filterwarnings("ignore:nodes.Node.traverse")
ROOT = find_root(Path(__file__))
CONF = """
from bookkit.publishing.site import boxes, epub, math, mathml, outputs

extensions = ["myst_nb", "sphinx_external_toc", "sphinx_exercise"]
external_toc_path = "_toc.yml"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "book_katex"
html_use_index = html_domain_indices = False
numfig = True
project, author, language = "T & T", "A & B", "en"
templates_path = ["book/_templates"]


def setup(app):
    for part in (boxes, epub, math, mathml, outputs):
        part.register(app)
"""
FILES = {
    "conf.py": CONF,
    "_config.yml": "title: T & T\nauthor: A & B\nsphinx: {config: {language: en}}\n"
    "repository: {url: 'https://github.com/Owner/name'}\n",
    "_toc.yml": "format: jb-book\nroot: book/index\nparts:\n- caption: One & all\n"
    "  numbered: 1\n  chapters:\n  - file: book/b\n  - file: book/glossary\n",
    "pyproject.toml": "[project]\nkeywords = ['a & b', 'c']\n",
    "book/index.md": "# Start\n\nTo [b](b.md).\n\n![A](p.svg)\n",
    "book/b.md": "# B\n\n## Why $\\sqrt{d}$?\n\n$$ a = b $$ (eq)\n\n"
    "```{exercise} E\n:label: ex\nAsk.\n```\n\n"
    "```{solution} ex\n:label: ex-solution\n42\n```\n",
    "book/glossary.md": "# Glossary\n\nWords.\n",
}
DRAWING = (
    b"<?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC 'a'\n  'b'>\n"
    b'<svg xmlns="http://www.w3.org/2000/svg"><path id="x"/><path d="M0 0"/></svg>'
)


def bind(folder, number):
    """Bind the book and return the file."""
    out, said = folder / f"epub-{number}", io.StringIO()
    trees = str(folder / "trees")
    with docutils_namespace():
        app = Sphinx(
            folder, folder, out, trees, "epub", status=None, warning=said, freshenv=True
        )
        app.build()
    assert said.getvalue() == ""
    return out / EPUB.name


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of the same book."""
    folder = tmp_path_factory.mktemp("book")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "book/p.svg").write_bytes(DRAWING)
    for name in (STYLES, "book/_templates", "book/_static/chinese"):
        shutil.copytree(ROOT / name, folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SOURCE_DATE_EPOCH", "86400")
        return [bind(folder, number) for number in range(2)]


@pytest.fixture(scope="module")
def book(files):
    with ZipFile(files[0]) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_epub_is_the_same_bytes_every_time(files):
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_package_says_what_the_book_is(book):
    package = book["content.opf"].decode()
    assert "<dc:title>T &amp; T</dc:title>" in package
    assert "1970-01-02T00:00:00Z" in package
    assert re.findall("<dc:subject>(.*)</dc:subject>", package) == ["a &amp; b", "c"]


def test_the_package_names_kinds_and_properties(book):
    tree = etree.fromstring(book["content.opf"])
    items = {item.get("href"): item for item in tree.iter("{*}item")}
    assert items["_static/formulas.woff"].get("media-type") == "font/woff"
    assert items["_static/chinese.woff"].get("media-type") == "font/woff"
    properties = {name: item.get("properties") for name, item in items.items()}
    assert properties["_static/cover.png"] == "cover-image"
    assert properties["nav.xhtml"] == "nav"
    assert properties["book/b.xhtml"] == "mathml"
    assert properties["book/index.xhtml"] is None
    [cover] = tree.xpath("//*[@name='cover']/@content")
    assert items["_static/cover.png"].get("id") == cover


def test_older_contents_name_the_same_book(book):
    [name] = etree.fromstring(book["content.opf"]).iter("{*}identifier")
    contents = etree.fromstring(book["toc.ncx"])
    assert contents.xpath("//*[@name='dtb:uid']/@content") == [name.text]


def test_contents_have_parts_chapters_and_sections_for_the_menu(book):
    contents, marks = etree.fromstring(book["nav.xhtml"]).iter("{*}nav")
    links = {link.text: link.get("href") for link in contents.iter("{*}a")}
    assert links == {
        "Start": "book/index.xhtml",
        "One & all": "book/b.xhtml",
        "1. B": "book/b.xhtml",
        "Why √d?": "book/b.xhtml#why-sqrt-d",
        "Solutions": "book/b.xhtml#solutions",
        "2. Glossary": "book/glossary.xhtml",
    }
    hidden = [part for part in contents.iter("{*}ol") if part.get("hidden")]
    assert [part[0][0].text for part in hidden] == ["Why √d?"]
    places = [
        "epub-cover.xhtml",
        "nav.xhtml",
        "book/index.xhtml",
        "book/glossary.xhtml",
    ]
    assert [place.get("href") for place in marks.iter("{*}a")] == places


def test_the_title_page_says_where_the_book_is_and_what_is_allowed(book):
    title = etree.fromstring(book["title.xhtml"])
    words = "".join(title.find("{*}body").itertext())
    assert "T & T" in words
    assert "CC BY 4.0" in words
    links = ["https://owner.github.io/name/", "https://github.com/Owner/name"]
    assert [link.get("href") for link in title.iter("{*}a")] == links
    cover = etree.fromstring(book["epub-cover.xhtml"])
    assert next(cover.iter("{*}img")).get("alt") == "T & T, by A & B"


def test_drawings_refer_to_nothing_elsewhere_and_have_no_empty_outline():
    drawing = mend_drawing(DRAWING)
    assert b"DOCTYPE" not in drawing
    assert b'<path d="" id="x"/><path d="M0 0"/>' in drawing
