"""The language model on its page: words go in, it goes on, and every part opens."""

import re
from itertools import pairwise

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
    return page.locator(".writer-said").inner_text().replace("\n", " ").strip()


def likeliest(page):
    return page.locator(".writer-next [data-id] span").first.inner_text()


def press(page, text):
    page.locator(".writer button", has_text=text).first.click()


def settle(page):
    """Wait until it writes no more."""
    page.get_by_role("button", name="Let it write").wait_for()


def test_without_the_model_the_page_asks_for_little_and_shows_its_picture(open_page):
    visited = open_page(start=False)
    asked = [name.rsplit("/", 1)[-1].split("?")[0] for name in visited.requests]
    assert "writer.js" in asked
    assert not {"writer_weights.js", "transformer.js"} & set(asked)
    still = visited.page.locator(".writer-still")
    assert still.locator("svg, img").first.is_visible()
    assert "wife" in still.inner_text()
    assert visited.complaints == []


def test_the_still_is_what_the_page_draws_now_and_the_page_says_the_same(page, root):
    drawn = writer_still.draw()
    assert writer_still.FILE.read_text("utf-8") == drawn["drawing"]
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
    """48 tokens, and up to 16 more until a sentence ends."""
    model, tokenizer = zoo.load("verses")
    ids = tokenizer.encode_prompt(text)
    count = len(ids) + 48
    for _ in range(64):
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
    assert page.locator(".of-token").count() == 3  # the line end, And, Abraham


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
    rows = page.locator(".writer-inside tbody tr").all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    scores = torch.tensor([float(score.replace("\u2212", "-")) for score, _ in cells])
    shares = [float(share.removesuffix(" %").strip("< ")) for _, share in cells]
    assert_close(
        100 * scores.softmax(dim=0), torch.tensor(shares), rtol=0, atol=1.0
    )  # both are rounded
    assert len(cells) == 8


@pytest.mark.parametrize(
    ("name", "lost"), [("attention.0", "head 1.1"), ("network.3", "network 4")]
)
def test_what_is_taken_out_is_named_and_can_be_put_back(page, name, lost):
    first = page.locator(".writer-next").inner_text()
    page.locator(f'.writer-picture [data-part="{name}"]').focus()
    page.keyboard.press("Enter")
    page.locator(".writer-inside button", has_text="Take ").first.click()
    expect(page.locator(".writer-lost")).to_contain_text(lost)
    assert page.locator(".writer-next").inner_text() != first
    press(page, "Put everything back")
    expect(page.locator(".writer-lost")).to_be_hidden()
    assert page.locator(".writer-next").inner_text() == first


def test_without_positions_and_in_a_window_it_says_something_else(page):
    first = page.locator(".writer-next").inner_text()
    press(page, "Take out positions")
    expect(page.locator(".writer-lost")).to_contain_text("positions")
    assert page.locator(".writer-next").inner_text() != first
    press(page, "Put everything back")
    expect(page.locator(".writer-next")).to_have_text(re.compile("wife"))
    page.locator("#writer-window").fill("2")
    expect(page.locator(".writer-next")).not_to_have_text(first)


def test_the_tour_has_eight_steps_and_each_lights_its_part(page):
    press(page, "Show me around")
    lit = []
    for step in range(1, 9):
        expect(page.locator(".writer-tour p")).to_contain_text(f"{step} of 8")
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
    needle = page.locator(".writer-needle")
    expect(page.locator(".writer-said button.written")).to_have_count(1)
    count = page.locator(".writer-said button").count()
    name = page.locator(".writer-said button.written").inner_text()
    expect(page.locator(".writer-fell")).to_have_text(f"{value:.2f} fell on {name}")
    expect(needle).to_be_hidden()
    page.locator(f'.writer-said [data-place="{place}"]').click()
    expect(needle).to_be_visible()
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
    page.locator("#writer-most").fill("0.1")
    expect(needle).to_be_hidden()  # of another line


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
        press(page, "And it came to pass in those")
        expect(page.locator(".writer-said")).to_have_text(re.compile("those$"))
        page.fill("#writer-seed", seed)
        press(page, "Let it write")
        page.get_by_role("button", name="Stop").wait_for()
        settle(page)
        found.append(said(page))
    assert found[0] == found[1] != found[2]


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


def test_what_is_typed_beyond_its_length_is_said_to_be_left_out(page):
    page.fill("#writer-text", "\u8036\u548c\u534e" * 60)
    expect(page.locator(".writer-lost")).to_contain_text("first 208 tokens")


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


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_the_tour_keeps_its_words_and_what_it_speaks_of_in_view(open_page, viewport):
    page = open_page(viewport=viewport).page
    press(page, "Show me around")
    for step in range(2, 9):
        page.locator(".writer-tour .writer-main").click()
        wanted = {4: ".writer-heads button", 8: ".writer-next [data-id]"}
        for seen in (".writer-tour p", wanted.get(step, ".writer-tour p")):
            top, bottom = page.locator(seen).first.evaluate(
                "part => [part.getBoundingClientRect().top,"
                "part.getBoundingClientRect().bottom]"
            )
            assert top >= 40, (step, seen)
            assert bottom <= viewport["height"], (step, seen)


def test_the_picture_stays_where_it_is_while_the_text_grows(page):
    picture = page.locator("svg.writer-picture").first
    first = picture.bounding_box()["y"]
    press(page, "Let it write")
    page.get_by_role("button", name="Stop").wait_for()
    assert page.locator(".writer-told").is_hidden()
    settle(page)
    assert page.locator(".writer-told").is_visible()
    assert picture.bounding_box()["y"] == first
    last = page.locator(".writer-said button").last.bounding_box()
    shown = page.locator(".writer-said").bounding_box()
    assert last["y"] + last["height"] <= shown["y"] + shown["height"] + 1


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


def test_a_head_that_is_taken_out_looks_nowhere_though_it_is_shown_alone(page):
    page.locator('[data-part="attention.2"]').focus()
    page.keyboard.press("Enter")
    page.locator(".writer-heads button", has_text="Head 3.1").first.click()
    lines = page.locator('[data-part="attention.2"] path')
    assert lines.count() > 8
    page.get_by_role("button", name="Take head 3.1 out").click()
    expect(lines).to_have_count(0)


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
    page.locator("#writer-temperature").fill("0.5")
    out = page.locator(".writer-next .cut").first
    assert out.get_attribute("title") == "left out by top-p"
    assert out.locator("small").inner_text().endswith("%")
    assert (
        page.locator(".writer-next [data-id]:not(.cut)").first.get_attribute("title")
        == ""
    )
    expect(page.locator(".writer-told")).to_contain_text("before temperature")


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
    bring = page.get_by_role("button", name="Bring the old text back")
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
