"""The language model on its page: words go in, it goes on, and every part opens."""

import json
import re
from itertools import pairwise

import page_files
import pytest
import torch
from page_faults import find_barriers
from page_visit import DESKTOP, PHONE, visit
from playwright.sync_api import expect
from torch.testing import assert_close

from chapters.laboratory import king_james
from chapters.live import writer_still
from transformer import zoo
from transformer.decoding import generate

PAGE = "book/next_word.html"
CLOSE = {"rtol": 0, "atol": 1e-4}  # float32, summed in another order
RESTS = re.compile(r"\brests\b")
LOGITS = """(texts) => texts.map((ids) => {
  const writer = bookWriter, text = writer.begin(window.verses);
  ids.forEach((id) => writer.read(text, id));
  return Array.from(text.places.at(-1).logits);
})"""


@pytest.fixture
def open_page(browser, base):
    """Open the page, and fetch the model if it is asked for."""
    opened = []

    def call(*, start=True, **options):
        visited = visit(browser, base, PAGE, **options)
        opened.append(visited.page)
        if start:
            fetch_model(visited.page)
        return visited

    yield call
    for page in opened:
        page.context.close()


def fetch_model(page):
    page.locator(".writer-main").click()
    page.locator(".writer.live .of-token").first.wait_for()


@pytest.fixture
def page(open_page):
    return open_page().page


def said(page):
    text = page.locator(".writer-said").inner_text()
    told = page.locator(".writer-stopped").inner_text()  # which is no part of it
    return text.removesuffix(told).replace("\n", " ").strip()


def likeliest(page):
    return page.locator(".writer-next [data-id] span").first.inner_text()


def press(page, text):
    page.locator(".writer button", has_text=text).first.click()


def settle(page):
    """Wait until it writes no more."""
    page.get_by_role("button", name="Let it write").wait_for()


def test_without_the_model_the_page_asks_for_little_and_shows_its_picture(
    open_page, site
):
    visited = open_page(start=False)
    visited.page.locator(".writer-still .writer-stage").wait_for()
    asked = [name.rsplit("/", 1)[-1].split("?")[0] for name in visited.requests]
    assert "writer.js" in asked
    assert not {"writer_weights.js", "transformer.js"} & set(asked)
    fonts = sum(map(page_files.weigh, (site / "_static/katex").rglob("*.woff2")))
    assert page_files.weigh_requests(site, visited.requests) + fonts < 500_000
    still = visited.page.locator(".writer-still")
    assert still.locator("svg, img").first.is_visible()
    assert "wife" in still.inner_text()
    assert visited.complaints == []


def test_the_still_keeps_its_last_word_for_who_presses_the_gap(open_page, site):
    page = open_page(start=False).page
    first = page.locator(".writer-still p:visible").first
    assert first.inner_text() == "And Abraham took Sarah his \u2026?"
    written = (site / PAGE).read_text("utf-8")
    assert "Sarah his <strong>wife</strong>" in written  # without scripts
    gap = page.locator(".writer-gap")
    style = "part => getComputedStyle(part).borderTopStyle"
    assert gap.evaluate(style) == "dashed"
    moves = "part => part.getAnimations().map((one) => one.effect.getTiming())"
    assert gap.evaluate(moves) == []
    page.emulate_media(reduced_motion="no-preference")
    (timing,) = gap.evaluate(moves)
    assert timing["iterations"] * timing["duration"] <= 5000  # then it rests
    assert find_barriers(page) == []
    gap.click()
    page.locator(".writer.live .of-token").first.wait_for()
    assert gap.count() == 0


def test_the_still_is_called_an_example_while_something_else_is_typed(open_page):
    page = open_page(start=False).page
    example = page.locator(".writer-example")
    page.locator(".writer-still .writer-stage").wait_for()
    picture = page.locator(".writer-still svg")
    opacity = "part => Number(getComputedStyle(part).opacity)"
    assert example.is_hidden()
    for text in ("The weather in London is", "And it came to pass in those"):
        assert page.locator(".writer-surprise").is_visible()
        page.fill("#writer-text", text)
        assert "An example" in example.inner_text()
        assert picture.evaluate(opacity) < 0.5
        assert page.locator(".writer-surprise").is_hidden()
        assert find_barriers(page) == []
        press(page, "And Abraham took Sarah his")
        assert example.is_hidden()
        assert picture.evaluate(opacity) == 1
    press(page, "my phone is dead")
    assert example.is_hidden()
    assert page.locator(".of-token .name").last.text_content() == "dead"
    assert page.locator(".writer-first").is_hidden()  # it speaks of Sarah
    assert find_barriers(page) == []


def test_the_still_is_what_the_page_draws_now_and_the_page_says_the_same(page, root):
    drawn = writer_still.draw()
    assert writer_still.FILE.read_text("utf-8") == drawn["drawing"]
    assert writer_still.RECORD.read_text("utf-8") == drawn["record"]
    guesses = page.locator(".of-stream .guess").all_text_contents()
    assert guesses == [stage["name"] for stage in drawn["said"]]
    text = (root / "book/next_word.md").read_text("utf-8")
    assert f"![{writer_still.describe(drawn['said'])}]" in text
    layers = text.partition("if it stopped there: ")[2].partition("</p>")[0]
    assert re.findall("“(.+?)”", layers) == guesses[1:4]


@torch.no_grad()
def test_logits_in_chromium_are_those_of_pytorch(page):
    model, tokenizer = zoo.load("verses")
    lines = king_james.split_text("test").splitlines()[::37][:60]
    texts = [tokenizer.encode_prompt(line)[:24] for line in lines]
    page.evaluate("window.verses = bookWriter.unpack(bookVerses)")
    for ids, logits in zip(texts, page.evaluate(LOGITS, texts), strict=True):
        wanted = model(torch.tensor([ids]))[0, -1]
        assert_close(torch.tensor(logits), wanted, **CLOSE)


def test_typed_words_are_read_and_the_likeliest_token_is_that_of_the_package(page):
    text = "And the king said unto"
    page.fill("#writer-text", text)
    expect(page.locator(".writer-said")).to_have_text(re.compile("unto"))
    model, tokenizer = zoo.load("verses")
    wanted = generate(
        model, text, tokenizer=tokenizer, max_new_tokens=1, temperature=0.0
    )
    assert said(page) == text
    assert likeliest(page) == wanted.strip()


def test_at_no_temperature_it_writes_what_the_package_writes(page):
    page.fill("#writer-text", "My son, hear the words of my")
    slider = page.locator("#writer-temperature")
    slider.fill("0")
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    text = "My son, hear the words of my"
    assert said(page) == (text + write_at_no_temperature(text)).replace("\n", " ")


def write_at_no_temperature(text):
    """48 tokens, and up to 48 more until a sentence ends."""
    model, tokenizer = zoo.load("verses")
    ids = tokenizer.encode_prompt(text)
    count = len(ids) + 48
    for _ in range(96):
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids]))[0, -1].argmax()))
        if len(ids) >= count and tokenizer.decode(ids[-1:])[-1] in ".;?!\n":
            break
    return tokenizer.decode(ids[count - 48 :])


def test_a_pressed_token_takes_the_text_another_way(page):
    other = page.locator(".writer-next [data-id]").nth(1)
    name = other.locator("span").inner_text()
    other.click()
    expect(page.locator(".writer-said button").last).to_have_text(name)
    page.locator(".writer-said button").nth(1).click()
    page.locator(".writer-next [data-id]").nth(2).click()
    expect(page.locator(".writer-said button")).to_have_count(3)


def test_an_earlier_token_shows_what_was_said_there_and_hides_what_came_later(page):
    page.locator(".writer-said button").nth(1).click()
    expect(page.locator(".writer-told")).to_contain_text("What comes later is hidden")
    seen = page.locator(".of-token:not(.late)")
    assert seen.count() == 3  # the line end, And, Abraham


@pytest.mark.parametrize("name", ["attention.2", "network.1", "vectors", "stream.3"])
def test_a_part_opens_in_place_and_closes_again_by_keyboard(page, name):
    part = page.locator(f'.writer-picture [data-part="{name}"]')
    part.focus()
    page.keyboard.press("Enter")
    inside = page.locator(".writer-inside")
    expect(inside).to_be_visible()
    assert part.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    expect(inside).to_be_hidden()
    focused = page.evaluate("document.activeElement.dataset.part")
    assert focused == name


def test_arrow_keys_walk_through_the_picture(page):
    page.locator('.writer-picture [tabindex="0"]').focus()
    seen = set()
    for _ in range(page.locator(".writer-picture .writer-part").count()):
        seen.add(page.evaluate("document.activeElement.dataset.part"))
        page.keyboard.press("ArrowRight")
    assert len(seen) == page.locator(".writer-picture .writer-part").count()


def test_a_head_shows_scores_whose_softmax_are_its_shares(page):
    page.locator('[data-part="attention.2"]').focus()
    page.keyboard.press("Enter")
    page.locator(".writer-heads button", has_text="Head 3.2").first.click()
    page.locator("#writer-step-4").click()
    *rows, rest, whole = read_cells(page)
    assert (len(rows), page.locator(".writer-pair th", has_text="2 more").count()) == (
        6,
        1,
    )
    root = 32**0.5
    for raw, score, share, part in rows:
        assert raw / root == pytest.approx(score, abs=0.01)  # both are rounded
        assert abs(part) <= share / 10
    shares = [share for _, _, share, _ in rows]
    exponents = torch.tensor([score for _, score, _, _ in rows]).exp()
    assert_close(
        exponents / exponents.sum(),
        torch.tensor(shares) / sum(shares),
        rtol=0,
        atol=0.02,
    )
    assert sum(shares) + rest[0] == pytest.approx(whole[0], abs=4)
    assert sum(part for *_, part in rows) + rest[1] == pytest.approx(whole[1], abs=0.04)


def read_cells(page):
    """Return the numbers of the table of a head, row by row."""
    rows = page.locator(".writer-pair tbody tr").all()
    texts = [row.locator("td").all_inner_texts() for row in rows]
    plain = [
        [text.replace("\u2212", "-").strip("< %") for text in row] for row in texts
    ]
    return [[float(text) for text in row if text and text != "-∞"] for row in plain]


def open_head(page, name):
    layer = int(name[0]) - 1
    page.locator(f'[data-part="attention.{layer}"]').focus()
    page.keyboard.press("Enter")
    page.locator(".writer-heads button", has_text=f"Head {name}").first.click()


