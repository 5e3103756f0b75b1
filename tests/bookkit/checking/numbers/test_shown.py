"""What code, outputs and figures show is read with its size."""

import io

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_output

from bookkit.checking.numbers.curves import FEW, values_drawn, words_drawn
from bookkit.checking.numbers.shown import numbers_shown, shown_by


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("loss 0.51, -2.5 and \N{MINUS SIGN}3", [0.51, -2.5, -3]),
        ("lr=3e-4, 10_000 steps", [3e-4, 10_000]),
        ("1,024 rows, 5 %", [1024, 5, 0.05]),
        ("{x:.2f} {y:5.1f} x2 v1.2", []),
    ],
)
def test_numbers_of_a_text_are_read(text, values):
    assert [*numbers_shown(text)] == values


def test_a_table_in_html_is_read_without_its_marks():
    html = '<style>.a{width: 0.77em}</style><td width="9">0.51</td>'
    output = new_output("display_data", data={"text/html": html})

    assert shown_by(new_code_cell("", outputs=[output])).rounded == {0.51}


def drawn(draw, **settings):
    """Draw on the axes of a figure, and return its drawing."""
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "x"}):
        figure = Figure()
        axes = figure.subplots()
        axes.set(**settings)
        draw(axes)
        file = io.StringIO()
        figure.savefig(file, format="svg")
    return file.getvalue()


def shows(svg, value):
    """Say whether a value can be read off a drawing."""
    return any(abs(found - value) < 1e-3 * value for found in values_drawn(svg))


def test_points_bars_and_logarithms_are_read_off_the_axes():
    line = drawn(lambda axes: axes.plot([1, 2, 3], [0.37, 0.91, 0.62]))
    bars = drawn(lambda axes: axes.bar([1, 2], [0.37, 0.91]))
    slope = drawn(lambda axes: axes.plot([1, 1000], [1, 37]), xscale="log")

    assert shows(line, 0.91)
    assert shows(bars, 0.37)
    assert shows(slope, 1000)
    assert not shows(line, 0.75)


def test_of_a_long_line_only_ends_and_turns_are_read():
    heights = [i / 100 for i in range(2 * FEW)] + [0.05]
    line = drawn(lambda axes: axes.plot(heights))

    assert shows(line, heights[-2])
    assert shows(line, 0.05)
    assert not shows(line, 0.13)


def test_words_of_a_drawing_are_read():
    svg = drawn(lambda axes: axes.text(0, 0, "ends at 0.37"), yscale="log")

    words = [*words_drawn(svg)]

    assert "ends at 0.37" in words
    assert "1e0" in words
