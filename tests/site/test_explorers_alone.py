"""What each explorer of position and attention shows when a reader moves it."""

import pytest
from explorer_use import explorer_of


@pytest.fixture
def open_explorer(show_alone):
    """Show an explorer in a page of its own; the value is the page."""
    return lambda name: show_alone(explorer_of(name)._repr_html_())


def read(page, *names):
    """Read numbers by the names of their parts."""
    return [page.locator(f'[data-part="{name}"]').text_content() for name in names]


def slide(page, name, key, times=1):
    """Press a key on a control, some times."""
    for _ in range(times):
        page.locator(f'[name="{name}"]').press(key)


MATRIX = "turn-00", "turn-01", "turn-10", "turn-11"
VECTORS = "start-00", "start-10", "end-00", "end-10"


def changed(page):
    """List the parts that are marked as changed by the last move."""
    marked = page.locator(".explorer-changed").all()
    return {part.get_attribute("data-part") for part in marked}


def test_position_changes_the_vectors_and_not_the_matrix(open_explorer):
    page = open_explorer("sinusoidal")
    matrix = read(page, *MATRIX)
    for position in range(4, 30):
        slide(page, "position", "ArrowRight")
        assert read(page, *MATRIX) == matrix
        assert changed(page) <= {*VECTORS}
        assert f"From position {position} to {position + 2}" in page.inner_text(
            "output"
        )
    assert changed(page)


def test_offset_changes_the_matrix_and_not_the_start(open_explorer):
    page = open_explorer("sinusoidal")
    start = read(page, "start-00", "start-10")
    slide(page, "offset", "ArrowRight")
    assert {*MATRIX, "end-00", "end-10"} <= changed(page)
    assert read(page, "start-00", "start-10") == start


def test_matrix_of_no_offset_is_the_identity(open_explorer):
    page = open_explorer("sinusoidal")
    slide(page, "offset", "Home")
    assert read(page, *MATRIX) == ["1.000", "0.000", "0.000", "1.000"]


def test_both_moved_keep_the_score_up_to_the_ends_of_the_text(open_explorer):
    page = open_explorer("rotary")
    before = read(page, "offset", "total", "part-0", "part-1")
    slide(page, "both", "Space")
    for name, key in (("query", "ArrowRight"), ("key", "Home"), ("query", "End")):
        slide(page, name, key, times=3)
        assert read(page, "offset", "total", "part-0", "part-1") == before
        assert changed(page) == set()
    values = [page.input_value(f'[name="{name}"]') for name in ("query", "key")]
    assert values == ["18", "20"]
    assert "The query at 18 and the key at 20" in page.inner_text("output")


def test_key_moved_alone_changes_the_score_and_the_dot(open_explorer):
    page = open_explorer("rotary")
    dot, before = page.locator("[data-part=dot]"), read(page, "total")
    place = dot.get_attribute("cx")
    slide(page, "key", "ArrowRight")
    assert read(page, "offset") == ["3"]
    assert read(page, "total") != before
    assert float(dot.get_attribute("cx")) == float(place) + 8


def test_softmax_hardens_with_the_dimension_unless_divided(open_explorer):
    page = open_explorer("self_attention")
    slide(page, "size", "End")
    assert float(read(page, "largest")[0]) < 0.5
    slide(page, "divisor", "Home")
    assert not page.is_checked('[name="root"]')
    largest, entropy, trace = map(float, read(page, "largest", "entropy", "trace"))
    assert largest > 0.9
    assert max(entropy, trace) < 0.2
    slide(page, "root", "Space")
    assert "divided by √1024 = 32.0" in page.inner_text("output")
    assert page.get_attribute('[name="size"]', "aria-valuetext") == "1024"


def test_divisor_follows_the_root_of_the_dimension(open_explorer):
    page = open_explorer("self_attention")
    slide(page, "size", "Home")
    assert "4 features, scores divided by √4 = 2.0" in page.inner_text("output")
    assert page.locator('[data-value="divisor"]').text_content() == "2.0"
