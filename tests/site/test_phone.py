"""What a phone shows: figures that can be read, and boxes that say that they scroll."""

import re

import page_files
import page_phone
import page_use
import page_visit
import pytest

from bookkit.checking.barriers import find_barriers
from bookkit.checking.facts import facts
from bookkit.publishing.site.outputs import mark_line

SCRIPT = "book/_static/book.js"
WIDE = '<div style="width: 900px">wide</div>'
BOX = '<article class="bd-article"><pre{}>{}</pre></article>'
LETTER = (
    '<g id="text_{0}"><g transform="translate({1} 20) scale({2} -{2})">'
    '<path d="M 0 0 L 60 0 L 60 80 L 0 80 z"/></g></g>'
)
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} 30" width="{0}pt">'
    "{1}</svg>"
)


def test_a_tooltip_stays_away_from_a_finger(browser, root):
    shown = []
    for has_touch in (False, True):
        page = browser.new_page(has_touch=has_touch, is_mobile=has_touch)
        page.set_content('<div class="tooltip">Search</div>')
        page.add_style_tag(path=root / "book/_static/reading.css")
        shown.append(page.locator(".tooltip").is_visible())
        page.close()
    assert shown == [True, False]


TAUGHT = "book/attention/self_attention.html"
TOUCH = {"viewport": page_visit.PHONE, "has_touch": True, "is_mobile": True}
TERM, WORK = ".glossary-link >> text=key", ".citation-link >> text=Xiao et al., 2024"


@pytest.fixture
def open_taught(browser, base):
    """Open a page with terms and citations; the value is the page."""
    contexts = []

    def open_page(**options):
        contexts.append(browser.new_context(reduced_motion="reduce", **options))
        page = contexts[-1].new_page()
        page.goto(base + TAUGHT)
        return page

    yield open_page
    for context in contexts:
        context.close()


@facts(
    "link, words, entry",
    [(TERM, "key: What a position shows", "glossary"), (WORK, "", "bibliography")],
)
def test_a_tap_tells_a_term_or_a_work_at_the_foot(open_taught, link, words, entry):
    page = open_taught(**TOUCH)
    link = page.locator(link).first
    href, title = (link.get_attribute(name) for name in ("href", "title"))
    link.tap()
    sheet = page.get_by_role("dialog", name=link.inner_text())
    assert sheet.locator("p").inner_text() == title
    assert title.startswith(words)
    box = sheet.bounding_box()
    assert box["y"] + box["height"] == page_visit.PHONE["height"]
    there = sheet.get_by_role("link", name=f"In the {entry}")
    for target in (there, sheet.get_by_role("button", name="Close")):
        assert target.bounding_box()["height"] >= 44
    there.tap()
    page.wait_for_url(f"**/{href.removeprefix('../')}")


# In one task of the browser: between two, a figure above that is still being loaded
# moves what is below it.
MOVE = """link => {
  const find = () => JSON.stringify([link.getBoundingClientRect(), scrollY]);
  const before = find();
  link.click();
  return [before, find()];
}"""


@facts("link", [TERM, WORK])
def test_nothing_moves_when_a_term_or_a_work_is_told(open_taught, link):
    page = open_taught(**TOUCH)
    link = page.locator(link).first
    link.scroll_into_view_if_needed()
    before, after = link.evaluate(MOVE)
    assert page.locator(".book-sheet").is_visible()
    assert after == before


@facts(
    "close, returns",
    [
        (lambda page: page.keyboard.press("Escape"), True),
        (lambda page: page.get_by_role("button", name="Close").tap(), True),
        (lambda page: page.touchscreen.tap(100, 100), False),
    ],
)
def test_what_a_tap_has_told_goes_and_the_focus_returns(open_taught, close, returns):
    page = open_taught(**TOUCH)
    link = page.locator(TERM).first
    link.evaluate("link => link.click()")  # some browsers do not focus what is tapped
    sheet = page.locator(".book-sheet")
    assert sheet.evaluate("sheet => sheet.contains(document.activeElement)")
    close(page)
    sheet.wait_for(state="hidden")
    assert link.evaluate("link => link === document.activeElement") is returns


