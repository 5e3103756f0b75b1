"""The policy of each page holds in a browser, and a reader can do all as before."""

import re

import page_files
import page_use
import page_visit
import pytest
from explorer_use import look, move

from bookkit.checking.browser import serve

CHAPTER = "book/attention/self_attention.html"
# The scripts that stand in a page: how they begin, and whose they are.
INLINE = {
    "document.documentElement.dataset.mode": "the theme: colors before the first paint",
    "let toggleHint": "the theme: words of a button",
    "let toggleOpenOnPrint": "the theme: whether paper shows what is folded",
    "var togglebuttonSelector": "the theme: which boxes fold",
    "DOCUMENTATION_OPTIONS.": "Sphinx: the name of the page, for the search",
    'document.querySelector("form.bd-search input")': "the book: the search",
    'for (const name of ["core", "code"])': "the book: what a reader has hidden",
    "//<![CDATA[\n(() => {": "the book: an explorer",
    "// Where parts of this page are now.": "the book: a page that was split",
}
INJECT = """() => {
  const script = document.createElement("script");
  script.textContent = "window.injected = 'script'";
  document.body.append(script);
  const image = document.createElement("div");
  image.innerHTML = "<img src='missing' onerror='window.injected = 1'>";
  document.body.append(image);
  // Not at once: what a test runs directly may do what it likes.
  setTimeout(() => {
    try { eval("window.injected = 'eval'"); } catch (e) { window.refused = e.name; }
  });
}"""


@pytest.fixture
def visited(browser, base):
    result = page_visit.visit(browser, base, CHAPTER)
    yield result
    result.page.context.close()


def wait_for_refusals(visited, count):
    """Wait, however long it takes, until the policy has refused so many times."""
    while True:
        refused = [c for c in visited.complaints if "Content Security Policy" in c]
        if len(refused) >= count:
            return refused
        visited.page.wait_for_timeout(page_use.ARRIVAL_MS)


def test_every_page_states_its_policy(site):
    pages = [*page_files.list_pages(site), "index.html", "404.html"]
    for path in pages:
        metas = page_files.parse(site / path).xpath("//head//meta")
        assert metas[0].get("charset") == "utf-8", path
        assert metas[1].get("http-equiv") == "Content-Security-Policy", path
        script = re.search(r"script-src ([^;]*)", metas[1].get("content"))[1]
        assert "unsafe" not in script, path


def test_only_known_scripts_stand_in_a_page(site):
    for path in page_files.list_pages(site):
        for script in page_files.parse(site / path).xpath("//script[not(@src)]"):
            if script.get("type") != "application/json":
                code = script.text.strip()
                assert code.startswith(tuple(INLINE)), (path, code[:80])


def test_scripts_that_come_later_do_not_run(visited):
    visited.page.evaluate(INJECT)
    visited.page.wait_for_function("window.refused")
    refused = wait_for_refusals(visited, 2)  # the picture must be missed first
    assert len(refused) == 2, visited.complaints
    assert visited.page.evaluate("window.injected") is None
    assert visited.page.evaluate("window.refused") == "EvalError"


def test_a_page_of_which_a_script_was_changed_does_not_run_it(browser, base):
    context = browser.new_context()

    def change(route):
        response = route.fetch()
        body = response.text().replace(
            "let toggleHintShow", "window.changed = 1; let t"
        )
        route.fulfill(response=response, body=body)

    context.route(f"**/{CHAPTER}", change)
    page = context.new_page()
    page.goto(base + CHAPTER)
    assert "window.changed = 1" in page.content()
    assert page.evaluate("window.changed") is None
    context.close()


def test_the_button_for_paper_prints(visited):
    page = visited.page
    page.evaluate("window.print = () => { window.printed = true; }")
    page.evaluate("document.querySelector('[data-book-action=print]').click()")
    assert page.evaluate("window.printed") is True


def test_the_button_for_the_full_screen_fills_it_and_leads_back(visited):
    page = visited.page
    button = page.locator("[data-book-action=fullscreen]").first
    for is_full in ("!!", "!"):
        button.click()
        page.wait_for_function(f"() => {is_full}document.fullscreenElement")
    assert visited.complaints == []


def test_explorer_theme_and_copy_work_from_a_disk(browser, site):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda said: complaints.append(said.text) if said.type == "error" else None,
    )
    page.goto((site / CHAPTER).resolve().as_uri())
    page.locator("[data-alive]").first.wait_for(state="attached")
    before = look(page)
    move(page.locator(".explorer").first, 0)
    assert look(page) != before
    page_use.see_all_modes(page)
    page.locator("button.copybtn").first.click(force=True)
    color = "getComputedStyle(document.querySelector('.katex')).fontFamily"
    assert "KaTeX" in page.evaluate(color)
    assert complaints == []
    context.close()


def test_a_folded_sidebar_opens_on_a_phone(browser, base):
    visited = page_visit.visit(browser, base, CHAPTER, viewport=page_visit.PHONE)
    page = visited.page
    page.locator(".primary-toggle:visible").first.click()
    page.locator("#pst-primary-sidebar-modal").wait_for(state="visible")
    assert visited.complaints == []
    page.context.close()


def test_a_violation_is_a_complaint(browser, tmp_path):
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<link rel="icon" href="data:,">'
        '<meta http-equiv="Content-Security-Policy" content="script-src \'self\'">'
        "<title>a</title></head><body><script>let a = 1;</script></body></html>"
    )
    (tmp_path / "a.html").write_text(text)
    with serve(tmp_path) as base:
        visited = page_visit.visit(browser, base, "a.html")
        wait_for_refusals(visited, 1)
        visited.page.context.close()
    assert len(visited.complaints) == 1
    assert "Content Security Policy" in visited.complaints[0]
