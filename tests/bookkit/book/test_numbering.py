"""Labels get the numbers that the site prints, and are known as it knows them."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.numbering import number_of, numbers, page_labels
from bookkit.checking.facts import facts

CONTENTS = """\
root: book/index
parts:
  - caption: Before
    chapters:
      - file: book/before
  - caption: Part
    numbered: 1
    chapters:
      - file: book/part/first
  - caption: Next
    numbered: 1
    chapters:
      - file: book/part/second
"""
EQUATION = '<a id="eq-{0}"></a>\n\n$$ a = b $$'
CELLS = [
    "# T\n\n" + EQUATION,
    '<a id="thm-{0}"></a>\n**Theorem (A title).** Text, and `$$ $$`.',
    "`` " + EQUATION.replace("{0}", "code") + " ``",
    '<a id="ex-{0}"></a>\n\n### Exercise\n\nCompute.',
    '<a id="thm-{0}-lemma"></a>\n**Lemma.** Text.',
    "**Theorem.** Nobody refers to it.",
    '<a id="thm-{0}-last"></a>\n**Theorem.** Text.',
]


@pytest.fixture
def pages(book, write_chapter):
    """A book with two numbered chapters and two pages without a number."""
    for name in ("index", "before", "part/first", "part/second"):
        label = name.rpartition("/")[2]
        made = write_chapter(*(cell.replace("{0}", label) for cell in CELLS))
        (book / "book" / f"{name}.ipynb").write_bytes(made.read_bytes())
        made.unlink()
    (book / "_toc.yml").write_text(CONTENTS)
    return book


def test_chapters_count_on_across_parts(pages):
    words = {label: number.text for label, number in numbers(pages).items()}
    assert words["thm-first"] == "Theorem 1.1"
    assert words["thm-first-last"] == "Theorem 1.2"
    assert words["thm-first-lemma"] == "Lemma 1.1"
    assert words["ex-second"] == "Exercise 2.1"
    assert words["eq-second"] == "(2.1)"


def test_pages_without_a_number_share_one_count(pages):
    known = numbers(pages)
    assert known["thm-index"].text == "Theorem 1"
    assert known["eq-before"].text == "(2)"


def test_code_numbers_nothing(pages):
    assert "eq-code" not in numbers(pages)


def test_an_unknown_label_is_a_fault():
    with pytest.raises(BookError, match=r"^cell 2 refers to 'thm-gone', and noth"):
        number_of("thm-gone", {}, "cell 2")


TEXT = """\
(given)=
## A heading

### With $x$ and more
"""


def test_a_page_has_its_labels_and_the_names_of_its_headings(book, write_chapter):
    path = write_chapter(
        '# Title\n\n<a id="eq-a"></a>\n$$ x $$',
        '<a id="thm-a"></a>\n**Theorem.** So.',
        '<a id="why-now"></a>\n\n## Why now',
    )
    found = page_labels(path)
    assert {"title", "equation-eq-a", "thm-a", "why-now"} <= found
    assert "eq-a" not in found
    (book / "book/index.md").write_text(TEXT)
    found = page_labels(book / "book/index.md")
    assert {"given", "a-heading", "with-and-more"} <= found


@facts("text", ["{", '{"cells": 1}', "[]"])
def test_what_is_no_notebook_is_named(book, text):
    path = book / "book/part/chapter.ipynb"
    path.write_text(text)
    with pytest.raises(BookError, match="chapter"):
        page_labels(path)