@facts("scheme", ["light", "dark"])
def test_what_a_tap_has_told_is_accessible(open_taught, scheme):
    page = open_taught(**TOUCH, color_scheme=scheme)
    page.locator(TERM).first.tap()
    page.locator(".book-sheet").wait_for()
    barriers = find_barriers(page)
    assert [barrier for barrier in barriers if "book-sheet" in barrier[1]] == []


@facts("options", [TOUCH | {"java_script_enabled": False}, {}])
def test_a_term_leads_to_its_entry_without_scripts_or_with_a_mouse(
    open_taught, options
):
    page = open_taught(**options)
    page.locator(TERM).first.click()
    page.wait_for_url("**/glossary.html#term-key")


def test_names_before_cells_are_for_a_phone_only(browser, base):
    visit = page_visit.visit(browser, base, "book/beyond/model_zoo.html")
    names = visit.page.locator("table.cards .column")
    assert names.count() > 20
    assert not any(name.is_visible() for name in names.all())
    cards = visit.page.locator("table.cards").count()
    assert len(page_phone.find_bad_cards(visit.page)) == cards > 1
    visit.page.context.close()


@pytest.fixture(scope="session")
def sheet(browser):
    """One page for one figure after the other."""
    page = browser.new_page()
    yield page
    page.close()


def test_figures_of_chapters_have_a_narrow_form_for_screens_only(site):
    figures = [
        (path, image)
        for path in page_files.list_pages(site)
        for image in page_files.parse(site / path).xpath(
            "//article//figure//img[contains(@src, '_images')]"
        )
    ]
    assert len(figures) > 100
    for path, image in figures:
        sources = image.xpath("ancestor::picture/source")
        if not sources and is_narrow(site / path, image):
            continue
        [source] = sources
        assert source.get("media").startswith("screen and (max-width: "), path
        assert {int(source.get(side)) > 0 for side in ("width", "height")} == {True}


def is_narrow(page, image):
    """Return whether a drawing is no wider than a phone, and needs no other form."""
    drawing = (page.parent / image.get("src")).read_text("utf-8")
    width = re.search(r'<svg[^>]* viewBox="0 0 ([\d.]+) ', drawing)
    return width is not None and float(width[1]) <= page_visit.PHONE["width"]


@pytest.fixture
def open_phone(browser, root):
    """Show a body on a phone, with the script and the style of the book."""
    context = browser.new_context(viewport=page_visit.PHONE)

    def open_body(body, *, alive=True):
        page = context.new_page()
        page.set_content(body)
        if alive:
            page.add_style_tag(path=root / "book/_static/book.css")
            page.add_script_tag(path=root / SCRIPT)
            page.evaluate(page_use.DRAW)
        return page

    yield open_body
    context.close()


def test_a_box_that_scrolls_is_found_where_nothing_shows_it(open_phone):
    body = BOX.format(' style="overflow-x: auto"', WIDE)
    assert page_phone.find_silent_boxes(open_phone(body)) == []
    [found] = page_phone.find_silent_boxes(open_phone(body, alive=False))
    assert found.startswith("<pre")


def test_a_box_that_shows_more_than_it_has_is_found(open_phone):
    page = open_phone(BOX.format(' data-more="right"', "short"), alive=False)
    assert len(page_phone.find_silent_boxes(page)) == 1


def test_a_figure_that_is_scaled_down_is_found(open_phone):
    image = "<img src='data:image/svg+xml,{}' style='width: {}px'>"
    svg = SVG.format(300, "").replace("#", "%23")
    shown = "".join(image.format(svg, width) for width in (341, 339))
    page = open_phone(f'<div class="bd-article"><figure>{shown}</figure></div>')
    assert [round(scale, 2) for _, scale in page_phone.find_small_figures(page)] == [
        0.85
    ]


FIND_LONELY = """() => {
  const [word, mark] = document.querySelectorAll("i, b");
  return mark.getBoundingClientRect().top > word.getBoundingClientRect().bottom;
}"""


@facts("name, is_lonely", [("keep", False), ("other", True)])
def test_a_full_stop_goes_with_its_formula(open_phone, name, is_lonely):
    part = '<i style="display: inline-block; width: 100px; height: 9px"></i>'
    body = (
        '<article class="bd-article" style="width: 102px"><p>'
        f'<span class="{name}"><span class="katex">{part}</span><b>.</b></span></p>'
    )
    assert open_phone(body).evaluate(FIND_LONELY) is is_lonely


