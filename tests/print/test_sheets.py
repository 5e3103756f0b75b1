"""Fifty questions with their answers, printed from the site: on five sheets at most."""

import pypdfium2
import pytest

from bookkit.checking.facts import facts

PAGE, SHEETS = "book/appendix/fifty_questions.html", 5
PAPER = {"A4": (210, 297), "letter": (216, 279)}  # millimeters, rounded
MM = 25.4 / 72  # of a point
FOLDED = "document.querySelectorAll('details.question:not([open])').length"
LINKS = """[...document.querySelectorAll("details.question")]
  .map((box) => [...box.querySelectorAll("a")].at(-1).textContent)"""


@pytest.fixture(scope="module")
def screen(opened):
    browser, base = opened
    page = browser.new_page()
    page.goto(f"{base}{PAGE}")
    page.evaluate("document.fonts.ready")
    yield page
    page.close()


@pytest.fixture
def printed(screen):
    """Print the page on paper of a size, with one more rule of style."""
    documents = []

    def print_page(size, rule=""):
        style = screen.add_style_tag(content=f"@page {{ size: {size} }} {rule}")
        documents.append(pypdfium2.PdfDocument(screen.pdf(prefer_css_page_size=True)))
        style.evaluate("(part) => part.remove()")
        return documents[-1]

    yield print_page
    for document in documents:
        document.close()


@facts("size", PAPER)
def test_the_fifty_questions_fit_on_five_sheets(printed, size):
    sheets = printed(size)
    widths = [round(side * MM) for side in sheets[0].get_size()]
    assert widths == list(PAPER[size])
    assert len(sheets) <= SHEETS


def test_each_question_is_printed_with_its_answer(screen, printed):
    assert screen.evaluate(FOLDED) == 50
    texts = [sheet.get_textpage().get_text_bounded() for sheet in printed("A4")]
    words = " ".join(" ".join(texts).split())
    assert [n for n in range(1, 51) if f" {n}. " not in words] == []
    links = screen.evaluate(LINKS)  # each answer ends with one
    assert len(links) == 50
    assert [link for link in links if link not in words] == []
    assert screen.evaluate(FOLDED) == 50


def test_a_fifth_sheet_is_noticed(printed):
    assert len(printed("A4", "@media print { .question { padding: 1em } }")) > SHEETS