def test_a_head_is_walked_in_four_steps_by_keys_and_each_lights_up(page):
    open_head(page, "3.2")
    tabs = page.locator(".writer-steps [role=tab]")
    page.locator("#writer-step-1").focus()
    told = []
    for key, step in [("1", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("4", 4)]:
        page.keyboard.press(key)
        chosen = page.locator(".writer-steps [aria-selected=true]")
        assert chosen.get_attribute("id") == f"writer-step-{step}"
        assert page.evaluate("document.activeElement.id") == f"writer-step-{step}"
        assert tabs.locator("nth=0").is_visible()
        assert page.locator(".writer-steps .done").count() == step - 1
        head = page.locator(".writer-pair thead th")
        assert head.locator("visible=true").count() == step + 1
        assert page.locator(".writer-pair thead .now").inner_text() == (
            head.nth(step).inner_text()
        )
        told.append(page.locator("#writer-step p").inner_text())
    assert page.locator("[role=tab][tabindex='0']").count() == 1
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "writer-step-1"  # round
    pair = page.locator(".writer-pair tr.pair td").all_text_contents()
    for words, cell in zip(told, pair[:3], strict=False):
        assert cell in words
    assert len(set(told)) == 4


def test_another_pair_of_tokens_is_walked_and_lit_in_the_picture(page):
    open_head(page, "2.4")
    other = page.locator(".writer-pair th button[aria-pressed=false]").nth(1)
    name = other.inner_text().split()[0]
    other.click()
    assert f"“his” asks “{name}”" in page.locator(".writer-inside h4").inner_text()
    lit = page.locator(".writer-part.pair .name").all_text_contents()
    assert lit == [name, "his"]
    assert page.evaluate("document.activeElement.textContent").startswith(name)
    page.locator(".of-token").nth(1).hover()  # which draws the picture anew
    assert page.locator(".writer-part.pair").count() == 2
    page.locator(".writer-close").click()
    assert page.locator(".writer-part.pair").count() == 0


def test_a_later_token_has_a_key_and_no_share(page):
    page.locator(".writer-said button", has_text="Abraham").click()
    open_head(page, "1.1")
    page.locator("#writer-step-3").click()
    hidden = page.locator(".writer-pair tr.hidden")
    assert hidden.locator("th").inner_text().split() == ["took", "later"]
    raw, score, share = hidden.locator("td:visible").all_inner_texts()
    assert (score, share) == ("\u2212∞", "0 %")
    assert float(raw.replace("\u2212", "-")) != 0
    page.locator("#writer-step-2").click()
    assert "“took” stands later" in page.locator("#writer-step p").inner_text()


def test_the_head_that_matters_most_is_measured_and_is_what_taking_it_out_shows(page):
    page.locator('[data-part="attention.2"]').focus()
    page.keyboard.press("Enter")
    press(page, "Which head matters most here?")
    hint = page.locator(".writer-hint")
    expect(hint).to_contain_text("matters most", timeout=60_000)
    name, before, after = re.search(
        r"head ([\d.]+) matters most here: "
        r"without it “wife” falls from (\d+) % to (\d+) %",
        hint.inner_text(),
    ).groups()
    lines = page.locator(".writer-heads li span").all_inner_texts()
    lefts = [int(re.search(r"without it “wife” (\d+) %", line)[1]) for line in lines]
    assert (
        min(lefts) == int(after) if name.startswith("3.") else min(lefts) >= int(after)
    )
    press(page, f"Take head {name} out")
    expect(page.locator(".writer-inside .writer-outcome")).to_contain_text(
        f"“wife” {before} % \u2192 “wife” {after} %"
    )
    assert not hint.locator("b").count()  # it was measured with all parts


@pytest.mark.parametrize(
    ("part", "taken", "struck"),
    [
        ("attention.1", "head 2.1", "2.1"),
        ("network.2", "network", "FFN"),
        (None, "positions", "positions"),
    ],
)
def test_what_is_taken_out_is_crossed_out_in_the_picture_and_put_back_above_it(
    page, part, taken, struck
):
    out = page.locator("svg.writer-picture .out")
    assert out.count() == 0
    if part:
        page.locator(f'.writer-picture [data-part="{part}"]').focus()
        page.keyboard.press("Enter")
        page.locator(".writer-inside button", has_text="Take ").first.click()
    else:
        press(page, "Take out positions")
    expect(out).to_have_text([struck])
    line = "part => getComputedStyle(part).textDecorationLine"
    assert out.evaluate(line) == "line-through"
    crossed = page.locator("svg.writer-picture .cross")
    assert crossed.count() == (taken == "network")
    page.locator(".writer-lacks button").click()
    expect(out).to_have_count(0)
    assert page.locator(".writer-lacks").is_hidden()
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"


def test_a_network_says_what_its_strongest_unit_raises(page):
    page.locator('[data-part="network.0"]').focus()
    page.keyboard.press("Enter")
    told = page.locator(".writer-inside").inner_text()
    assert "number 266, adds what raises “own”, “hand” and “arm” most" in told
    strip = page.locator(".writer-strip").first
    assert "number 266 of 512" in strip.get_attribute("aria-valuetext")
    strip.focus()
    page.keyboard.press("ArrowRight")
    assert re.search(
        "number 267 of 512: .*, raises “", strip.get_attribute("aria-valuetext")
    )


@pytest.mark.parametrize(
    ("name", "lost"), [("attention.0", "head 1.1"), ("network.3", "network 4")]
)
def test_what_is_taken_out_is_named_and_can_be_put_back(page, name, lost):
    first = page.locator(".writer-next").inner_text()
    page.locator(f'.writer-picture [data-part="{name}"]').focus()
    page.keyboard.press("Enter")
    page.locator(".writer-inside button", has_text="Take ").first.click()
    expect(page.locator(".writer-without")).to_contain_text(lost)
    assert page.locator(".writer-next").inner_text() != first
    press(page, "Put everything back")
    expect(page.locator(".writer-without")).to_be_hidden()
    assert page.locator(".writer-next").inner_text() == first


def test_without_positions_and_in_a_window_it_says_something_else(page):
    first = page.locator(".writer-next").inner_text()
    press(page, "Take out positions")
    expect(page.locator(".writer-without")).to_contain_text("positions")
    assert page.locator(".writer-next").inner_text() != first
    press(page, "Put everything back")
    expect(page.locator(".writer-next")).to_have_text(re.compile("wife"))
    page.locator("#writer-window").fill("2")
    expect(page.locator(".writer-next")).not_to_have_text(first)


def test_positions_are_put_back_by_the_button_that_took_them_out(page):
    switch = page.locator(".writer-positions")
    first = page.locator(".writer-next").inner_text()
    wide = switch.bounding_box()["width"]
    assert switch.inner_text() == "Take out positions"
    switch.focus()
    for name, off in (("Put positions back", True), ("Take out positions", False)):
        page.keyboard.press("Enter")
        expect(switch).to_have_text(name)
        assert switch.get_attribute("aria-pressed") is None  # its name says it
        expect(switch).to_have_class("writer-positions" + " off" * off)
        assert switch.bounding_box()["width"] == wide
        assert find_barriers(page) == []
    expect(page.locator(".writer-without")).to_be_hidden()
    assert page.locator(".writer-next").inner_text() == first


def take_out_some(page):
    """Take out positions, a head and a network, and all but a window of two tokens."""
    press(page, "Take out positions")
    for part in ("attention.0", "network.3"):
        page.locator(f'.writer-picture [data-part="{part}"]').focus()
        page.keyboard.press("Enter")
        page.locator(".writer-inside button", has_text="Take ").first.click()
    page.locator("#writer-window").fill("2")
    lost = "without positions, head 1.1, network 4"
    expect(page.locator(".writer-without")).to_contain_text(lost)


@pytest.mark.parametrize("named", ["More", "my phone is dead"])
def test_an_example_begins_with_all_parts(page, named):
    take_out_some(page)
    press(page, named)
    first = page.locator(".writer-next [data-id]").first
    wanted = {"More": "earth\n68 %", "my phone is dead": ",\n46 %"}[named]
    expect(first).to_have_text(wanted.replace("\n", ""))
    expect(page.locator(".writer-without")).to_have_text("")
    assert (
        page.locator(".writer-slider output").last.inner_text().endswith("256 tokens")
    )
    assert page.locator("#writer-window").input_value() == "256"
    assert page.get_by_role("button", name="Take out positions").is_visible()
    expect(page.locator(".writer-lacks")).to_be_hidden()
    restore = page.get_by_role("button", name="Put everything back")
    assert restore.get_attribute("aria-disabled") == "true"


def test_a_text_that_gave_way_to_an_example_comes_back_though_parts_were_out(page):
    page.locator(".writer-next [data-id]").first.click()
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    take_out_some(page)
    before = said(page)
    press(page, "More")
    expect(page.locator(".writer-said")).to_have_text(re.compile("heaven and the$"))
    press(page, "Old text back")
    expect(page.locator(".writer-said")).to_have_text(before)


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_over_ones_own_words_one_sees_that_a_part_is_still_out(open_page, viewport):
    page = open_page(viewport=viewport).page
    picture = page.locator(".writer-stage > svg")
    before = place_of(picture)["y"]
    press(page, "Take out positions")
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.fill("#writer-text", "And the king said")
    expect(page.locator(".writer-said")).to_have_text("And the king said")
    told = page.locator(".writer-without" if viewport == PHONE else ".writer-lacks")
    back = "" if viewport == PHONE else "Put back "  # below the picture is a button
    assert told.inner_text().strip() == f"{back}It works without positions."
    assert is_whole(told)
    box = told.bounding_box()
    if viewport != PHONE:  # where the picture begins at the fold
        assert box["y"] + box["height"] <= viewport["height"]
    beside = box["y"] + box["height"] - picture.bounding_box()["y"]
    below = box["y"] - picture.bounding_box()["y"] - picture.bounding_box()["height"]
    assert 0 <= below < 60 if viewport == PHONE else -10 < beside <= 0
    assert place_of(picture)["y"] == before
    assert find_barriers(page) == []


def test_the_tour_has_eight_steps_and_each_lights_its_part(page):
    press(page, "Show me around")
    lit = []
    for step in range(1, 9):
        expect(page.locator(".writer-tour b")).to_have_text(f"{step} of 8")
        lit.append(page.locator(".writer-part.lit").first.get_attribute("data-part"))
        press(page, "Done" if step == 8 else "Next")
    assert [name.split(".")[0] for name in lit] == [
        *("token", "vectors", "attention", "attention", "network", "stream"),
        *("next", "next"),
    ]
    expect(page.locator(".writer-tour")).to_be_hidden()


@pytest.fixture
def lively(open_page):
    """The page as a reader sees it who has nothing against motion."""

    def call(**options):
        page = open_page(start=False, **options).page
        page.emulate_media(reduced_motion="no-preference")
        page.evaluate("document.querySelector('.writer').scrollIntoView()")
        fetch_model(page)
        return page

    return call


def wait_for_motion(page):
    page.wait_for_function("document.getAnimations().length > 20")


def test_a_token_comes_about_from_left_to_right_and_is_drawn_at_the_end(lively):
    page = lively()
    wait_for_motion(page)
    page.keyboard.press("Shift")
    before = page.locator(".writer-said button").count()
    press(page, "Watch one")
    wait_for_motion(page)
    seen = page.evaluate("""() => {
      const moves = document.getAnimations(), look = (part) => getComputedStyle(part);
      const one = (name) =>
        document.querySelector(`.writer-picture [data-part="${name}"]`);
      moves.forEach((move) => move.pause());
      window.moves = moves;
      window.first = document.querySelector("svg.writer-picture").firstChild;
      return [0, 650, 1100, 1240, 3890].map((time) => {
        moves.forEach((move) => { move.currentTime = time; });
        const line = look(one("attention.0").querySelector(".asks"));
        return [line.strokeDashoffset, Number(look(one("stream.1")).opacity),
          Number(look(one("stream.2")).opacity),
          look(document.querySelector(".writer-next [data-id]")).visibility];
      });
    }""")
    offsets = [abs(float(offset.removesuffix("px"))) for offset, *_ in seen]
    assert offsets[0] == 1
    assert 0 <= offsets[1] < 0.2
    assert [said > 0 for _, said, _, _ in seen] == [False, False, True, True, True]
    assert [said > 0 for _, _, said, _ in seen] == [False, False, False, False, True]
    assert {shown for *_, shown in seen} == {"hidden"}
    assert page.evaluate(
        "window.first === document.querySelector('svg.writer-picture').firstChild"
    )
    page.evaluate("window.moves.forEach((move) => move.finish())")
    expect(page.locator(".writer-said button")).to_have_count(before + 1)
    settle(page)


def test_the_first_motion_begins_by_itself_and_any_key_ends_it(lively):
    page = lively()
    before = page.evaluate("scrollY")
    wait_for_motion(page)
    count = page.locator(".writer-said button").count()
    assert page.evaluate("document.activeElement.id") == "writer-text"
    page.keyboard.press("Shift")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("scrollY") == before
    assert page.locator(".writer-said button").count() == count
    assert page.locator(".writer-next [data-id]").first.is_visible()


def test_who_stops_what_is_watched_keeps_the_text_and_the_focus(lively):
    page = lively()
    wait_for_motion(page)
    count = page.locator(".writer-said button").count()
    page.get_by_role("button", name="Watch one").focus()
    page.keyboard.press("Enter")
    wait_for_motion(page)
    assert page.evaluate("document.activeElement.textContent") == "Stop"
    page.get_by_role("button", name="Stop").click()
    settle(page)
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.locator(".writer-said button").count() == count


def test_nothing_moves_where_motion_is_not_wanted(page):
    page.evaluate("""() => {
      window.moved = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...given) {
        window.moved += 1;
        return animate.apply(this, given);
      };
    }""")
    assert page.evaluate("document.getAnimations().length") == 0
    count = page.locator(".writer-said button").count()
    press(page, "One token")
    expect(page.locator(".writer-said button")).to_have_count(count + 1)
    assert page.evaluate("window.moved") == 0
    assert page.get_by_role("button", name="Watch one").is_hidden()


def test_the_lot_falls_where_the_needle_stands_and_is_never_drawn_again(page):
    page.fill("#writer-seed", "7")
    place = int(page.locator(".writer-said button").last.get_attribute("data-place"))
    value = page.evaluate("(place) => bookWriter.dieOf('7', place)", place)
    press(page, "One token")
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    count = page.locator(".writer-said button").count()
    name = page.locator(".writer-said button.written").inner_text()
    expect(page.locator(".writer-fell")).to_have_text(f"{value:.2f} fell on {name}")
    assert_pressed(page, place)
    page.locator(f'.writer-said [data-place="{place + 1}"]').click()
    expect(page.locator(".writer-fell")).to_have_text("")
    expect(page.locator(".writer-needle")).to_have_class(RESTS)
    page.locator(f'.writer-said [data-place="{place}"]').click()
    expect(page.locator(".writer-needle")).not_to_have_class(RESTS)
    line, at = (
        page.locator(part).bounding_box()
        for part in (".writer-lot svg", ".writer-needle")
    )
    assert (at["x"] + 1 - line["x"]) / line["width"] == pytest.approx(value, abs=0.01)
    pieces = page.locator(".writer-lot rect").all()
    ends = [
        (box["x"], box["x"] + box["width"])
        for box in (piece.bounding_box() for piece in pieces)
    ]
    hit = [left <= at["x"] + 1 < right for left, right in ends].index(True)
    assert page.locator(".writer-next [data-id] span").nth(hit).inner_text() == name
    assert page.locator(".writer-said button").count() == count


def assert_pressed(page, place):
    chip = page.locator('.writer-said button[aria-pressed="true"]')
    assert chip.get_attribute("data-place") == str(place)


def test_the_needle_stands_while_the_line_changes_and_the_newest_word_follows(page):
    page.locator("#writer-most").fill("0.8")
    page.locator(".writer-lot").press("End")  # on the least likely that stays
    last = page.locator(".writer-said button").last
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    first = last.inner_text()
    page.locator("#writer-most").fill("0.1")
    expect(page.locator(".writer-lot rect")).to_have_count(1)
    expect(last).to_have_text(likeliest(page))
    assert first != likeliest(page)
    expect(page.locator(".writer-needle")).not_to_have_class(RESTS)
    assert page.locator(".writer-fell b").inner_text() == likeliest(page)
    page.locator("#writer-most").fill("0.8")
    expect(last).to_have_text(first)
    press(page, "One token")
    expect(page.locator(".writer-said button.written")).to_have_count(2)
    page.locator(".writer-said button").nth(-3).click()
    count = page.locator(".writer-said button").count()
    page.locator("#writer-most").fill("0.1")  # a later text is not dropped for a line
    expect(page.locator(".writer-needle")).to_have_class(RESTS)
    assert page.locator(".writer-said button").count() == count


def test_a_dragged_needle_shows_its_word_in_the_text_and_leaves_it_there(page):
    line = page.locator(".writer-lot svg").bounding_box()
    names = page.locator(".writer-next [data-id] span").all_inner_texts()[:3]
    pieces = [rect.bounding_box() for rect in page.locator(".writer-lot rect").all()]
    middles = [piece["x"] + piece["width"] / 2 for piece in pieces]
    count = page.locator(".writer-said button").count()
    page.mouse.move(line["x"] + 2, line["y"] + 5)
    page.mouse.down()
    for middle, name in zip(middles[:3], names, strict=True):
        page.mouse.move(middle, line["y"] + 40)  # a hand strays
        expect(page.locator(".writer-hand")).to_have_text(name)
        expect(page.locator(".writer-fell b")).to_have_text(name)
        assert page.locator(".writer-said button").count() == count
    page.mouse.up()
    expect(page.locator(".writer-hand")).to_have_count(0)
    expect(page.locator(".writer-said button")).to_have_count(count + 1)
    expect(page.locator(".writer-said button").last).to_have_text(names[2])
    expect(page.locator(".writer-next .taken span")).to_have_text(names[2])
    press(page, "One token")
    expect(page.locator(".writer-said button")).to_have_count(count + 2)
    page.locator(f'.writer-said [data-place="{count}"]').click()
    page.mouse.click(middles[2], line["y"] + 5)  # the same word again
    assert page.locator(".writer-said button").count() == count + 2
    page.mouse.move(middles[0], line["y"] + 5)
    page.mouse.down()  # what comes later is out of sight meanwhile
    assert page.locator(".writer-said button:visible").count() == count
    page.mouse.up()
    expect(page.locator(".writer-said button")).to_have_count(count + 1)
    expect(page.locator(".writer-said button").last).to_have_text(names[0])


def test_the_needle_goes_from_word_to_word_by_keys(page):
    lot = page.locator(".writer-lot")
    names = page.locator(".writer-next [data-id] span").all_inner_texts()
    for key, name in [
        ("ArrowRight", names[0]),
        ("ArrowRight", names[1]),
        ("ArrowUp", names[2]),
        ("ArrowLeft", names[1]),
        ("Home", names[0]),
    ]:
        lot.press(key)
        expect(page.locator(".writer-said button").last).to_have_text(name)
        assert f"lies on {name}" in lot.get_attribute("aria-valuetext")
        assert page.evaluate("document.activeElement.className") == "writer-lot"


def test_what_is_said_of_a_lot_stands_over_the_list_from_which_it_came(page):
    fell = page.locator(".writer-fell")
    for count in (1, 2, 3):
        press(page, "One token")
        expect(page.locator(".writer-said button.written")).to_have_count(count)
        settle(page)
        chips = page.locator(".writer-said button")
        assert_pressed(page, chips.count() - 1)  # the line end has no chip
        name = fell.locator("b").inner_text()
        assert name.removeprefix("\u2026") == chips.last.inner_text()
        taken = page.locator(".writer-next .taken span")
        assert taken.all_inner_texts() == [name]
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    chip = page.locator('.writer-said button[aria-pressed="true"]')
    ended = chip.inner_text() != chips.last.inner_text()
    assert ("fell on" in fell.inner_text()) is ended
    page.locator(".writer-next [data-id]").first.click()
    expect(fell).to_have_text("")


def test_what_came_has_a_row_though_it_is_far_from_the_likeliest(page):
    rows = page.locator(".writer-next [data-id]")
    likely = rows.locator("span").all_inner_texts()
    lot, fell = page.locator(".writer-lot"), page.locator(".writer-fell b")
    page.locator("#writer-most").fill("1")
    line = lot.locator("svg").bounding_box()
    held = (line["x"] + 0.97 * line["width"], line["y"] + 5)
    page.mouse.move(*held)
    page.mouse.down()
    taken = page.locator(".writer-next .taken")
    expect(taken.locator("span")).to_have_text(fell.inner_text())
    page.mouse.up()
    name = fell.inner_text()
    expect(page.locator(".writer-said button").last).to_have_text(name)
    assert name not in likely
    assert rows.locator("span").all_inner_texts() == [*likely[:7], name]
    expect(taken.locator("span")).to_have_text(name)
    place = int(page.locator(".writer-said button").last.get_attribute("data-place"))
    order, share = page.evaluate(
        """([text, id]) => {
      const model = bookWriter.unpack(bookVerses), read = bookWriter.begin(model);
      model.tokenizer.encodePrompt(text).forEach((id) => bookWriter.read(read, id));
      const { order, shares } = bookWriter.shaped(read.places.at(-1).logits,
        { temperature: 1, most: 1 });
      const at = order.indexOf(id);
      return [at, shares[at]];
    }""",
        ["And Abraham took Sarah his", int(taken.get_attribute("data-id"))],
    )
    assert order > 7
    assert taken.get_attribute("title") == f"number {order + 1} by its share"
    assert taken.locator("small").inner_text() in (f"{100 * share:.0f} %", "< 1 %")
    taken.hover()
    expect(lot.locator("rect").nth(min(order, 39))).to_have_class(re.compile("pointed"))
    expect(page.locator(".pointed")).to_have_count(2)
    lot.locator("rect").nth(7).hover()  # whose row gave way
    expect(page.locator(".pointed")).to_have_count(1)
    page.locator(f'.writer-said [data-place="{place}"]').click()
    expect(page.locator(".writer-next .taken, .writer-next .far")).to_have_count(0)


def in_view(page, selector):
    top, bottom, height = page.locator(selector).last.evaluate(
        "part => [part.getBoundingClientRect().top,"
        "part.getBoundingClientRect().bottom, innerHeight]"
    )
    return top >= 56 and bottom <= height  # below the head of the page


@pytest.mark.parametrize("named", ["One token", "Watch one"])
def test_on_a_phone_needle_and_word_are_in_view_when_a_token_has_come(lively, named):
    page = lively(viewport=PHONE)
    end_first_run(page)
    count = page.locator(".writer-said button").count()
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    press(page, named)
    expect(page.locator(".writer-said button")).to_have_count(count + 1)
    wait_for_rest(page)
    parts = (".writer-said button", ".writer-needle", ".writer-fell")
    assert [part for part in parts if not in_view(page, part)] == []
    assert page.locator(".writer-fell b").inner_text().removeprefix("\u2026") == (
        page.locator(".writer-said button").last.inner_text()
    )


def end_first_run(page):
    wait_for_motion(page)
    page.keyboard.press("Shift")
    settle(page)


def wait_for_rest(page):
    """Wait until nothing moves or scrolls."""
    page.wait_for_function(
        """() => {
      const now = `${scrollY} ${document.getAnimations().length}`;
      const same = window.before === now && now.endsWith(" 0");
      window.before = now;
      return same;
    }""",
        polling=300,
    )


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_the_first_motion_ends_with_its_word_in_the_text(lively, viewport):
    page = lively(viewport=viewport)
    count = page.locator(".writer-said button").count()
    page.wait_for_function(
        """(count) => {
      const fell = document.querySelector(".writer-fell b")?.textContent;
      const chips = [...document.querySelectorAll(".writer-said button")];
      return chips.length === count + 1 && chips.at(-1).textContent === fell
        && !document.querySelector(".writer-needle.rests");
    }""",
        arg=count,
    )
    for part in (".writer-said button", ".writer-needle"):
        assert in_view(page, part)
    expect(page.locator(".writer-said button").nth(count + 1)).to_be_attached()
    settle(page)  # the rest of its sentence has come
    wait_for_rest(page)
    lines = page.locator(".writer-said br").count()  # have no chip
    written = page.locator(".writer-said button.written").count() + lines
    line_end = page.locator(".writer-said > br:has(+ #writer-turn)").count()
    assert said(page)[-1] in ".;?!" or line_end or written >= 48
    assert in_view(page, ".writer-said button")
    assert page.locator(".writer-flying").count() == 0


def test_what_can_be_pressed_can_answer_from_the_first_moment(open_page):
    page = open_page(start=False).page
    page.evaluate("""() => {
      const box = document.querySelector(".writer");
      const count = (name) => box.querySelectorAll(name).length;
      new MutationObserver(() => {
        window.seen ??= [count(".of-token"), count(".writer-said button"),
          count(".writer-next [data-id] span:not(:empty)")];
      }).observe(box, { childList: true, attributes: true });
    }""")
    page.locator(".writer-main").click()
    page.get_by_role("button", name="Let it write").wait_for()
    tokens, chips, listed = page.evaluate("window.seen")
    assert (tokens, chips, listed) == (8, 7, 8)


def test_while_the_model_comes_one_reads_how_much_is_here_and_may_type(open_page):
    page = open_page(start=False).page
    held = []
    page.route("**/writer_weights.js", lambda route: held.append(route))
    page.evaluate("""() => {
      const coming = document.querySelector(".writer-coming");
      new MutationObserver(() => { window.told = coming.textContent; })
        .observe(coming, { childList: true });
    }""")
    page.locator(".writer-main").click()
    coming = page.locator(".writer-coming")
    expect(coming).to_contain_text("0.0 of 3.0 MB")
    assert page.locator(".writer-still").is_visible()
    assert page.locator(".writer-main").is_disabled()
    assert find_barriers(page) == []
    page.fill("#writer-text", "And the king said unto")
    page.wait_for_timeout(100)
    held[0].continue_()
    page.locator(".writer.live .of-token").first.wait_for()
    assert "3.0 of 3.0 MB" in page.evaluate("window.told")
    assert said(page) == "And the king said unto"
    assert page.evaluate("document.activeElement.id") == "writer-text"


def test_the_megabytes_that_are_told_are_those_of_the_file(root, site):
    script = (root / "code/chapters/live/writer.js").read_text("utf-8")
    told = int(re.search(r"const BYTES = (\d+);", script)[1])
    assert told == (site / "_static/writer_weights.js").stat().st_size


def test_a_model_that_does_not_come_can_be_asked_for_again(open_page):
    page = open_page(start=False).page
    page.route("**/writer_weights.js", lambda route: route.abort())
    page.locator(".writer-main").click()
    again = page.get_by_role("button", name="could not be read. Try again")
    again.wait_for()
    assert page.locator(".writer-coming").inner_text() == ""
    page.unroute("**/writer_weights.js")
    again.click()
    page.locator(".writer.live .of-token").first.wait_for()


def test_a_piece_of_a_word_has_its_dots_wherever_it_is_named(page):
    page.locator('.writer-said [data-place="4"]').click()  # the S of Sarah
    ids = page.evaluate("""() => {
      const model = bookWriter.unpack(bookVerses), text = bookWriter.begin(model);
      model.tokenizer.encodePrompt("And Abraham took S")
        .forEach((id) => bookWriter.read(text, id));
      const { streams, logits } = text.places.at(-1);
      const said = streams.slice(0, -1).map((row) => bookWriter.said(model, row));
      const ids = [...said, logits].map((row) => bookWriter.likeliest(row).id);
      return ids.map((id) => model.tokenizer.decode([id]));
    }""")
    wanted = ["\u2026" * piece[0].isalpha() + piece.strip() for piece in ids]
    assert any(name[0] == "\u2026" for name in wanted)
    assert page.locator(".of-stream .guess").all_text_contents() == wanted
    assert likeliest(page) == wanted[-1]
    expect(page.locator(".writer-told")).to_contain_text(f"is \u201c{wanted[-1]}\u201d")
    assert page.locator(".writer-lot title").first.text_content() == wanted[-1]
    page.locator(".writer-lot").press("Home")
    expect(page.locator(".writer-fell b")).to_have_text(wanted[-1])
    page.locator(".writer-more, .writer-next [data-part]").click()
    first = page.locator(".writer-inside tbody th").first
    assert first.inner_text() == wanted[-1]
    page.keyboard.press("Escape")
    page.locator('[data-part="stream.4"]').focus()
    page.keyboard.press("Enter")
    assert first.inner_text() == wanted[-1]


def test_the_first_word_of_a_line_is_no_piece(page):
    page.fill("#writer-text", "")
    expect(page.locator(".of-token")).to_have_count(1)
    names = page.locator(".writer-next [data-id] span").all_inner_texts()
    assert [name for name in names if name.startswith("\u2026")] == []


def test_the_sentence_below_says_in_which_layer_a_token_looks_where(page):
    told = page.locator(".writer-told").inner_text()
    looks = re.findall(r"in layer (\d) at \u201c(.+?)\u201d \((\d+) %\)", told)
    assert [layer for layer, _, _ in looks] == ["1", "2", "3", "4"]
    page.locator('[data-part="attention.1"]').focus()
    page.keyboard.press("Enter")
    rows = page.locator(".writer-heads li span").all_inner_texts()
    assert len(rows) == 6


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE, {"width": 768, "height": 1024}])
def test_what_leads_to_an_open_part_meets_it(open_page, viewport, large):
    page = open_page(viewport=viewport).page
    if large:
        press(page, "Large")
        page.locator(".writer:fullscreen").wait_for()
    for name in ("attention.0", "stream.4"):
        page.locator(f'.writer-picture [data-part="{name}"]').focus()
        page.keyboard.press("Enter")
        svg, part, panel, cone = (
            page.locator(selector).first.bounding_box()
            for selector in (
                ".writer-stage > svg",
                f'[data-part="{name}"] .area',
                ".writer-inside",
                ".opening",
            )
        )
        assert cone["y"] == pytest.approx(part["y"] + part["height"], abs=2)
        assert cone["y"] + cone["height"] == pytest.approx(panel["y"], abs=2)
        assert cone["x"] == pytest.approx(panel["x"], abs=2)
        assert cone["width"] == pytest.approx(panel["width"], abs=3)
        assert svg["width"] == pytest.approx(panel["width"], abs=2)


