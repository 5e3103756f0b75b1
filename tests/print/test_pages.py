"""Every page of the PDF, drawn: nothing black, nothing empty, no letter lost."""

import pypdfium2
import pytest
from page_look import (
    COARSE,
    draw,
    find_lost,
    find_outside,
    list_letters,
    measure_black,
    measure_filled,
)

from bookkit.checking.facts import facts

BLACK = 0.2  # of a page; a large heat map covers a tenth
# How far down the text of a page reaches. A figure that fits nowhere leaves room before
# it, and the last page of a chapter may hold a line or two.
FILLED, FILLED_LAST = 0.25, 0.04
# What the style sheet leaves, less a millimeter for a letter that leans over.
MARGINS = {"side": 13, "top": 13}
SHEET = "<!doctype html><style>@page {{ margin: 14mm 14mm 18mm; size: A4 }}</style>{}"
FRONT = 3  # cover, title, licenses


@pytest.fixture(scope="module")
def last(reader, outline):
    """The pages of the front, those that open a part, and those that end a chapter."""
    starts = {page for level, _, page in outline if level < 2}
    openings = {page for level, _, page in outline if level == 0}
    return {*range(FRONT), len(reader) - 1, *openings, *(page - 1 for page in starts)}


@pytest.fixture
def printed(press):
    """Print what stands on one page, in the margins of the book."""
    opened = []

    def print_page(inside):
        document = pypdfium2.PdfDocument(press.print(SHEET.format(inside)))
        opened.append(document)
        return document[0]

    yield print_page
    for document in opened:
        document.close()


@pytest.fixture(scope="module")
def coarse(reader):
    """Each page, drawn coarsely."""
    return [draw(page, COARSE) for page in reader]


@pytest.fixture
def drawn(printed):
    """Print what stands on one page, and draw it coarsely."""
    return lambda inside: draw(printed(inside), COARSE)


def number(pages):
    return enumerate(pages, start=1)


def test_no_page_is_mostly_black(coarse):
    shares = {place: measure_black(grey) for place, grey in number(coarse)}
    del shares[1]  # the cover
    assert {place: share for place, share in shares.items() if share > BLACK} == {}


def test_no_page_is_mostly_empty(coarse, last):
    filled = {place: measure_filled(grey) for place, grey in enumerate(coarse)}
    least = {place: FILLED_LAST if place in last else FILLED for place in filled}
    empty = {p + 1: share for p, share in filled.items() if share < least[p]}
    assert empty == {}


def test_every_letter_is_seen_and_stands_within_the_margins(reader):
    lost, outside = {}, {}
    for place, page in number(reader):
        letters = list_letters(page)
        lost[place] = find_lost(page, letters)
        outside[place] = find_outside(page, letters, **MARGINS)
    assert {place: signs for place, signs in lost.items() if signs} == {}
    assert {place: signs for place, signs in outside.items() if signs} == {}


def test_a_black_page_is_noticed(drawn):
    page = drawn('<div style="background: #000; height: 120mm"></div>')
    assert measure_black(page) > BLACK
    text = drawn("<p style='font-weight: bold'>" + "Text in bold. " * 400)
    assert measure_black(text) < BLACK / 2


def test_an_empty_page_is_noticed(drawn):
    assert measure_filled(drawn("<p>&nbsp;")) == 0
    assert measure_filled(drawn("<p>One line.")) < FILLED
    assert measure_filled(drawn('<p style="margin-top: 60mm">One line.')) > FILLED


def test_the_number_of_a_page_does_not_fill_it(drawn):
    foot = "<style>@page { @bottom-center { content: counter(page) } }</style>"
    assert measure_filled(drawn(f"{foot}<p>&nbsp;")) == 0


@facts("side", ["left", "right", "top"])
def test_text_in_the_margin_is_noticed(printed, side):
    style = f"<style>@page {{ margin-{side}: 5mm }} p {{ text-align: {side} }}</style>"
    page = printed(f"{style.replace('text-align: top', '')}<p>out")
    assert find_outside(page, list_letters(page), **MARGINS) == "out"


def test_text_within_the_margins_is_in_order(printed):
    page = printed("<p>" + "within " * 4000)
    assert find_outside(page, list_letters(page), **MARGINS) == ""


def test_text_that_something_covers_is_noticed(printed):
    style = "background: #fff; height: 5mm; margin-top: -5mm; position: relative"
    page = printed(f'<p>seen</p><p>lost</p><div style="{style}"></div>')
    assert find_lost(page, list_letters(page)) == ""
    page = printed(f'<p>seen</p>lost<div style="{style}"></div>')
    assert find_lost(page, list_letters(page)) == "lost"
