"""Pictures of wirings are made of boxes and arrows."""

import pytest
from matplotlib import pyplot as plt

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.start import BLUE


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_a_box_stands_around_its_text(axes):
    add_box(axes, "norm", (2.0, 3.0), width=4.0, height=1.0, color=BLUE)
    (box,), (text,) = axes.patches, axes.texts
    assert (box.get_x(), box.get_y()) == (0.0, 2.5)
    assert (box.get_width(), box.get_height()) == (4.0, 1.0)
    assert text.get_position() == (2.0, 3.0)
    assert text.get_color() == BLUE


def test_an_arrow_leads_from_start_to_end(axes):
    add_arrow(axes, (0.0, 1.0), (2.0, 3.0))
    (arrow,) = axes.texts
    assert (arrow.xyann, arrow.xy) == ((0.0, 1.0), (2.0, 3.0))


def test_a_picture_has_no_axes(axes):
    hide_axes(axes)
    assert not axes.get_xticks().size
    assert not axes.spines["left"].get_visible()
