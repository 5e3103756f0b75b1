"""The pages to revise by, printed from the site: on no more sheets than they say."""

import re
from itertools import product

import pypdfium2
import pytest

from bookkit.checking.facts import facts

QUESTIONS = "book/appendix/fifty_questions"
CARDS, CHINESE = "book/appendix/fact_cards", "zh/appendix/fact_cards"
SHEETS = {QUESTIONS: 5, CARDS: 8, CHINESE: 8, "book/appendix/formula_card": 1}
PAPER = {"A4": (210, 297), "letter": (216, 279)}  # millimeters, rounded
MM = 25.4 / 72  # of a point
FOLDED = "document.querySelectorAll('details.question:not([open])').length"
LINKS = """[...document.querySelectorAll("details.question")]
  .map((box) => [...box.querySelectorAll("a")].at(-1).textContent)"""


@pytest.fixture(scope="module")
def visit(opened):
    """Open a page of the book; all share a tab."""
    browser, base = opened
    screen = browser.new_page()

    def go(name):
        screen.goto(f"{base}{name}.html")
        screen.evaluate("document.fonts.ready")
        return screen

    yield go
    screen.close()


@pytest.fixture
def printed(visit):
    """Print a page on paper of a size, with one more rule of style."""
    documents = []

    def print_page(size, rule="", name=QUESTIONS):
        screen = visit(name)
        screen.add_style_tag(content=f"@page {{ size: {size} }} {rule}")
        documents.append(pypdfium2.PdfDocument(screen.pdf(prefer_css_page_size=True)))
        return documents[-1]

    yield print_page
    for document in documents:
        document.close()


@facts("name, size", product(SHEETS, PAPER))
def test_a_page_to_revise_by_fits_on_its_sheets(printed, name, size):
    sheets = printed(size, name=name)
    widths = [round(side * MM) for side in sheets[0].get_size()]
    assert widths == list(PAPER[size])
    assert len(sheets) <= SHEETS[name]


@facts("name, mark", [(CARDS, "Mistake"), (CHINESE, "常见错误")])
def test_four_fact_cards_stand_on_a_sheet(printed, name, mark):
    sheets = printed("A4", name=name)
    texts = [sheet.get_textpage().get_text_bounded() for sheet in sheets]
    assert [len(re.findall(rf"(?m)^{mark}\b", text)) for text in texts] == 8 * [4]


def test_each_question_is_printed_with_its_answer(visit, printed):
    screen = visit(QUESTIONS)
    assert screen.evaluate(FOLDED) == 50
    texts = [sheet.get_textpage().get_text_bounded() for sheet in printed("A4")]
    words = " ".join(" ".join(texts).split())
    assert [n for n in range(1, 51) if f" {n}. " not in words] == []
    links = screen.evaluate(LINKS)  # each answer ends with one
    assert len(links) == 50
    assert [link for link in links if link not in words] == []
    assert screen.evaluate(FOLDED) == 50


def test_a_fifth_sheet_is_noticed(printed):
    rule = "@media print { .question { padding: 1em } }"
    assert len(printed("A4", rule)) > SHEETS[QUESTIONS]
