"""What makes the book pleasant: names, buttons, keys, paper, lost readers, weight."""

import os
import re
import shutil
from urllib.parse import urlsplit
from xml.etree import ElementTree

import page_files
import page_use
import page_visit
import pytest

from bookkit.book.address import site_url
from bookkit.checking.browser import serve
from bookkit.checking.facts import facts

CHAPTER = "book/attention/self_attention.html"
FOCUS = """() => {
  const style = getComputedStyle(document.activeElement);
  const where = document.activeElement.closest(
    ".skip-link, .pst-skip-link, #pst-skip-link, .bd-sidebar-primary, main, footer");
  const name = where?.id || where?.className || document.activeElement.outerHTML;
  return [name, style.outlineStyle, style.boxShadow];
}"""
NAMES = """() => [...document.querySelectorAll(".bd-article [id]")].map(it => it.id)"""
DRAWING = ".cell.tag_hide-input > .folded-code:has(> .cell_input)"
# How many letters further in than the first row each further row of a line of code is.
FIND_STARTS = """() => [...document.querySelectorAll(".cell_input pre .line")]
  .flatMap((line) => {
    const words = document.createRange();
    words.selectNodeContents(line);
    const letter = parseFloat(getComputedStyle(line).fontSize) * 0.6;
    const boxes = [...words.getClientRects()].filter(({ width }) => width > 1);
    const rows = [];
    for (const { bottom, left } of boxes.sort((a, b) => a.bottom - b.bottom)) {
      const row = rows.at(-1);
      if (row && bottom < row.bottom + letter) row.left = Math.min(left, row.left);
      else rows.push({ bottom, left });
    }
    return rows.slice(1).map(({ left }) => (left - rows[0].left) / letter);
  })"""
BOXES = """() => [...document.querySelectorAll(".bd-article :is(.exercise, .solution)")]
  .map(box => box.classList.contains("solution") ? "solution" : "exercise")"""


@pytest.fixture
def chapter(browser, base):
    visited = page_visit.visit(browser, base, CHAPTER)
    yield visited.page
    visited.page.context.close()


def test_numbers_of_chapters_stay_whole_on_a_phone(browser, base):
    page = page_visit.visit(
        browser, base, "book/index.html", viewport=page_visit.PHONE
    ).page
    lines = page.evaluate(
        """() => [...document.querySelectorAll("#the-chapters td:first-child")].map(
        (cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell.firstElementChild ?? cell);
          return [cell.textContent.trim(), range.getClientRects().length];
        })"""
    )
    page.context.close()
    assert len(lines) > 24
    assert lines == [[str(number), 1] for number in range(1, len(lines) + 1)]


@facts("section", ["the-chapters", "how-long-it-takes"])
def test_rows_of_the_landing_page_are_short_on_a_phone(browser, base, section):
    page = page_visit.visit(
        browser, base, "book/index.html", viewport=page_visit.PHONE
    ).page
    heights = page.evaluate(
        """(section) => [...document.querySelectorAll(`#${section} tbody tr`)].map(
        (row) => row.getBoundingClientRect().height
          / parseFloat(getComputedStyle(row).lineHeight))""",
        section,
    )
    page.context.close()
    assert len(heights) >= 4
    assert max(heights) < 6.5  # lines, with the room between them


def test_colab_and_download_are_in_view(chapter):
    for name in (
        ".article-header-buttons a[href*='colab']",
        ".btn-download-source-button",
    ):
        link = chapter.locator(name)
        assert link.is_visible()
        assert link.inner_text().strip() in {"Colab", "Notebook"}
        assert link.bounding_box()["height"] < 60


def test_copy_button_works_by_keyboard_and_copies_the_code_as_it_is(chapter):
    chapter.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = chapter.locator("button.copybtn").first
    code = chapter.locator(".cell_input pre").first
    button.focus()
    chapter.keyboard.press("Enter")
    copied = chapter.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == code.text_content().strip()


def test_copy_buttons_have_a_name(chapter):
    buttons = chapter.locator("button.copybtn")
    names = buttons.evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert set(names) == {"Copy this code"}


