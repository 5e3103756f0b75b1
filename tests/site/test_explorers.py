"""Explorers in a browser, without the site around them: as in Colab, and on a phone."""

import re

import page_visit
from explorer_use import (
    CONTROLS,
    EVERY,
    HANDLES,
    INPUTS,
    LOOK,
    NAMES,
    drag,
    drag_with_finger,
    explorer_of,
    find_lost_results,
    html_of,
    look,
    move,
)

from bookkit.checking.barriers import find_barriers
from bookkit.checking.facts import facts

# The color that the theme gives to what stands around an explorer.
SHEET = "(e) => getComputedStyle(e.parentElement).backgroundColor"
CLEAR = "rgba(0, 0, 0, 0)"
# How the button that leads back to the top is shown: it would lie on explorers.
BACK = "getComputedStyle(document.querySelector('#pst-back-to-top')).display"


@EVERY
def test_script_leaves_the_first_picture_as_it_was(show_alone, explorer):
    html = html_of(explorer)
    alive, still = show_alone(html), show_alone(html, java_script_enabled=False)
    assert alive.locator("[data-alive]").count() == 1
    assert still.locator("[data-alive]").count() == 0
    assert look(alive) == look(still)
    assert alive.complaints == []


@EVERY
def test_without_scripts_no_control_waits_in_vain(show_alone, explorer):
    page = show_alone(html_of(explorer), java_script_enabled=False)
    assert page.locator(".explorer-stage").is_visible()
    assert page.locator(".explorer-readout").is_visible()
    assert page.locator(".explorer-instruction").is_hidden()
    assert page.locator(".explorer-asleep").is_hidden()
    assert page.locator(f":is({CONTROLS}):visible").count() == 0
    assert page.locator("[tabindex]").count() == 0


@EVERY
def test_every_control_reacts_to_the_keyboard(show_alone, explorer):
    html = html_of(explorer)
    for control in range(show_alone(html).locator(CONTROLS).count()):
        page = show_alone(html)
        before = look(page)
        move(page, control)
        assert look(page) != before
        assert page.complaints == []


def find_handles(page):
    """List the names of what can be dragged."""
    return [part.get_attribute("data-part") for part in page.locator(HANDLES).all()]


@EVERY
def test_every_handle_reacts_to_the_arrow_keys_and_says_so(show_alone, explorer):
    page = show_alone(html_of(explorer))
    for name in find_handles(page):
        handle = page.locator(f'[data-part="{name}"]')
        for there, back in (("ArrowRight", "ArrowLeft"), ("ArrowDown", "ArrowUp")):
            before, told = look(page), handle.get_attribute("aria-valuetext")
            handle.press(there)
            if look(page) == before:  # it starts at this end
                there, back = back, there
                handle.press(there)
            assert look(page) != before
            assert handle.get_attribute("aria-valuetext") != told
            handle.press(back)
            assert handle.get_attribute("aria-valuetext") == told
        low, now, high = (
            float(handle.get_attribute(f"aria-value{of}"))
            for of in ("min", "now", "max")
        )
        assert low <= now <= high
        assert handle.get_attribute("aria-label")
    assert page.complaints == []


@EVERY
@facts("hand", [drag, drag_with_finger])
def test_every_handle_follows_mouse_and_finger(show_alone, explorer, hand):
    page = show_alone(
        ROOM + html_of(explorer) + ROOM,
        viewport=page_visit.PHONE,
        has_touch=True,
        is_mobile=True,
    )
    for name in find_handles(page):
        before = look(page)
        page.locator(f'[data-part="{name}"]').scroll_into_view_if_needed()
        place = page.evaluate("[scrollX, scrollY]")
        hand(page, name, by=(45, 45))
        assert look(page) != before, name
        assert page.evaluate("[scrollX, scrollY]") == place
    assert page.complaints == []


