"""A page is built alone as on the site, and says what it could not see."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.preview import Preview, preview, sort_warnings

ROOT = find_root(Path(__file__))
CONFIG = """\
title: A small book
only_build_toc_files: true
repository: {url: "https://github.com/owner/book"}
bibtex_bibfiles: [book/references.bib]
execute: {execute_notebooks: "off"}
parse: {myst_enable_extensions: [amsmath, colon_fence, dollarmath]}
sphinx:
  recursive_update: true
  extra_extensions: [sphinx_proof, sphinx_exercise, bookkit.publishing.site]
  config:
    html_math_renderer: book_katex
    html_static_path: [book/_static]
    html_additional_pages: {index: redirect.html, old/page: redirect.html}
    html_context: {moved: {old/page: {book/part/one: {}}}}
    numfig_secnum_depth: 1
    templates_path: [book/_templates]
"""
CONTENTS = """\
format: jb-book
root: book/index
parts:
  - caption: Part
    numbered: 1
    chapters: [{file: book/part/one}, {file: book/part/two}]
"""
PAGES = {
    "index.md": "# Book",
    "part/one.md": "# One\n\n(elsewhere)=\n## A section",
    "part/two.md": "# Two\n\nSee [one](one.md#a-section), [two](#elsewhere) and "
    "[three](#planted), [four](one.md#a-sectoin), [five](noe.md), "
    "{cite:t}`a` and {cite:t}`nobody`.\n\n## A part\n\n:::{prf:theorem}\n"
    ":label: thm-a\n\nSo.\n:::\n",
    "references.bib": "@misc{a, author={A}, title={T}, year=2018, doi={10.1234/5}}",
}
ONLINE = "https://owner.github.io/book/book"


def build_page(root, name):
    """Build a page by the command, in a process of its own as Sphinx needs it."""
    return subprocess.run(
        [sys.executable, "-m", "bookkit", "page", name],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(ROOT / "code")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The second page of a small book, built by the command, and what that said."""
    root = tmp_path_factory.mktemp("book")
    (root / "_config.yml").write_text(CONFIG)
    (root / "_toc.yml").write_text(CONTENTS)
    for name in ("_static", "_templates"):
        shutil.copytree(ROOT / "book" / name, root / "book" / name)
    for name, text in PAGES.items():
        (root / "book" / name).parent.mkdir(exist_ok=True)
        (root / "book" / name).write_text(text)
    done = build_page(root, "book/part/two.md")
    assert done.returncode == 0, done.stderr
    file = root / "_build/page/html/book/part/two.html"
    return BeautifulSoup(file.read_text("utf-8"), "html.parser"), done.stdout, root


def test_the_page_has_the_numbers_that_it_has_in_the_book(built):
    page, _, _ = built
    assert page.article.h1.get_text() == "2. Two#"
    assert page.article.h2.get_text() == "A part#"
    assert "Theorem 2.1" in page.article.get_text()


def test_links_to_other_pages_lead_to_where_they_are_published(built):
    page, _, _ = built
    link = page.article.find("a", string="one")
    assert link["href"] == f"{ONLINE}/part/one.html#a-section"


def test_what_is_wrong_is_told_and_last_how_to_open_the_page(built):
    _, said, root = built
    *faults, unseen, ready = said.splitlines()
    assert len(faults) == 4
    for fault in faults:
        assert fault.startswith(f"{root}/book/part/two.md:3: WARNING: ")
    for words in (
        "target not found: 'planted'",
        "links to book/part/one.html#a-sectoin, and that page has no such part (the",
        "links to book/part/noe.html, and the book has no such page (the nearest is",
        'could not find bibtex key "nobody"',
    ):
        assert any(words in fault for fault in faults), words
    assert unseen.startswith("2 references lead to other pages, which are there but")
    assert ready == (
        "The page is ready, with 4 faults named above: open "
        "_build/page/html/book/part/two.html"
    )


def test_the_build_of_the_book_stays_as_it_is(built):
    root = built[2] / "_build"
    assert [path.name for path in root.iterdir()] == ["page"]


MISSING = "WARNING: 'myst' cross-reference target not found: '{}' [myst.xref_missing]"


@facts(
    "line, is_fault",
    [
        (MISSING.format("elsewhere"), False),
        (MISSING.format("elsewher"), True),
        ("WARNING: Unknown source document 'book/part/one' [myst.xref_missing]", False),
        ("WARNING: Unknown source document 'book/part/no' [myst.xref_missing]", True),
        ('WARNING: could not find bibtex key "a" [bibtex.key_not_found]', False),
        ('WARNING: could not find bibtex key "b" [bibtex.key_not_found]', True),
        (MISSING.format("noe.md"), True),
        ("WARNING: local id not found in doc 'book/part/one': 'b'", True),
        ("WARNING: undefined label: 'elsewhere'", False),
        ("WARNING: undefined label: 'thm-none'", True),
        ("WARNING: prf:ref reference target not found: elsewhere", False),
        ("WARNING: prf:ref reference target not found: thm-none", True),
        ("ERROR: Unknown directive type: 'note2'. [myst.directive_unknown]", True),
    ],
)
def test_only_what_another_page_has_is_no_fault(built, line, is_fault):
    faults, unseen = sort_warnings([line], built[2])
    assert (faults, unseen) == (([line], 0) if is_fault else ([], 1))


def test_a_label_that_is_named_twice_is_told_once(built):
    first = "/root/book/part/one.ip.rst: WARNING: label 'thm-none' not found."
    second = "WARNING: prf:ref reference target not found: thm-none"
    assert sort_warnings([first, second], built[2]) == ([second], 0)


@facts(
    "name, words",
    [
        ("README.md", "must be a notebook or a text below book/, and README.md is"),
        ("book/part", "must be a notebook or a text below book/, and book/part is"),
        ("book/part/none.md", "book/part/none.md must be there, and is not; mend"),
    ],
)
def test_what_is_no_page_is_refused(built, name, words):
    root = built[2]
    with pytest.raises(BookError, match=re.escape(words)):
        preview(root, root / name)


def test_a_notebook_that_cannot_be_read_is_named(built):
    root = built[2]
    broken = root / "book/part/broken.ipynb"
    broken.write_text("{")
    with pytest.raises(BookError, match="must be a notebook in JSON"):
        preview(root, broken)


def test_a_page_that_cannot_be_made_says_why(built):
    root = built[2]
    (root / "book/part/odd.md").write_text("# Odd\n\n![a](_drawings/none.svg)")
    done = build_page(root, "book/part/odd.md")
    assert done.returncode == 1
    assert "none.svg" in done.stderr
    assert done.stderr.endswith("book/part/odd could not be built.\n")


def test_a_page_without_fault_is_just_ready(tmp_path):
    said = Preview(tmp_path / "a.html", (), 0).told(tmp_path)
    assert said == ["The page is ready: open a.html"]