def test_headings_figures_and_equations_can_be_linked(site):
    article = page_files.parse(site / CHAPTER).find(".//article")
    headings = list(article.iter("h1", "h2", "h3"))
    assert {heading.tag for heading in headings} >= {"h1", "h2"}
    for heading in headings:
        assert heading.find_class("headerlink")
    equations = [part for part in article.find_class("math") if part.find_class("eqno")]
    parts = [*article.iter("figure"), *equations]
    assert {part.tag for part in parts} == {"figure", "div"}
    for part in parts:
        assert part.find_class("headerlink")[0].get("href") == f"#{part.get('id')}"


def test_chapters_lead_to_the_one_before_and_the_one_after(site):
    [area] = page_files.parse(site / CHAPTER).find_class("prev-next-area")
    links = area.xpath(".//a/@href")
    assert links == ["embeddings.html", "multi_head_attention.html"]


def test_tab_leads_from_the_skip_link_over_the_sidebar_to_the_text(chapter):
    places = []
    for _ in range(60):
        chapter.keyboard.press("Tab")
        place, outline, shadow = chapter.evaluate(FOCUS)
        assert outline != "none" or shadow != "none", place
        places.append(place)
        if "main" in place:
            break
    assert "skip" in places[0]
    assert "primary-sidebar" in places[1]
    assert places[-1] == "main-content"


def test_the_skip_link_leads_past_the_sidebar(chapter):
    chapter.keyboard.press("Tab")
    link = chapter.locator(":focus")
    assert link.inner_text() == "Skip to main content"
    chapter.wait_for_function(
        "() => document.activeElement.getBoundingClientRect().top >= 0"
    )
    chapter.keyboard.press("Enter")
    chapter.keyboard.press("Tab")
    assert chapter.evaluate(FOCUS)[0] == "main-content"


def test_figures_keep_their_place_free(site):
    images = page_files.parse(site / CHAPTER).xpath(
        "//article//img[contains(@src, '_images')]"
    )
    assert images
    for image in images:
        assert int(image.get("width")) > 0
        assert int(image.get("height")) > 0
        assert image.get("decoding") == "async"


def test_dark_page_prints_in_light_colors_and_unfolded(browser, base):
    page = page_visit.visit(browser, base, CHAPTER, dark=True).page
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.locator(f"details:not([open]):not({DRAWING})").count() == 0
    assert page.locator(".bd-article h1").is_visible()
    for part in (".bd-sidebar-primary", ".bd-header-article", "footer", ".copybtn"):
        assert not page.locator(part).first.is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("details[open]").count() == 0
    page.context.close()


def test_the_source_of_a_figure_is_on_paper_only_where_it_was_unfolded(browser, base):
    page = page_visit.visit(browser, base, CHAPTER).page
    sources = page.locator(DRAWING)
    sources.first.locator("summary").click()
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    shown = sources.evaluate_all("a => a.map((box) => box.offsetHeight > 0)")
    assert shown == [True, *[False] * (len(shown) - 1)]
    assert len(shown) > 4
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 1
    page.context.close()


def test_a_long_line_of_code_goes_on_further_in_on_paper(browser, base):
    page = page_visit.visit(browser, base, CHAPTER).page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 480, "height": 700})  # A5, where more lines do
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    page_use.open_all(page)
    starts = page.evaluate(FIND_STARTS)
    assert len(starts) > 2
    assert [start for start in starts if start < 3] == []
    page.context.close()


def test_the_contents_of_a_phone_close_once_a_reader_has_chosen(browser, base):
    page = page_visit.visit(browser, base, CHAPTER, viewport=page_visit.PHONE).page
    page.locator(".secondary-toggle").first.click()
    contents = page.locator("#pst-secondary-sidebar-modal")
    link = contents.locator(".page-toc a").nth(2)
    assert link.bounding_box()["height"] >= 32
    link.click()
    contents.wait_for(state="hidden")
    page.wait_for_url("**/*.html#*")
    heading = page.locator(":target > h2")
    assert heading.is_visible()
    page.context.close()


def test_solutions_are_printed_after_the_chapter_and_return_to_their_places(
    browser, base
):
    page = page_visit.visit(browser, base, CHAPTER).page
    before = page.evaluate(NAMES)
    order = page.evaluate(BOXES)
    assert order == [kind for _ in order[::2] for kind in ("exercise", "solution")]
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(BOXES) == sorted(order)
    assert page.evaluate(NAMES) != before
    assert page.locator(".bd-article h2").last.inner_text() == "Solutions"
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(NAMES) == before
    page.context.close()