@pytest.mark.parametrize("viewport", [DESKTOP, {"width": 1280, "height": 800}])
def test_nothing_is_cut_on_the_whole_screen(open_page, viewport):
    page = open_page(viewport=viewport).page
    press(page, "Large")
    page.locator(".writer:fullscreen").wait_for()
    cut = page.evaluate("""() => {
      const pen = document.createElement("canvas").getContext("2d");
      const rows = ".writer :is(.writer-slider, .writer-next, .writer-row)";
      const parts = document.querySelectorAll(`${rows}, ${rows} > *`);
      const found = [...parts].filter((part) => getComputedStyle(part).display !==
        "inline" && part.scrollWidth > part.clientWidth + 1);
      const slider = document.querySelector("#writer-temperature");
      if (slider.getBoundingClientRect().bottom > innerHeight) found.push(slider);
      for (const field of document.querySelectorAll(".writer [placeholder]")) {
        const { font, paddingLeft } = getComputedStyle(field);
        pen.font = font;
        const { width } = pen.measureText(field.placeholder);
        if (width + 2 * parseFloat(paddingLeft) > field.clientWidth) found.push(field);
      }
      return found.map((part) => part.outerHTML.slice(0, 90));
    }""")
    assert cut == []


@pytest.mark.parametrize("viewport", [PHONE, {"width": 360, "height": 740}])
def test_a_phone_shows_all_labels_of_the_picture_and_all_beginnings(
    open_page, viewport
):
    page = open_page(viewport=viewport).page
    labels = page.locator(".writer-picture text").all_text_contents()
    wanted = {"tokens", "vectors", "looks", "FFN", "would say"}
    assert wanted | {f"layer {i}" for i in (1, 2, 3, 4)} <= set(labels)
    boxes = [
        text.bounding_box() for text in page.locator(".writer-picture .head").all()
    ]
    boxes.sort(key=lambda box: box["x"])
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 1
    assert boxes[0]["x"] >= 0
    for button in page.locator(".writer-examples button").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]
        assert button.evaluate("one => one.scrollWidth <= one.clientWidth + 1")


