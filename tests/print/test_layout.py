"""How the one page of the PDF is laid out in its columns: rows, figures, formulas."""

import re
from copy import deepcopy

import pytest
from lxml import html

from bookkit.checking.facts import facts
from bookkit.publishing.edition.one_page import name_of
from bookkit.publishing.edition.press import WIDTH, wait_for_letters
from bookkit.publishing.edition.solutions import take_shown

# Words of a figure are of 11 points, and those of its caption of nearly 9.
LEAST_SCALE = 0.55
SIGN = re.compile(r"[.,;:!?)]")
FIND_SMALL = """(least) => [...document.querySelectorAll("figure img")]
  .map((image) => [image, image.getBoundingClientRect()])
  .map(([image, box]) => [image.closest("[id]")?.id,
    Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight)])
  .filter(([, scale]) => !(scale >= least))"""
FIND_BROKEN_ROWS = """() => {
  const broken = [];
  for (const code of document.querySelectorAll(".cell_output pre")) {
    const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), places = [];
    while (walk.nextNode()) {
      const part = walk.currentNode;
      for (let i = 0; i < part.length; i++) places.push([part, i]);
    }
    let start = 0;
    for (const line of code.textContent.split("\\n")) {
      const end = start + line.length;
      if (/\\S {2,}\\S/.test(line)) {
        const row = document.createRange();
        row.setStart(...places[start]);
        row.setEnd(places[end - 1][0], places[end - 1][1] + 1);
        const boxes = [...row.getClientRects()].filter((box) => box.width);
        const bottom = Math.min(...boxes.map((box) => box.bottom));
        if (boxes.some((box) => box.top > bottom - 1)) broken.push(line);
      }
      start = end + 1;
    }
  }
  return broken;
}"""
COUNT_MARKS = """document.querySelectorAll(".edition-mark").length"""
# A sign begins the first part of its formula, or ends the last.
FIND_MISPLACED = r"""() => {
  const place = (part) => part.getBoundingClientRect();
  const stands = (mark, parts) => /^[(“]/.test(mark.textContent)
    ? mark.parentElement === parts[0]
      && Math.abs(place(mark).left - place(parts[0]).left) < 1
    : mark.parentElement === parts.at(-1)
      && Math.abs(place(mark).right - place(parts.at(-1)).right) < 1;
  return [...document.querySelectorAll(".katex:has(.edition-mark)")]
    .filter((formula) => {
      const parts = [...formula.querySelectorAll(".katex-html > .base")];
      const marks = [...formula.querySelectorAll(".edition-mark")];
      return !marks.every((mark) => stands(mark, parts));
    })
    .map((formula) => formula.textContent);
}"""
OUTPUT = '<div class="cell_output" style="width: {}px"><pre style="{}">{}</pre></div>'


@pytest.fixture(scope="module")
def sheet(opened, one_page):
    """The whole book as wide as the text of a printed page."""
    browser, base = opened
    screen = browser.new_page(viewport={"width": WIDTH, "height": WIDTH})
    screen.set_default_timeout(600_000)  # milliseconds
    text = {"body": one_page.write(), "content_type": "text/html; charset=utf-8"}
    screen.route(f"{base}sheet.html", lambda route: route.fulfill(**text))
    screen.emulate_media(media="print")
    screen.goto(f"{base}sheet.html")
    wait_for_letters(screen)
    yield screen
    screen.close()


@pytest.fixture
def scrap(opened):
    screen = opened[0].new_page()
    yield screen
    screen.close()


def test_words_of_figures_can_be_read(sheet):
    assert sheet.evaluate(FIND_SMALL, LEAST_SCALE) == []


def test_rows_of_printed_tables_are_whole(sheet):
    assert sheet.evaluate(FIND_BROKEN_ROWS) == []


def test_a_small_figure_is_noticed(scrap):
    image = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' {}/>"
    source = image.format("width='200' height='400'")
    drawn = '<figure id="small"><img src="{}" style="height: {}px"></figure>'
    for height, names in ((300, []), (200, ["small"])):
        scrap.set_content(drawn.format(source, height))
        scrap.wait_for_function("document.images[0].complete")
        found = scrap.evaluate(FIND_SMALL, LEAST_SCALE)
        assert [name for name, _ in found] == names


@facts("width, broken", [(400, []), (60, ["a  1.00"])])
def test_a_broken_row_is_noticed(scrap, width, broken):
    text = "a  1.00\nNo table, so that it may go on below."
    style = "font: 20px monospace; overflow-wrap: anywhere; white-space: pre-wrap"
    scrap.set_content(OUTPUT.format(width, style, text))
    assert scrap.evaluate(FIND_BROKEN_ROWS) == broken


def test_no_line_begins_with_the_sign_behind_a_formula(one_page):
    """A browser breaks a line on both sides of a formula, but not within its end."""
    formulas = one_page.body.xpath(
        "//span[span[@class='katex']][not(@class='katex-display')]"
    )
    assert len(formulas) > 1000
    assert [f.tail for f in formulas if SIGN.match(f.tail or "")] == []


def test_words_and_signs_stand_in_the_order_of_the_site(one_page, articles, paper_book):
    """What is moved into a formula is read at the place where it stood."""
    for page in paper_book.pages:
        article = deepcopy(articles[page])
        take_shown(article, paper_book.shown)
        [printed] = one_page.body.xpath(f"//section[@id='{name_of(page)}']")
        assert seen(printed) == seen(article), page


def seen(article):
    """Return the text of a page with room, in which a formula is read once."""
    copy = deepcopy(article)
    for name in ("katex-mathml", "column"):
        for hidden in copy.find_class(name):
            hidden.drop_tree()
    return copy.text_content()


def test_signs_of_formulas_stand_at_their_ends(sheet):
    assert sheet.evaluate(COUNT_MARKS) > 1000
    assert sheet.evaluate(FIND_MISPLACED) == []


@facts(
    "parts, misplaced",
    [
        (["a =", "b<i>.</i>"], []),
        (["<i>(</i>a =", "b<i>)</i>"], []),
        (["a =<br>", "b<i>.</i>"], []),
        (["a =<i>.</i>", "b"], ["a =.b"]),
        (["a =", "<i>.</i>b"], ["a =.b"]),
        (["a<i>(</i>", "b<i>)</i>"], ["a(b)"]),
        (["a", "<i>(</i>b<i>)</i>"], ["a(b)"]),
        (["a", 'b<i style="position: relative; right: 1em">.</i>'], ["ab."]),
    ],
)
def test_a_misplaced_sign_is_noticed(scrap, parts, misplaced):
    bases = "".join(f'<span class="base">{part}</span>' for part in parts)
    formula = f'<span class="katex"><span class="katex-html">{bases}</span></span>'
    marked = formula.replace("<i", '<i class="edition-mark"')
    scrap.set_content(f"<style>.base {{ display: inline-block }}</style>So {marked}")
    assert scrap.evaluate(FIND_MISPLACED) == misplaced


def test_long_names_in_tables_break_between_words(reference_page):
    names = [
        name for name in reference_page.body.xpath("//td//code") if "_" in words(name)
    ]
    assert len(names) > 100
    assert [words(name) for name in names if name.find(".//wbr") is None] == []


def test_tables_have_columns_and_no_names_before_cells(one_page, site):
    page = html.parse(site / "book/beyond/model_zoo.html")
    assert len(page.getroot().find_class("column")) > 20
    assert one_page.body.find_class("column") == []


def test_titles_of_the_outline_keep_their_roots(one_page):
    assert any(title.endswith("Why divide by √d_k?") for title in one_page.headings())


def words(element):
    return element.text_content()
