"""Stills carry the look that styles gave them, and need no styles."""

import pytest
from lxml import html

from bookkit.book.errors import BookError
from bookkit.publishing.edition.pages import read_article
from bookkit.publishing.edition.stills import put_stills

EXPLORER = """
<div class="explorer"><style>
.explorer { --blue: #0072b2; } .explorer .bar { fill: var(--blue); }
.explorer td { background: color-mix(in srgb, var(--blue) 50%, #fff); }
.explorer b { display: none; }
</style><p hidden="hidden">drag</p><div><style>.explorer i { color: red }</style>
<svg viewBox="0 0 9 9" width="90"><rect class="bar" width="4" height="4"/></svg>
<table><tr><td>1 &lt; 2</td></tr></table><i>red</i> and <b>gone</b></div></div>
"""


def make_site(folder, inside):
    page = f"<!doctype html><body><article><h1>A</h1>{inside}</article></body>"
    (folder / "a.html").write_text(page)
    return {"a.html": read_article(folder, "a.html")}


@pytest.fixture(scope="module")
def still(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    hidden = '<div style="display: none"><style>i {}</style></div>'
    articles = make_site(folder, f"{EXPLORER}<p>after</p>{hidden}")
    put_stills(articles, folder)
    return articles["a.html"]


def test_a_still_has_colors_and_no_styles(still):
    assert not still.xpath(".//style")
    assert "fill: rgb(0, 114, 178)" in still.find(".//rect").get("style")
    cell = still.find(".//td").get("style")
    assert "background-color: rgb(128, 184, 217)" in cell
    assert "border-top: 0px" in cell
    assert "color: rgb(255, 0, 0)" in still.find(".//i").get("style")


def test_a_still_holds_what_is_shown_and_nothing_else(still):
    words = still.text_content()
    assert "1 < 2" in words
    assert "red and" in words
    assert "drag" not in words
    assert "gone" not in words
    assert words.index("red") < words.index("after")


def test_a_drawing_that_is_not_shown_has_no_still(still):
    assert len(still.xpath("./div")) == 1


def test_a_still_is_as_large_as_its_drawing_with_an_edge(still):
    drawing = still.find(".//svg")
    assert "width: 98px" in drawing.get("style")
    assert drawing.get("viewbox") == "-0.4 -0.4 9.8 9.8"


def test_what_stands_out_of_its_frame_is_in_the_picture(tmp_path):
    word = '<rect class="bar" x="-3" width="4" height="4"/>'
    articles = make_site(tmp_path, EXPLORER.replace("<rect ", f"{word}<rect "))
    put_stills(articles, tmp_path)
    drawing = articles["a.html"].find(".//svg")
    assert drawing.get("viewbox") == "-3.4 -0.4 12.8 9.8"


def test_the_rim_of_a_word_is_a_word_beneath_it(tmp_path):
    rim = "paint-order: stroke; stroke: #fff; stroke-width: 4"
    word = f'<text style="{rim}">a<tspan style="stroke: red">b</tspan></text>'
    articles = make_site(tmp_path, EXPLORER.replace("<rect ", f"{word}<rect "))
    put_stills(articles, tmp_path)
    under, over = articles["a.html"].iter("text")
    assert "stroke: rgb(255, 255, 255)" in under.get("style")
    assert "stroke:" not in (over.get("style") or "")
    assert "stroke:" not in (over[0].get("style") or "")
    assert under.text_content() == over.text_content() == "ab"


def test_a_line_that_is_not_seen_is_no_line(tmp_path):
    line = '<p style="border-left: 2px solid transparent">x</p>'
    articles = make_site(tmp_path, EXPLORER.replace("<p hidden", f"{line}<p hidden"))
    put_stills(articles, tmp_path)
    assert "border-left: 0" in articles["a.html"].find(".//div/p").get("style")


def test_a_page_without_styles_needs_no_browser(tmp_path, monkeypatch):
    monkeypatch.setattr("bookkit.publishing.edition.stills.open_site", None)
    articles = make_site(tmp_path, "<p>x</p>")
    put_stills(articles, tmp_path)
    assert html.tostring(articles["a.html"]).count(b"<p>x</p>") == 1


def test_a_page_that_shows_other_drawings_is_refused(tmp_path):
    articles = make_site(tmp_path, EXPLORER)
    make_site(tmp_path, "<p>x</p>")
    message = r"a\.html must show the 1 drawings of its text, and shows 0; look at"
    with pytest.raises(BookError, match=message):
        put_stills(articles, tmp_path)