@EVERY
def test_a_handle_is_large_enough_for_a_finger(show_alone, explorer):
    page = show_alone(
        html_of(explorer), viewport=page_visit.PHONE, has_touch=True, is_mobile=True
    )
    for handle in page.locator(HANDLES).all():
        box = handle.bounding_box()
        assert min(box["width"], box["height"]) >= 40


@EVERY
def test_nothing_moves_by_itself_for_those_who_want_no_motion(show_alone, explorer):
    page = show_alone(html_of(explorer), reduced_motion="reduce")
    move(page, 0)
    assert page.evaluate("document.getAnimations().length") == 0


@EVERY
def test_sliders_react_to_touch_on_a_phone(show_alone, explorer):
    page = show_alone(
        html_of(explorer), viewport=page_visit.PHONE, has_touch=True, is_mobile=True
    )
    for slider in page.locator("input[type=range]").all():
        slider.scroll_into_view_if_needed()
        before, box = slider.input_value(), slider.bounding_box()
        share = 0.25 if int(before) > int(slider.get_attribute("max")) / 2 else 0.75
        page.touchscreen.tap(
            box["x"] + share * box["width"], box["y"] + box["height"] / 2
        )
        assert slider.input_value() != before
    assert page_visit.measure_sideways(page) == 0
    assert page.complaints == []


ROOM = '<div style="height: 1500px"></div>'


@EVERY
def test_result_is_seen_beside_each_control_on_a_phone(show_alone, explorer):
    page = show_alone(ROOM + html_of(explorer) + ROOM, viewport=page_visit.PHONE)
    assert find_lost_results(page) == []


@EVERY
def test_controls_are_at_most_a_window_below_the_instruction_on_a_phone(
    show_alone, explorer
):
    page = show_alone(html_of(explorer), viewport=page_visit.PHONE)
    top = page.locator(".explorer-instruction").bounding_box()["y"]
    places = [control.bounding_box() for control in page.locator(INPUTS).all()]
    ends = [place["y"] + place["height"] - top for place in places]
    assert max(ends, default=0) < page_visit.PHONE["height"]


@EVERY
def test_a_result_far_from_its_control_is_noticed(show_alone, explorer):
    page = show_alone(ROOM + html_of(explorer) + ROOM, viewport=page_visit.PHONE)
    page.add_style_tag(content=".explorer-readout { top: 100vh; position: relative; }")
    assert find_lost_results(page)


@EVERY
def test_explorer_works_in_a_sandboxed_frame_without_the_site(show_alone, explorer):
    escaped = html_of(explorer).replace("&", "&amp;").replace('"', "&quot;")
    frame = (
        f'<iframe title="output" sandbox="allow-scripts" srcdoc="{escaped}"></iframe>'
    )
    page = show_alone(frame)
    inside = page.frame_locator("iframe")
    before = look(inside)
    move(inside, 0)
    assert look(inside) != before
    assert page.complaints == []


@EVERY
@facts("colors", ["light", "dark"])
def test_explorer_is_accessible(show_alone, explorer, colors):
    page = show_alone(html_of(explorer), color_scheme=colors)
    move(page, 0)
    assert find_barriers(page) == []


@EVERY
@facts("mark", ['data-theme="dark"', 'theme="dark"'])
def test_explorer_is_accessible_in_the_dark_of_the_site_and_of_colab(
    show_alone, explorer, mark
):
    html = html_of(explorer)
    page = show_alone(html)
    name, value = mark.replace('"', "").split("=")
    page.locator("html").evaluate(f"(e) => e.setAttribute('{name}', '{value}')")
    paper = page.locator(".explorer").evaluate(
        "(e) => getComputedStyle(e).backgroundColor"
    )
    assert paper == "rgb(26, 26, 26)"
    assert find_barriers(page) == []


