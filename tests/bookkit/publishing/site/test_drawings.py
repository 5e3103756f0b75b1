import pytest
from bs4 import BeautifulSoup

from bookkit.publishing.site import drawings as site_drawings

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