def test_the_newest_word_follows_when_a_part_is_taken_out(page):
    lot, last = page.locator(".writer-lot"), page.locator(".writer-said button").last
    place = int(last.get_attribute("data-place"))
    lot.press("Home")
    first = likeliest(page)
    expect(last).to_have_text(first)
    value = page.locator(".writer-fell").inner_text().split()[0]
    page.locator('.writer-picture [data-part="network.0"]').focus()
    page.keyboard.press("Enter")
    press(page, "Take this network out")
    expect(page.locator(".writer-next [data-id] span").first).not_to_have_text(first)
    assert_pressed(page, place)
    fell = page.locator(".writer-fell")
    expect(fell).to_have_text(re.compile(rf"^{value} lies on (?!{first}$)"))
    expect(last).to_have_text(fell.locator("b").inner_text().removeprefix("\u2026"))
    press(page, "Put everything back")
    expect(last).to_have_text(first)
    assert_pressed(page, place)


def test_a_token_of_the_text_shows_who_looks_at_it_when_it_is_pointed_at(page):
    assert page.locator(".writer-picture .asked").count() == 0
    page.locator('.writer-said [data-place="2"]').hover()  # Abraham
    expect(page.locator(".writer-picture .asked").first).to_be_attached()
    pointed = page.locator('.of-token[aria-pressed="true"]')
    assert pointed.get_attribute("data-part") == "token.2"
    page.mouse.move(1, 1)
    expect(page.locator(".writer-picture .asked")).to_have_count(0)


def test_the_picture_has_the_room_of_a_small_desktop(open_page):
    page = open_page(viewport={"width": 1280, "height": 800}).page
    assert page.locator("svg.writer-picture").first.bounding_box()["width"] > 680
    text = page.locator(".bd-article > section > p").first.bounding_box()
    assert text["width"] < 720


def test_what_a_head_does_to_the_next_word_is_seen_beside_its_switch(page):
    page.locator('[data-part="attention.0"]').focus()
    page.keyboard.press("Enter")
    outcome = page.locator(".writer-inside .writer-outcome")
    before = outcome.locator("b").inner_text()
    page.get_by_role("button", name="Take head 1.1 out").click()
    expect(outcome).to_contain_text(f"{before} \u2192 ")
    share = page.locator(".writer-next [data-id] small").first.inner_text()
    assert share in outcome.locator("b").inner_text()
    assert likeliest(page) in outcome.locator("b").inner_text()
    inside = outcome.bounding_box()
    shown = page.locator(".writer-next [data-id]").first.bounding_box()
    assert 0 <= shown["y"] < page.viewport_size["height"]
    assert 0 <= inside["y"] < page.viewport_size["height"]


def test_the_line_of_the_lot_has_few_pieces_and_each_knows_its_row(page):
    page.locator("#writer-temperature").fill("1.5")
    page.locator("#writer-most").fill("1")
    pieces = page.locator(".writer-lot rect")
    expect(pieces).to_have_count(40)
    widths = pieces.evaluate_all(
        "all => all.map((one) => Number(one.getAttribute('width')))"
    )
    assert sum(widths) == pytest.approx(1000, abs=2)
    pieces.nth(1).hover()
    expect(page.locator(".writer-next button.pointed")).to_have_count(1)
    name = page.locator(".writer-next button.pointed span").inner_text()
    assert page.locator(".writer-next [data-id] span").nth(1).inner_text() == name
    page.locator(".writer-next [data-id]").nth(2).hover()
    expect(pieces.nth(2)).to_have_class("plus pointed")


def test_a_seed_writes_the_same_text_again(page):
    found = []
    for seed in ("7", "7", "8"):
        press(page, "my phone is dead")
        expect(page.locator(".writer-said")).to_have_text(re.compile("dead$"))
        page.fill("#writer-seed", seed)
        press(page, "Let it write")
        page.get_by_role("button", name="Stop").wait_for()
        settle(page)
        found.append(said(page))
    assert found[0] == found[1] != found[2]


def test_it_writes_up_to_the_end_of_a_sentence_and_there_one_may_go_on(page):
    page.fill("#writer-seed", "9")  # whose first end after 48 tokens is the 82nd
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    assert page.locator(".writer-said button.written").count() > 64
    assert said(page)[-1] in ".;?!"


def test_it_stops_when_it_is_told_to_and_at_the_end_of_what_it_can_read(page):
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").click()
    settle(page)
    count = page.locator(".writer-said button").count()
    assert count < 40
    for _ in range(6):
        write = page.get_by_role("button", name="Let it write")
        if write.is_enabled():
            write.click()
            settle(page)
    expect(page.locator(".writer-lost")).to_contain_text("256 tokens")
    assert page.locator("button", has_text="One token").is_disabled()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_nothing_keeps_a_reader_out_or_passes_the_edge(open_page, viewport, dark):
    visited = open_page(viewport=viewport, dark=dark)
    page = visited.page
    for name in ("attention.1", "network.1", "stream.2"):
        page.locator(f'.writer-picture [data-part="{name}"]').focus()
        page.keyboard.press("Enter")
        assert find_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert visited.complaints == []
    assert visited.strangers == []


def test_what_was_just_typed_is_what_goes_on(page):
    page.fill("#writer-text", "And the king said unto")
    page.locator("#writer-text").press("Enter")
    settle(page)
    assert said(page).startswith("And the king said unto")


@pytest.mark.parametrize("first", ["Enter", "press", "press, then Enter"])
def test_enter_writes_to_the_end_of_a_sentence_though_no_model_is_here(
    open_page, first
):
    page = open_page(start=False).page
    held = []
    page.route("**/writer_weights.js", lambda route: held.append(route))
    page.fill("#writer-text", "And the king said unto")
    if first != "Enter":
        page.locator(".writer-main").click()
        expect(page.locator(".writer-coming")).to_contain_text("0.0 of")
    if first != "press":
        page.locator("#writer-text").press("Enter")
    page.wait_for_timeout(100)
    held[0].continue_()
    page.locator(".writer.live .of-token").first.wait_for()
    written = page.locator(".writer-said button.written")
    if first == "press":
        expect(written).to_have_count(0)
    else:
        page.wait_for_function(
            "() => document.querySelectorAll('.writer-said .written').length > 40"
        )
    settle(page)
    assert said(page).startswith("And the king said unto")
    if first != "press":
        lines = page.locator(".writer-said br").count()  # have no chip
        line_end = page.locator(".writer-said > br:has(+ #writer-turn)").count()
        ended = said(page)[-1] in ".;?!" or line_end
        assert ended or written.count() + lines == 96
        assert page.evaluate("document.activeElement.id") == "writer-text"


def test_what_is_typed_beyond_its_length_is_said_to_be_left_out(page):
    page.fill("#writer-text", "\u8036\u548c\u534e" * 60)
    expect(page.locator(".writer-lost")).to_contain_text("first 208 tokens")


@pytest.mark.parametrize("field", ["#writer-text", "#writer-turn"])
def test_no_field_cuts_a_long_text_in_silence(page, field):
    page.fill("#writer-seed", "1")
    page.fill(field, "and the king said unto the people " * 40)  # 1,360 letters
    if field == "#writer-turn":
        page.press(field, "Enter")
    said = page.locator(".writer-lost, .writer-under [role=status]")
    expect(said.filter(has_text=re.compile(r"Only the first \d+ "))).to_have_count(1)


def test_a_head_stands_for_its_layer_only_while_that_is_open(page):
    told = page.locator(".writer-told")
    first = told.inner_text()
    page.locator('[data-part="attention.2"]').focus()
    page.keyboard.press("Enter")
    page.locator(".writer-heads button", has_text="Head 3.1").first.click()
    expect(told).to_contain_text("head 3.1 alone")
    page.locator(".writer-close").click()
    assert told.inner_text() == first
    assert page.evaluate("document.activeElement.dataset.part") == "attention.2"


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, DESKTOP, PHONE])
def test_the_tour_keeps_its_words_and_what_it_speaks_of_in_view(open_page, viewport):
    page = open_page(viewport=viewport).page
    press(page, "Show me around")
    for step in range(2, 9):
        page.locator(".writer-tour .writer-main").click()
        asked = {
            3: [".of-token"],
            4: [".writer-heads button"],
            5: [".writer-act button", ".of-stream .guess"],
            6: [".of-stream .guess"],
            7: [".writer-inside tbody tr >> nth=2"],
            8: [".writer-lot", ".writer-next > .writer-part"],
        }
        chart = "svg.writer-picture .of-token >> nth=-1"
        for seen in (".writer-tour p", chart, *asked.get(step, [])):
            top, bottom = page.locator(seen).first.evaluate(
                "part => [part.getBoundingClientRect().top,"
                "part.getBoundingClientRect().bottom]"
            )
            assert top >= 40, (step, seen)
            assert bottom <= viewport["height"], (step, seen)