def test_lost_reader_finds_the_way_from_any_folder(browser, site, config, tmp_path):
    # Where nobody knows the address, the links lead from the root of the host.
    address = site_url(config["repository"]["url"]) or "/"
    folder = urlsplit(address).path.lstrip("/")
    shutil.copytree(
        site, tmp_path / folder, dirs_exist_ok=True, copy_function=os.symlink
    )
    page = (site / "404.html").read_text("utf-8")
    (tmp_path / "lost/in").mkdir(parents=True)
    (tmp_path / "lost/in/a.html").write_text(page, "utf-8")
    with serve(tmp_path) as base:
        visited = page_visit.visit(browser, base, "lost/in/a.html")
        assert visited.complaints == []
        visited.page.click("article a")
        assert visited.page.url == f"{base}{folder}book/index.html"
        visited.page.context.close()


def test_pages_name_their_address_and_the_map_of_the_site_lists_them(site, config):
    address = site_url(config["repository"]["url"])
    pages = [page for page in page_files.list_pages(site) if page.startswith("book/")]
    assert pages
    canonical = "//link[@rel = 'canonical']/@href"
    if address is None:
        for page in pages:
            assert not page_files.parse(site / page).xpath(canonical)
        return
    listed = {place.text for place in ElementTree.parse(site / "sitemap.xml").iter()}
    for page in pages:
        assert page_files.parse(site / page).xpath(canonical) == [address + page]
        assert address + page in listed


def test_footer_says_what_was_checked(site):
    [footer] = page_files.parse(site / CHAPTER).find_class("book-state")
    words = footer.text_content()
    assert re.search(r"[\d,]+ outputs, checked with torch \d+\.\d+", words)


LONG = "book/normalization/norm_placement.html"
IS_LAID_OUT = """() => [...document.querySelectorAll(
    ".bd-article > section > section *:is(p, table, .cell, .math-scroll)")]
  .every((part) => getComputedStyle(part).contentVisibility === "visible")"""


def lay_out(page):
    """Wait until no part of a page waits any more, and until all that is drawn."""
    page.wait_for_function(IS_LAID_OUT, polling=250)  # to look takes long
    for _ in range(2):
        page.evaluate(page_use.DRAW)


@facts("width", [1440, 390])
def test_a_link_within_a_long_page_leads_to_its_heading(browser, base, width):
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(f"{base}/{LONG}")
    sections = page.locator(".bd-article > section > section")
    ids = [sections.nth(i).get_attribute("id") for i in range(sections.count())]
    landed = []
    for name in ids[2:-3:3]:
        page.goto(f"{base}/{LONG}#{name}")
        lay_out(page)
        top = "name => document.getElementById(name).getBoundingClientRect().top"
        landed.append(page.evaluate(top, name))
    context.close()
    assert len(landed) > 2
    assert all(0 <= top < 120 for top in landed), landed


