"""Words of explorers are large and free, and a hand says what can be moved."""

from io import BytesIO

import numpy as np
import pytest
from explorer_use import EVERY, HANDLES, INPUTS, drag, explorer_of, html_of
from explorer_walk import find_lost_words, find_small_words, frame
from page_visit import PHONE
from PIL import Image

from bookkit.checking.facts import facts

LEAST = 11.5  # pixels
POINTERS = ".pointer:visible"
# The hues of query and key on white, which stay what they are where both meet.
QUERY, KEY = (0, 114, 178), (184, 79, 0)


@pytest.fixture
def attention():
    return explorer_of("self_attention")._repr_html_()


@EVERY
def test_nothing_lies_on_a_word_wherever_handles_are(show_alone, explorer):
    page = show_alone(frame(html_of(explorer)))
    assert find_lost_words(page) == [[], []]
    assert page.complaints == []


@EVERY
def test_no_handle_covers_a_word_on_a_phone(show_alone, explorer):
    page = show_alone(frame(html_of(explorer), PHONE["width"] - 32), viewport=PHONE)
    covered, _ = find_lost_words(page)
    assert covered == []


def test_a_word_under_a_handle_is_noticed(show_alone, attention):
    page = show_alone(frame(attention))
    page.add_style_tag(content=".attention text { transform: none !important; }")
    assert "query covers loan" in find_lost_words(page)[0]


def test_a_word_on_a_word_is_noticed(show_alone, attention):
    page = show_alone(frame(attention))
    for word in page.locator("text.dot").all()[:2]:
        word.evaluate("(e) => { e.setAttribute('x', 60); e.setAttribute('y', 60); }")
    assert find_lost_words(page, 0) == [[], ["river and boat"]]


def test_a_word_makes_room_for_the_handle_and_comes_back(show_alone, attention):
    page = show_alone(frame(attention))
    bank, boat = page.locator('[data-part="query"]'), page.locator("text.key").nth(1)
    start = boat.bounding_box()["y"]
    for key in ("ArrowRight", *["ArrowUp"] * 4):
        bank.press(key)
    assert boat.bounding_box()["y"] < start - 5
    for key in (*["ArrowDown"] * 4, "ArrowLeft"):
        bank.press(key)
    assert boat.bounding_box()["y"] == start


@EVERY
def test_words_of_drawings_are_large_enough_on_a_page(show_alone, explorer):
    page = show_alone(frame(html_of(explorer)))
    assert find_small_words(page, LEAST) == []


def test_small_words_are_noticed(show_alone, attention):
    page = show_alone(frame(attention))
    page.add_style_tag(
        content=".explorer .attention svg text { font-size: 12px !important; }"
    )
    assert find_small_words(page, LEAST)


@EVERY
def test_a_hand_stands_at_the_first_handle_until_a_handle_is_moved(
    show_alone, explorer
):
    page = show_alone(html_of(explorer))
    for control in page.locator(INPUTS).all():
        control.dispatch_event("input")
    assert page.locator(POINTERS).count() == 1
    assert page.locator(HANDLES).first.locator(POINTERS).count() == 1
    page.locator(HANDLES).last.press("ArrowLeft")
    assert page.locator(POINTERS).count() == 0


@EVERY
def test_the_hand_goes_when_the_mouse_moves_a_handle(show_alone, explorer):
    page = show_alone(html_of(explorer))
    drag(page, page.locator(HANDLES).first.get_attribute("data-part"), by=(9, 9))
    assert page.locator(POINTERS).count() == 0


@EVERY
def test_the_hand_of_one_explorer_stays_when_another_is_moved(show_alone, explorer):
    html = html_of(explorer)
    page = show_alone(html + html)
    page.locator(HANDLES).first.press("ArrowLeft")
    assert page.locator(POINTERS).count() == 1


@EVERY
def test_the_hand_can_be_grasped_and_leaves_handle_and_word_as_they_were(
    show_alone, explorer
):
    page = show_alone(html_of(explorer))
    handle = page.locator(HANDLES).first
    room, whole = (part.bounding_box() for part in (handle.locator(".room"), handle))
    assert whole == pytest.approx(room)
    finger = handle.locator(POINTERS).bounding_box()
    for word in handle.locator("text").all():
        box = word.bounding_box()
        assert finger["x"] >= box["x"] + box["width"]
    page.mouse.move(finger["x"] + finger["width"] / 2, finger["y"] + 9)
    page.mouse.down()
    assert page.evaluate(
        "document.querySelector('.pointer').matches(':active *, :active')"
    )


@EVERY
def test_paper_and_pages_without_scripts_show_no_hand(show_alone, explorer):
    html = html_of(explorer)
    page = show_alone(html)
    page.emulate_media(media="print")
    assert page.locator(POINTERS).count() == 0
    still = show_alone(html, java_script_enabled=False)
    assert still.locator(POINTERS).count() == 0


@EVERY
def test_paper_shows_no_ring_around_a_handle(show_alone, explorer):
    page = show_alone(html_of(explorer))
    page.locator(HANDLES).first.press("ArrowLeft")
    assert page.locator(".halo:visible").count() > 0
    page.emulate_media(media="print")
    assert page.locator(".halo:visible").count() == 0


def count_near(picture, color):
    """Count the pixels of a picture that have nearly this color."""
    return int((np.abs(picture - np.array(color)).max(axis=2) < 24).sum())


@facts("kind", ["stem", "hand", "dot"])
def test_two_words_at_one_place_keep_their_colors(show_alone, kind):
    waves = explorer_of("sinusoidal")._repr_html_()
    page = show_alone(frame(waves), device_scale_factor=2)
    for _ in range(3):
        page.locator('[data-part="key"]').press("ArrowLeft")
    others = f"svg *:not([data-part^={kind}-]) {{ visibility: hidden; }}"
    page.add_style_tag(content=others)
    shown = page.locator(".waves svg").first.screenshot()
    picture = np.asarray(Image.open(BytesIO(shown)).convert("RGB"), dtype=int)
    query, key = (count_near(picture, color) for color in (QUERY, KEY))
    assert min(query, key) > 0.2 * max(query, key) > 0