def place_of(part):
    """Return where a part lies on the page, however far that is scrolled."""
    return part.evaluate("""part => {
      const { y, height } = part.getBoundingClientRect();
      return { y: Math.round(4 * (y + scrollY)) / 4, height };
    }""")


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_the_beginning_and_the_answer_are_both_seen_in_the_text(open_page, viewport):
    page = open_page(viewport=viewport).page
    page.fill("#writer-seed", "1")  # 57 tokens
    box, picture = page.locator(".writer-said"), page.locator("svg.writer-picture")
    parts = (box, picture.first, page.locator(".writer-buttons"))
    before = [place_of(part) for part in parts]
    press(page, "One token")
    expect(box.locator(".written")).to_have_count(1)
    assert [place_of(part) for part in parts] == before  # within three lines
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    assert page.locator(".writer-told").is_hidden()
    settle(page)
    assert page.locator(".writer-told").is_visible()
    text, drawn, buttons = (place_of(part) for part in parts)
    grown = text["height"] - before[0]["height"]
    assert grown > 25  # a line at least
    assert drawn["y"] - before[1]["y"] == pytest.approx(grown, abs=0.5)
    assert buttons == before[2]
    for chip in (box.locator("button").first, box.locator("button").last):
        shown = place_of(chip)
        assert shown["y"] >= text["y"] - 1
        assert shown["y"] + shown["height"] <= text["y"] + text["height"] + 1


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_a_long_text_leaves_room_for_the_picture_and_shows_its_end(open_page, viewport):
    page = open_page(viewport=viewport).page
    page.fill("#writer-text", "And the king said unto the people of the land " * 12)
    expect(page.locator(".writer-said button")).to_have_count(120)
    box = page.locator(".writer-said")
    page.wait_for_function(
        """() => {
      const { scrollTop, scrollHeight, clientHeight } =
        document.querySelector(".writer-said");
      return scrollTop + clientHeight >= scrollHeight - 1;
    }"""
    )
    text, last = (part.bounding_box() for part in (box, box.locator("button").last))
    assert text["height"] <= 0.42 * viewport["height"] + 1
    assert last["y"] + last["height"] <= text["y"] + text["height"] + 1
    press(page, "One token")
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    for part in (".writer-needle", ".writer-said button"):
        assert in_view(page, part)
    line = page.locator(".writer-lot")
    page.locator(".writer-said button").nth(2).click()  # what follows hides meanwhile
    at = line.bounding_box()
    page.mouse.move(at["x"] + 9, at["y"] + 5)
    page.mouse.down()
    assert line.bounding_box() == at
    page.mouse.up()
    assert box.evaluate("box => box.style.minHeight") == ""


def test_a_word_of_several_tokens_stays_in_one_line(page):
    words = page.locator(".writer-said > span")
    assert words.all_inner_texts() == ["And", "Abraham", "took", "Sarah", "his"]
    assert words.nth(3).locator("button").all_inner_texts() == ["S", "ar", "ah"]


@pytest.mark.parametrize("width", [330, 660])
def test_long_guesses_of_neighboring_layers_do_not_touch(page, width):
    ends = page.evaluate(
        """(width) => {
      const model = bookWriter.unpack(bookVerses), text = bookWriter.begin(model);
      for (const id of [5, 6, 7]) bookWriter.read(text, id);
      const { sceneOf, draw, layout } = bookWriterPicture, scene = sceneOf(text);
      for (const said of scene.said) said.name = "captivity";
      const svg = document.querySelector("svg.writer-picture");
      svg.innerHTML = draw(scene, layout(width, scene.layers)).drawn;
      return [...svg.querySelectorAll(".of-stream")].map((part) =>
        ["text", "rect"].map((name) => part.querySelector(name).getBBox())
          .flatMap(({ x, width }) => [x, x + width]));
    }""",
        width,
    )
    for (_, right, _, edge), (left, _, other, _) in pairwise(ends):
        assert right < left
        assert edge < other
    assert max(map(max, ends)) <= width + 0.01


def test_a_press_stops_the_writing_and_takes_what_was_pressed(page):
    count = page.locator(".writer-said button").count()
    press(page, "Let it write")
    expect(page.locator(".writer-said button").nth(count)).to_be_attached()
    other = page.locator(".writer-next [data-id]").nth(2)
    box = other.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    settle(page)
    name = other.locator("span").inner_text()
    page.mouse.up()
    expect(page.locator(".writer-said button.written").last).to_have_text(
        name.removeprefix("\u2026")
    )
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    page.locator('[data-part="network.1"]').first.dispatch_event("click")
    settle(page)
    expect(page.locator(".writer-inside")).to_contain_text("Network of layer 2")


def test_a_token_that_is_left_out_keeps_its_share_and_says_why(page):
    assert page.locator(".writer-next .cut").count() == 0
    page.locator("#writer-most").fill("0.8")
    out = page.locator(".writer-next .cut")
    assert out.first.get_attribute("title") == "left out by top-p"
    assert {*out.locator("small").all_inner_texts()} == {"out"}
    kept = page.locator(".writer-next [data-id]:not(.cut)")
    assert kept.first.get_attribute("title") == ""
    shares = kept.locator("small").all_inner_texts()
    assert sum(int(share.removesuffix(" %")) for share in shares) in range(99, 102)
    expect(page.locator(".writer-told")).to_contain_text("before top-p")
    expect(page.locator(".writer-more, .writer-next .writer-part").first).to_have_text(
        "What could come next temperature 1, top-p 0.8"
    )


@pytest.mark.parametrize("temperature", [0, 0.5, 1, 1.5])
def test_a_word_has_one_number_wherever_it_is_drawn(page, temperature):
    page.locator("#writer-temperature").fill(str(temperature))
    model, tokenizer = zoo.load("verses")
    ids = torch.tensor([tokenizer.encode_prompt("And Abraham took Sarah his")])
    with torch.no_grad():
        logits = model(ids)[0, -1].double()
    share = (logits / temperature).softmax(0).max() if temperature else 1.0
    wanted = f"{100 * share:.0f} %"
    line, piece = (
        page.locator(part).first.bounding_box()["width"]
        for part in (".writer-lot svg", ".writer-lot rect")
    )
    assert piece / line == pytest.approx(float(share), abs=0.005)
    assert page.locator(".writer-next [data-id] small").first.inner_text() == wanted
    expect(page.locator(".writer-told")).to_contain_text(f"with {wanted}")


@pytest.mark.parametrize("temperature", [0, 0.5, 1.5])
def test_no_temperature_bends_what_the_layers_hold(page, temperature):
    held = page.locator(".of-stream .small")
    before = held.all_text_contents()
    drawn = page.locator(".writer-next [data-id] small").first
    assert drawn.inner_text() == before[-1]
    page.locator("#writer-temperature").fill(str(temperature))
    expect(drawn).not_to_have_text(before[-1])
    page.locator(".writer-said button").first.click()
    page.locator(".writer-said button").last.click()  # drawn anew
    assert held.all_text_contents() == before
    for stage in (2, 4):
        page.locator(f'[data-part="stream.{stage}"]').focus()
        page.keyboard.press("Enter")
        inside = page.locator(".writer-inside")
        expect(inside.locator("th").nth(1)).to_have_text("share at temperature 1")
        assert inside.locator("tbody td").first.inner_text() == before[stage]


def test_a_sign_that_cannot_be_seen_is_called_by_its_byte(page):
    page.fill("#writer-text", "And \u0007")
    expect(page.locator(".of-token .name").last).to_have_text("byte 07")
    expect(page.locator(".writer-said button").last).to_have_text("\u00b7")


def test_the_whole_screen_shows_the_picture_as_large_as_it_can_be(page):
    picture = page.locator("svg.writer-picture").first
    small = picture.bounding_box()["width"]
    press(page, "Large")
    expect(page.locator(".writer:fullscreen")).to_be_visible()
    assert picture.bounding_box()["width"] > 1.4 * small
    press(page, "Large")
    expect(page.locator(".writer:fullscreen")).to_have_count(0)
    assert picture.bounding_box()["width"] == small


def test_who_goes_on_takes_turns_with_the_model_up_to_the_end_of_a_sentence(page):
    page.fill("#writer-seed", "2")
    before = said(page)
    page.fill("#writer-turn", "And she said")
    page.locator("#writer-turn").press("Enter")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    assert said(page).startswith(f"{before} And she said")
    chips = page.locator(".writer-said button")
    inked = page.locator(".writer-said button:not(.written)")
    assert "".join(inked.all_inner_texts()).endswith("hisAndshesaid")
    assert chips.last.evaluate("chip => chip.classList.contains('written')")
    assert said(page)[-1] in ".;?!" or chips.count() > 48
    assert page.evaluate("document.activeElement.id") == "writer-turn"
    assert page.locator("#writer-turn").input_value() == ""


def test_a_key_in_the_first_field_drops_nothing_for_good(page):
    page.locator(".writer-next [data-id]").first.click()
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    before = said(page)
    bring = page.get_by_role("button", name="Old text back")
    assert bring.is_hidden()
    page.fill("#writer-text", "And the king")
    expect(page.locator(".writer-said")).to_have_text(re.compile("king$"))
    page.fill("#writer-text", "And the king said")
    expect(page.locator(".writer-said")).to_have_text(re.compile("said$"))
    bring.click()
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    assert said(page) == before
    assert page.locator("#writer-text").input_value() == "And Abraham took Sarah his"
    assert bring.is_hidden()


def count_surprise(text, preface=""):
    """Return the bits a letter that PyTorch finds for a text behind a preface."""
    model, tokenizer = zoo.load("verses")
    ids = tokenizer.encode_prompt(f"{preface} {text}" if preface else text)
    first = len(tokenizer.encode_prompt(preface))
    with torch.no_grad():
        shares = model(torch.tensor([ids]))[0].double().log_softmax(-1)
    nats = shares[range(first - 1, len(ids) - 1), ids[first:]]
    return float(-nats.sum()) / torch.log(torch.tensor(2.0)).item() / len(text)


def test_what_is_typed_is_weighed_at_each_key_as_pytorch_weighs_it(page):
    told, mark = (page.locator(f".writer-{name}") for name in ("surprise", "mark"))
    for text in (
        "And the king said unto",
        "And the king said unto my café",
        "I love pizza",
    ):
        page.fill("#writer-text", text)
        each = count_surprise(text)
        expect(told.locator("b").first).to_have_text(f"{each:.1f} bits")
        at = float(mark.evaluate("one => one.style.getPropertyValue('--at')"))
        assert at == pytest.approx(min(each / 7, 1), abs=0.01)
        bytes_told = "“é” comes in 2 bytes: ·é"
        ratio = bytes_told if "é" in text else f"{each / 1.4:.1f} times a verse"
        assert (ratio in told.inner_text()) == (each > 2.1)
    page.fill("#writer-text", "")
    expect(told).to_be_hidden()


def test_a_prophet_says_it_and_only_ones_own_words_are_weighed(page):
    own = "my phone is dead"
    press(page, own)
    bare = f"{count_surprise(own):.1f}"
    told = page.locator(".writer-surprise p")
    expect(told).to_contain_text(f"{bare} bits of surprise a letter")
    page.get_by_role("button", name="Let a prophet say it").click()
    preface = "And the prophet said,"
    assert page.locator("#writer-text").input_value() == f"{preface} {own}"
    with_him = f"{count_surprise(own, preface):.1f}"
    assert float(with_him) < float(bare)
    expect(told).to_have_text(
        f"{with_him} bits of surprise a letter, {bare} without him"
    )
    assert page.locator(".writer-surprise button").is_hidden()
    assert page.locator(".writer-ghost").is_visible()
    press(page, "And Abraham took Sarah his")
    expect(page.locator(".writer-ghost")).to_be_hidden()


def test_below_each_typed_token_lies_its_surprise_and_below_no_other(page):
    page.locator(".writer-next [data-id]").first.click()
    chips = page.locator(".writer-said button")
    expect(chips).to_have_count(8)
    model, tokenizer = zoo.load("verses")
    ids = tokenizer.encode_prompt("And Abraham took Sarah his")
    with torch.no_grad():
        shares = model(torch.tensor([ids]))[0].double().log_softmax(-1)
    wanted = -shares[range(len(ids) - 1), ids[1:]] / torch.log(torch.tensor(2.0))
    for chip, bits in zip(chips.all(), wanted.tolist(), strict=False):
        assert chip.get_attribute("title") == f"{bits:.1f} bits"
    tall = "one => getComputedStyle(one).backgroundSize"
    assert chips.nth(1).evaluate(tall) == f"100% {0.4 * round(wanted[1].item(), 1):g}px"
    assert chips.last.get_attribute("title") is None
    assert chips.last.evaluate(tall) == "100% 0px"


def test_another_beginning_comes_with_each_press(page):
    typed = page.locator("#writer-text")
    seen = []
    for _ in range(7):
        press(page, "More")
        expect(page.locator(".writer-said")).to_have_text(typed.input_value())
        seen.append(typed.input_value())
    assert len({*seen}) == 7
    press(page, "More")
    assert typed.input_value() == seen[0]


@pytest.fixture
def unread(open_page):
    """The page before its model is there, as whoever likes motion sees it."""

    def call(**options):
        page = open_page(start=False, **options).page
        page.locator(".writer-still .writer-stage").wait_for()
        page.emulate_media(reduced_motion="no-preference")
        return page

    return call


