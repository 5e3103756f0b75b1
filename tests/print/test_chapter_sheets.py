"""A chapter, printed from the site as a reader prints it: the sheets, one by one."""

import pypdfium2
import pytest
from page_look import (
    COARSE,
    draw,
    find_lost,
    find_outside,
    list_letters,
    measure_filled,
)

# A chapter, its title, and how far down its sheets are filled on average. The other one
# has the largest explorer and many figures, before which a sheet may end early.
CHAPTERS = {
    "attention/self_attention": ("3. Self-attention", 0.93),
    "architecture/decoding": ("20. Decoding: from probabilities to text", 0.9),
}
# Words on each sheet but the last, however long the chapter is. Set as on the screen,
# the first of them has 350.
DENSE = 470
PAPER = {"A4": (210, 297), "Letter": (216, 279)}  # millimeters, rounded
POINTS = 72 / 25.4  # in a millimeter
FILLED = 0.6  # how far down each sheet but the last
FOOT = 17  # millimeters
# What print.css leaves, less a millimeter for a letter that leans over.
MARGINS = {"side": 15, "top": 13}
COME = "() => [...document.images].every((image) => image.complete)"


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(request):
    """The name of a chapter, its title, and how full its sheets are."""
    return request.param, *CHAPTERS[request.param]


@pytest.fixture(scope="module")
def screen(opened, chapter):
    browser, base = opened
    page = browser.new_page()
    address = f"{base}book/{chapter[0]}.html"
    page.goto(address)
    page.wait_for_function(COME)
    page.evaluate("document.fonts.ready")
    yield page, address
    page.close()


@pytest.fixture(scope="module", params=PAPER)
def sheets(screen, request):
    """The sheets of the chapter on paper of a size, and that size."""
    page, _ = screen
    printed = page.pdf(format=request.param, prefer_css_page_size=True)
    document = pypdfium2.PdfDocument(printed)
    yield list(document), PAPER[request.param]
    document.close()


@pytest.fixture
def measure(screen):
    """Measure the words on a sheet of A4, with one more rule of style."""
    page, _ = screen

    def print_with(rule):
        style = page.add_style_tag(content=f"@media print {{ {rule} }}")
        with pypdfium2.PdfDocument(page.pdf(format="A4")) as document:
            words = count_words(list(document))
        style.evaluate("(part) => part.remove()")
        return words

    return print_with


def count_words(sheets):
    words = sum(len(s.get_textpage().get_text_bounded().split()) for s in sheets)
    return words / (len(sheets) - 1)


def test_a_chapter_is_printed_on_the_paper_that_a_reader_has(sheets):
    sides = {tuple(round(s / POINTS) for s in sheet.get_size()) for sheet in sheets[0]}
    assert sides == {sheets[1]}


def test_each_sheet_says_at_its_foot_what_it_belongs_to(screen, chapter, sheets):
    feet = [
        sheet.get_textpage().get_text_bounded(0, 0, sheet.get_width(), FOOT * POINTS)
        for sheet in sheets[0]
    ]
    for number, foot in enumerate(feet, start=1):
        assert f"{chapter[1]} \N{EM DASH} The Tested Transformer" in foot
        assert screen[1] in foot
        assert f"{number} / {len(feet)}" in foot


def test_a_chapter_takes_few_sheets_and_fills_them(chapter, sheets):
    assert count_words(sheets[0]) > DENSE
    filled = [measure_filled(draw(sheet, COARSE)) for sheet in sheets[0][:-1]]
    assert min(filled) > FILLED
    assert sum(filled) / len(filled) > chapter[2]


def test_every_letter_is_seen_and_stands_within_the_margins(sheets):
    for sheet in sheets[0]:
        letters = list_letters(sheet)
        assert find_lost(sheet, letters) == ""
        assert find_outside(sheet, letters, **MARGINS) == ""


def test_a_wide_setting_is_noticed(measure):
    assert measure(".bd-article { line-height: 1.4 }") > DENSE
    assert measure(".bd-article p { line-height: 2 }") < DENSE
