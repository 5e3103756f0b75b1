"""What a page puts on paper beside its text, and takes away again."""

import page_visit
import pytest

CHAPTER, FRONT = "book/attention/self_attention.html", "book/index.html"
PARITY = "book/appendix/parity.html"
NARROW = {"width": 720, "height": 900}
A4 = {"width": 672, "height": 900}  # 178 millimeters
NO_PICTURES = "**/_images/**"
HEADINGS = "[...document.querySelectorAll('.bd-article h2')].map((h) => h.innerText)"
CITED = """[...new Set([...document.querySelectorAll(".bd-article .citation-link")]
  .map((link) => link.title))]"""
LISTED = """[...document.querySelectorAll(".bd-article div.citation")]
  .map((entry) => entry.innerText)"""
# Names of tables of which a word stands in two lines, and all the names.
NAMES = r"""(() => {
  const names = [...document.querySelectorAll(".bd-article td code")];
  const isTorn = (name) => {
    const word = document.createRange(), walk = document.createTreeWalker(
      name, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      word.selectNodeContents(walk.currentNode);
      const tops = [...word.getClientRects()].map((line) => Math.round(line.top));
      if (new Set(tops).size > 1) return true;
    }
    return false;
  };
  const words = (parts) => parts.map((name) => name.textContent);
  return [words(names.filter(isTorn)), words(names)];
})()"""
COME = (
    "() => [...document.images].every((image) => image.complete && image.naturalWidth)"
)
SIZES = """[...document.querySelectorAll(".bd-article figure img")]
  .map((image) => Math.min(image.offsetWidth, image.offsetHeight))"""


@pytest.fixture
def opened(browser, base):
    """Open pages, and close them at the end."""
    pages = []

    def open_page(path, **options):
        pages.append(page_visit.visit(browser, base, path, **options).page)
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()


def print_page(page):
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")


def end_printing(page):
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")


def test_the_works_that_a_chapter_cites_are_listed_on_paper_only(opened):
    page = opened(CHAPTER)
    before, cited = page.evaluate(HEADINGS), page.evaluate(CITED)
    print_page(page)
    assert page.evaluate(HEADINGS) == [*before, "References", "Solutions"]
    entries = dict(entry.split("). ", 1) for entry in page.evaluate(LISTED))
    assert len(entries) > 11
    assert sorted(entries.values()) == sorted(cited)
    assert list(entries) == sorted(entries)
    assert entries["Vaswani et al. (2017"].startswith("Ashish Vaswani")
    end_printing(page)
    assert page.evaluate(HEADINGS) == before
    assert page.evaluate(LISTED) == []


def test_the_translator_is_on_paper_what_it_is_without_scripts(opened):
    page = opened(FRONT)
    live = page.locator(".translator input").first
    assert live.is_visible()
    print_page(page)
    assert page.locator(".translator-still svg").is_visible()
    controls = page.locator(".translator :is(button, input)").all()
    assert [control for control in controls if control.is_visible()] == []
    end_printing(page)
    assert live.is_visible()
    assert page.locator(".translator-still").count() == 0


def test_figures_far_below_have_come_before_anybody_prints(opened):
    page = opened(CHAPTER)
    assert page.locator("img[loading]").count() > 4
    page.wait_for_function(COME, timeout=20_000)


def test_a_figure_that_has_not_come_keeps_its_room_on_paper(opened):
    page = opened(CHAPTER, viewport=NARROW)
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    page.context.route(NO_PICTURES, lambda route: route.abort())
    page.emulate_media(media="print")
    assert not page.evaluate(COME)
    sizes = page.evaluate(SIZES)
    assert len(sizes) > 7
    assert min(sizes) > 100


def test_names_in_tables_break_between_their_words_on_paper(opened):
    page = opened(PARITY, viewport=A4)
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    before = page.evaluate(NAMES)[1]
    print_page(page)
    assert page.locator("td code wbr").count() > 99
    assert page.evaluate(NAMES) == [[], before]
    assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"]
    torn = "td :is(a, code, span) { overflow-wrap: anywhere !important }"
    page.add_style_tag(content=f"{torn} td {{ max-width: 2em }}")
    assert page.evaluate(NAMES)[0] != []
    end_printing(page)
    assert page.locator("td code wbr").count() == 0
    assert page.evaluate(NAMES)[1] == before
