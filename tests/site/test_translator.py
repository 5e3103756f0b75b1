"""The translator on the landing page runs: typed words in, French words out."""

import re

import page_use
import pytest
from page_visit import DESKTOP, PHONE, TURNED, visit
from playwright.sync_api import expect

from bookkit.checking.barriers import find_barriers
from bookkit.checking.facts import facts
from chapters.live import mistakes, pack, told
from transformer.data.numerals import french

PAGE = "book/index.html"
STILL = {"reduced_motion": "reduce"}
WEIGHTS = "translator_weights.js"
REST = told.read()["rest"]
TWINS = ("positions", "causal-mask", "skips", "norms", "scale")
STRONGEST = """(lines) => {
  const width = (line) => parseFloat(getComputedStyle(line).strokeWidth);
  const line = lines.sort((a, b) => width(b) - width(a))[0];
  const { left, top } = line.ownerSVGElement.getBoundingClientRect();
  return ["x1", "x2", "y1", "y2"].map((name) =>
    Number(line.getAttribute(name)) + (name[0] === "x" ? left : top));
}"""


def sublayer(name):
    """Name the parts of a sublayer in the order in which they compute."""
    return [f"{name}_residual.norm", name, f"{name}_residual"]


ENCODER = [
    f"encoder.{name}"
    for name in (
        *("embedding", "positions", *sublayer("self_attention")),
        *(*sublayer("feed_forward"), "norm"),
    )
]
DECODER = [
    f"decoder.{name}"
    for name in (
        *("embedding", "positions", *sublayer("self_attention")),
        *(*sublayer("cross_attention"), *sublayer("feed_forward")),
        *("norm", "head", "choice"),
    )
]
NOTE_LIT = """() => {
  window.notes = [];
  new MutationObserver(() => {
    const lit = [...document.querySelectorAll(".lit")];
    const parts = [...new Set(lit.map((box) => box.dataset.part))];
    if (!parts.length || String(notes.at(-1)?.parts) === String(parts)) return;
    notes.push({ parts, boxes: lit.length,
      words: document.querySelectorAll(".translator-row")[1]
        .querySelectorAll("button").length,
      said: document.querySelector(".translator-said").textContent,
      told: document.querySelector(".translator-told").innerText });
  }).observe(document.body, { subtree: true, attributeFilter: ["class"] });
}"""
RINGED = """() => {
  const box = document.querySelector(".translator");
  const marked = [...box.querySelectorAll("input[type=text], button")].filter((e) =>
    /0px 0px 0px [3-6](\\.\\d+)?px/.test(getComputedStyle(e).boxShadow));
  return marked.map((e) => e.id || e.firstChild.textContent);
}"""
CROSSED = """() => {
  const frame = document.querySelector(".translator-lines").getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".translator-word")]
    .map((word) => [word.innerText, word.getBoundingClientRect()]);
  const at = (line, name, share) => (1 - share) * line.getAttribute(name + 1)
    + share * line.getAttribute(name + 2);
  return [...document.querySelectorAll(".translator-lines line")].flatMap((line) =>
    Array.from({ length: 101 }, (_, i) => {
      const x = frame.left + at(line, "x", i / 100);
      const y = frame.top + at(line, "y", i / 100);
      return boxes.filter(([, { left, right, top, bottom }]) =>
        left + 2 < x && x < right - 2 && top + 2 < y && y < bottom - 2);
    }).flat().map(([word]) => word));
}"""
COVERED = """() => [...document.querySelectorAll(".translator button")]
  .filter((button) => button.checkVisibility()).filter((button) => {
    const bar = document.querySelector(".bd-header-article").getBoundingClientRect();
    scrollBy({ top: button.getBoundingClientRect().top - bar.bottom - 4,
      behavior: "instant" });
    const { left, top, width, height } = button.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return !button.contains(found);
  }).map((button) => button.textContent)"""
IN_VIEW = """(part) => {
  const { top, bottom } = document.querySelector(part).getBoundingClientRect();
  return top > 0 && bottom < innerHeight + 1;
}"""
AT_TOP = """() => {
  const { top } = document.querySelector(".translator").getBoundingClientRect();
  return top > 0 && top < 200;
}"""
PLACE = "(word) => word.getBoundingClientRect().top + scrollY"
PARTS_OF = """(boxes) => boxes.map((box) =>
  [box.dataset.part, box.style.getPropertyValue("--hue")])"""
STRUCK = """(words) => words
  .filter((word) => getComputedStyle(word).textDecorationLine === "line-through"
    && word.textContent)
  .map((word) => word.textContent)"""
FAINT = "(lines) => lines.map((line) => getComputedStyle(line).opacity < 0.5)"


@pytest.fixture
def open_page(browser, base):
    """Open the page, in the place of the one that was open; the value is the page."""
    opened = []

    def open_anew():
        while opened:
            opened.pop().context.close()
        opened.append(visit(browser, base, PAGE).page)
        return opened[-1]

    yield open_anew
    while opened:
        opened.pop().context.close()


@pytest.fixture
def page(open_page):
    return open_page()


def type_in(page, text):
    page.fill("#translator-text", text)


def settle(page):
    """Wait while a translation is computed."""
    stage = page.locator(".translator-stage:not([aria-busy=true])")
    stage.wait_for(state="attached")


def wait_for_the_model(page):
    """Wait for the first translation that the model of the page computed."""
    page.locator(".translator-stage[aria-busy=false]").wait_for(state="attached")


def said(page):
    settle(page)
    return page.locator(".translator-said")


def written(page):
    """Return the chips of what was written."""
    settle(page)
    return page.locator(".translator-row").nth(1).locator("button")


def pressed(page):
    """Return the places of the chips that are chosen, of what was written."""
    states = written(page).evaluate_all(
        "chips => chips.map((chip) => chip.ariaPressed)"
    )
    return [place for place, state in enumerate(states) if state == "true"]


def wait_for(page, text):
    said(page).filter(has_text=text).wait_for()


def open_panel(page, name):
    """Open what a button shows in the place of the machine in small."""
    page.get_by_role("button", name=f"See its {name}").click()


def test_nothing_of_the_model_is_fetched_before_it_is_used(browser, base):
    page = browser.new_context(**STILL).new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(base + PAGE, wait_until="networkidle")
    assert not any(WEIGHTS in url for url in asked)
    type_in(page, "forty-two")
    wait_for(page, "quarante-deux")
    assert sum(WEIGHTS in url for url in asked) == 1
    assert all(url.startswith(base) for url in asked)
    page.context.close()


def test_without_scripts_the_still_is_complete(browser, base):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(base + PAGE)
    box = page.locator(".translator")
    for told_of in ("text", "translation", "seen"):
        assert REST[told_of] in box.inner_text()
    assert box.locator("svg line").count() > 1
    assert page.locator("#translator-text").count() == 0
    page.context.close()


def test_where_its_words_cannot_be_fetched_the_still_remains(browser, base):
    page = browser.new_context(**STILL).new_page()
    page.route("**/translator_told.js", lambda route: route.abort())
    page.goto(base + PAGE)
    assert page.locator(".translator-still svg").is_visible()
    assert page.locator("#translator-text").count() == 0
    page.context.close()