def test_an_output_that_is_cut_is_found_and_one_that_wraps_is_not(open_phone):
    line = f'<span class="line">{"word " * 30}{"0" * 90}</span>'
    body = (
        '<div class="bd-article"><div class="cell_output"><div class="highlight">'
        f'<pre class="wraps">{line}</pre></div></div></div>'
    )
    assert page_phone.find_cut_lines(open_phone(body)) == []
    [found] = page_phone.find_cut_lines(open_phone(body, alive=False))
    assert found.startswith("word word")


CODE = (
    '<article class="bd-article"><div class="cell"><div class="cell_input">'
    '<div class="highlight"><pre class="wraps">'
    '<span class="line" style="--indent: 4ch">    {}</span></pre>'
)
NAMES = "torch.Generator().manual_seed(the_first_seed_of_all)"


def test_a_name_in_two_rows_is_found_and_one_behind_a_break_is_not(open_phone):
    [marked] = re.findall(r">( {4}.*)</span>$", mark_line(f"    {NAMES}"))
    page = open_phone(CODE.replace("    {}", marked))
    assert page_phone.find_broken_names(page) == []
    page = open_phone(CODE.format(NAMES))
    assert page_phone.find_broken_names(page) != []


FLOWING = (
    '<div class="bd-article"><div class="cell_output"><div class="highlight">'
    '<pre class="wraps"><span class="line{}">{}\n    {}\n</span></pre></div></div>'
)
READ_ROWS = """() => {
  const line = document.querySelector(".line"), range = document.createRange();
  const rows = new Map();
  range.selectNodeContents(line.firstChild);
  for (const {top, left} of range.getClientRects()) {
    rows.set(top, Math.min(left, rows.get(top) ?? left));
  }
  const mark = getComputedStyle(line, "::before");
  const marks = parseFloat(mark.height) / parseFloat(mark.lineHeight);
  return [[...rows.values()], Math.round(marks || 0)];
}"""


def test_a_text_that_was_wrapped_is_not_wrapped_twice(open_phone):
    texts = "and " * 16, "so " * 21
    rows = [
        len(open_phone(FLOWING.format(name, *texts)).evaluate(READ_ROWS)[0])
        for name in (" flows", "")
    ]
    assert rows[0] < rows[1]


@facts("words, wraps", [(3, False), (30, True)])
def test_each_further_row_of_a_line_of_code_is_further_in_and_has_a_mark(
    open_phone, words, wraps
):
    page = open_phone(CODE.format(" ".join(["abc"] * words)))
    (first, *others), marks = page.evaluate(READ_ROWS)
    assert bool(others) is wraps
    assert marks == len(others)
    assert all(place > first + 50 for place in others)  # its indent is about 30


def test_a_comment_on_a_line_of_its_own_goes_on_behind_the_marks(open_phone):
    page = open_phone(CODE.format(f'<span class="c1"># {"abc " * 30}</span>'))
    in_comment = READ_ROWS.replace("line.firstChild", "line.lastChild")
    (first, *others), marks = page.evaluate(in_comment)
    assert marks == len(others) > 0
    assert all(place > first + 20 for place in others)


@facts(
    "letters, reason",
    [
        ([(1, 10, 0.08), (2, 20, 0.08)], None),
        ([(1, 10, 0.08), (2, 14, 0.08)], "text_1 and text_2 meet"),
        ([(1, 98, 0.08)], "text_1 leaves the picture"),
        ([(1, 10, 0.07)], "text_1 has 7.9"),
    ],
)
def test_words_that_cannot_be_read_are_found(sheet, tmp_path, letters, reason):
    drawn = "".join(LETTER.format(*letter) for letter in letters)
    file = tmp_path / "a.svg"
    file.write_text(SVG.format(100, drawn), "utf-8")
    sheet.goto(file.as_uri())
    found = page_phone.find_faults_of_words(sheet)
    assert [re.match(reason, fault)[0] for fault in found] == [reason] * bool(reason)
