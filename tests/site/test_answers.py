"""Exercises are answered on the page, and fifty questions are asked one by one."""

import json
from pathlib import Path

import page_visit
import pytest
from page_faults import find_barriers
from page_phone import find_small_buttons

from bookkit.book.files import find_root
from bookkit.checking.browser import SITE as SITE_FOLDER
from bookkit.checking.facts import facts

CHAPTER = "book/attention/self_attention.html"
QUESTIONS = "book/appendix/fifty_questions.html"
USE = "book/using_this_book.html"
SITE = find_root(Path(__file__)) / SITE_FOLDER
# Of each exercise its name, how many forms it has, and where in Colab it leads to.
LEADS = """(boxes) => boxes.map((box) => [box.id, box.querySelectorAll("form").length,
  (box.querySelector(".answer a")?.href ?? "").split("#scrollTo=")[1] ?? ""])"""
KEPT = """() => Object.fromEntries(["book-answers", "book-questions"].map(
  (name) => [name, JSON.parse(localStorage.getItem(name))]))"""


@pytest.fixture
def chapter(open_page):
    return open_page(CHAPTER)


def form_of(page, label):
    return page.locator(f"#{label} form")


def answer(page, label, *given):
    """Fill in the fields of an exercise, and return what the page says."""
    form = form_of(page, label)
    for field, text in zip(form.locator("input, select").all(), given, strict=True):
        is_choice = field.evaluate("(field) => field.tagName") == "SELECT"
        field.select_option(text) if is_choice else field.fill(text)
    form.get_by_role("button", name="Check").click()
    return form.get_by_role("status").text_content()


@facts(
    "label, given, said",
    [
        (
            "ex-attention-by-hand",
            ("1/8, 2/8, 5/8", "2"),
            "Right. All 5 properties hold.",
        ),
        (
            "ex-attention-by-hand",
            ("1 2 5", "2"),
            "Not yet: the weights must sum to one.",
        ),
        ("ex-attention-by-hand", ("1, 2", "2"), "Not yet: there must be three weights"),
        ("ex-attention-by-hand", ("0.1, 0.2, x", "2"), "Not yet: 'x' is no number;"),
        (
            "ex-louder-queries",
            ("sharper", *2 * ["unchanged"]),
            "Right. All 4 properties hold.",
        ),
        (
            "ex-louder-queries",
            ("flatter", *2 * ["unchanged"]),
            "Not yet: look again at",
        ),
        (
            "ex-window-mask",
            ("1 1 0 0", "1,1,1,0", "(0 1 1 1)", "0; 0; 1; 1"),
            "Right. All 5 properties hold.",
        ),
        (
            "ex-window-mask",
            ("1 0 0 0", "1 1 0 0", "1 1 1 0", "1 1 1 1"),
            "Not yet: the window has two sides: a position also sees the next one.",
        ),
    ],
)
def test_a_page_judges_an_answer(chapter, label, given, said):
    assert answer(chapter, label, *given).startswith(said)


def test_an_answer_is_given_and_heard_by_keyboard_alone(chapter):
    form = form_of(chapter, "ex-louder-queries")
    form.get_by_label("(a)").focus()
    for word in ("sharper", "unchanged", "unchanged"):
        chapter.keyboard.type(word)
        chapter.keyboard.press("Tab")
    assert form.get_by_role("status").text_content() == ""
    chapter.keyboard.press("Enter")
    assert form.get_by_role("status").text_content() == "Right. All 4 properties hold."


def test_a_field_that_is_empty_is_asked_for(chapter):
    form = form_of(chapter, "ex-attention-by-hand")
    form.get_by_role("button").click()
    assert form.get_by_role("status").text_content() == ""
    assert chapter.evaluate(
        "document.activeElement.matches('#ex-attention-by-hand input')"
    )


def test_an_answer_is_kept_until_it_is_saved_or_erased(open_page):
    page = open_page(CHAPTER)
    answer(page, "ex-attention-by-hand", "1/8, 2/8, 5/8", "4")
    page.reload()
    form = form_of(page, "ex-attention-by-hand")
    assert form.locator("input").first.input_value() == "1/8, 2/8, 5/8"
    assert "weighted mean" in form.get_by_role("status").text_content()
    page.goto(page.url.replace(CHAPTER, USE))
    place = page.locator("#what-you-answered")
    assert (
        "Exercises kept: 1. Questions kept: 0."
        in place.get_by_role("status").text_content()
    )
    with page.expect_download() as download:
        place.get_by_role("button", name="Save as a file").click()
    saved = json.loads(download.value.path().read_text())
    assert saved["book-answers"]["ex-attention-by-hand"]["holds"] is False
    page.on("dialog", lambda dialog: dialog.accept())
    place.get_by_role("button", name="Erase").click()
    assert page.evaluate(KEPT) == {"book-answers": None, "book-questions": None}
    assert "Exercises kept: 0." in place.get_by_role("status").text_content()


