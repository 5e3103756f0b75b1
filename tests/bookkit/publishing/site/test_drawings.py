"""Drawings and narrow forms of figures stand on the pages that show them."""

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bookkit.book.notebooks import NARROW, SVG, write_notebook
from bookkit.publishing.site import drawings as site_drawings
from bookkit.publishing.site.drawings import name_figure, offer_forms, read_forms

BOX = "<text>Masked <tspan>self</tspan>-</text><text>attention</text>"
DRAWING = f'<svg><a href="{{}}.ipynb">{BOX}</a></svg>'
PAGE = "# T\n\n![A drawing](_drawings/{}.svg)\n"


@pytest.fixture
def draw(tmp_path, build):
    """Build a page that shows a drawing which leads to a page."""

    def show(*names, target="index"):
        folder = tmp_path / "source/_drawings"
        folder.mkdir(parents=True)
        for name in names:
            (folder / f"{name}.svg").write_text(DRAWING.format(target))
        html, warnings = build(PAGE.format(names[0]))
        return BeautifulSoup(html, "html.parser"), warnings

    return show


def test_a_link_is_named_by_its_words_and_by_the_chapter(draw):
    page, _ = draw("map")
    assert page.select_one("div.drawings a")["aria-label"] == "Masked self-attention, T"


def test_a_link_to_no_page_is_a_warning(draw):
    _, warnings = draw("map", target="gone")
    assert "A drawing must lead to pages of the book; got 'gone'. Mend it." in warnings


def test_a_phone_finds_its_icon(draw):
    page, _ = draw("map")
    icon = page.find("link", rel="apple-touch-icon")
    assert icon["href"] == f"_static/{site_drawings.ICON}"


FORM = '<svg width="300pt" height="150pt" viewBox="0 0 300 150">'
SHOWING = '<p><img alt="a" src="../_images/a.svg" /><img src="../_images/b.svg" /></p>'


@pytest.fixture
def find(tmp_path):
    (tmp_path / "a-narrow.svg").write_text(FORM)
    return {"a.svg": tmp_path / "a-narrow.svg"}.get


def test_a_page_names_the_narrow_form_with_its_size_for_narrow_screens(find):
    body = offer_forms(SHOWING, find)
    assert body == (
        '<p><picture style="--natural: 400px">'
        '<source media="screen and (max-width: 640px)" '
        'srcset="../_images/a-narrow.svg" width="400" height="200">'
        '<img alt="a" src="../_images/a.svg" /></picture>'
        '<img src="../_images/b.svg" /></p>'
    )


def test_forms_of_a_notebook_are_found_by_the_names_of_the_figures_files(tmp_path):
    drawn = {SVG: "<svg>\n</svg>\n", NARROW: FORM, "text/plain": "<Figure>"}
    outputs = [
        new_output("display_data", drawn),
        new_output("display_data", {SVG: "<svg/>"}),
    ]
    cell = new_code_cell("draw()", outputs=outputs, execution_count=1)
    (tmp_path / "_config.yml").touch()
    write_notebook(tmp_path / "a.ipynb", new_notebook(cells=[cell]))
    assert read_forms(tmp_path / "a.ipynb") == {name_figure(drawn[SVG]): FORM}
