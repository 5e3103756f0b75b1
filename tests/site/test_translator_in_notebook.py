"""The translator runs in a notebook, in a frame of its own and without a network."""

from playwright.sync_api import expect

from chapters.live.notebook import Translator


def test_a_cell_shows_the_translator_and_a_part_can_be_taken_out(show_alone):
    page = show_alone(Translator()._repr_html_())
    frame, box = page.frame_locator("iframe"), page.locator("iframe")
    said = frame.locator(".translator-said")
    frame.locator("#translator-text").fill("6002")
    expect(said).to_have_text("six mille deux")
    frame.get_by_role("button", name="positions", exact=True).click()
    expect(said).to_contain_text("deux mille six, without positions")
    frame.get_by_role("button", name="See its 24 heads").click()
    frame.locator(".translator-head").nth(23).wait_for()
    height = frame.locator("body").evaluate("(body) => body.offsetHeight")
    expect(box).to_have_css("height", f"{height}px")
    assert frame.locator("a[href], .translator-tour").count() == 0
    assert page.complaints == []
