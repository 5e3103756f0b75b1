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
PAGE = """
$$ a = b $$ (eq-{0})

:::{{prf:theorem}} A title
:label: thm-{0}
Text, and `$$ $$ (eq-code)`.
:::

:::{{exercise}}
:label: ex-{0}
:::

:::{{prf:lemma}}
:class: x
:label: thm-{0}-lemma
:::

```{{prf:theorem}}
:label: thm-{0}-last
```
"""


@pytest.fixture
def pages(book):
    """A book with two numbered chapters and two pages without a number."""
    (book / "_toc.yml").write_text(CONTENTS)
    for name in ("index", "before", "part/first", "part/second"):
        text = PAGE.format(name.rpartition("/")[2])
        (book / "book" / f"{name}.md").write_text(text)
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


def test_figures_count_in_the_order_of_the_cells(write_chapter, code, book):
    name = [{"figure": {"name": f"fig-{letter}"}} for letter in "ab"]
    write_chapter("# T", code("1", mystnb=name[0]), "text", code("2", mystnb=name[1]))
    assert {k: v.text for k, v in numbers(book).items()} == {
        "fig-a": "Figure 1",
        "fig-b": "Figure 2",
    }


def test_code_numbers_nothing(pages):
    assert "eq-code" not in numbers(pages)


def test_an_unknown_label_is_a_fault():
    with pytest.raises(BookError, match=r"^cell 2 refers to 'thm-gone', and noth"):
        number_of("thm-gone", {}, "cell 2")
