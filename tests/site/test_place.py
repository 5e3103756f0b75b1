"""The first page goes on where a reader stopped, and chapters read have a tick."""

import page_visit
import pytest
from playwright.sync_api import expect

START = "book/index.html"
CHAPTER = "book/attention/self_attention.html"
USE = "book/using_this_book.html"
TICKED = """() => [...document.querySelectorAll("a.read")].map((a) =>
  [a.closest("table") ? "table" : "sidebar", a.textContent.trim()])"""
FOLDERS = ["site", "disk"]


@pytest.fixture
def open_page(browser, base, site):
    """Open pages in one browser that keeps what they leave; nothing may go wrong."""
    context = browser.new_context(reduced_motion="reduce", viewport=page_visit.DESKTOP)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))

    def visit(path, folder="site"):
        page.goto(f"{site.as_uri()}/{path}" if folder == "disk" else base + path)
        return page

    yield visit
    context.close()
    assert errors == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_first_page_goes_on_at_the_section_where_a_reader_stopped(
    open_page, folder
):
    page = open_page(f"{CHAPTER}#why-divide-by-sqrt-d-k", folder)
    page.locator("#why-divide-by-sqrt-d-k").scroll_into_view_if_needed()
    line = open_page(START, folder).locator(".go-on")
    assert line.inner_text().startswith("Go on with 3. Self-attention: Why divide by")
    line.locator("a").click()
    page.wait_for_url(f"**/{CHAPTER}#why-divide-by-sqrt-d-k")


def test_a_new_reader_is_not_told_to_go_on_and_nothing_is_ticked(open_page):
    page = open_page(START)
    assert page.locator(".go-on").count() == 0
    open_page(CHAPTER)
    assert page.evaluate(TICKED) == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_chapter_whose_end_was_seen_is_ticked_until_it_is_erased(open_page, folder):
    page = open_page(CHAPTER, folder)
    page.locator(".prev-next-area").scroll_into_view_if_needed()
    page.locator(".bd-sidebar-primary a.read").wait_for(state="attached")
    open_page(START, folder)
    assert page.evaluate(TICKED) == [
        ["sidebar", "3. Self-attention"],
        ["table", "Self-attention"],
    ]
    status = open_page(USE, folder).locator("#what-you-answered").get_by_role("status")
    expect(status).to_contain_text("Chapters read: 1.")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Erase").click()
    assert "Chapters read: 0." in status.text_content()
    open_page(START, folder)
    assert page.evaluate(TICKED) == []
    assert page.locator(".go-on").count() == 0


def test_what_was_kept_follows_a_page_that_is_open_beside_it(open_page):
    page = open_page(USE)
    status = page.locator("#what-you-answered").get_by_role("status")
    assert "Chapters read: 0." in status.text_content()
    beside = page.context.new_page()
    beside.goto(page.url.replace(USE, CHAPTER))
    beside.locator(".prev-next-area").scroll_into_view_if_needed()
    expect(status).to_contain_text("Chapters read: 1.")


def test_a_page_that_is_no_chapter_is_not_where_a_reader_stopped(open_page):
    open_page(CHAPTER)
    open_page("book/appendix/glossary.html")
    line = open_page(START).locator(".go-on")
    assert line.inner_text() == "Go on with 3. Self-attention"
