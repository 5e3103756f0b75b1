"""Explorers of stored measurements: what a reader can do with them beyond controls."""

import page_barriers
import page_visit
import pytest
from explorer_use import drag

from chapters.decoding import explorer as decoding
from chapters.norm_placement import explorer as norm_placement
from chapters.training import explorer as translator_attention

MAPS = translator_attention.show()._repr_html_()
BEAM = decoding.show()._repr_html_()
STACKS = norm_placement.show()._repr_html_()
READOUT = ".explorer-readout"
PHONE = {"viewport": page_visit.PHONE, "has_touch": True, "is_mobile": True}


def test_pointing_at_a_row_reads_it_and_moves_the_slider(show_alone):
    page = show_alone(MAPS)
    page.locator(".map tbody tr").nth(3).hover()
    assert page.locator(READOUT).inner_text().startswith("To write “deux”")
    assert page.locator("[name=row]").input_value() == "3"
    assert page.locator(".chosen").count() == 1
    assert page.locator(".chosen th").inner_text() == "deux"


def test_touching_a_row_reads_it_too(show_alone):
    page = show_alone(MAPS, **PHONE)
    page.locator(".map tbody tr").nth(0).tap()
    assert page.locator(READOUT).inner_text().startswith("To write “quatre”")
    assert page.complaints == []


def test_a_shorter_sentence_hides_rows_and_keeps_the_row_inside(show_alone):
    page = show_alone(MAPS)
    page.locator("[name=row]").press("End")
    page.locator("[name=sentence]").select_option("2")
    assert page.locator(".map tbody tr:visible").count() == 6
    assert page.locator(".map thead th:visible").count() == 6
    assert page.locator("[name=row]").input_value() == "5"
    assert page.locator(".chosen th").inner_text() == "end"


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_every_number_of_a_map_can_be_read(show_alone, colors):
    """The check of contrast is known to see the colors of cells: a darker one fails."""
    page = show_alone(MAPS, color_scheme=colors)
    assert page_barriers.find_barriers(page) == []
    page.add_style_tag(
        content=".explorer .map td[style] { background: color-mix(in srgb, "
        "var(--ink) calc(var(--w) * 0.9%), var(--paper)) !important; }"
    )
    assert {rule for rule, *_ in page_barriers.find_barriers(page)} == {
        "color-contrast"
    }


def test_buttons_step_forth_and_back_and_stop_at_the_ends(show_alone):
    page = show_alone(BEAM)
    forward, back = (
        page.locator(f"[data-part={name}]") for name in ("forward", "back")
    )
    for _ in range(2):
        forward.press("Enter")
    assert page.locator(READOUT).inner_text().startswith("Step 7 of 7: no live text")
    assert forward.is_disabled()
    for _ in range(6):
        back.click()
    assert page.locator(READOUT).inner_text() == "Step 1 of 7: live 4, ended so far 0."
    assert back.is_disabled()
    assert page.locator("[name=step]").input_value() == "1"


def test_a_search_with_fewer_steps_shortens_the_slider(show_alone):
    page = show_alone(BEAM)
    page.locator("[name=step]").press("End")
    page.locator("[name=number]").select_option("5000")
    assert page.locator("[name=step]").get_attribute("max") == "4"
    assert page.locator("[name=step]").get_attribute("aria-valuetext") == "4 of 4"
    assert "is wrong, it should be “cinq mille”" in page.locator(READOUT).inner_text()


def test_greedy_decoding_follows_one_text(show_alone):
    page = show_alone(BEAM)
    page.locator("[name=width]").press("Home")
    fates = page.locator(".beam").first.locator("tbody tr:visible td:last-child")
    assert fates.all_inner_texts() == ["goes on", "dropped", "dropped", "dropped"]


def test_stacks_without_norms_change_the_scale(show_alone):
    page = show_alone(STACKS)
    last = page.locator("[data-part=post-tick-2]")
    assert last.text_content() == "10"
    assert page.locator("[data-part=none]").is_hidden()
    page.locator("[name=none]").check()
    assert last.text_content() == "10⁸"
    assert page.locator("[data-part=none]").is_visible()
    assert "no norm" in page.locator(READOUT).inner_text()
    page.locator("[data-part=top]").press("End")
    assert "no norm not measured" in page.locator(READOUT).inner_text()
    assert page.locator("[data-part=none-note]").text_content() == "no data"


def test_stacks_grow_under_the_mouse_and_with_buttons(show_alone):
    page = show_alone(STACKS)
    top, readout = page.locator("[data-part=top]"), page.locator(READOUT)
    drag(page, "top", by=(0, 999))
    assert top.get_attribute("aria-valuetext") == "2 layers"
    assert page.locator("[data-part=fewer]").is_disabled()
    for layers in (4, 6, 8, 12, 16, 24, 48):
        page.locator("[data-part=more]").click()
        assert readout.inner_text().startswith(f"{layers} layers")
    assert page.locator("[data-part=more]").is_disabled()
    height = page.locator("[data-part=lid]").bounding_box()["y"]
    page.locator("[data-part=fewer]").click()
    assert page.locator("[data-part=lid]").bounding_box()["y"] > height


@pytest.mark.parametrize("html", [MAPS, BEAM, STACKS], ids=["maps", "beam", "stacks"])
def test_nothing_is_wider_than_a_phone_in_any_state(show_alone, html):
    page = show_alone(html, **PHONE)
    for control in page.locator("select").all():
        for option in control.locator("option").all():
            control.select_option(option.get_attribute("value"))
            assert page_visit.measure_sideways(page) == 0