def test_before_any_touch_the_picture_writes_some_words_in_five_seconds(unread):
    page = unread()
    press(page, "And Abraham took Sarah his")
    wait_for_motion(page)
    words = page.locator(".writer-still > p > b")
    expect(words).to_have_count(2)
    page.wait_for_function("() => !document.querySelector('.writer-gap.waits')")
    model, tokenizer = zoo.load("verses")
    written = generate(
        model,
        "And Abraham took Sarah his",
        tokenizer=tokenizer,
        max_new_tokens=2,
        temperature=0.0,
    )
    shown = page.locator(".writer-still p").nth(1).inner_text()
    assert shown == f"And Abraham took Sarah his{written} \u2026?"
    assert page.locator(".of-token .name").last.text_content() == written[-1]
    assert page.evaluate("document.querySelectorAll('.writer-flying').length") == 0


@pytest.mark.parametrize(
    "viewport", [*({"width": wide, "height": 800} for wide in (768, 1280, 1920)), PHONE]
)
def test_before_the_model_is_here_the_shares_stand_at_the_tip(open_page, viewport):
    page = open_page(start=False, viewport=viewport).page
    page.locator(".writer-still .writer-stage").wait_for()
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    picture, shares = (
        page.locator(f".writer-still {part}").bounding_box()
        for part in ("svg", ".writer-next")
    )
    right, bottom = picture["x"] + picture["width"], picture["y"] + picture["height"]
    if viewport == PHONE:
        assert 0 <= shares["y"] - bottom < 20
        return
    assert 0 <= shares["x"] - right < 20
    assert shares["y"] == pytest.approx(picture["y"], abs=2)
    assert shares["y"] + shares["height"] <= bottom + 4  # no empty room below
    if viewport["width"] == 1280:
        assert bottom <= viewport["height"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("And Abraham took Sarah his", "and"),
        ("my phone is dead", "dead"),
        ("And the wifi was down forty days and forty", "and"),
    ],
)
def test_the_record_ends_where_a_whole_word_is_the_likeliest(open_page, text, word):
    page = open_page(start=False).page
    page.locator(".writer-still .writer-stage").wait_for()
    told = page.evaluate("text => bookWriterRecord[text].told", text)
    model, tokenizer = zoo.load("verses")
    count = len(told) - 1
    whole = generate(
        model, text, tokenizer=tokenizer, max_new_tokens=count + 2, temperature=0.0
    )
    shown = generate(
        model, text, tokenizer=tokenizer, max_new_tokens=count, temperature=0.0
    )
    assert count >= 2
    assert told[-1]["next"][0][0] == word
    assert re.match(rf" {word}\b", whole.removeprefix(shown))


def test_the_times_of_the_first_words_stay_within_five_seconds(root):
    folder = root / "code/chapters/live"
    flow, demo = (
        (folder / f"writer_{name}.js").read_text("utf-8") for name in ("flow", "demo")
    )
    found = re.findall(r"\b([A-Z]+) = ([\d.]+)", flow + demo)
    numbers = {name: float(value) for name, value in found}
    land = json.loads(re.search(r"LAND = (\[.+?\])", demo)[1])
    run = numbers["FIRST"] + 4 * numbers["LAYER"] + numbers["BARS"]
    fly = numbers["FLY"] + numbers["GLOW"]
    others = writer_still.WRITES - 1
    total = numbers["SLOW"] * run + land[0] * fly
    total += others * (numbers["FAST"] * run + land[1] * fly)
    assert total <= 5000


@pytest.mark.parametrize("touch", ["key while it runs", "press while a word flies"])
def test_the_first_touch_ends_what_moves_by_itself(unread, touch):
    page = unread()
    press(page, "And Abraham took Sarah his")
    if touch == "key while it runs":
        wait_for_motion(page)
        page.keyboard.press("Shift")
    else:
        page.wait_for_function("() => document.querySelector('.writer-flying')")
        page.mouse.click(3, 300)
    page.wait_for_function("() => !document.querySelector('.writer-gap.waits')")
    assert page.locator(".writer-still > p > b").count() < 2
    flying = "document.querySelector('.writer-stage').getAnimations({ subtree: true })"
    assert page.evaluate(f"{flying}.length") == 0
    words = page.locator(".writer-still").inner_text()
    page.wait_for_timeout(700)
    assert page.locator(".writer-still").inner_text() == words


END_RUN = """() => {
  const look = () => {
    const runs = document.querySelector(".writer.live")
      && document.getAnimations().length > 20;
    if (!runs) return requestAnimationFrame(look);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift" }));
  };
  look();
}"""


@pytest.mark.parametrize("named", ["the first", "Watch one"])
def test_who_ends_a_run_is_told_that_no_word_was_drawn(unread, named):
    page = unread()
    page.evaluate(END_RUN)
    fetch_model(page)
    noted = page.locator(".writer-under")
    expect(noted).to_contain_text("no word was drawn")
    assert is_whole(noted)
    press(page, "One token")
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    assert "no word was drawn" not in noted.inner_text()
    if named == "Watch one":
        wait_for_rest(page)
        page.evaluate(END_RUN)
        press(page, named)
        expect(noted).to_contain_text("no word was drawn")
    assert page.locator(".writer-said button.written").count() == 1


def test_who_takes_the_needle_while_it_runs_chooses_and_is_told(lively):
    page = lively()
    end_first_run(page)
    wait_for_rest(page)
    count = page.locator(".writer-said button").count()
    press(page, "One token")
    page.wait_for_function("() => document.getAnimations().length > 1")
    names = page.locator(".writer-next [data-id] span").all_inner_texts()
    line, piece = (
        page.locator(part).bounding_box()
        for part in (".writer-lot svg", ".writer-lot rect >> nth=1")
    )
    page.mouse.move(piece["x"] + piece["width"] / 2, line["y"] + 9)
    page.mouse.down()
    expect(page.locator(".writer-hand")).to_have_text(names[1])
    page.wait_for_timeout(300)
    assert page.locator(".writer-said button").count() == count  # its lot is void
    page.mouse.up()
    expect(page.locator(".writer-said button")).to_have_count(count + 1)
    expect(page.locator(".writer-said button").last).to_have_text(names[1])
    expect(page.locator(".writer-under")).to_contain_text("Your hand chose")
    expect(page.locator(".writer-fell")).to_contain_text(f"lies on {names[1]}")
    page.wait_for_timeout(300)
    assert page.locator(".writer-said button").count() == count + 1


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_temperature_and_candidates_are_in_view_with_the_text(open_page, viewport):
    page = open_page(viewport=viewport).page
    wait_for_rest(page)
    for part in (
        *("#writer-temperature", ".writer-surprise p", ".writer-lot"),
        *(".writer-said button", ".writer-next [data-id] >> nth=2"),
    ):
        assert in_view(page, part), part


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_the_tour_covers_nothing_that_it_lights(open_page, viewport):
    page = open_page(viewport=viewport).page
    press(page, "Show me around")
    for step in range(1, 9):
        expect(page.locator(".writer-tour b")).to_have_text(f"{step} of 8")
        card = page.locator(".writer-tour").bounding_box()
        for part in page.locator(".writer-part.lit").all():
            box = part.bounding_box()
            apart = (
                card["y"] >= box["y"] + box["height"] - 1
                or box["y"] >= card["y"] + card["height"] - 1
                or box["x"] >= card["x"] + card["width"] - 1
            )
            assert apart, step
        page.locator(".writer-tour .writer-main").click()


@pytest.mark.parametrize("lost", ["nothing", "pressed", "written"])
def test_the_tour_begins_at_ones_last_word_and_puts_the_text_back(page, lost):
    text = "Dear Sir, your invoice is overdue"
    page.fill("#writer-text", text)
    expect(page.locator(".writer-said")).to_have_text(text)
    if lost == "written":  # what the model wrote is no word of the reader
        page.locator(".writer-next [data-id]").first.click()
        expect(page.locator(".writer-said button.written")).to_have_count(1)
    before, chips = said(page), page.locator(".writer-said button")
    place = chips.last.get_attribute("data-place")
    own = page.locator(".writer-said button:not(.written)").last
    press(page, "Show me around")
    assert_pressed(page, own.get_attribute("data-place"))
    told = page.locator(".writer-tour p")
    expect(told).to_contain_text("where your words end")
    for _ in range(7):
        page.locator(".writer-tour .writer-main").click()
    if lost != "nothing":
        page.locator(".writer-said button").nth(2).click()
        other = page.locator(".writer-next [data-id]").nth(3)
        name = other.locator("span").inner_text().removeprefix("\u2026")
        other.click()
        expect(chips).to_have_count(4)
        expect(told).to_contain_text(re.compile(f"{re.escape(name)}\u201d\\.$"))
        assert "The text ends now: “Dear" in told.inner_text()
    press(page, "Done")
    expect(page.locator(".writer-said")).to_have_text(before)
    assert_pressed(page, place)
    written = page.locator(".writer-said button.written")
    assert written.count() == (lost == "written")


@pytest.mark.parametrize("by", ["Put this network back", "Next", "End the tour"])
def test_a_network_that_the_tour_takes_out_comes_back(page, by):
    text, words = said(page), page.locator(".of-stream .guess")
    press(page, "Show me around")
    for _ in range(4):
        press(page, "Next")
    before = words.all_text_contents()
    press(page, "Take this network out")
    expect(page.locator(".writer-without")).to_contain_text("network 1")
    assert words.all_text_contents() != before
    press(page, by)
    expect(page.locator(".writer-without")).to_be_empty()
    expect(words).to_have_text(before)
    assert said(page) == text


def test_what_is_typed_during_the_tour_stays_when_it_ends(page):
    press(page, "Show me around")
    page.fill("#writer-text", "And the king said")
    expect(page.locator(".writer-said")).to_have_text("And the king said")
    press(page, "End the tour")
    page.wait_for_timeout(200)
    assert said(page) == "And the king said"


def test_the_suggestion_that_comes_first_breaks_without_positions(page, root):
    press(page, "More")
    expect(page.locator(".writer-said")).to_have_text(re.compile("heaven and the$"))
    press(page, "Take out positions")
    shown = page.locator(".writer-row .writer-outcome")
    expect(shown).to_contain_text("“earth” 68 % \u2192 “world” 12 %")
    prose = (root / "book/next_word.md").read_text("utf-8")
    assert f"*{said(page)}*" in prose
    assert "“earth” 68 % becomes “world” 12 %" in prose
    restore = page.get_by_role("button", name="Put everything back")
    restore.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".writer-without")).to_be_hidden()
    assert restore.get_attribute("aria-disabled") == "true"
    assert page.evaluate("document.activeElement.textContent") == "Put everything back"


def test_the_whole_screen_of_a_phone_has_text_and_picture_as_large_as_the_page(
    open_page,
):
    page = open_page(viewport=PHONE).page
    size = "part => getComputedStyle(part).fontSize"
    parts = [".writer-said", ".writer-next [data-id]", ".writer-row"]
    before = [page.locator(part).first.evaluate(size) for part in parts]
    press(page, "Large")
    expect(page.locator(".writer:fullscreen")).to_be_visible()
    assert [page.locator(part).first.evaluate(size) for part in parts] == before
    top, tall = page.locator("svg.writer-picture").first.evaluate(
        """part => {
          const { top, height } = part.getBoundingClientRect();
          return [top, height];
        }"""
    )
    assert top + tall / 2 < PHONE["height"]


@pytest.mark.parametrize("width", [300, 700])
def test_a_line_end_has_one_name_below_all_layers(page, width):
    named = page.evaluate(
        """(width) => {
          const { layout, draw } = bookWriterPicture;
          const end = { name: "line end", share: 0.5 };
          const said = [end, end, { name: "the", share: 0.5 }, end, end];
          const looks = [[1], [1], [1], [1]];
          const rows = [{ id: 1, place: 0, at: 0, name: "And", cells: [0], looks }];
          const scene = { rows, gaps: [], late: [], high: 2, place: 0, said, layers: 4,
            silent: new Set(), positions: true };
          const { drawn } = draw(scene, layout(width, 4));
          const words = drawn.matchAll(/class="guess[^>]*>([^<]*)/g);
          return [...words].map(([, word]) => word);
        }""",
        width,
    )
    sign = "line end" if width > 500 else "\u21b5"
    assert named == [sign, sign, "the", sign, sign]