@EVERY
def test_two_of_them_stand_on_a_page_and_move_on_their_own(show_alone, explorer):
    html = html_of(explorer)
    page = show_alone(html + html)
    first, second = page.locator(".explorer").all()
    before = second.evaluate(LOOK)
    move(first, 0)
    assert first.evaluate(LOOK) != second.evaluate(LOOK)
    assert second.evaluate(LOOK) == before
    assert page.locator("[data-alive]").count() == 2


@EVERY
def test_explorer_does_not_shift_the_page(show_alone, explorer):
    after = "<p id='after'>after</p>"
    page = show_alone(html_of(explorer) + after)
    place = "document.querySelector('#after').getBoundingClientRect().top"
    before = page.evaluate(place)
    for control in range(page.locator(CONTROLS).count()):
        move(page, control)
    assert page.evaluate(place) == before


@EVERY
def test_paper_shows_no_controls(show_alone, explorer):
    page = show_alone(html_of(explorer))
    page.emulate_media(media="print")
    assert page.locator(".explorer-stage").is_visible()
    assert page.locator(f":is({INPUTS}, button):visible").count() == 0


def list_pages_of_explorers(root):
    """List the pages that show explorers, each with the names of these."""
    found = {}
    for notebook in sorted(root.glob("book/*/*.ipynb")):
        names = re.findall(r'data-explorer=\\"([a-z_]+)', notebook.read_text("utf-8"))
        if names:
            path = notebook.relative_to(root).with_suffix(".html").as_posix()
            found[path] = names
    return found


@facts("phone", [page_visit.PHONE, page_visit.TURNED])
def test_results_are_seen_beside_their_controls_on_their_pages(
    browser, base, root, phone
):
    for path in list_pages_of_explorers(root):
        page = browser.new_page(viewport=phone, has_touch=True, is_mobile=True)
        page.goto(base + path)
        page.add_style_tag(content=page_visit.LAY_OUT_ALL)
        assert find_lost_results(page) == [], path
        assert find_small_choices(page) == [], path
        assert page.evaluate(BACK) == "none", path
        page.close()


# How far the sentence of an explorer lies over a handle.
COVER = """(handle) => handle.getBoundingClientRect().bottom
  - handle.closest(".explorer").querySelector(".explorer-readout")
    .getBoundingClientRect().top"""


def test_a_handle_is_seen_while_it_is_dragged_to_the_foot_of_a_phone(browser, base):
    phone = {"width": 360, "height": 740}
    page = browser.new_page(viewport=phone, has_touch=True, is_mobile=True)
    page.goto(base + "book/architecture/decoding.html")
    page.add_style_tag(content=page_visit.LAY_OUT_ALL)
    handle = page.locator("[data-explorer=decoding] [data-part=step]")
    handle.evaluate("(handle) => handle.scrollIntoView(false)")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    before = page.evaluate("scrollY")
    covers = []
    for place in range(40):
        page.mouse.move(x + place % 2, min(y + 20 * place, 710))
        covers.append(handle.evaluate(COVER))
    assert max(covers) > 0 >= covers[-1]
    assert page.evaluate("scrollY") > before
    page.close()


def find_small_choices(page):
    """List the choices of a page that a finger misses, or that a phone enlarges."""
    return page.locator(".explorer select").evaluate_all(
        """(choices) => choices.filter((choice) => choice.offsetHeight < 44
          || parseFloat(getComputedStyle(choice).fontSize) < 16)
          .map((choice) => choice.name)"""
    )


def test_explorers_are_alive_on_their_pages(browser, base, root):
    shown = []
    for path, names in list_pages_of_explorers(root).items():
        page = page_visit.visit(browser, base, path, dark=True).page
        alive = page.locator("figure [data-alive]").all()
        assert [e.get_attribute("data-explorer") for e in alive] == names
        assert {e.evaluate(SHEET) for e in alive} == {CLEAR}
        page.context.close()
        shown += names
    assert sorted(shown) == sorted(explorer_of(name).name for name in NAMES)
