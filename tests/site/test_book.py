"""What a reader does with the book: find, fold out, darken, run."""

import re
from urllib.parse import urlsplit

import page_files
import page_use
import page_visit
import pytest
from sphinxcontrib import katex

from bookkit.checking.facts import facts

CHAPTER = "book/attention/self_attention.html"
STANDS = "(boxes) => boxes.map((box) => box.scrollWidth <= box.clientWidth)"


@pytest.fixture
def chapter(browser, base):
    visited = page_visit.visit(browser, base, CHAPTER)
    yield visited.page
    visited.page.context.close()


def test_root_leads_to_the_book(browser, base):
    page = page_visit.visit(browser, base, "index.html", until="networkidle").page
    assert page.url == f"{base}book/index.html"
    page.context.close()


def test_chapter_has_one_search_bar(chapter):
    assert chapter.locator(".search-button-field:visible").count() == 1


def test_button_darkens_the_page_and_its_figures(chapter):
    html, button = chapter.locator("html"), chapter.locator(".theme-switch-button")
    for _ in range(3):
        if html.get_attribute("data-theme") == "dark":
            break
        button.first.click()
    color = "getComputedStyle(document.body).backgroundColor"
    figure = chapter.locator(".cell_output img").first
    assert html.get_attribute("data-theme") == "dark"
    assert chapter.evaluate(color) == "rgb(18, 18, 18)"
    assert "invert" in figure.evaluate("(image) => getComputedStyle(image).filter")


@facts("box", ["details.solution", "details.folded-code"])
def test_keyboard_opens_what_is_folded(chapter, box):
    details = chapter.locator(box).first
    summary = details.locator("summary").first
    assert not details.evaluate("(box) => box.open")
    assert summary.text_content().strip()
    summary.focus()
    chapter.keyboard.press("Enter")
    assert details.evaluate("(box) => box.open")


def test_boxes_that_scroll_can_be_reached_with_the_keyboard(browser, base):
    # A matrix does not go on in the next line, as other formulas do. It has room on a
    # phone, but not on a much narrower one.
    wide, narrow = "book/position/rotary.html", {**page_visit.PHONE, "width": 220}
    page = page_visit.visit(browser, base, wide, viewport=narrow).page
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    page_use.open_all(page)
    boxes = ".math-scroll, pre, .cell_output > .output, .pst-scrollable-table-container"
    unreachable = f"""() => [...document.querySelectorAll("{boxes}")].filter(
      (box) => box.scrollWidth > box.clientWidth && box.tabIndex !== 0).length === 0"""
    page.wait_for_function(unreachable)
    still = page.locator('.math-scroll[tabindex="0"]').evaluate_all(STANDS)
    assert not any(still)
    for box in (".math-scroll", "pre"):  # no table and no output here is that wide
        assert page.locator(f'{box}[tabindex="0"]').count() > 0
    assert page.locator('.math-scroll[tabindex="0"]:not([aria-label])').count() == 0
    page.context.close()


def test_colab_button_opens_a_notebook_of_the_repository(site, root, config):
    repository = urlsplit(config["repository"]["url"]).path.strip("/")
    branch = config["repository"]["branch"]
    start = f"https://colab.research.google.com/github/{repository}/blob/{branch}/"
    notebooks = sorted(root.glob("book/*/*.ipynb"))
    for notebook in notebooks:
        name = notebook.relative_to(root).as_posix()
        page = site / name.replace(".ipynb", ".html")
        links = page_files.parse(page).xpath("//a[contains(@href, 'colab')]/@href")
        assert links == [start + name]
    assert notebooks


def test_notebook_can_be_downloaded(site, root):
    [link] = page_files.parse(site / CHAPTER).find_class("btn-download-source-button")
    copy = (site / CHAPTER).parent / link.get("href")
    original = root / CHAPTER.replace(".html", ".ipynb")
    assert copy.read_bytes() == original.read_bytes()


def test_the_machine_on_one_page_can_be_downloaded(site, root):
    page = site / "book/architecture/one_page.html"
    links = page_files.parse(page).xpath("//article//a[@download]/@href")
    [link] = [link for link in links if link.endswith("one_page_transformer.py")]
    original = root / "code/chapters/one_page/one_page_transformer.py"
    assert (page.parent / link).read_bytes() == original.read_bytes()


def test_styles_of_formulas_are_linked_once_and_complete(site):
    links = page_files.parse(site / CHAPTER).xpath("//link[contains(@href, 'katex')]")
    folder = site / "_static/katex"
    css = (folder / "katex.min.css").read_text("utf-8")
    fonts = re.findall(r"url\(([^)]+)\)", css)
    assert len(links) == 1
    assert len(fonts) == 20
    assert [font for font in fonts if not (folder / font).is_file()] == []


def test_styles_of_formulas_are_of_the_version_that_renders_them(site):
    css = (site / "_static/katex/katex.min.css").read_text("utf-8")
    assert f'content:"{katex.katex_version}"' in css
