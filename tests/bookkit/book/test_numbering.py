"""Labels get the numbers that the site prints."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.numbering import number_of, numbers

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
