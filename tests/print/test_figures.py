"""Figures of the editions have the colors that they have on the site."""

import re
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from figure_look import compare, cut_out, find_figures, look_at
from lxml import html
from lxml.html import HtmlElement
from pictures import list_names, take
from PIL import Image
from playwright.sync_api import Page

from bookkit.checking.facts import facts
from bookkit.publishing.edition import one_page
from bookkit.publishing.edition.pages import read_article
from bookkit.publishing.edition.pdf import lay_out
from bookkit.publishing.edition.tables import take_narrow

# Shares of ink in another hue, and how much more or less ink there may be: words are
# set in other letters, and a line of a pixel is lighter on a screen.
HUES, LEAST, MOST = 0.12, 0.6, 1.6
# Both are higher than each figure: a browser paints what is cut off when it has time.
DESKTOP, DEVICE = {"width": 1280, "height": 1200}, {"width": 700, "height": 1200}
# On which the site shows narrow forms, of drawings and explorers too.
NARROW = {"width": 390, "height": 1200}


@pytest.fixture(scope="module")
def names(articles) -> dict[str, list[str]]:
    """The figures of each page."""
    return {page: list_names(article) for page, article in articles.items()}


@pytest.fixture(scope="module")
def screen(opened) -> Iterator[Page]:
    page = opened[0].new_page(color_scheme="light")
    # The editions show what stands there until these scripts come.
    scripts = re.compile(r"/(translator|writer)[^/]*\.js")
    page.route(scripts, lambda route: route.abort())
    page.set_viewport_size(DESKTOP)
    yield page
    page.close()


@pytest.fixture(scope="module")
def pictures(screen, names, opened) -> dict[tuple[str, str], Image.Image]:
    """The figures as the site shows them."""
    found = {}
    for page, wanted in names.items():
        if wanted:
            screen.goto(opened[1] + page)
            for name, picture in zip(wanted, take(screen, wanted), strict=True):
                found[page, name] = picture
    return found


@pytest.fixture(scope="module")
def expected(screen, names, pictures, opened, site) -> dict:
    """The figures as a device is to show them: narrow where they are too wide."""
    found = dict(pictures)
    screen.set_viewport_size(NARROW)
    for page, wanted in names.items():
        article = html.parse(site / page).getroot()
        take_narrow(article)
        forms = article.xpath(
            ".//figure[.//style or .//img[contains(@src, '-narrow.svg')]]/@id"
        )
        narrow = [
            name
            for name in wanted
            if name.startswith(".drawings") or name.removeprefix("#") in forms
        ]
        if narrow:
            screen.goto(opened[1] + page)
            for name, picture in zip(narrow, take(screen, narrow), strict=True):
                found[page, name] = picture
    return found


def describe(picture: Image.Image, expected: Image.Image) -> str | None:
    """Say how far a picture is from the site's, or nothing where it is near."""
    hues, ink = compare(look_at(picture), look_at(expected))
    if hues <= HUES and LEAST <= ink <= MOST:
        return None
    return f"{hues:.2f} of its ink has another hue, and it has {ink:.2f} times as much"


def find_wrong(document: pypdfium2.PdfDocument, pictures: dict) -> dict:
    """Say in what figures of a PDF differ from the site, those that do."""
    boxes = [(page, box) for page in document for box in find_figures(page)]
    if len(boxes) != len(pictures):
        return {"pdf": f"{len(pictures)} figures stand in {len(boxes)} places"}
    wrong = {}
    for (page, box), (name, picture) in zip(boxes, pictures.items(), strict=True):
        if said := describe(cut_out(page, box, picture.width), picture):
            wrong[name] = said
    return wrong


def test_figures_of_the_pdf_look_as_on_the_site(reader, pictures, paper_book):
    printed = {name: pictures[name] for name in pictures if name[0] in paper_book.pages}
    assert len(printed) > 100
    assert find_wrong(reader, printed) == {}


def test_figures_of_the_epub_look_as_on_the_site(folder, expected, names, screen):
    wrong = {}
    screen.set_viewport_size(DEVICE)
    for page, wanted in names.items():
        screen.goto((folder / page.replace(".html", ".xhtml")).as_uri())
        for name, picture in zip(wanted, take(screen, wanted), strict=True):
            if said := describe(picture, expected[page, name]):
                wrong[page, name] = said
    assert wrong == {}


def forget_styles(site: Path, page: str) -> HtmlElement:
    """Read a page as if its drawings brought no styles."""
    article = read_article(site, page)
    for style in article.xpath(".//style"):
        style.drop_tree()
    return article


@facts("page", ["chapter_map", "attention/self_attention"])
def test_figures_that_lost_their_styles_are_noticed(
    page, book, root, press, pictures, monkeypatch
):
    path = f"book/{page}.html"
    part = replace(book, first_page=path, parts=[])
    shown = {name: pictures[name] for name in pictures if name[0] == path}
    with pypdfium2.PdfDocument(press.print(lay_out(part, root).write())) as document:
        assert find_wrong(document, shown) == {}
    monkeypatch.setattr(one_page, "read_article", forget_styles)
    with pypdfium2.PdfDocument(press.print(lay_out(part, root).write())) as document:
        assert len(find_wrong(document, shown)) == 1


@facts("fill", ["#000000", "#c65500", "#0072b2; opacity: 0.3", "#7f7f7f"])
def test_a_figure_in_another_color_is_noticed(press, fill):
    drawing = '<svg width="300" height="200"><rect style="fill: {}" {}/></svg>'
    size = 'width="120" height="120"'
    page = "<!doctype html><figure>{}</figure>"
    found, expected = (
        draw_first(press.print(page.format(drawing.format(color, size))))
        for color in (fill, "#0072b2")
    )
    assert describe(expected, expected) is None
    assert describe(found, expected) is not None


def draw_first(file: BytesIO) -> Image.Image:
    """Draw the first page of a file."""
    with pypdfium2.PdfDocument(file) as document:
        return document[0].render(scale=1).to_pil()
