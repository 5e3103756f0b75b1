"""The text of the PDF is set as in a book: short lines, letters to read, no holes."""

import re
from statistics import median

import pypdfium2
import pytest
from lxml import html
from page_look import COARSE, draw, measure_filled
from text_look import FOOT, list_lines, lowest_letter

from bookkit.checking.facts import facts
from bookkit.publishing.edition.floats import let_figures_float
from bookkit.publishing.edition.one_page import OnePage

CHAPTER = re.compile(r"\d+\. ")
FULL = 45  # letters: no cell of a table, no caption and no end of a paragraph
# Thin letters, such as l and t, let one line in a thousand hold more than 80.
MOST, THIN, HARDLY = 80, 84, 0.001
MEDIAN = (58, 72)
SMALLEST, NOTES = 10, 0.05  # points; the share of lines set smaller, as in tables
HOLE = 1 / 3
SIZE = "font-size: {}pt; width: {}mm"


@pytest.fixture(scope="module")
def starts(outline):
    """The page on which each part and chapter starts, with its title."""
    return {page: title for level, title, page in outline if level < 2}


@pytest.fixture(scope="module")
def lines(reader):
    """The lines of text of each page."""
    return [list_lines(page) for page in reader]


@pytest.fixture(scope="module")
def full(lines, starts):
    """The full lines of the numbered chapters."""
    found, is_chapter = [], False
    for page, inside in enumerate(lines):
        if page in starts:
            is_chapter = CHAPTER.match(starts[page]) is not None
        if is_chapter:
            found += [
                line
                for line in inside
                if len(line.words) >= FULL and line.bottom > FOOT
            ]
    return found


def test_a_line_has_the_letters_of_a_line_of_a_book(full):
    lengths = [len(line.words) for line in full if line.size >= SMALLEST]
    assert len(lengths) > 5000
    assert MEDIAN[0] <= median(lengths) <= MEDIAN[1]
    long = [length for length in lengths if length > MOST]
    assert len(long) <= HARDLY * len(lengths)
    assert max(lengths) <= THIN


def test_running_text_is_large_enough(full):
    small = [line.words for line in full if line.size < SMALLEST]
    assert len(small) <= NOTES * len(full), small[:20]


def test_no_page_has_a_hole(reader, starts, outline):
    last = {page - 1 for page in starts} | {len(reader) - 1}
    openings = {page for level, _, page in outline if level == 0}
    inside = set(range(min(starts), len(reader))) - last - openings
    room = {p + 1: 1 - measure_filled(draw(reader[p], COARSE)) for p in inside}
    assert {page: share for page, share in room.items() if share > HOLE} == {}


def test_no_page_ends_with_a_colon(reader, lines):
    """What is announced stands below, not overleaf."""
    ends = {
        number: end.words
        for number, (page, inside) in enumerate(zip(reader, lines, strict=True), 1)
        if (end := find_end(page, inside)) is not None
    }
    assert len(ends) > 100
    assert {n: words for n, words in ends.items() if words.endswith(":")} == {}


def find_end(page, lines):
    """Find the last line of a page, if it is one of text."""
    lowest = lowest_letter(page)
    body = [line for line in lines if abs(line.bottom - lowest) < 2]  # points
    return max(body, key=lambda line: line.right, default=None)


@pytest.fixture
def printed(press, one_page):
    """Print what stands on one page, with the styles of the book."""
    opened = []

    def print_page(inside):
        page = f"{one_page.head}<body><section>{inside}</section></html>"
        opened.append(pypdfium2.PdfDocument(press.print(page)))
        return opened[-1][0]

    yield print_page
    for document in opened:
        document.close()


@facts("size, width, is_long", [(10.5, 108, False), (10.5, 170, True)])
def test_a_long_line_is_noticed(printed, size, width, is_long):
    words = "So bank has to listen to the words that matter to it. " * 8
    page = printed(f'<p style="{SIZE.format(size, width)}">{words}</p>')
    longest = max(list_lines(page), key=lambda line: len(line.words))
    assert longest.size == pytest.approx(size, abs=0.2)
    assert (len(longest.words) > MOST) is is_long


@facts("before, words", [(180, "Text.Figure"), (20, "Figure Text.")])
def test_text_goes_before_a_figure_that_finds_no_room(press, one_page, before, words):
    height = "<div style='height: {}mm'></div>"
    figure = f'<div class="cell"><figure>Figure {height.format(90)}</figure></div>'
    inside = f"{height.format(before)}{figure}<p>Text.</p>"
    text = f'<section class="bd-article" id="a">{inside}</section>'
    body = html.document_fromstring(text).body
    page = OnePage(one_page.book, one_page.head, body)
    let_figures_float(press, page)
    assert " ".join(body.find("section").text_content().split()) == words


@facts("last, end", [("So it is:", "So it is:"), ("<code>x:</code>", None)])
def test_the_end_of_a_page_is_found(printed, last, end):
    page = printed(f"<p>It begins:</p><p>{last}</p>")
    found = find_end(page, list_lines(page))
    assert (found.words if found else None) == end