@facts("step", [1, 5])
def test_a_long_page_is_laid_out_some_milliseconds_at_a_time(browser, base, step):
    """The clock goes on only while parts are laid out, by `step` milliseconds."""
    page = browser.new_page()
    page.add_init_script(
        f"const step = {step};"
        """
let now = 0;
performance.now = () => now;
window.turns = [];
const measure = Element.prototype.getBoundingClientRect;
Element.prototype.getBoundingClientRect = function () {
  if (this === document.body) {
    now += step;
    window.turns[window.turns.length - 1] += 1;
  }
  return measure.call(this);
};
window.requestIdleCallback = (task) => setTimeout(() => {
  window.turns.push(0);
  task();
});"""
    )
    page.goto(f"{base}/{LONG}")
    page.wait_for_function(IS_LAID_OUT, polling=250)
    turns = [turn for turn in page.evaluate("window.turns") if turn]
    page.context.close()
    # A turn has four milliseconds, and another turn comes for what is left.
    assert len(turns) > 10
    assert set(turns[:-1]) == {4 // step or 1}


@facts(
    "system, chosen, theme",
    [
        ("dark", None, "dark"),
        ("light", None, "light"),
        ("dark", "auto", "dark"),
        ("light", "dark", "dark"),
        ("dark", "light", "light"),
    ],
)
def test_a_page_has_its_colors_before_the_theme_runs(
    browser, base, system, chosen, theme
):
    context = browser.new_context(color_scheme=system)
    if chosen:
        context.add_init_script(f"localStorage.setItem('mode', '{chosen}')")
    page = context.new_page()
    page.route("**/pydata-sphinx-theme.js*", lambda route: route.abort())
    page.goto(f"{base}/{CHAPTER}")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    context.close()


# The right edges of what stands between the lines of a chapter, by its kind.
EDGES = """() => Object.fromEntries(Object.entries({
  prose: "section > p", list: "section > ul", caption: "figcaption p",
  formula: "section > div.math", output: ".cell_output pre", code: ".cell_input pre",
  box: ".admonition", table: ".pst-scrollable-table-container", explorer: ".explorer",
}).map(([kind, parts]) => {
  const found = [...document.querySelectorAll(`.bd-article ${parts}`)];
  const edges = found.map((part) => Math.round(part.getBoundingClientRect().right));
  return [kind, Math.max(...edges)];
}))"""
WIDEST = """() => Math.max(...[...document.querySelectorAll(".bd-article figure img")]
  .map((image) => Math.round(image.getBoundingClientRect().right)))"""


@facts("width", [1024, 1280, 1440, 1920])
def test_all_that_stands_in_a_chapter_ends_at_one_edge(browser, base, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(f"{base}/{CHAPTER}")
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    page_use.open_all(page)
    edges = page.evaluate(EDGES)
    [edge] = set(edges.values())
    assert page.evaluate(WIDEST) <= edge
    page.close()


SHADE = """() => {
  const style = getComputedStyle(document.querySelector(":target > h2"));
  return [style.backgroundColor, style.boxShadow !== "none"];
}"""
AT = """(time) => {
  for (const motion of document.querySelector(":target > h2").getAnimations()) {
    motion.pause();
    motion.currentTime = time;
  }
}"""
CLEAR = "rgba(0, 0, 0, 0)"


@facts("motion, marked", [("no-preference", False), ("reduce", True)])
def test_the_mark_of_what_a_link_led_to_fades_or_goes_with_a_touch(
    browser, base, motion, marked
):
    page = browser.new_page(reduced_motion=motion)
    page.goto(f"{base}/{CHAPTER}#the-formula")
    for time, is_colored in ((100, not marked), (4000, False)):
        page.evaluate(AT, time)
        color, has_line = page.evaluate(SHADE)
        assert (color != CLEAR, has_line) == (is_colored, marked)
    page.mouse.click(640, 400)
    assert page.evaluate(SHADE) == [CLEAR, False]
    page.evaluate("location.hash = 'queries-keys-and-values'")
    page.wait_for_function("document.querySelector(':target').id.startsWith('queries')")
    assert page.evaluate(SHADE)[1] is marked
    page.close()


FIND_SCROLLING = """() => [...document.querySelectorAll(".cell_input pre")]
  .filter((code) => code.scrollWidth > code.clientWidth + 1)
  .map((code) => code.textContent)"""


@facts("width", [1265, 1440])
@facts("chapter", ["architecture/decoding", "position/rotary"])
def test_code_fits_beside_both_sidebars(browser, base, chapter, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(f"{base}/book/{chapter}.html")
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
    assert page.evaluate(FIND_SCROLLING) == []
    page.close()


def test_parts_that_waited_are_laid_out_in_the_end(browser, base):
    page = browser.new_page()  # the visits of other tests lay out all at once
    page.goto(f"{base}/{LONG}")
    page.wait_for_function(IS_LAID_OUT, polling=250)  # to look takes long
    page.close()


SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


@facts("name", [LONG, "book/appendix/api/commands.html"])
def test_a_page_stays_where_it_is_while_it_is_laid_out(browser, base, name):
    page = browser.new_page(viewport={"width": 412, "height": 823})
    page.add_init_script(f"({SHIFTS})()")
    page.goto(f"{base}/{name}")
    lay_out(page)
    assert page.evaluate("window.shift") < 0.05
    page.close()
