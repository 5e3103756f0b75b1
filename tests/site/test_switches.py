"""Two switches hide what a reader does not want, on every page and on paper."""

import page_visit
from page_faults import find_barriers

from bookkit.checking.facts import facts

CHAPTER = "book/attention/self_attention.html"
NEXT = "book/attention/multi_head_attention.html"
PARTS = {
    "core": ".bd-article section.deeper, .page-toc a[href^='#deeper-']",
    "code": ".bd-article .cell_input, .bd-article .tag_exercise-starter",
}
COUNT = """(parts) => [...document.querySelectorAll(parts)]
  .filter((part) => !part.closest(".solution") && part.checkVisibility()).length"""
KEPT = "() => [localStorage['book-core'], localStorage['book-code']]"


def counts(page):
    """Count what is to be seen of what each switch hides."""
    return {name: page.evaluate(COUNT, parts) for name, parts in PARTS.items()}


def press(page, words):
    page.locator("button:visible", has_text=words).click()


@facts("name, words, given", [("core", "Core only", "1"), ("code", "Hide code", "0")])
def test_a_switch_hides_its_parts_and_shows_them_again(open_page, name, words, given):
    page = open_page(CHAPTER)
    before = counts(page)
    assert min(before.values()) > 9
    press(page, words)
    assert counts(page)[name] == 0
    assert page.url.endswith(f"?{name}={given}")
    assert page.get_by_role("button", name=words, pressed=True).count() == 1
    assert page.locator("#ex-window-mask").is_visible()
    assert page.locator(".cell_output figure").first.is_visible()
    press(page, words)
    assert counts(page) == before
    assert page.url.endswith(CHAPTER)


def test_a_switch_is_remembered_on_the_next_page_and_an_address_gives_it(open_page):
    page = open_page(f"{CHAPTER}?core=1&code=0")
    assert counts(page) == {"core": 0, "code": 0}
    page.goto(page.url.replace(f"{CHAPTER}?core=1&code=0", NEXT))
    assert counts(page) == {"core": 0, "code": 0}
    assert page.evaluate(KEPT) == ["1", "0"]
    page.goto(f"{page.url}?code=1")
    assert counts(page)["core"] == 0
    assert counts(page)["code"] > 9


def test_a_link_to_what_is_hidden_shows_it(open_page):
    page = open_page(f"{CHAPTER}?core=1")
    page.evaluate("location.hash = 'thm-variance'")
    page.locator("#thm-variance").wait_for()
    assert page.get_by_role("button", name="Core only", pressed=False).count() == 1
    assert page.evaluate(KEPT)[0] == "1"  # on the next page they are hidden again


@facts("way", [{}, {"dark": True}, {"viewport": page_visit.PHONE}])
def test_switches_keep_nobody_out(open_page, way):
    page = open_page(f"{CHAPTER}?core=1", **way)
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    shown = page.locator("button:visible", has_text="Hide code")
    assert shown.count() == 1
    assert find_barriers(page) == []
    if way.get("viewport"):
        assert shown.bounding_box()["height"] >= 44
        assert page_visit.measure_sideways(page) == 0


def test_paper_shows_what_the_screen_does(open_page):
    page = open_page(f"{CHAPTER}?core=1&code=0")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert counts(page) == {"core": 0, "code": 0}
    assert page.locator(".switches").is_hidden()
    assert page.locator(".solution .cell_input").first.is_visible()


def test_without_scripts_a_page_is_whole_and_has_no_switch(browser, base):
    for viewport in (page_visit.DESKTOP, page_visit.PHONE):
        context = browser.new_context(java_script_enabled=False, viewport=viewport)
        page = context.new_page()
        page.goto(f"{base}{CHAPTER}?core=1&code=0")
        assert page.locator("section.deeper").first.is_visible()
        assert page.locator(".cell_input").first.is_visible()
        assert page.get_by_role("button", name="Core only").count() == 0
        context.close()