def test_a_right_answer_takes_the_not_yet_of_the_starter_away(open_page):
    page = open_page(CHAPTER)
    starter = page.locator("#ex-attention-by-hand + .tag_exercise-starter")
    others = page.locator(".tag_exercise-starter > .cell_output")
    stored = starter.locator(".cell_output")
    count = others.count()
    field = form_of(page, "ex-attention-by-hand").locator("input").first

    def is_shown():
        seen = others.locator("visible=true").count()
        assert seen == count - (not stored.is_visible())  # others are as they were
        assert starter.locator(".cell_input").is_visible()
        return stored.is_visible()

    assert stored.text_content().strip().startswith("Not yet")
    answer(page, "ex-attention-by-hand", "1/8, 2/8, 5/8", "4")
    assert is_shown()
    answer(page, "ex-attention-by-hand", "1/8, 2/8, 5/8", "2")
    assert not is_shown()
    page.emulate_media(media="print")
    assert stored.is_visible()
    page.emulate_media(media="screen")
    page.reload()
    assert not is_shown()  # the answer is kept
    field.fill("")
    assert is_shown()
    answer(page, "ex-attention-by-hand", "1/8, 2/8, 5/8", "2")
    answer(page, "ex-attention-by-hand", "1/8, 2/8, 4/8", "2")
    assert is_shown()


def test_a_cell_may_stand_between_an_exercise_and_its_starter(open_page):
    page, label = open_page("book/architecture/decoding.html"), "ex-decoding-detective"
    starter = page.locator(f"#{label} ~ .tag_exercise-starter").first
    between = page.locator(f"#{label} + .cell .cell_output")
    stored = starter.locator(".cell_output")
    for given, shown in (("all", True), ("top-p", False)):
        answer(page, label, "min-p", "all", "top-k", "greedy", given)
        assert stored.is_visible() is shown
        assert between.is_visible()


def test_an_exercise_with_code_leads_to_its_cell_in_colab(chapter):
    button = chapter.locator(".article-header-buttons a[href*='colab']").get_attribute(
        "href"
    )
    for label, forms in {"ex-attention-code": 0, "ex-window-mask": 1}.items():
        link = chapter.locator(f"#{label} .answer a")
        assert link.get_attribute("href") == f"{button}#scrollTo={label}"
        assert form_of(chapter, label).count() == forms


def test_every_exercise_has_fields_or_leads_to_colab(open_page, path):
    if 'class="exercise admonition"' not in (SITE / path).read_text("utf-8"):
        return
    page = open_page(path)
    boxes = page.locator(".bd-article .exercise[id]").evaluate_all(LEADS)
    assert len(boxes) > 1
    lost = [
        (label, forms, link)
        for label, forms, link in boxes
        if forms > 1 or (not forms and not link) or link not in ("", label)
    ]
    assert not lost


@facts("way", [{}, {"dark": True}, {"viewport": page_visit.PHONE}])
def test_fields_and_buttons_keep_nobody_out(open_page, way):
    page = open_page(CHAPTER, **way)
    answer(page, "ex-attention-by-hand", "1/8, 2/8, 5/8", "2")
    answer(page, "ex-louder-queries", "flatter", "unchanged", "unchanged")
    assert find_barriers(page) == []
    if way.get("viewport"):
        assert page_visit.measure_sideways(page) == 0
        assert find_small_buttons(page) == []


def test_paper_and_readers_without_scripts_see_the_exercise_alone(browser, base):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base + CHAPTER)
    assert page.locator(".answer").count() == 0
    assert page.locator("#ex-attention-by-hand").is_visible()
    assert "three weights and one output" not in page.locator("article").inner_text()
    context.close()
    visited = page_visit.visit(browser, base, CHAPTER)
    visited.page.emulate_media(media="print")
    assert not visited.page.locator(".answer").first.is_visible()
    visited.page.context.close()


def test_questions_are_asked_one_by_one_by_keyboard(open_page):
    page = open_page(QUESTIONS)
    start = page.get_by_role("button", name="Ask me one by one")
    start.focus()
    page.keyboard.press("Enter")
    shown = page.locator(".question:visible")
    assert shown.count() == 1
    assert "1. Why did attention" in shown.inner_text()
    assert page.locator("article h2:visible").count() == 0
    page.keyboard.press("Enter")  # the question has the focus
    assert shown.locator("p").first.is_visible()
    page.get_by_role("button", name="I knew it").focus()
    page.keyboard.press("Enter")
    assert "2. Walk me" in shown.inner_text()
    page.get_by_role("button", name="I did not").click()
    assert (
        "Known: 1 of 50. To come: 49." in page.get_by_role("status").all_inner_texts()
    )
    assert find_barriers(page) == []
    page.reload()
    assert page.locator(".question:visible").count() == 50
    page.get_by_role("button", name="Ask me one by one").click()
    assert "2. Walk me" in shown.inner_text()
    page.get_by_role("button", name="Back to the list").click()
    assert page.locator(".question:visible").count() == 50
    assert page.evaluate(KEPT)["book-questions"] == {"1": True, "2": False}


def test_a_question_that_was_not_known_comes_again(open_page):
    page = open_page(QUESTIONS)
    page.get_by_role("button", name="Ask me one by one").click()
    page.get_by_role("button", name="I did not").click()
    for _ in range(49):
        page.get_by_role("button", name="I knew it").click()
    assert "1. Why did" in page.locator(".question:visible").inner_text()
    page.get_by_role("button", name="I knew it").click()
    assert page.locator(".question:visible").count() == 50
    assert page.evaluate("document.activeElement.textContent") == "Ask me one by one"
