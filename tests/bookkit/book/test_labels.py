"""The labels of pages are known as the site knows them."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.numbering import page_labels
from bookkit.checking.facts import facts

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
