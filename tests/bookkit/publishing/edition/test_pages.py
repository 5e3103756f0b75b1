"""The text of a page without what only a screen can use."""

import pytest
from lxml import html

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing.edition.pages import (
    clean,
    read_article,
    read_words,
    relink,
    title_of,
)

FORMULA = (
    '<span class="katex"><span class="katex-mathml"><math><mi>d</mi>'
    '<annotation encoding="application/x-tex">d_k</annotation></math></span>'
    '<span class="katex-html" aria-hidden="true">dk</span></span>'
)


def article(inside):
    return html.fragment_fromstring(f"<article>{inside}</article>")


def text(element):
    return html.tostring(element, encoding="unicode")


def test_the_narrow_form_of_a_figure_is_left_out():
    shown = '<picture><source srcset="b.svg"><img src="a.svg"></picture>'
    assert text(clean(article(shown))) == '<article><img src="a.svg"></article>'


def test_output_stays_of_a_cell_whose_code_and_output_are_folded():
    cell = (
        '<div class="cell tag_hide-input tag_hide-output"><details class="folded-code">'
        '<summary><span class="when-closed">Show</span></summary>'
        '<div class="cell_input">draw()</div></details><details class="folded-code">'
        '<summary><span class="when-closed">Show</span></summary>'
        '<div class="cell_output">7</div></details></div>'
    )
    result = text(clean(article(cell)))
    assert "draw()" not in result
    assert '<div class="cell_output">7</div>' in result


def test_a_formula_in_a_title_is_read_once():
    heading = article(f"<h1>Why {FORMULA}?<span>\u200b</span></h1>")
    assert title_of(heading) == "Why d_k?"
    assert read_words(heading) == "Why d_k?"


def test_links_and_pictures_are_told_where_they_lead():
    page = article(
        '<a href="../b/c.html#x%20y">1</a><a href="#z">2</a>'
        '<a href="https://a.org">3</a><img src="../../_images/p.svg">'
    )
    relink(page, "book/a/d.html", lambda *place: "|".join(place), lambda path: path)
    assert page.xpath(".//@href") == [
        "book/b/c.html|x y",
        "book/a/d.html|z",
        "https://a.org",
    ]
    assert page.xpath(".//@src") == ["_images/p.svg"]


@facts("address", ["https://a.org/p.png", "//a.org/p.png", "/p.png", "../../p.png"])
def test_a_picture_from_elsewhere_is_refused_with_its_page(address):
    page = article(f'<img src="{address}">')
    with pytest.raises(BookError, match=r"book/a\.html must show pictures of the"):
        relink(page, "book/a.html", lambda *place: None, lambda path: path)


def test_a_missing_page_is_named_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(BookError, match=r"must hold book/a\.html; run `make book`"):
        read_article(tmp_path, "book/a.html")


def test_a_drawing_keeps_its_styles_and_is_a_figure():
    drawing = '<div class="drawings"><svg><style>.a{}</style><path/></svg></div>'
    result = text(clean(article(drawing)))
    assert '<figure class="drawings"><svg><style>.a{}</style>' in result