def test_escape_leaves_the_whole_screen(page):
    press(page, "Large")
    expect(page.locator(".writer:fullscreen")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".writer:fullscreen")).to_have_count(0)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_of_a_long_text_the_picture_shows_what_is_looked_at_and_the_sentence_no_more(
    open_page, viewport
):
    page = open_page(viewport=viewport).page
    svg = page.locator("svg.writer-picture").first
    page.fill("#writer-text", "And the king said unto the people of the land")
    expect(page.locator(".of-token .name").last).to_have_text("land")
    high = svg.get_attribute("height")
    page.fill("#writer-text", "And the king said unto the people of the land " * 12)
    expect(page.locator(".writer-said button")).to_have_count(120)
    assert svg.get_attribute("height") == high  # nothing below moves when it grows
    shown = page.locator(".of-token .name").all_text_contents()
    gaps = page.locator("svg.writer-picture text.least.last").all_text_contents()
    others = [int(re.fullmatch(r"(\d+) others?", gap)[1]) for gap in gaps]
    assert len(shown) + sum(others) == 121  # with the line end before them
    told = page.locator(".writer-told").inner_text()
    named = re.findall(r"in layer (\d) at “([^”]+)” \((\d+) %\)", told)
    thin = re.findall(r"in layer (\d) none of the 120 before it .*? (\d+) %", told)
    most = {int(layer): int(share) for layer, *_, share in (*named, *thin)}
    assert sorted(most) == [1, 2, 3, 4]
    assert len(named) + len(thin) == 4
    assert all(int(share) <= 10 for _, share in thin)
    assert {name for _, name, _ in named} <= set(shown)
    assert f"The {sum(others)} others before it get " in told
    shares = [
        int(share)
        for share in re.findall(r"(\d+) %", told.split(" others before it get ")[1])
    ]
    assert len(shares) == 4
    for layer, rest in enumerate(shares):
        assert 0 < rest <= 100 - most[layer + 1]
        part = page.locator(f'[data-part="attention.{layer}"]')
        assert part.locator(".asks:not(.rest)").count() >= 3
        widths = part.locator(".rest").evaluate_all(
            "all => all.map((one) => parseFloat(getComputedStyle(one).strokeWidth))"
        )
        assert widths
        assert max(widths) < 2  # no thick line leads to what is not shown


def test_a_row_that_looks_elsewhere_says_that_only_tokens_shown_are_named(page):
    page.fill("#writer-text", "And the king said unto the people of the land " * 12)
    expect(page.locator(".writer-said button")).to_have_count(120)
    told = page.locator(".writer-told")
    assert "of the tokens shown" not in told.inner_text()  # all that matter are
    names = page.locator(".of-token .name").all_text_contents()
    seen = []
    for row in page.locator(".of-token").all():
        row.hover()
        named = re.findall(r"in layer \d at “([^”]+)”", told.inner_text())
        assert set(named) <= set(names)
        seen.append("of the tokens shown" in told.inner_text())
    assert any(seen[:-1])
    assert not seen[-1]


def test_what_taking_out_positions_does_stands_beside_the_switch(page):
    shown = page.locator(".writer-row .writer-outcome")
    assert shown.inner_text() == ""
    first = page.locator(".writer-next [data-id]").first
    before = "“{}” {}".format(
        first.locator("span").inner_text(), first.locator("small").inner_text()
    )
    press(page, "Take out positions")
    expect(shown).to_contain_text(f"After “his”: {before} \u2192 “")
    now = "“{}” {}".format(
        first.locator("span").inner_text(), first.locator("small").inner_text()
    )
    assert now != before
    expect(shown.locator("b")).to_have_text(now)
    switch, told = (
        page.locator(part).bounding_box()
        for part in (
            ".writer-row button:text('Put positions back')",
            ".writer-row .writer-outcome b",
        )
    )
    assert abs(told["y"] - switch["y"]) < 20
    page.locator(".writer-said button").first.click()
    assert "\u2192" not in shown.inner_text()  # another place


SIZES = [{"width": 1280, "height": 800}, {"width": 768, "height": 1024}, PHONE]


def is_whole(part):
    """Say whether nothing in a part is cut off."""
    return part.evaluate("part => part.scrollHeight <= part.clientHeight")


@pytest.mark.parametrize("viewport", SIZES)
def test_who_chose_is_said_to_the_last_word_below_the_needle(open_page, viewport):
    page = open_page(viewport=viewport).page
    under = page.locator(".writer-under")
    for key in ("Home", "End"):
        page.locator(".writer-lot").press(key)
        expect(under).to_contain_text("Your hand chose, and not chance.")
        assert is_whole(under)


@pytest.mark.parametrize("viewport", SIZES)
def test_nothing_moves_under_the_hand(open_page, viewport):
    page = open_page(viewport=viewport).page
    parts = [
        page.locator(name).first
        for name in (
            *("#writer-text", "#writer-temperature", "svg.writer-picture"),
            *(".writer-lot", ".writer-next [data-id]"),
        )
    ]

    def places():
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")  # the list sticks
        return [place_of(part) for part in parts]

    before = places()
    for temperature in ("0", "1.5"):
        page.locator("#writer-temperature").fill(temperature)
        assert places() == before, temperature
    page.locator("#writer-most").fill("0.8")
    assert places() == before
    page.locator(".writer-lot").press("Home")
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    assert places() == before
    page.fill("#writer-text", "And the wifi was down today")
    expect(page.get_by_role("button", name="Old text back")).to_be_visible()
    expect(page.get_by_role("button", name="Let a prophet say it")).to_be_visible()
    assert [now["y"] for now in places()] == [then["y"] for then in before]


@pytest.mark.parametrize("viewport", SIZES)
def test_ones_own_words_stay_in_sight_when_the_text_scrolls(open_page, viewport):
    page = open_page(viewport=viewport).page
    words = "my boss wants the slides by noon"
    page.fill("#writer-text", words)
    own, text = page.locator(".writer-own"), page.locator(".writer-said")
    expect(text).to_have_text(words)
    page.fill("#writer-seed", "5")
    assert own.is_hidden()
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    page.add_style_tag(content=".writer .writer-text > p { --most: 10rem; }")
    settle(page)
    text.evaluate("text => { text.scrollTop = text.scrollHeight; }")
    expect(own).to_be_visible()
    assert own.inner_text() == words
    assert is_whole(own)
    top, bottom = (part.bounding_box() for part in (own, text))
    assert top["y"] == pytest.approx(bottom["y"], abs=1)
    text.evaluate("text => { text.scrollTop = 0; }")
    expect(own).to_be_hidden()


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_the_tour_keeps_the_token_that_it_looks_at_in_view(open_page, viewport):
    page = open_page(viewport=viewport).page
    text = "And the king said unto the people of the land. " * 5
    page.fill("#writer-text", f"{text}Your invoice is overdue")
    page.fill("#writer-seed", "1")
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    press(page, "Show me around")
    seen = """() => {
      const chip = document.querySelector('.writer-said [aria-pressed="true"]');
      const { left, top, width, height } = chip.getBoundingClientRect();
      const at = document.elementFromPoint(left + width / 2, top + height / 2);
      return [at === chip, chip.textContent];
    }"""
    for _ in range(8):
        assert page.evaluate(seen) == [True, "ue"]
        page.locator(".writer-tour .writer-main").click()
    page.wait_for_timeout(100)
    for part in (".writer-said", ".writer-lot"):
        assert in_view(page, part)


@pytest.mark.parametrize("how", ["press", "needle"])
@pytest.mark.parametrize("whose", ["typed", "a turn"])
def test_who_loses_words_of_his_own_is_told_and_gets_them_back(page, how, whose):
    if whose == "typed":
        page.fill("#writer-text", "Dear Sir, your invoice is overdue")
    else:
        page.locator(".writer-next [data-id]").first.click()
        page.fill("#writer-turn", "in the night.")
        page.locator("#writer-turn").press("Enter")
        settle(page)
    text = page.locator(".writer-said")
    expect(text).to_contain_text("overdue" if whose == "typed" else "night")
    before, count = said(page), page.locator(".writer-said button").count()
    place = 2 if whose == "typed" else 6
    page.locator(".writer-said button").nth(place).click()
    other = page.locator(".writer-next [data-id]:not(.taken)").nth(3)
    other.click() if how == "press" else page.locator(".writer-lot").press("End")
    note = page.locator(".writer-under")
    expect(note).to_contain_text("Your words after")
    assert is_whole(note)
    assert page.locator(".writer-said button").count() < count
    press(page, "Bring them back")
    expect(page.locator(".writer-said button")).to_have_count(count)
    assert said(page) == before


def test_a_token_that_was_drawn_may_give_way_without_a_word(page):
    for nth in (0, 1):
        page.locator(".writer-lot").press(("Home", "ArrowRight")[nth])
        expect(page.locator(".writer-said button.written")).to_have_count(1)
    expect(page.locator(".writer-under")).to_contain_text("Your hand chose")
    assert page.get_by_role("button", name="Old text back").is_hidden()
    press(page, "One token")
    expect(page.locator(".writer-said button.written")).to_have_count(2)
    page.locator(".writer-said button").nth(-3).click()
    page.locator(".writer-next [data-id]").nth(2).click()
    expect(page.get_by_role("button", name="Old text back")).to_be_visible()
    assert "Your words" not in page.locator(".writer-under").inner_text()


@pytest.mark.parametrize("width", [300, 312, 340, 690])
def test_no_word_below_a_layer_is_cut_or_meets_another(page, width):
    names = ["line end", "kingdom", "Abraham", "line end", "line end"]
    drawn = page.evaluate(
        """([names, width]) => {
      const model = bookWriter.unpack(bookVerses), text = bookWriter.begin(model);
      model.tokenizer.encodePrompt("And").forEach((id) => bookWriter.read(text, id));
      const { sceneOf, layout, draw } = bookWriterPicture, svg =
        document.querySelector("svg.writer-picture");
      const scene = sceneOf(text);
      scene.said.forEach((stage, i) => { stage.name = names[i]; });
      const { tall, drawn } = draw(scene, layout(width, 4));
      svg.setAttribute("viewBox", `0 0 ${width} ${tall}`);
      svg.setAttribute("width", width);
      svg.innerHTML = drawn;
      return [...svg.querySelectorAll(".guess")].map((word) => {
        const { x, width } = word.getBBox();
        return [word.textContent, x, x + width];
      });
    }""",
        [names, width],
    )
    for (word, _, _), name in zip(drawn, names, strict=True):
        assert word in (name, "\u21b5") if name == "line end" else word == name
    for (_, _, end), (_, begin, _) in pairwise(drawn):
        assert end <= begin + 1
    assert drawn[-1][2] <= width + 1
    assert width < 690 or "\u21b5" not in {word for word, _, _ in drawn}


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_positions_are_taken_out_below_the_picture_and_a_text_breaks(
    open_page, viewport
):
    page = open_page(viewport=viewport).page
    switch = page.locator(".writer-positions")
    picture = page.locator(".writer-stage > svg")
    gap = place_of(switch)["y"] - sum(place_of(picture).values())
    assert 0 <= gap < 20
    before = place_of(switch)
    switch.click()
    shown = page.locator(".writer-row .writer-outcome")
    expect(shown).to_contain_text("“wife” 62 % → “wife” 65 %")
    assert place_of(switch) == before  # the hand may put them back at once
    expect(switch).to_have_text("Put positions back")
    press(page, "Try it where order counts")
    expect(shown).to_contain_text("“earth” 68 % → “world” 12 %")
    assert said(page).endswith("heaven and the")
    assert page.get_by_role("button", name="Try it").count() == 0
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == "Put positions back"
    told = place_of(page.locator(".writer-effect"))
    beside = told["y"] - before["y"] < 10
    assert beside or told["y"] - before["y"] < 60


def test_a_head_that_is_taken_out_leaves_the_others_in_the_picture(page):
    page.locator('[data-part="attention.1"]').focus()
    page.keyboard.press("Enter")
    page.locator(".writer-heads button", has_text="Head 2.1").first.click()
    told, lines = (
        page.locator(".writer-told"),
        page.locator('[data-part="attention.1"] path'),
    )
    expect(told).to_contain_text("alone")
    press(page, "Take head 2.1 out")
    inside = page.locator(".writer-inside")
    expect(inside).to_contain_text("is taken out: it brings nothing")
    page.locator("#writer-step-4").click()
    expect(inside).to_contain_text("so nothing of it is handed on")
    expect(inside).to_contain_text("What it would bring")
    assert "alone" not in told.inner_text()
    assert "< 1 %" not in told.inner_text()
    assert lines.count() > 5
    page.locator(".writer-heads button", has_text="Head 2.1").first.click()
    for head in range(2, 7):
        page.get_by_role("button", name=f"Take head 2.{head} out").click()
    expect(told).to_contain_text("in layer 2 nowhere, without its heads")
    assert lines.count() == 0


@pytest.mark.parametrize(
    ("text", "told", "end"),
    [
        ("我爱你", "“我” comes in 3 bytes: ··我", "beyond →"),
        ("my 😀 phone", "“😀” comes in 4 bytes: ···😀", "beyond →"),
        ("2 + 2 =", "a dot is a space alone", "beyond →"),
        ("my phone is dead", "times a verse", ""),
        ("And Abraham took Sarah his", "a verse has 1.4", "7"),
        ("Please send me the report by Monday", "2.1 times a verse", "7"),
    ],
)
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_the_line_of_surprise_says_where_it_ends_and_what_dots_are(
    open_page, viewport, text, told, end
):
    page = open_page(viewport=viewport).page
    page.fill("#writer-text", text)
    expect(page.locator(".writer-surprise p")).to_contain_text(told)
    assert is_whole(page.locator(".writer-surprise p"))
    scale = page.locator(".writer-scale")
    expect(scale.locator("em")).to_have_text(end)
    wait_for_rest(page)
    boxes = [scale.locator(part).bounding_box() for part in ("b", "span", "em")]
    boxes.sort(key=lambda box: box["x"])
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 1
    assert boxes[0]["x"] >= scale.bounding_box()["x"] - 1


