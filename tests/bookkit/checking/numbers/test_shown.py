"""What code, outputs and figures show is read with its size."""

import io

import matplotlib as mpl
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_output

from bookkit.checking.facts import facts
from bookkit.checking.numbers.shown import (
    FEW,
    numbers_shown,
    shown_by,
    values_drawn,
    words_drawn,
)

SMALL = {"image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"/>'}


@facts(
    "text, values",
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


def test_words_that_stand_for_a_figure_are_no_source():
    shown = new_output("display_data", data={"text/plain": "0.37"})
    drawn = new_output("display_data", data={"text/plain": "0.51", **SMALL})

    assert shown_by(new_code_cell("", outputs=[shown, drawn])).rounded == {0.37}


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


def test_two_powers_of_ten_do_not_tell_even_steps_from_a_logarithm():
    svg = drawn(
        lambda axes: axes.plot([1, 2], [0.37, 0.37]),
        yticks=[0.1, 1],
        yticklabels=["0.1", "1"],
        xlim=(1.2, 1.8),
    )

    assert not shows(svg, 0.37)


def test_of_a_long_line_only_ends_and_turns_are_read():
    heights = [i / 100 for i in range(2 * FEW)] + [0.05]
    line = drawn(lambda axes: axes.plot(heights))

    assert shows(line, heights[-2])
    assert shows(line, 0.05)
    assert not shows(line, 0.13)


def test_the_box_the_legend_and_the_shape_of_a_mark_are_no_data():
    def line(axes):
        axes.plot([1, 2], [0.37, 0.91], marker="o", label="a")
        axes.scatter([1.5], [0.55], label="b")
        axes.legend(loc=(0.4, 0.5))

    svg = drawn(line, xlim=(0.83, 2.29), ylim=(0.13, 1.17))

    assert all(shows(svg, value) for value in (1, 2, 0.37, 0.91, 1.5, 0.55))
    assert len({round(value, 3) for value in values_drawn(svg)}) == 6


def test_a_band_is_read_where_it_lies():
    svg = drawn(lambda axes: axes.fill_between([1, 2], [0.37, 0.41], [0.62, 0.91]))

    assert all(shows(svg, value) for value in (0.37, 0.41, 0.62, 0.91))
    assert max(values_drawn(svg)) < 2.01


def test_the_seed_of_an_example_is_no_number_of_it():
    cell = new_code_cell("x = gaussian(9, 4, seed=13)")

    assert shown_by(cell).exact == {9, 4}


def test_words_of_a_drawing_are_read():
    svg = drawn(lambda axes: axes.text(0, 0, "ends at 0.37"), yscale="log")

    words = [*words_drawn(svg)]

    assert "ends at 0.37" in words
    assert "1e0" in words
