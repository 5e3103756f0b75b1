"""The figures of the chapter on images show what they are given."""

import numpy as np
import pytest

from chapters.beyond_words import figures

IMAGE = np.arange(64).reshape(8, 8) / 63


def test_patches_stand_in_the_order_in_which_one_reads(drawn):
    figures.draw_flow(IMAGE, 4)
    axes = drawn[0].axes[0]
    corners = [shown.get_array()[0, 0] * 63 for shown in axes.images]
    assert corners == pytest.approx([0, 4, 32, 36])
    assert [text.get_text() for text in axes.texts if text.get_text()] == [
        *(
            "c",
            "one map for all, plus a vector for the place",
            "encoder",
            "scores of the labels",
        )
    ]


def test_shares_have_a_dot_for_each_seed(drawn):
    figures.draw_shares({"none": [0.2, 0.4], "learned": [0.9, 1.0]}, y_label="kind")
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_xdata()) == [0.2, 0.4]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["none", "learned"]
    assert axes.get_ylabel() == "kind"


def test_weights_stand_below_their_digits_on_one_scale(drawn):
    weights = np.arange(32).reshape(2, 4, 4) / 100
    figures.draw_looks([IMAGE, IMAGE], weights)
    panels = drawn[0].axes
    assert len(panels) == 4
    assert np.array_equal(panels[3].images[0].get_array(), weights[1])
    assert panels[2].images[0].get_clim() == (0, pytest.approx(0.31))


def test_each_word_has_its_picture(drawn):
    weights = np.zeros((3, 4, 4))
    weights[0, 1, 2], weights[1:, 0, 0] = 0.5, 1.0
    figures.draw_reading(IMAGE, ["trois", "cent", ""], weights)
    titles = [axes.get_title() for axes in drawn[0].axes]
    assert titles == ["trois", "cent", "end", ""]
    shade = drawn[0].axes[0].images[1].get_array()
    assert shade[2:4, 4:6, 3].min() == pytest.approx(0.45)  # half of the darkest
    assert shade[0, 0, 3] == 0


def test_texts_have_a_panel_for_each_training(drawn):
    shares = {"one text": {"a": [0.9], "b": [0.3]}, "several": {"a": [0.8], "b": [0.7]}}
    figures.draw_texts(shares)
    panels = drawn[0].axes
    titles = [axes.get_title() for axes in panels]
    assert titles == ["learned behind one text", "learned behind several"]
    assert list(panels[1].lines[2].get_xdata()) == [0.7]