def test_a_prophet_who_does_not_help_says_so(page):
    told = page.locator(".writer-surprise p")
    for text, helps in (
        ("Please send me the report by Monday", False),
        ("my phone is dead", True),
    ):
        page.fill("#writer-text", text)
        expect(told).to_contain_text("times a verse")
        press(page, "Let a prophet say it")
        expect(told).to_contain_text("without him")
        now, before = map(float, re.findall(r"\d+\.\d", told.inner_text()))
        assert (now < before) is helps
        assert ("no help" in told.inner_text()) is not helps


@pytest.mark.parametrize(
    ("text", "id", "glued"), [("I love my cat", "er", True), ("the king", " of", False)]
)
@pytest.mark.parametrize("how", ["One token", "Let it write"])
def test_who_sees_a_word_go_on_reads_why(page, text, id, glued, how):
    page.fill("#writer-text", text)
    expect(page.locator(".writer-said")).to_have_text(text)
    page.evaluate(
        """([id, many]) => {
      const { drawn } = bookWriter, model = bookWriter.unpack(bookVerses);
      let first = true;
      const [token] = model.tokenizer.encode(id);
      bookWriter.drawn = (shape, die) => {
        if (first || !many) { first = false; return token; }
        return drawn(shape, die);
      };
    }""",
        [id, how == "Let it write"],
    )
    press(page, how)
    expect(page.locator(".writer-said button.written").first).to_have_text(id.strip())
    settle(page)
    note = page.locator(".writer-under")
    if glued:
        expect(note).to_contain_text(f"“…{id}” has no space: it goes on with your word")
        assert is_whole(note)
    else:
        assert "no space" not in note.inner_text()


@pytest.mark.parametrize(
    ("end", "told"), [("", "It stopped after 96 tokens."), (".", ""), ("\n", "")]
)
def test_writing_that_ends_in_a_sentence_says_why_and_else_rests_before_its_end(
    page, end, told
):
    page.evaluate(
        """(end) => {
      const { tokenizer } = bookWriter.unpack(bookVerses);
      const [and] = tokenizer.encode(" and");
      const [last] = tokenizer.encode(end || " and");
      let count = 0;
      bookWriter.drawn = () => { count += 1; return count < 60 ? and : last; };
    }""",
        end,
    )
    count = page.locator(".writer-said button").count()
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    assert page.locator(".writer-stopped").inner_text() == told
    chips = page.locator(".writer-said button")
    assert chips.count() == count + {"": 96, ".": 60, "\n": 59}[end]
    pressed = page.locator('.writer-said button[aria-pressed="true"]')
    rests = {"": 0, ".": 1, "\n": 1}[end]
    place = chips.nth(chips.count() - 1 - rests).get_attribute("data-place")
    assert_pressed(page, place)
    assert pressed.count() == 1
    press(page, "One token")
    expect(page.locator(".writer-stopped")).to_have_text("")


def test_what_was_written_the_picture_and_the_list_are_seen_together(open_page):
    page = open_page(viewport={"width": 1280, "height": 800}).page
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.fill("#writer-seed", "1")
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    wait_for_rest(page)
    for part in (
        *("#writer-text", ".writer-said", ".writer-stage > svg"),
        *(".writer-lot", ".writer-next [data-id]"),
    ):
        assert in_view(page, part), part


def test_what_moves_by_itself_comes_after_the_page_and_is_drawn_once(open_page):
    page = open_page(start=False).page
    page.add_init_script(
        """
      Object.assign(window, { drawn: 0, order: [] });
      addEventListener("load", ({ target }) => {
        if (target === document) window.order.push("load");
      });
      new MutationObserver((all) => {
        const added = all.flatMap(({ addedNodes }) => [...addedNodes]);
        if (added.some(({ src }) => src?.includes("writer_record"))) {
          window.order.push("record");
        }
      }).observe(document, { childList: true, subtree: true });
      const { set } = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML");
      Object.defineProperty(Element.prototype, "innerHTML", { set(text) {
        if (this.matches("svg.writer-picture")) window.drawn += 1;
        set.call(this, text);
      } });
    """
    )
    page.reload()
    page.locator(".writer-still .writer-stage").wait_for()
    press(page, "And Abraham took Sarah his")
    page.wait_for_timeout(300)
    assert page.evaluate("window.drawn") == 1
    assert page.evaluate("window.order") == ["load", "record"]


@pytest.mark.parametrize("viewport", [PHONE, {"width": 768, "height": 1024}, DESKTOP])
def test_nothing_moves_when_the_script_of_the_field_comes(browser, base, viewport):
    context = browser.new_context(viewport=viewport)
    page, held = context.new_page(), []
    page.route("**/_static/writer.js*", lambda route: held.append(route))
    page.goto(f"{base}/{PAGE}", wait_until="commit")
    still = page.locator(".writer-still")
    still.wait_for()
    page.wait_for_function("() => document.styleSheets.length > 3")
    before = place_of(still)["y"]
    held[0].continue_()
    page.locator(".writer-main").wait_for()
    assert place_of(still)["y"] == pytest.approx(before, abs=2)
    context.close()


LONG_TOKENS = [
    *({"width": width, "height": 800} for width in (1280, 1024, 768, 640, 360)),
    PHONE,
]


@pytest.mark.parametrize("viewport", LONG_TOKENS)
def test_no_number_of_a_head_is_cut_at_any_width(open_page, viewport):
    page = open_page(viewport=viewport).page
    open_head(page, "2.1")
    table = page.locator(".writer-pair > .writer-scroll")
    for text in (None, "my international communication"):
        if text:
            page.fill("#writer-text", text)
            expect(page.locator(".writer-said")).to_have_text(text)
        for step in range(1, 5):
            page.locator(f"#writer-step-{step}").click()
            assert table.evaluate("part => part.scrollWidth <= part.clientWidth")
            pair, whole = page.locator(".writer-pair").evaluate(
                "part => [part.scrollWidth, part.clientWidth]"
            )
            assert pair <= whole
        assert len(read_cells(page)[0]) == 4
        shown = page.locator(".writer-pair > :not(.writer-scroll)")
        assert shown.bounding_box()["width"] >= 200  # the strips have room too


@pytest.mark.parametrize("viewport", [PHONE, {"width": 360, "height": 740}])
@pytest.mark.parametrize("how", ["Enter", "Let it write", "a turn"])
def test_on_a_phone_a_run_begins_with_text_and_picture_in_view(
    open_page, viewport, how
):
    page = open_page(viewport=viewport).page
    page.fill("#writer-text", "my dog has eaten all of my homework again")
    page.fill("#writer-seed", "5")
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    if how == "Let it write":
        press(page, how)
    else:
        field = page.locator("#writer-turn" if how == "a turn" else "#writer-text")
        if how == "a turn":
            field.fill("and", force=True)
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        field.evaluate("""field => field.dispatchEvent(
          new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))""")
    page.get_by_role("button", name="Stop").wait_for()
    settle(page)
    wait_for_rest(page)
    assert in_view(page, ".writer-said button")
    assert in_view(page, ".writer-said")
    top = place_of(page.locator(".writer-stage > svg"))["y"]
    scrolled = page.evaluate("scrollY")
    assert 56 <= top - scrolled <= viewport["height"] - 150


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_who_presses_a_token_in_the_picture_keeps_the_rows_below_it(
    open_page, viewport
):
    page = open_page(viewport=viewport).page
    svg, switch = (
        page.locator(name).first for name in ("svg.writer-picture", ".writer-positions")
    )
    rows = page.locator(".of-token")

    def places():
        return [place_of(part) for part in (svg, switch, *rows.all())]

    before = places()
    for place in (1, 3):
        rows.nth(place).dispatch_event("click")
        assert_pressed(page, str(place))
        assert places() == before
        late = page.locator(".of-token.late")
        assert late.count() == rows.count() - place - 1
        hidden = page.locator('[data-part="attention.2"] text', has_text="hidden")
        assert hidden.count() == late.count()
        asks = page.locator('[data-part="attention.2"] .asks')
        drawn = asks.count()
        assert drawn
        late.last.hover()
        assert asks.count() == drawn  # who is hidden shows no look of its own
    late.last.click()
    assert page.locator(".of-token.late").count() == 0
    assert places() == before
    page.fill("#writer-text", "And Abraham")
    expect(rows).to_have_count(3)


def test_one_token_adds_no_row_before_it_is_looked_at(page):
    high = page.locator("svg.writer-picture").first.get_attribute("height")
    press(page, "One token")
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    assert page.locator("svg.writer-picture").first.get_attribute("height") == high


SCREENS = [
    {"width": 1280, "height": 720},
    {"width": 1280, "height": 800},
    {"width": 1920, "height": 1080},
]


@pytest.mark.parametrize("viewport", SCREENS)
def test_the_whole_screen_holds_the_picture_though_the_text_is_long(
    open_page, viewport
):
    page = open_page(viewport=viewport).page
    press(page, "Large")
    page.locator(".writer:fullscreen").wait_for()
    page.fill("#writer-text", "Siri, what is the weather in Paris?")
    page.fill("#writer-seed", "5")
    widths = set()
    for _ in range(2):
        press(page, "Let it write")
        page.get_by_role("button", name="Stop").wait_for()
        settle(page)
        picture = page.locator(".writer-stage > svg").bounding_box()
        assert picture["y"] >= 0
        assert picture["y"] + picture["height"] <= viewport["height"]
        widths.add(picture["width"])
    assert min(widths) > 500
    assert page.locator(".writer").evaluate("box => box.scrollTop") == 0


@pytest.mark.parametrize("by", ["Escape", "Large"])
def test_who_leaves_the_whole_screen_is_where_he_was(open_page, by):
    page = open_page(viewport={"width": 1280, "height": 800}).page
    page.evaluate("scrollTo({ top: 200, behavior: 'instant' })")
    page.locator(".writer button", has_text="Large").hover()  # which may scroll
    before = page.evaluate("scrollY")
    press(page, "Large")
    page.locator(".writer:fullscreen").wait_for()
    page.fill("#writer-text", "And the king said unto")
    expect(page.locator(".writer-said")).to_have_text("And the king said unto")
    if by == "Escape":
        page.keyboard.press("Escape")
    else:
        press(page, "Large")
    expect(page.locator(".writer:fullscreen")).to_have_count(0)
    wait_for_rest(page)
    assert page.evaluate("scrollY") == before


THINNED = """(most) => {
  const { read } = bookWriter;
  bookWriter.read = (text, id) => {
    read(text, id);
    const { looks } = text.places.at(-1);
    looks.forEach((heads, layer) => {
      if (most[layer] === null) return;
      for (const weights of heads) {
        const rest = (1 - most[layer]) / Math.max(weights.length - 1, 1);
        weights.fill(rest);
        weights[Math.min(5, weights.length - 1)] = most[layer];
      }
    });
  };
}"""


def test_a_look_that_is_spread_thin_is_called_so_and_names_no_token(page):
    page.evaluate(THINNED, [0.052, 0.3, 0.061, 0.06])
    page.fill("#writer-text", "And the king said unto the people of the land " * 6)
    expect(page.locator(".writer-said button")).to_have_count(60)
    told = page.locator(".writer-told").inner_text()
    assert re.findall(r"in layer (\d) at “[^”]+” \((\d+) %\)", told) == [("2", "30")]
    assert (
        "and spreads its look thin elsewhere: "
        "in layer 1 none of the 60 before it gets more than 6 %, "
        "in layer 3 none of the 60 before it gets more than 7 %, "
        "in layer 4 none of the 60 before it gets more than 6 % (mean"
    ) in told


def test_a_look_that_is_thin_in_all_layers_is_told_without_a_name(page):
    page.evaluate(THINNED, [0.05, 0.05, 0.05, 0.05])
    page.fill("#writer-text", "And the king said unto the people of the land " * 6)
    expect(page.locator(".writer-said button")).to_have_count(60)
    told = page.locator(".writer-told").inner_text()
    assert "“land” spreads its look thin: in layer 1 none of the 60" in told
    assert "looks most" not in told


def test_the_sum_of_a_head_begins_with_the_pair_and_its_first_number_is_marked(page):
    open_head(page, "2.1")
    page.locator("#writer-step-4").click()
    page.locator(".writer-pair th button", has_text="line end").click()
    told = page.locator("#writer-step p").inner_text()
    value = page.locator(".writer-pair .writer-cell").first.inner_text()
    first = re.fullmatch(r"number 1 of 32: (\S+)", value)[1].replace("\u2212", "-")
    share, shown = re.search(r"first number, v: (\S+) \u00d7 (\S+) \+", told).groups()
    assert float(shown.replace("\u2212", "-")) == pytest.approx(float(first), abs=0.006)
    pair = page.locator(".writer-pair tr.pair td").nth(2).inner_text()
    assert abs(100 * float(share) - float(pair.strip("< %"))) <= 1


def test_what_a_switch_did_is_no_more_said_once_nothing_is_out(page):
    open_head(page, "2.1")
    shown = page.locator(".writer-inside .writer-outcome")
    press(page, "Take head 2.1 out")
    expect(shown).to_contain_text("→")
    press(page, "Put head 2.1 back")
    expect(shown).to_have_text("After “his”: “wife” 62 %")