@facts("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_at_rest_a_word_shows_where_it_looked(browser, base, viewport):
    page = browser.new_context(viewport=viewport).new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(base + PAGE, wait_until="networkidle")
    assert said(page).inner_text() == REST["translation"]
    assert pressed(page) == [REST["place"]]
    assert REST["seen"] in page.locator(".translator-told").inner_text()
    above, below = page.locator(".translator-row").all()
    strongest = page.locator(".translator-lines line.chosen").evaluate_all(STRONGEST)
    looked, word = (
        row.locator("button").nth(place).bounding_box()
        for row, place in ((above, told.SECOND), (below, REST["place"]))
    )
    middles = [box["x"] + box["width"] / 2 for box in (looked, word)]
    assert strongest[:2] == pytest.approx(middles, abs=1)
    ends = [looked["y"] + looked["height"], word["y"]]
    assert strongest[2:] == pytest.approx(ends, abs=1)
    assert not any(WEIGHTS in url for url in asked)
    page.context.close()


def test_a_word_can_be_chosen_before_the_model_is_there(browser, base):
    page = browser.new_context(**STILL).new_page()
    page.route(f"**/{WEIGHTS}", lambda route: None)  # on its way for ever
    page.goto(base + PAGE)
    written(page).nth(1).focus()
    assert pressed(page) == [1]
    told_of = page.locator(".translator-told")
    assert told_of.locator("li").first.inner_text().startswith("-vingt")
    assert "After quatre " in told_of.inner_text()
    assert REST["seen"] not in told_of.inner_text()
    page.context.close()


def test_when_the_model_comes_what_is_at_rest_stays_as_it_is(browser, base):
    page = browser.new_context().new_page()
    page.goto(base + PAGE)
    before = page.locator(".translator-stage").inner_html()
    with page.expect_response(f"**/{WEIGHTS}"):
        page.locator("#translator-text").focus()
    wait_for_the_model(page)
    assert page.locator(".translator-stage").inner_html() == before
    assert said(page).inner_text() == REST["translation"]
    assert pressed(page) == [REST["place"]]
    assert REST["seen"] in page.locator(".translator-told").inner_text()
    page.context.close()


def test_who_walks_to_a_word_stays_there_when_the_model_comes(browser, base):
    page = browser.new_context().new_page()
    page.goto(base + PAGE)
    written(page).nth(2).focus()
    wait_for_the_model(page)
    page.keyboard.press("Shift+Tab")
    assert pressed(page) == [1]
    page.context.close()


def test_what_is_told_at_rest_is_over_when_something_else_is_translated(page):
    type_in(page, "ten")
    wait_for(page, "dix")
    assert pressed(page) == []
    assert REST["seen"] not in page.locator(".translator-told").inner_text()


def test_a_word_is_forbidden_at_rest(browser, base):
    page = browser.new_context(**STILL).new_page()
    page.goto(base + PAGE)
    written(page).nth(5).click()
    written(page).nth(2).click()
    page.get_by_role("button", name="Forbid “mille”").click()
    wait_for(page, "without “mille”")
    assert "mille" not in written(page).all_inner_texts()
    page.context.close()


def test_it_runs_from_a_disk(browser, site):
    page = browser.new_context(**STILL).new_page()
    page.goto((site / PAGE).as_uri())
    type_in(page, "ninety-nine")
    wait_for(page, "quatre-vingt-dix-neuf")
    page.context.close()


@facts(
    "typed, wrote",
    [
        ("Seven Hundred and One", "sept cent un"),
        ("eighty four", "quatre-vingt-quatre"),
        ("  eighty   thousand, and eighty. ", "quatre-vingt mille quatre-vingts"),
        ("zero", "zéro"),
    ],
)
def test_what_people_type_is_translated(page, typed, wrote):
    type_in(page, typed)
    wait_for(page, wrote)
    assert said(page).inner_text() == wrote


@facts(
    "typed, told",
    [
        ("", "Type a number"),
        ("1000000", "from 0 to 999,999"),
        ("One million", "one less than a million"),
        ("two billions and six", "one less than a million"),
        ("3.14", "from 0 to 999,999"),
        ("4 2", "from 0 to 999,999"),
        ("1 000 000", "from 0 to 999,999"),
        ("42 cats", "from 0 to 999,999"),
        ("forty-two cats", "never met “cats”."),
        ("fourty-two", "never met “fourty”. Did you mean “forty-two”?"),
        ("<img src=x>", "never met"),
        ("one " * 30, "at most"),
    ],
)
def test_what_it_cannot_read_is_said_in_a_sentence(page, typed, told):
    type_in(page, "ten")
    wait_for(page, "dix")
    type_in(page, typed)
    wait_for(page, told)
    assert said(page).inner_text().endswith("Below is still “ten”.")
    assert page.locator(".translator img").count() == 0
    type_in(page, "eleven")
    wait_for(page, "onze")


def test_a_word_that_is_meant_is_one_press_away(page):
    type_in(page, "fourty-two thousend")
    page.get_by_role("button", name="Did you mean “forty-two thousand”?").click()
    wait_for(page, "quarante-deux mille")
    assert page.input_value("#translator-text") == "forty-two thousand"


def test_nothing_is_said_of_an_old_text_beside_one_that_cannot_be_read(page):
    page.get_by_role("button", name="a mistake").click()
    page.locator(".translator-told", has_text="117 wrong").wait_for()
    type_in(page, "fourty-two")
    wait_for(page, "never met")
    assert "Here" not in page.locator(".translator-told").inner_text()
    take_out(page, "norms")
    page.locator(".translator-told:empty").wait_for(state="attached")


def test_french_is_called_french(page):
    type_in(page, "quatre-vingt")
    wait_for(page, "That is French already")
    assert "one spelling" not in said(page).inner_text()


def test_a_word_shows_where_it_looked_and_what_else_it_could_be(page):
    type_in(page, "seven hundred and one")
    wait_for(page, "sept cent un")
    chip = written(page).nth(2)
    chip.focus()
    assert chip.get_attribute("aria-pressed") == "true"
    told = page.locator(".translator-told")
    assert "sept cent" in told.inner_text()
    assert told.locator("li").first.inner_text().startswith("un")
    assert page.locator(".translator-lines line.chosen").count() >= 1
    looks = page.locator(".translator-row").first.locator(".translator-word")
    looks = looks.evaluate_all(
        "chips => chips.map((c) => +c.style.getPropertyValue('--look'))"
    )
    assert sum(looks) == pytest.approx(1, abs=0.01)
    assert looks.index(max(looks)) == 3  # one


def looks_at_rest(key):
    """Return how much each French word looked at an English one."""
    return [word["looks"][key] for word in REST["words"]]


def shade(chips):
    """Return how much of the color of a look each chip has."""
    return chips.evaluate_all(
        "all => all.map((c) => +c.style.getPropertyValue('--look'))"
    )


@facts("key", range(5))
@facts("way", ["hover", "focus"])
def test_an_english_word_shows_which_french_words_looked_at_it(browser, base, key, way):
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.route(f"**/{WEIGHTS}", lambda route: None)  # on its way for ever
    page.goto(base + PAGE)
    getattr(page.locator(".translator-row").first.locator("button").nth(key), way)()
    looks = looks_at_rest(key)
    assert shade(written(page)) == pytest.approx(looks, abs=6e-4)
    assert pressed(page) == []
    told_of = page.locator(".translator-told")
    assert f"each French word gave {REST['source'][key]}:" in told_of.inner_text()
    most = max(range(len(looks)), key=looks.__getitem__)
    first = told_of.locator("li").first.inner_text().split("\n")
    piece = REST["words"][most]["piece"].removeprefix("##")
    assert (first[0], first[-1]) == (piece, f"{100 * looks[most]:.0f} %")
    lines = page.locator(".translator-lines line.chosen").count()
    assert lines == sum(look >= 0.02 for look in looks)
    assert told_of.get_attribute("aria-live") == "polite"
    page.context.close()


def test_a_word_that_nobody_looked_at_says_so(page):
    type_in(page, "six hundred and seventeen thousand three hundred and forty-two")
    wait_for(page, "six cent dix-sept mille trois cent quarante-deux")
    chips = page.locator(".translator-row").first.locator("button")
    sentences = []
    for key in range(chips.count()):
        chips.nth(key).focus()
        sentences.append(page.locator(".translator-told p").first.inner_text())
        nobody = max(shade(written(page))) < 0.02
        assert sentences[-1].startswith("No French word looked") == nobody


def test_who_goes_on_to_a_french_word_asks_no_more_of_the_english_one(page):
    english = page.locator(".translator-row").first.locator("button")
    english.nth(0).focus()
    written(page).nth(1).focus()
    assert page.locator(".translator-word.asked").count() == 0
    assert shade(written(page)) == 6 * [0]
    assert shade(english) == pytest.approx(REST["words"][1]["looks"], abs=6e-4)


def test_the_first_press_says_what_the_second_one_does(page):
    type_in(page, "six thousand and two")
    wait_for(page, "six mille deux")
    words = page.locator(".translator-row").first.locator("button")
    told_of = page.locator(".translator-told")
    words.nth(0).focus()
    assert "changes places" not in told_of.inner_text()
    page.keyboard.press("Enter")
    assert "Press another English word: it changes places with six." in (
        told_of.inner_text()
    )
    assert words.nth(0).evaluate("chip => chip === document.activeElement")
    words.nth(4).click()  # the end, which changes places with nothing
    assert page.input_value("#translator-text") == "six thousand and two"
    assert "changes places" not in told_of.inner_text()


@facts("key", range(5))
def test_what_stands_below_the_words_stays_where_it_is(moving, key):
    place = moving.locator(".translator-twins").bounding_box()["y"]
    for row in moving.locator(".translator-row").all():
        row.locator("button").nth(key).hover()
        assert moving.locator(".translator-twins").bounding_box()["y"] == place


def test_a_forbidden_word_is_written_no_more_until_it_is_put_back(page):
    type_in(page, "seven hundred and one")
    wait_for(page, "sept cent un")
    written(page).first.focus()
    page.get_by_role("button", name="Forbid “sept”").click()
    wait_for(page, "without “sept”")
    assert not said(page).inner_text().startswith("sept")
    page.get_by_role("button", name="Put everything back").click()
    assert said(page).inner_text() == "sept cent un"


def test_who_lets_words_change_places_from_the_keyboard_stays_there(page):
    type_in(page, "six thousand and two")
    wait_for(page, "six mille deux")
    words = page.locator(".translator-row").first.locator("button")
    words.nth(0).focus()
    page.keyboard.press("Enter")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for(page, "deux mille six")
    expect(words.nth(3)).to_be_focused()
    assert words.nth(3).inner_text() == "six"
    page.keyboard.press("Tab")
    expect(words.nth(4)).to_be_focused()


def test_who_lets_words_change_places_by_hand_is_given_no_focus(page):
    type_in(page, "six thousand and two")
    wait_for(page, "six mille deux")
    words = page.locator(".translator-row").first.locator("button")
    for place in (0, 3):
        words.nth(place).click()
    page.mouse.move(0, 0)
    wait_for(page, "deux mille six")
    assert page.evaluate("document.activeElement === document.body")


def test_who_forbids_a_word_from_the_keyboard_is_at_the_one_in_its_place(page):
    type_in(page, "seven hundred and one")
    wait_for(page, "sept cent un")
    written(page).nth(2).focus()
    page.get_by_role("button", name="Forbid “un”").focus()
    page.keyboard.press("Enter")
    wait_for(page, "without “un”")
    expect(written(page).nth(2)).to_be_focused()
    assert pressed(page) == [2]


def test_who_puts_everything_back_from_the_keyboard_is_at_the_button_before(page):
    take_out(page, "norms")
    search = page.get_by_role("button", name="See its search")
    undo = page.get_by_role("button", name="Put everything back")
    undo.wait_for()
    search.focus()
    page.keyboard.press("Tab")
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    undo.wait_for(state="hidden")
    expect(search).to_be_focused()


def test_who_closes_the_tour_from_the_keyboard_is_at_what_stood_before_it(page):
    page.locator(".translator-tour").get_by_role("button", name="Close").focus()
    wait_for_the_model(page)
    page.keyboard.press("Enter")
    expect(page.locator("#translator-text")).to_be_focused()


def test_who_leaves_is_not_called_back(page):
    type_in(page, "ten")
    wait_for(page, "dix")
    written(page).first.focus()
    page.evaluate("document.activeElement.blur()")
    page.locator("#translator-text").evaluate("input => { input.value = 'nine'; }")
    page.locator("#translator-text").dispatch_event("input")
    wait_for(page, "neuf")
    assert page.evaluate("document.activeElement === document.body")


def test_pieces_of_one_word_stay_together(page):
    type_in(page, "42")
    wait_for(page, "quarante-deux")
    words = page.locator(".translator-row").first.locator("button")
    words.nth(0).click()
    words.nth(1).click()
    assert page.locator("#translator-text").input_value() == "42"
    assert words.nth(1).get_attribute("aria-pressed") == "true"


def test_an_address_that_names_a_part_goes_when_the_part_comes_back(browser, base):
    page = visit(browser, base, PAGE + "#without-positions").page
    wait_for(page, "without positions")
    page.get_by_role("button", name="Put everything back").click()
    assert page.url == base + PAGE
    page.context.close()


LONG = {
    "six hundred and seventeen thousand three hundred and forty-two": "quarante-deux",
    "three hundred and ninety-seven thousand three hundred and ninety-seven": "cent "
    "quatre-vingt-dix-sept",
}


@facts("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@facts("number, ending", LONG.items())
def test_no_line_runs_behind_a_word(browser, base, viewport, number, ending):
    page = visit(browser, base, PAGE, viewport=viewport).page
    type_in(page, number)
    wait_for(page, ending)
    assert page.locator(".translator-lines line").count() > 10
    assert page.evaluate(CROSSED) == []
    page.context.close()


def test_words_stand_in_columns_only_while_a_row_is_too_narrow(browser, base):
    page = visit(browser, base, PAGE).page
    view = page.locator(".translator-view.tall")
    assert view.count() == 0
    page.set_viewport_size({"width": 320, "height": 640})
    view.wait_for()
    assert page.evaluate(CROSSED) == []
    page.set_viewport_size(DESKTOP)
    view.wait_for(state="detached")
    assert page.evaluate(CROSSED) == []
    page.context.close()


@facts("width, beside", [(390, False), (600, False), (601, True)])
def test_what_can_be_done_stands_beside_columns_if_there_is_room(
    browser, base, width, beside
):
    page = visit(browser, base, PAGE, viewport={"width": width, "height": 844}).page
    type_in(page, "617,342")
    page.locator(".translator-view.tall").wait_for()
    words = page.locator(".translator-stage").bounding_box()
    button = page.get_by_role("button", name="Word by word").bounding_box()
    assert (button["y"] < words["y"] + words["height"]) == beside
    assert (button["x"] > words["x"] + words["width"]) == beside
    page.context.close()


def test_two_words_are_swapped(page):
    type_in(page, "six thousand and two")
    wait_for(page, "six mille deux")
    words = page.locator(".translator-row").first
    words.get_by_role("button", name="six").click()
    words.get_by_role("button", name="two").click()
    assert page.input_value("#translator-text") == "two thousand and six"
    wait_for(page, "deux mille six")


def test_a_head_is_seen_and_switched_off(page):
    type_in(page, "seven hundred and one")
    wait_for(page, "sept cent un")
    open_panel(page, "24 heads")
    heads = page.locator(".translator-head")
    assert heads.count() == 24
    first = written(page).first.inner_text()
    for number in (16, 17, 18, 19, 20, 21, 22, 23):  # all that look at the English
        heads.nth(number).click()
        rows = page.locator(".translator-map tr").all()
        cells = [float(cell) for cell in rows[1].locator("td").all_inner_texts()]
        assert sum(cells) == pytest.approx(1, abs=0.05)
        page.get_by_role("button", name="Switch this head off").click()
    wait_for(page, "8 of 24 heads switched off")
    assert page.locator(".translator-head.off").count() == 8
    assert not said(page).inner_text().startswith("sept cent un,")
    assert written(page).first.inner_text() != first
    page.get_by_role("button", name="Put everything back").click()
    assert said(page).inner_text() == "sept cent un"


MARKED = told.read()["marked"]
WIDE = {"width": 1280, "height": 800}


def test_the_marked_head_breaks_what_the_page_says(page):
    open_panel(page, "24 heads")
    panel = page.locator(".translator-heads")
    dotted = panel.locator(".dotted")
    dotted.click()
    assert MARKED["told"] in panel.inner_text()
    assert MARKED["notice"] in panel.inner_text()
    before, *_, after = re.findall("“([^”]+)”", MARKED["told"])
    assert page.input_value("#translator-text") == before
    row = panel.locator("table tr").nth(REST["place"] + 2)  # below names and begin
    assert row.locator("th").inner_text() == "quatre"
    looks = [float(cell) for cell in row.locator("td").all_inner_texts()]
    columns = panel.locator("th[scope=col]").all_inner_texts()
    assert columns[looks.index(max(looks))] == "mille"
    assert f"{100 * max(looks):.0f}\N{NO-BREAK SPACE}%" in MARKED["told"]
    page.get_by_role("button", name="Switch this head off").click()
    wait_for(page, "1 of 24 heads")
    assert answer(page)[0] == f"{after}, 1 of 24 heads switched off"


@facts("part", ["skips", "norms"])
def test_what_was_measured_on_the_whole_machine_is_not_said_of_a_twin(open_page, part):
    page = open_page()
    take_out(page, part)
    wait_for(page, f"without {part}")
    open_panel(page, "24 heads")
    panel = page.locator(".translator-heads")
    first = MARKED["told"].split(".")[0] + "."
    texts = panel.locator("> p:visible").all_inner_texts()
    assert texts == [first]
    assert panel.locator(".dotted").count() == 0
    assert panel.locator("[aria-label$='with a dot']").count() == 0
    page.get_by_role("button", name="Put everything back").click()
    panel.locator(".dotted").wait_for()
    texts = panel.locator("> p:visible").all_inner_texts()
    assert texts == [MARKED["told"], MARKED["notice"]]


@facts("viewport", [WIDE, PHONE], ids=["desktop", "phone"])
@facts("motion", ["reduce", "no-preference"])
def test_the_map_of_a_head_that_is_pressed_comes_into_view(
    browser, base, viewport, motion
):
    page = browser.new_context(viewport=viewport, reduced_motion=motion).new_page()
    page.goto(base + PAGE)
    type_in(page, "99")
    wait_for(page, "quatre-vingt-dix-neuf")
    open_panel(page, "24 heads")
    head = page.locator(".translator-head").first
    head.evaluate("head => head.scrollIntoView({ block: 'end', behavior: 'instant' })")
    head.click()
    page.wait_for_function(IN_VIEW, arg=".translator-map")
    page.context.close()


def test_heads_are_walked_and_switched_from_the_keyboard(page):
    type_in(page, "ten")
    wait_for(page, "dix")
    open_panel(page, "24 heads")
    heads = page.locator(".translator-head")
    heads.nth(4).focus()
    page.keyboard.press("Enter")
    assert heads.nth(4).get_attribute("aria-pressed") == "true"
    assert heads.nth(4).evaluate("head => head === document.activeElement")
    toggle = page.locator(".translator-map [data-keep=toggle]")
    toggle.focus()
    page.keyboard.press("Enter")
    wait_for(page, "1 of 24 heads")
    assert toggle.evaluate("button => button === document.activeElement")
    assert toggle.inner_text() == "Switch it on again"


def test_on_a_phone_the_answer_stays_in_view_above_the_words(browser, base):
    page = browser.new_context(viewport=PHONE, **STILL).new_page()
    page.goto(base + PAGE)
    type_in(page, "80,080")
    open_panel(page, "24 heads")
    page.locator(".translator-thumbs").evaluate(
        "(thumbs) => scrollBy(0, thumbs.getBoundingClientRect().top - 100)"
    )
    page.evaluate(page_use.DRAW)
    answer = page.locator(".translator-said").bounding_box()
    words = page.locator(".translator-stage").bounding_box()
    heads = page.locator(".translator-thumbs").bounding_box()
    assert heads["y"] < words["y"]  # they go by below what stays
    assert answer["y"] > 55  # below the bar of the page
    assert answer["y"] + answer["height"] == pytest.approx(words["y"], abs=2)
    page.context.close()


WHOLE = """(map) => {
  const right = map.getBoundingClientRect().right;
  return [...map.querySelectorAll("tr:last-child td")]
    .every((cell) => cell.getBoundingClientRect().right <= right);
}"""
FADED = """(map) => {
  const fading = getComputedStyle(map, "::after"), width = parseFloat(fading.width);
  const end = () => map.querySelector("tr:last-child td:last-child")
    .getBoundingClientRect().right;
  const before = end(), { right } = map.getBoundingClientRect();
  map.scrollLeft = map.scrollWidth;
  return [fading.position, before > right, end() <= right - width];
}"""


def open_a_large_map(page):
    """Open the map of a head that reads the English words of a long number."""
    type_in(page, "617,342")
    wait_for(page, "quarante-deux")
    open_panel(page, "24 heads")
    page.locator(".translator-head").first.click()
    map_ = page.locator(".translator-map .translator-scroll")
    assert map_.locator("th[scope=col]").count() == 11
    return map_


@facts("width", [1280, 1440])
def test_the_map_of_a_long_number_is_seen_whole(browser, base, width):
    window = {"width": width, "height": 800}
    page = visit(browser, base, PAGE, viewport=window).page
    assert open_a_large_map(page).evaluate(WHOLE)
    page.context.close()


def test_a_map_that_goes_on_fades_at_its_edge_and_is_clear_at_its_end(browser, base):
    page = visit(browser, base, PAGE, viewport=PHONE).page
    assert open_a_large_map(page).evaluate(FADED) == ["sticky", True, True]
    page.context.close()


@facts("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_words_heads_and_the_large_map_are_seen_together(browser, base, viewport):
    page = browser.new_context(viewport=viewport, **STILL).new_page()
    page.goto(base + PAGE)
    open_panel(page, "24 heads")
    page.locator(".translator-head.dotted").click()
    map_ = page.locator(".translator-map table")
    map_.evaluate("map => map.scrollIntoView({ block: 'end', behavior: 'instant' })")
    words = page.locator(".translator-stage").bounding_box()
    bar = page.locator(".bd-header-article").bounding_box()
    heads = page.locator(".translator-thumbs").bounding_box()
    large = map_.bounding_box()
    assert words["y"] >= bar["y"] + bar["height"] - 4
    assert heads["y"] >= words["y"] + words["height"]
    below = large["y"] + large["height"] - viewport["height"]
    assert below < 1  # a page is scrolled by whole pixels
    page.context.close()


def test_a_head_that_is_closed_draws_no_lines(page):
    type_in(page, "seven hundred and one")
    wait_for(page, "sept cent un")
    lines = page.locator(".translator-lines")
    before = lines.inner_html()
    open_panel(page, "24 heads")
    page.locator(".translator-head").nth(23).click()
    assert lines.inner_html() != before
    open_panel(page, "search")
    assert page.locator(".translator-heads").is_hidden()
    assert lines.inner_html() == before


@facts("name", ["24 heads", "search"])
@facts("dark", [False, True], ids=["light", "dark"])
def test_a_panel_has_no_barriers(browser, base, name, dark):
    page = visit(browser, base, PAGE, dark=dark).page
    type_in(page, "seventy-one")
    wait_for(page, "soixante et onze")
    open_panel(page, name)
    if name == "24 heads":
        page.locator(".translator-head.dotted").click()
    page.locator(".translator-row").first.locator("button").first.hover()
    assert find_barriers(page) == []
    page.context.close()


def test_who_watches_sees_the_machine(moving):
    moving.set_viewport_size({"width": 1280, "height": 800})
    open_panel(moving, "24 heads")
    let_write(moving)
    machine = moving.locator(".translator-machine").bounding_box()
    words = moving.locator(".translator-stage").bounding_box()
    assert 0 < words["y"] < machine["y"]
    assert machine["y"] + machine["height"] <= 801


def test_wider_beams_show_what_they_follow(page):
    type_in(page, "seventy-one")
    wait_for(page, "soixante et onze")
    open_panel(page, "search")
    page.locator("#translator-width").fill("4")
    settle(page)
    rows = page.locator(".translator-beams tr")
    assert rows.nth(2).locator("td div").count() == 4
    chances = rows.nth(2).locator("small").all_inner_texts()
    chances = [float(text.strip("< %")) for text in chances]
    assert chances == sorted(chances, reverse=True)
    assert 0 < chances[-1] < 0.5  # and not "< 1"
    bars = (
        rows.nth(2)
        .locator(".translator-bar")
        .evaluate_all("(all) => all.map((bar) => bar.offsetWidth / 56)")
    )
    assert bars == pytest.approx([chance / 100 for chance in chances], abs=0.02)
    assert "soixante et onze" in page.locator(".translator-beams").inner_text()


def test_what_a_wider_search_follows_is_a_tree(page):
    type_in(page, "seventy-one")
    wait_for(page, "soixante et onze")
    open_panel(page, "search")
    tree = page.locator(".translator-tree")
    assert tree.count() == 0
    page.locator("#translator-width").fill("3")
    settle(page)
    best = tree.locator("text.best").all_text_contents()
    assert best == ["soixante", "et", "onze", "∎"]
    assert tree.locator("path").count() == tree.locator("text").count() - 1  # begin
    assert tree.locator("text.other").count() >= 2 * 3


def test_a_head_that_is_pointed_at_shows_its_lines(page):
    type_in(page, "seventy-one")
    wait_for(page, "soixante et onze")
    open_panel(page, "24 heads")
    widths = """() => [...document.querySelectorAll(".translator-lines line")].map(
      (line) => line.style.strokeWidth)"""
    rest, seen = page.evaluate(widths), []
    for number in (16, 23):
        page.locator(".translator-head").nth(number).hover()
        seen.append(page.evaluate(widths))
    assert rest not in seen
    assert seen[0] != seen[1]
    page.mouse.move(0, 0)
    assert page.evaluate(widths) == rest
    page.locator(".translator-head").nth(16).focus()
    assert page.evaluate(widths) == seen[0]


def example(page, text):
    return page.get_by_role("button", name=text, exact=True)


def watch(page):
    """Note from now on which parts light up, and what is written meanwhile."""
    page.evaluate(NOTE_LIT)


def let_write(page):
    """Press the button that lets the machine write in slow motion."""
    page.get_by_role("button", name="Watch it write").click()


def finished(page):
    """Wait for the end of the writing, in which something lit up; return the notes."""
    page.wait_for_function(
        """() => window.notes.length > 0
          && document.querySelector(".translator-said").ariaBusy === "false\""""
    )
    return page.evaluate("window.notes")


@pytest.fixture
def moving(browser, base):
    """Open the page for those who like motion."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.goto(base + PAGE)
    yield page
    page.context.close()


OPACITY = "(words) => words.map((word) => Number(getComputedStyle(word).opacity))"
# No word comes before the test says what time it is.
STAND_STILL = """addEventListener("DOMContentLoaded", () => {
  const style = document.createElement("style");
  style.textContent = "* { animation-play-state: paused !important; }";
  document.head.append(style);
})"""
COMING = """(time) => document.getAnimations()
  .filter(({ effect }) => effect.target.closest(".arriving"))
  .forEach((coming) => {
    if (time === null) coming.finish();
    else coming.currentTime = time;
  })"""


@pytest.fixture
def arriving(browser, base):
    """Open the page for those who like motion, and hold it before the first word."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.add_init_script(STAND_STILL)
    page.goto(base + PAGE)
    page.locator(".translator-stage.arriving").wait_for()
    yield page
    page.context.close()


def test_as_the_page_opens_words_come_in_turn(arriving):
    arriving.evaluate(COMING, 2000)  # milliseconds
    shown = written(arriving).evaluate_all(OPACITY)
    assert shown == sorted(shown, reverse=True)
    assert (shown[0], shown[-1]) == (1, 0)
    arriving.evaluate(COMING, None)
    expect(arriving.locator(".translator-stage.arriving")).to_have_count(0)
    assert set(written(arriving).evaluate_all(OPACITY)) == {1}


def test_who_touches_a_word_waits_for_none(arriving):
    written(arriving).first.focus()
    assert set(written(arriving).evaluate_all(OPACITY)) == {1}


def test_where_motion_is_not_welcome_the_words_are_there_at_once(page):
    assert set(written(page).evaluate_all(OPACITY)) == {1}


MISTAKES = {f"{row['number']:,}": row for row in mistakes.MEASUREMENTS.read()}


def test_mistakes_are_shown_in_turn_each_at_the_word_that_is_wrong(page):
    shown = told.read()["mistakes"]["shown"]
    for number, place, right in [*shown, shown[0]]:
        example(page, "a mistake").click()
        wait_for(page, MISTAKES[number]["wrote"])
        assert page.input_value("#translator-text") == number
        expect(page.locator(".translator-right b")).to_have_text(
            french(MISTAKES[number]["number"])
        )
        expect(page.locator(".translator-told")).to_contain_text(f"“{right}”")
        assert pressed(page) == [place]
        chance = written(page).nth(place).locator("small").inner_text()
        expect(page.locator(".translator-told")).to_contain_text(f"had {chance},")


def test_a_mistake_is_one_of_the_whole_machine(page):
    page.get_by_role("button", name="skips", exact=True).click()
    example(page, "a mistake").click()
    number, *_ = told.read()["mistakes"]["shown"][0]
    wait_for(page, MISTAKES[number]["wrote"])
    assert page.locator("[aria-pressed=true][value]").count() == 0


MENDED = "602,415"  # a mistake that beams of four avoid


def test_of_a_mistake_that_search_mends_nothing_is_said(page):
    open_panel(page, "search")
    page.locator("#translator-width").fill("4")
    settle(page)
    numbers_shown = [number for number, *_ in told.read()["mistakes"]["shown"]]
    for number in numbers_shown[: 1 + numbers_shown.index(MENDED)]:
        example(page, "a mistake").click()
        expect(page.locator("#translator-text")).to_have_value(number)
    wait_for(page, french(MISTAKES[MENDED]["number"]))
    assert "28 050" not in page.locator(".translator-told").inner_text()
    assert (
        told.read()["mistakes"]["told"]
        not in page.locator(".translator-told").inner_text()
    )


def test_the_machine_in_small_is_one_stop_of_the_keyboard(page):
    boxes = page.locator(".translator-machine [href]")
    stops = boxes.evaluate_all(
        "(all) => all.filter((box) => box.tabIndex === 0).length"
    )
    assert stops == 1
    boxes.first.focus()
    for key, place in (("ArrowLeft", 0), ("ArrowRight", 1), ("ArrowRight", 2)):
        page.keyboard.press(key)
        expect(boxes.nth(place)).to_be_focused()
    boxes.last.focus()
    page.keyboard.press("ArrowRight")
    expect(boxes.last).to_be_focused()


def test_words_come_one_by_one_where_motion_is_welcome(moving):
    type_in(moving, "701")
    watch(moving)
    let_write(moving)
    counts = [note["words"] for note in finished(moving)]
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2, 3, 4}


def test_parts_light_up_in_turn_the_decoder_once_for_each_word(moving):
    example(moving, "99").click()
    watch(moving)
    let_write(moving)
    notes = finished(moving)
    words = ["quatre", "-vingt", "-dix", "-neuf", "end"]
    assert [note["parts"][:1] for note in notes] == [
        [part] for part in [*ENCODER, *DECODER * len(words)]
    ]
    chosen = [note for note in notes if note["parts"] == ["decoder.choice"]]
    assert [note["words"] for note in chosen] == [1, 2, 3, 4, 5]
    before = [note["words"] for note in notes if note["parts"] == ["decoder.head"]]
    assert before == [0, 1, 2, 3, 4]
    assert [note["said"] for note in chosen] == [
        *("quatre", "quatre-vingt", "quatre-vingt-dix"),
        *("quatre-vingt-dix-neuf", "quatre-vingt-dix-neuf"),
    ]
    assert moving.locator(".lit").count() == 0


SIZES = """() => {
  window.sizes = {};
  new MutationObserver(() => {
    const part = document.querySelector(".translator-part.lit");
    if (part) sizes[part.dataset.part] = getComputedStyle(part, "::before").content;
  }).observe(document.body, { subtree: true, attributeFilter: ["class"] });
}"""


def test_below_a_part_that_lights_up_stands_the_size_of_what_it_hands_on(moving):
    example(moving, "99").click()
    wait_for(moving, "quatre-vingt-dix-neuf")
    moving.evaluate(SIZES)
    let_write(moving)
    moving.wait_for_function("() => window.sizes['decoder.choice']")
    sizes = moving.evaluate("window.sizes")
    pieces = len(pack.read_weights()["vocabulary"])
    assert sizes.pop("decoder.choice") == '""'
    sizes = {part: re.findall(r"\d+", size) for part, size in sizes.items()}
    assert sizes.pop("decoder.head") == ["1", str(pieces)]
    for part, size in sizes.items():
        assert size == (["3", "64"] if part in ENCODER else ["1", "64"])
    assert len(sizes) == len([*ENCODER, *DECODER]) - 2


def of_part(notes, part):
    return [note for note in notes if note["parts"][0] == f"decoder.{part}"]


def test_while_it_writes_its_looks_and_chances_are_seen_before_each_word(moving):
    type_in(moving, "701")
    watch(moving)
    let_write(moving)
    notes = finished(moving)
    words = [chip.split("\n") for chip in written(moving).all_inner_texts()]
    looks, chances = of_part(notes, "cross_attention"), of_part(notes, "head")
    assert len(looks) == len(chances) == len(words) == 4
    for place, (look, chance, word) in enumerate(
        zip(looks, chances, words, strict=True)
    ):
        assert (look["words"], chance["words"]) == (place, place)
        assert look["told"].startswith("For the next word it looks at")
        head, *shown = chance["told"].split("\n")
        assert head.startswith("After ")
        assert [line for line in shown if line][:2] == word


def test_looks_flow_and_chances_grow_where_motion_is_welcome(browser, base):
    calm = browser.new_context(**STILL).new_page()
    calm.goto(base + PAGE)
    written(calm).nth(1).focus()
    moves = "(e) => getComputedStyle(e).animationName"
    parts = [calm.locator(".translator-bar"), calm.locator("line.chosen")]
    assert [part.first.evaluate(moves) for part in parts] == ["none", "none"]
    calm.emulate_media(reduced_motion="no-preference")
    assert [part.first.evaluate(moves) for part in parts] == [
        "translator-grow",
        "translator-flow",
    ]
    calm.context.close()


def test_without_motion_it_writes_a_word_at_each_press(page):
    watch(page)
    page.get_by_role("button", name="Word by word").click()
    following = page.get_by_role("button", name="Next word")
    following.wait_for()
    for count, word in enumerate(REST["words"], start=1):
        assert written(page).count() == count
        assert pressed(page) == [count - 1]
        told_of = page.locator(".translator-told").inner_text()
        assert told_of.startswith("After ")
        assert f"\n{word['piece'].removeprefix('##')}\n" in told_of
        if count < len(REST["words"]):
            following.click()
    assert said(page).inner_text() == REST["translation"]
    assert page.get_by_role("button", name="Word by word").is_visible()
    assert page.evaluate("window.notes") == []


def test_word_by_word_can_be_cut_short_and_leaves_the_tour_alone(page):
    type_in(page, "701")
    wait_for(page, "sept cent un")
    page.get_by_role("button", name="Word by word").click()
    page.get_by_role("button", name="Next word").click()
    assert said(page).inner_text() == "sept cent"
    assert now(page)[0] == 2  # which asks for the hand
    page.get_by_role("button", name="Skip to the end").click()
    assert said(page).inner_text() == "sept cent un"


def test_words_that_come_under_a_hand_at_rest_are_not_asked_while_it_writes(moving):
    let_write(moving)
    said(moving).filter(has_text=re.compile("^quatre$")).wait_for()
    english = moving.locator(".translator-row").first.locator("button")
    english.nth(0).hover()
    assert moving.locator(".asked").count() == 0
    moving.get_by_role("button", name="Skip to the end").click()
    english.nth(0).hover()
    assert moving.locator(".asked").count() == 1


def test_who_asks_for_the_next_word_stops_the_motion(moving):
    let_write(moving)
    said(moving).filter(has_text=re.compile("^quatre$")).wait_for()
    moving.get_by_role("button", name="Next word").click()
    moving.wait_for_timeout(300)  # nothing goes on
    assert said(moving).inner_text() == "quatre-vingt"
    assert moving.locator(".lit").count() == 0


DICE = "window.roll = 0.5; Math.random = () => window.roll"


@pytest.fixture
def hot(browser, base):
    """Open the page with dice that show what they are told."""
    page = visit(browser, base, PAGE).page
    page.evaluate(DICE)
    type_in(page, "701")
    wait_for(page, "sept cent un")
    yield page
    page.context.close()


def heat(page, temperature):
    page.locator("#translator-temperature").fill(temperature)


def chance(page, place):
    return int(written(page).nth(place).locator("small").inner_text().strip("< %"))


def test_a_temperature_lets_words_be_drawn(hot):
    again = hot.get_by_role("button", name="Draw again")
    assert again.is_disabled()
    heat(hot, "3")
    again.click()  # a half hits the likeliest word, if that has more
    chances = [chance(hot, 0)]
    heat(hot, "2")
    chances.append(chance(hot, 0))
    assert written(hot).first.inner_text().startswith("sept")
    assert 50 < chances[0] < chances[1] < 99
    hot.evaluate("window.roll = 0.999")
    again.click()
    assert not written(hot).first.inner_text().startswith("sept")
    wait_for(hot, "right: sept cent un")
    heat(hot, "0")
    assert answer(hot) == ["sept cent un"]
    assert again.is_disabled()


@facts("way", ["put back", "search"])
def test_the_temperature_is_put_back(hot, way):
    hot.evaluate("window.roll = 0.999")
    hot.get_by_role("button", name="99", exact=True).click()
    heat(hot, "3")
    hot.get_by_role("button", name="Draw again").click()
    wait_for(hot, "right: quatre-vingt-dix-neuf")
    if way == "search":
        widen_the_beam(hot)
    else:
        hot.get_by_role("button", name="Put everything back").click()
    assert answer(hot) == ["quatre-vingt-dix-neuf"]
    assert hot.input_value("#translator-temperature") == "0"


def test_a_part_lights_up_wherever_it_is_drawn(moving):
    drawn = {
        place: moving.locator(f"{place} [data-part]").evaluate_all(PARTS_OF)
        for place in (".translator-machine", ".machine-wide", ".machine-narrow")
    }
    small, wide, narrow = drawn.values()
    assert [part for part, _ in small] == [*ENCODER, *DECODER]
    whole = [(part, hue) for part, hue in small if not part.endswith("norm")]
    assert list(dict.fromkeys(map(tuple, wide))) == whole  # hues too
    assert narrow == wide
    example(moving, "99").click()
    watch(moving)
    let_write(moving)
    for note in finished(moving):
        [part, *others] = note["parts"]
        beside = part.replace("residual.norm", "residual")  # in one box with the sum
        assert others == ([] if beside == part else [beside])
        boxes = sum(box[0] in (part, beside) for box in [*wide, *narrow])
        assert note["boxes"] == 1 + boxes


def test_with_less_motion_all_is_there_at_once_and_nothing_lights_up(page):
    watch(page)
    example(page, "99").click()
    wait_for(page, "quatre-vingt-dix-neuf")
    assert written(page).count() == 5
    assert page.evaluate("window.notes") == []
    assert page.get_by_role("button", name="Watch it write").count() == 0


def test_who_does_not_ask_to_watch_waits_for_no_word(moving):
    watch(moving)
    type_in(moving, "ninety-nine")
    wait_for(moving, "quatre-vingt-dix-neuf")
    type_in(moving, "701")
    wait_for(moving, "sept cent un")
    take_out(moving, "norms")
    wait_for(moving, "sept cent un, without norms")
    assert moving.evaluate("window.notes") == []


@facts("way", ["button", "typing"])
def test_the_writing_can_be_cut_short(moving, way):
    let_write(moving)
    said(moving).filter(has_text="…").wait_for()
    if way == "button":
        moving.get_by_role("button", name="Skip to the end").click()
    else:
        type_in(moving, REST["text"] + "?")
    assert said(moving).inner_text() == REST["translation"]
    assert moving.locator(".lit").count() == 0
    moving.wait_for_timeout(300)  # nothing goes on
    assert moving.locator(".lit").count() == 0
    assert moving.get_by_role("button", name="Watch it write").is_visible()


def test_a_word_it_does_not_know_ends_the_writing(moving):
    let_write(moving)
    said(moving).filter(has_text="…").wait_for()
    type_in(moving, "forty-two cats")
    wait_for(moving, "“cats”")
    moving.wait_for_timeout(300)
    assert "“cats”" in said(moving).inner_text()
    assert moving.locator(".lit").count() == 0


def test_a_box_that_lights_up_stays_a_link_and_the_page_where_it_is(moving):
    box = moving.locator(".machine-wide [data-part='decoder.cross_attention']")
    example(moving, "617,342").click()
    let_write(moving)
    said(moving).filter(has_text="six").wait_for()
    box.scroll_into_view_if_needed()
    place = moving.evaluate("scrollY")
    moving.locator(".machine-wide .lit").first.wait_for()
    assert moving.evaluate("scrollY") == place
    with moving.expect_navigation():
        box.click()
    assert moving.url.endswith("book/architecture/encoder_decoder.html")


def test_each_box_in_small_leads_where_the_drawing_does(page):
    hrefs = (
        "(boxes) => boxes.map((box) => [box.dataset.part, box.getAttribute('href')])"
    )
    whole = dict(page.locator(".machine-wide [data-part]").evaluate_all(hrefs)[::-1])
    small = dict(page.locator(".translator-machine [data-part]").evaluate_all(hrefs))
    assert list(small) == [*ENCODER, *DECODER]
    for part, href in small.items():
        if part.endswith("norm"):
            assert href == "normalization/layer_norm.html"
        elif part.endswith("residual"):
            assert href == "normalization/residual_connections.html"
        else:
            assert href == whole[part]
    page.locator(".translator-machine [data-part='decoder.head']").click()
    page.wait_for_url("**/book/architecture/one_sentence.html")


def struck(page, place):
    """Return the words that are struck out, of a picture of the machine."""
    return page.locator(f"{place} [class^=of-]").evaluate_all(STRUCK)


@facts(
    "part, small, whole",
    [
        ("positions", ["Positions"] * 2, ["Add", "positions"] * 2),
        ("causal-mask", ["Masked"], ["Masked"]),
        ("skips", ["Add"] * 5, ["Add"] * 5),
        ("norms", ["Norm"] * 7, ["norm"] * 5),
        ("scale", [], []),  # it stands within attention
    ],
)
def test_what_a_twin_lacks_is_struck_out_of_the_machine(page, part, small, whole):
    take_out(page, part)
    assert struck(page, ".translator-machine") == small
    assert struck(page, ".machine-wide") == whole
    lines = page.locator(".machine-wide path.line.of-skips").evaluate_all(FAINT)
    assert lines == [part == "skips"] * 5
    take_out(page, part)
    assert struck(page, ".translator-machine") == []
    assert struck(page, ".machine-wide") == []


def test_without_scale_each_attention_is_marked(page):
    marks = """(boxes) => boxes.filter((box) => getComputedStyle(box, "::after")
      .textDecorationLine === "line-through").map((box) => box.dataset.part)"""
    boxes = page.locator(".translator-part")
    assert boxes.evaluate_all(marks) == []
    take_out(page, "scale")
    attentions = [p for p in [*ENCODER, *DECODER] if p.endswith("attention")]
    assert boxes.evaluate_all(marks) == attentions


@facts("part, ending", [("positions", "positions"), ("norms", "norm")])
def test_a_part_that_is_taken_out_does_not_light_up(moving, part, ending):
    take_out(moving, part)
    watch(moving)
    let_write(moving)
    lit = [part for note in finished(moving) for part in note["parts"]]
    out = {part for part in [*ENCODER, *DECODER] if part.endswith(ending)}
    assert {*ENCODER, *DECODER} - {*lit} == out


def answer(page):
    """Return what is answered, what is changed, and what is said of it."""
    return said(page).inner_text().splitlines()


def test_beside_a_wrong_answer_stands_the_right_one(page):
    type_in(page, "six thousand and two")
    wait_for(page, "six mille deux")
    assert answer(page) == ["six mille deux"]
    take_out(page, "positions")
    wait_for(page, "without positions")
    assert answer(page) == [
        "deux mille six, without positions",
        "right: six mille deux",
    ]
    type_in(page, "two thousand and six")  # which is right by luck
    said(page).filter(has_not_text="right:").wait_for()
    assert answer(page) == ["deux mille six, without positions"]


def test_the_words_stay_where_they_are_beside_a_wrong_answer(page):
    type_in(page, "six thousand and two")
    wait_for(page, "six mille deux")
    place = written(page).first.evaluate(PLACE)
    take_out(page, "positions")
    wait_for(page, "right: six mille deux")
    assert written(page).first.evaluate(PLACE) == pytest.approx(place, abs=3)


@facts(
    "typed, wrote, told",
    [
        ("eighty eighty", "quatre-vingts", "and none is written so."),
        ("twelve hundred", "douze", "of this one “one thousand two hundred”."),
        ("Twenty one hundred", "vingt et un", "“two thousand one hundred”."),
    ],
)
def test_words_of_another_spelling_are_answered_with_a_remark(page, typed, wrote, told):
    type_in(page, typed)
    wait_for(page, told)
    assert answer(page)[0] == wrote
    assert "one spelling of each number, " in answer(page)[1]
    assert written(page).count() > 0


def test_while_it_writes_nothing_is_said_of_what_is_right(moving):
    take_out(moving, "positions")
    let_write(moving)
    said(moving).filter(has_text="…").wait_for()
    assert "right:" not in said(moving).inner_text()
    moving.get_by_role("button", name="Skip to the end").click()
    wait_for(moving, "right: quatre-vingt mille quatre-vingts")


THOUSAND = ("1 000", "1, 000", " 1 ,000.", "1\N{NARROW NO-BREAK SPACE}000")


@facts(
    "typed, words, wrote",
    [
        ("42", ["forty", "-two", "end"], "quarante-deux"),
        ("80,080", ["eighty", "thousand", "and", "eighty", "end"], REST["translation"]),
        *((text, ["one", "thousand", "end"], "mille") for text in THOUSAND),
    ],
)
def test_digits_are_read_as_words(page, typed, words, wrote):
    type_in(page, typed)
    wait_for(page, re.compile(rf"^\s*{wrote}"))  # what it wrote before may hold it
    assert answer(page) == [wrote]
    row = page.locator(".translator-row").first.locator("button")
    assert row.all_inner_texts() == words
    assert page.input_value("#translator-text") == typed


def test_what_cannot_be_watched_has_a_button_at_rest(moving):
    type_in(moving, "cats")
    wait_for(moving, "never met")
    button = moving.get_by_role("button", name="Watch it write")
    assert button.is_disabled()
    type_in(moving, "ten")
    wait_for(moving, "dix")
    assert button.is_enabled()


def test_how_many_numbers_run_here_is_said_where_they_run(page):
    proof = page.locator(".translator-proof")
    assert "237,696 numbers" in proof.inner_text()
    assert proof.inner_text().endswith("It runs in your browser.")


def test_buttons_are_large_enough_for_a_finger_and_nothing_lies_on_text(browser, base):
    page = visit(browser, base, PAGE, viewport=PHONE).page
    buttons = page.locator(".translator button:visible, .translator-part:visible")
    heights = buttons.evaluate_all("(all) => all.map((one) => one.offsetHeight)")
    assert len(heights) > 20
    assert min(heights) >= 40
    page.mouse.wheel(0, 3000)
    page.wait_for_function("() => scrollY > 2000")
    page.mouse.wheel(0, -500)
    assert page.locator("#pst-back-to-top").is_hidden()
    page.context.close()


def test_on_a_phone_nothing_leads_out_of_the_page(browser, base):
    page = visit(browser, base, PAGE, viewport=PHONE).page
    type_in(page, "six hundred and seventeen thousand three hundred and forty-two")
    wait_for(page, "six cent dix-sept mille")
    open_panel(page, "24 heads")
    page.locator(".translator-head").nth(20).click()
    open_panel(page, "search")
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["width"]
    page.context.close()


def take_out(page, part):
    """Take a part out of the machine, by its button."""
    twins = page.get_by_role("group", name="Parts to take out")
    twins.get_by_role("button", name=part.replace("-", " "), exact=True).click()


def notice(page):
    return page.locator(".translator-notice")


def test_a_twin_is_fetched_when_its_part_is_taken_out_and_not_before(browser, base):
    page = browser.new_context(**STILL).new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(base + PAGE, wait_until="networkidle")
    assert not any("without-" in url for url in asked)
    for _ in range(2):  # in, out and in again
        take_out(page, "positions")
        wait_for(page, "without positions")
        take_out(page, "positions")
        said(page).filter(has_not_text="without").wait_for()
    twins = [url for url in asked if "without-" in url]
    assert [url.rsplit("/", 1)[1] for url in twins] == ["without-positions.js"]
    page.context.close()


def test_what_to_notice_is_told_before_the_twin_is_there(browser, base):
    page = browser.new_context(**STILL).new_page()
    page.route("**/without-positions.js", lambda route: None)  # on its way for ever
    page.goto(base + PAGE)
    take_out(page, "positions")
    sentence = told.read()["twins"]["without-positions"]["told"]
    assert notice(page).locator("p").inner_text() == sentence
    assert said(page).inner_text() == REST["translation"]
    page.context.close()


@facts("part", TWINS)
def test_each_part_can_be_taken_out_and_says_what_to_notice(page, part):
    type_in(page, "ninety-nine")
    take_out(page, part)
    wait_for(page, f"without {part.replace('-', ' ')}")
    sentence = told.read()["twins"][f"without-{part}"]["told"]
    assert notice(page).locator("p").inner_text() == sentence
    pressed = page.locator(".translator-twins [aria-pressed=true]")
    assert pressed.all_inner_texts() == [part.replace("-", " ")]
    page.get_by_role("button", name="Put everything back").click()
    said(page).filter(has_not_text="without").wait_for()
    assert said(page).inner_text() == "quatre-vingt-dix-neuf"
    assert notice(page).is_hidden()
    assert page.locator(".translator-twins [aria-pressed=true]").count() == 0


@facts("part", TWINS)
def test_on_a_phone_what_to_notice_stands_below_the_words(browser, base, part):
    page = visit(browser, base, PAGE, viewport=PHONE).page
    type_in(page, "ten")
    take_out(page, part)
    wait_for(page, f"without {part.replace('-', ' ')}")
    words = page.locator(".translator-stage").bounding_box()
    told_of = notice(page).bounding_box()
    following = page.get_by_role("button", name="Word by word").bounding_box()
    assert 0 <= told_of["y"] - words["y"] - words["height"] < 80
    assert 0 <= following["y"] - told_of["y"] - told_of["height"] < 30
    written(page).first.click()
    assert page.locator(".translator-told").inner_text().startswith("After ")
    assert notice(page).is_visible()
    page.context.close()


def test_on_a_turned_phone_answer_and_what_to_notice_come_into_view(browser, base):
    touch = {"has_touch": True, "is_mobile": True}
    page = browser.new_context(viewport=TURNED, **touch, **STILL).new_page()
    page.goto(base + PAGE)
    take_out(page, "skips")
    settle(page)
    answer = page.locator(".translator-said").bounding_box()
    notice = page.locator(".translator-notice").bounding_box()
    assert answer["y"] > 47  # below the bar of the page
    assert answer["y"] + answer["height"] <= notice["y"]
    assert notice["y"] + notice["height"] <= TURNED["height"]
    page.context.close()


@facts("part", TWINS)
def test_before_a_press_it_is_said_what_a_part_does(page, part):
    before = told.read()["twins"][f"without-{part}"]["before"]
    button = page.locator(f"button[value='without-{part}']")
    expect(button).to_have_accessible_description(before)
    assert page.get_by_text(before, exact=True).is_visible()


def test_without_positions_two_numbers_get_one_translation(page):
    take_out(page, "positions")
    wait_for(page, "without positions")
    for number in ("six thousand and two", "two thousand and six"):
        notice(page).get_by_role("button", name=number).click()
        assert page.input_value("#translator-text") == number
        wait_for(page, "deux mille six")


def test_without_causal_mask_it_is_silent(page):
    type_in(page, "forty-two")
    take_out(page, "causal-mask")
    wait_for(page, "(nothing)")
    assert written(page).count() == 1


def test_without_skips_a_long_text_is_cut(page):
    type_in(page, "sixteen thousand and sixty-one")
    take_out(page, "skips")
    wait_for(page, "et et et")
    assert "et …" in said(page).inner_text()
    assert written(page).count() == 24


def test_a_part_is_taken_out_from_the_keyboard(page):
    page.focus(".translator-twins [value=without-norms]")
    page.keyboard.press("Enter")
    wait_for(page, "without norms")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.value") == "without-scale"


def test_an_address_takes_a_part_out(browser, site):
    page = browser.new_context(**STILL).new_page()
    page.goto((site / PAGE).as_uri() + "#without-positions")
    wait_for(page, "without positions")
    page.wait_for_function(AT_TOP)  # the browser goes to the paragraph first
    page.evaluate("location.hash = 'without-norms'")
    wait_for(page, "without norms")
    page.context.close()


def test_a_twin_that_cannot_be_fetched_is_said_and_can_be_tried_again(browser, base):
    page = browser.new_context(**STILL).new_page()
    page.route("**/without-norms.js", lambda route: route.abort())
    page.goto(base + PAGE)
    take_out(page, "norms")
    wait_for(page, "could not be read")
    page.unroute("**/without-norms.js")
    example(page, "99").click()
    wait_for(page, "quatre-vingt-dix-neuf, without norms")
    page.context.close()


def test_of_two_parts_taken_out_in_a_hurry_the_last_one_counts(browser, base):
    page = browser.new_context(**STILL).new_page()
    page.goto(base + PAGE)
    page.evaluate(
        "for (const part of ['skips', 'norms', 'positions'])"
        "  document.querySelector(`[value=without-${part}]`).click()"
    )
    wait_for(page, "without positions")
    page.wait_for_timeout(500)
    assert answer(page)[0].endswith("without positions")
    assert "which order" in notice(page).inner_text()
    page.context.close()


def tour(page):
    return page.get_by_role("group", name="Six things to try")


def now(page):
    """Return the line of the tour that waits, as its number and its words."""
    [line] = tour(page).locator("li.now").all()
    return int(line.get_attribute("value")), line.inner_text()


def type_a_number(page):
    type_in(page, "701")


def press_a_word(page):
    written(page).nth(1).click()


def swap_two_words(page):
    words = page.locator(".translator-row").first.locator("button")
    words.nth(0).click()
    words.nth(3).click()  # "seven hundred and one"


def switch_the_head_off(page):
    open_panel(page, "24 heads")
    page.locator(".translator-head.dotted").click()
    page.get_by_role("button", name="Switch this head off").click()


def widen_the_beam(page):
    open_panel(page, "search")
    page.locator("#translator-width").fill("4")


STEPS = {
    "Type 701": type_a_number,
    "Press a French word": press_a_word,
    "Press two English words": swap_two_words,
    "Take out positions": lambda page: take_out(page, "positions"),
    "See its 24 heads": switch_the_head_off,
    "See its search": widen_the_beam,
}


def test_the_tour_waits_for_the_hand_line_by_line(page):
    lines = tour(page).locator("li:visible")
    for number, (begins, do) in enumerate(STEPS.items(), start=1):
        place, words = now(page)
        assert place == number
        assert words.startswith(begins)
        do(page)
        lines.nth(number).wait_for()  # as many ticks, and a line
        assert tour(page).locator(".done").count() == number
    assert tour(page).inner_text().endswith("All six are done.\nClose")
    assert page.locator("li.now").count() == 0


def test_who_only_points_at_a_word_has_not_pressed_it(page):
    walk(page, 1)
    written(page).nth(1).hover()
    assert pressed(page) == [1]
    assert now(page)[0] == 2
    written(page).nth(1).click()
    tour(page).locator(".done").nth(1).wait_for(state="attached")


def test_a_forbidden_word_is_not_taken_for_the_work_of_positions(page):
    walk(page, 3)
    written(page).nth(1).click()
    page.get_by_role("button", name="Forbid").click()
    page.locator(".translator-right b").wait_for()
    take_out(page, "positions")
    wait_for(page, SHOWN[4][0])  # no word is forbidden any more
    assert answer(page) == SHOWN[4]


def test_wider_beams_say_which_text_wins(page):
    open_panel(page, "search")
    told_of = page.locator(".translator-beams .translator-hint")
    expect(told_of).to_have_count(0)
    page.locator("#translator-width").fill("2")
    expect(told_of).to_contain_text("((5 + length) / 6)^0.6")


SHOWN = {
    4: ["deux mille six, without positions", "right: six mille deux"],
    5: [
        "quatre-vingts, 1 of 24 heads switched off",
        "right: quatre-vingt mille quatre-vingts",
    ],
    6: ["quatre-vingt mille quatre-vingts, 1 of 24 heads switched off"],
}


def test_the_last_lines_of_the_tour_show_what_they_ask(page):
    walk(page, 3)
    assert page.input_value("#translator-text") == "one hundred and seven"
    for number, do in list(enumerate(STEPS.values(), start=1))[3:]:
        do(page)
        wait_for(page, SHOWN[number][0])
        tour(page).locator(".done").nth(number - 1).wait_for(state="attached")
        assert answer(page) == SHOWN[number]


@facts("width", [2, 3, 5, 8])
def test_each_wider_search_brings_back_what_the_tour_lost(open_page, width):
    page = open_page()
    walk(page, 5)
    open_panel(page, "search")
    wait_for(page, SHOWN[5][1])
    page.locator("#translator-width").fill(str(width))
    page.get_by_text("All six are done.").wait_for()
    assert answer(page) == SHOWN[6]


def test_a_number_that_a_twin_gets_wrong_ticks_without_another(page):
    walk(page, 3)
    type_in(page, "80,080")
    wait_for(page, REST["translation"])
    take_out(page, "positions")
    wait_for(page, "right: quatre-vingt mille quatre-vingts")
    assert now(page)[0] == 5
    assert page.input_value("#translator-text") == "80,080"


def test_a_head_that_is_not_missed_does_not_move_the_tour(page):
    walk(page, 4)
    open_panel(page, "24 heads")
    page.locator(".translator-head.dotted").wait_for()
    assert page.input_value("#translator-text") == "80,080"
    page.locator(".translator-head").first.click()
    page.get_by_role("button", name="Switch this head off").click()
    wait_for(page, "1 of 24 heads")
    assert answer(page)[0].startswith(REST["translation"])
    assert now(page)[0] == 5


def test_a_closed_tour_gives_no_number(page):
    walk(page, 3)
    tour(page).get_by_role("button", name="Close").click()
    take_out(page, "positions")
    wait_for(page, "cent sept, without positions")
    page.wait_for_timeout(300)
    assert page.input_value("#translator-text") == "one hundred and seven"


def ringed(page):
    """List what has the ring of the tour around it, by its name or its words."""
    return page.evaluate(RINGED)


def test_a_ring_shows_what_the_tour_is_about(page):
    assert ringed(page) == ["translator-text"]
    type_a_number(page)
    wait_for(page, "sept cent un")
    assert ringed(page)[0].startswith("sept")
    press_a_word(page)
    assert ringed(page) == ["seven", "hundred", "and", "one"]
    tour(page).get_by_role("button", name="Close").click()
    assert ringed(page) == []


def test_the_ring_of_the_tour_rests_where_no_motion_is_wanted(browser, base):
    calm = browser.new_context(**STILL).new_page()
    calm.goto(base + PAGE)
    assert ringed(calm) == ["translator-text"]
    moves = "(e) => getComputedStyle(e).animationName"
    assert calm.locator("#translator-text").evaluate(moves) == "none"
    calm.emulate_media(reduced_motion="no-preference")
    assert calm.locator("#translator-text").evaluate(moves) == "translator-call"
    calm.context.close()


SMALL = {"width": 360, "height": 640}


def walk(page, steps):
    """Do what the first lines of the tour ask for, each when the one before is done."""
    lines = tour(page).locator("li:visible")
    for number, do in enumerate(list(STEPS.values())[:steps], start=1):
        do(page)
        lines.nth(number).wait_for()


@facts("viewport", [PHONE, SMALL], ids=["phone", "small"])
def test_the_tour_goes_to_the_buttons_it_is_about(browser, base, viewport):
    page = visit(browser, base, PAGE, viewport=viewport).page
    walk(page, 3)
    button = page.locator("button[value='without-positions']").bounding_box()
    strip = tour(page).bounding_box()
    assert 0 < button["y"] - strip["y"] - strip["height"] < 60
    assert 0 < strip["y"] < button["y"] + button["height"] < viewport["height"]
    page.context.close()


@facts("steps", [0, 3])
def test_nothing_lies_on_a_button_of_the_translator(browser, base, steps):
    page = visit(browser, base, PAGE, viewport=SMALL).page
    walk(page, steps)
    assert page.evaluate(COVERED) == []
    page.context.close()


def test_on_a_small_window_nothing_lies_on_a_head(browser, base):
    page = visit(browser, base, PAGE, viewport=SMALL).page
    type_in(page, "ten")
    wait_for(page, "dix")  # in rows, which stay in view in a larger window
    open_panel(page, "24 heads")
    assert page.evaluate(COVERED) == []
    page.context.close()


def test_what_is_done_before_its_turn_does_not_move_the_tour(page):
    take_out(page, "positions")
    wait_for(page, "without positions")
    written(page).nth(1).focus()
    widen_the_beam(page)
    assert now(page)[0] == 1
    type_in(page, "cats")  # which it cannot read
    wait_for(page, "never met")
    assert now(page)[0] == 1


def test_the_tour_is_closed_and_the_translator_goes_on(page):
    tour(page).get_by_role("button", name="Close").click()
    assert tour(page).count() == 0
    type_in(page, "42")
    wait_for(page, "quarante-deux")
    written(page).first.focus()
    assert pressed(page) == [0]


def test_without_scripts_the_tour_is_a_plain_list(browser, base):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(base + PAGE)
    lines = page.locator("ol.tour > li").all_inner_texts()
    assert len(lines) == len(STEPS)
    for line, begins in zip(lines, STEPS, strict=True):
        assert line.startswith(begins)
    page.context.close()


def test_what_was_asked_for_last_is_written(page):
    open_panel(page, "search")
    type_in(page, "617,342")
    wait_for(page, "quarante-deux")
    page.evaluate(
        """() => {
          const [text, width] = ["#translator-text", "#translator-width"]
            .map((name) => document.querySelector(name));
          for (const [part, value] of [[width, 8], [text, "397,397"], [text, "10"]]) {
            part.value = value;
            part.dispatchEvent(new Event("input"));
          }
        }"""
    )
    wait_for(page, "dix")
    page.wait_for_timeout(500)  # nothing comes after it
    assert answer(page) == ["dix"]
    assert page.locator(".translator-beams tr").nth(1).locator("td div").count() == 8
