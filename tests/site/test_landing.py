"""The drawings on the landing page and on the map work for eye, hand and keyboard."""

import io
from collections import Counter
from pathlib import Path

import numpy as np
import page_files
from page_visit import DESKTOP, PHONE, visit
from PIL import Image

from bookkit.checking.facts import facts
from bookkit.publishing.edition.pages import read_article

FIND_SMALLEST_TEXT = """Math.min(...[...document.querySelectorAll("svg.drawing text")]
  .filter((text) => text.getClientRects().length && text.getScreenCTM())
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)
  .filter((size) => size > 0))"""
FIND_WIDE_TEXT = """[...document.querySelectorAll("svg.drawing a")]
  .filter((link) => link.checkVisibility())
  .filter((link) => [...link.querySelectorAll("text")].some((text) =>
    text.getBBox().width > link.querySelector("rect").getBBox().width))
  .map((link) => link.textContent)"""
NAME = "document.activeElement.getAttribute('aria-label')"
BOOK = Path(__file__).parents[2] / "book"
PAGES = ["book/index.html", "book/chapter_map.html"]


@facts("way, form", [("wide", "wide"), ("phone", "narrow")])
def test_one_form_of_the_machine_is_in_view(browser, base, way, form):
    options = {"viewport": PHONE} if way == "phone" else {}
    page = visit(browser, base, PAGES[0], **options).page
    assert page.locator("svg.drawing:visible").count() == 1
    assert page.locator(f"svg.machine-{form}").is_visible()
    page.context.close()


@facts(
    "viewport, rows",
    [({"width": 1280, "height": 800}, 2), (PHONE, 1)],
    ids=["desktop", "phone"],
)
def test_promise_ways_in_answer_and_words_stand_in_the_first_window(
    browser, base, viewport, rows
):
    page = visit(browser, base, PAGES[0], viewport=viewport).page
    parts = [
        "h1 + p",  # the promise
        *(f".doors > li >> nth={door}" for door in range(4)),
        ".translator-tour .now",
        ".translator-said",
        *(f".translator-row >> nth={row} >> button" for row in range(rows)),
    ]
    for part in parts:
        for box in page.locator(part).all():
            place = box.bounding_box()
            assert place["y"] + place["height"] <= viewport["height"], part
    page.context.close()


def test_each_way_in_leads_elsewhere(site):
    doors = page_files.parse(site / PAGES[0]).find_class("doors")[0]
    hrefs = [link.get("href") for link in doors.iter("a")]
    assert len(hrefs) >= 5
    assert len(set(hrefs)) == len(hrefs)


@facts("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_figure_of_a_twin_stands_alone(browser, base, viewport):
    page = visit(browser, base, PAGES[0], viewport=viewport).page
    boxes = [figure.bounding_box() for figure in page.locator(".shares > div").all()]
    rows = Counter(round(box["y"]) for box in boxes)
    assert set(rows.values()) == {6 // len(rows)}
    assert min(box["width"] for box in boxes) > 80
    page.context.close()


@facts("picture", ["_editions/cover", "_static/social"])
def test_a_picture_of_the_book_is_that_of_its_drawing(browser, picture):
    png, name = BOOK / f"{picture}.png", picture.partition("/")[2]
    with Image.open(png) as stored:
        width, height = stored.size
        old = np.asarray(stored.convert("RGB"), dtype=float)
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto((BOOK / f"_editions/{name}.svg").as_uri())
    with Image.open(io.BytesIO(page.screenshot())) as drawn:
        new = np.asarray(drawn.convert("RGB"), dtype=float)
    page.close()
    assert np.sqrt(((new - old) ** 2).mean()) < 8, "take the picture anew"


@facts("name", PAGES)
def test_words_of_a_drawing_are_legible_on_a_phone(browser, base, name):
    page = visit(browser, base, name, viewport=PHONE).page
    assert page.locator("svg.drawing:visible").count() >= 1
    assert page.locator("svg.drawing:visible text").count() >= 20
    assert page.evaluate(FIND_SMALLEST_TEXT) >= 12
    assert page.evaluate(FIND_WIDE_TEXT) == []
    page.context.close()


def test_the_keyboard_walks_up_the_machine_and_opens_a_chapter(browser, base):
    page = visit(browser, base, PAGES[0]).page
    page.locator("svg.machine-wide a").first.focus()
    names = [page.evaluate(NAME)]
    for _ in range(3):
        page.keyboard.press("Tab")
        names.append(page.evaluate(NAME))
    assert [name.split(":")[0] for name in names] == [
        "Start",
        "Token embeddings",
        "Add positions",
        "Self-attention",
    ]
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("book/attention/self_attention.html")
    page.context.close()


def test_the_focus_of_a_box_can_be_seen(browser, base):
    page = visit(browser, base, PAGES[0]).page
    link = page.locator("svg.machine-wide a").nth(1)
    width = "link => getComputedStyle(link.querySelector('rect')).strokeWidth"
    before = link.evaluate(width)
    page.locator("svg.machine-wide a").first.focus()
    page.keyboard.press("Tab")
    assert (before, link.evaluate(width)) == ("1.5px", "4px")
    page.context.close()


@facts(
    "words",
    [
        *("take one out above", "Choose a part", "light up here", "Type 701"),
        "Links for your slides",
    ],
)
def test_editions_leave_out_what_only_a_screen_has(site, words):
    assert words in page_files.parse(site / PAGES[0]).find(".//article").text_content()
    assert words not in read_article(site, PAGES[0]).text_content()
