"""Figures have the form and the size that fit the page of a reading device."""

from lxml import html

from bookkit.checking.facts import facts
from bookkit.publishing.edition.pages import clean, relink
from bookkit.publishing.edition.tables import limit_heights, take_narrow

PICTURE = (
    '<div><picture><source srcset="n.svg" width="401" height="410">'
    '<img src="w.svg" width="702" height="196" alt="A"></picture></div>'
)


@facts(
    "width, shown",
    [(614, ["n.svg", "401", "410"]), (613, ["w.svg", "613", "196"])],
)
def test_a_figure_that_is_too_wide_is_its_narrow_form(width, shown):
    page = read(PICTURE.replace("702", str(width)))
    take_narrow(page)
    (image,) = clean(page).iter("img")
    assert [image.get(name) for name in ("src", "width", "height")] == shown
    assert image.get("alt") == "A"


def test_a_figure_that_is_too_wide_is_there_in_both_forms():
    page = read(PICTURE)
    take_narrow(page)
    (form,) = clean(page).xpath("./div/picture/source")
    assert (form.get("srcset"), form.get("width")) == ("w.svg", None)
    assert "orientation: portrait" in form.get("media")
    assert form.get("type") == "image/svg+xml"
    relink(page, "book/a.html", lambda *_: None, lambda path: f"images/{path}")
    assert page.xpath(".//@srcset | .//@src") == [
        "images/book/w.svg",
        "images/book/n.svg",
    ]


@facts("height, width", [(410, "30.1em"), (650, "27.0em"), (900, "25.1em")])
def test_a_narrow_form_grows_with_letters_and_fits_its_page(height, width):
    page = read(PICTURE.replace("410", str(height)))
    take_narrow(page)
    assert page.xpath(".//img/@style") == [f"width: {width}"]


def test_a_tall_figure_may_be_low_and_keeps_its_letters_legible():
    page = read(
        "".join(f'<figure><img src="a" height="{h}"></figure>' for h in (480, 800))
    )
    limit_heights(page)
    styles = [image.get("style") for image in page.iter("img")]
    assert styles == [None, "max-height: max(60vh, 600px)"]


def read(inside):
    return html.fragment_fromstring(f"<article>{inside}</article>")
