"""The narrow form of a figure can be read on a phone, and the figure stays as it is."""

import io

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter

from bookkit.book.notebooks import NARROW
from chapters.narrow import KIND, WIDTH, find_faults, narrow, write_narrow
from chapters.shared.diagrams import add_box, hide_axes
from chapters.start import use_book_style


@pytest.fixture(autouse=True)
def _style():
    use_book_style()
    yield
    plt.close("all")
    mpl.rcParams.update(mpl.rcParamsDefault | {"backend": mpl.rcParams["backend"]})


def svg_of(figure):
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def draw_panels(*, rows=1, columns=2, **options):
    figure, grid = plt.subplots(rows, columns, figsize=(7.2, 3), **options)
    for axes in grid.flat:
        axes.plot([0, 1, 2], [0, 1, 4], label="a curve with a long name")
    return figure, grid


def columns_of(figure):
    return figure.axes[0].get_gridspec().get_geometry()[1]


def test_the_author_s_tools_know_the_kind_by_the_same_name():
    assert KIND == NARROW


def test_panels_of_a_row_stand_below_each_other_and_say_what_they_share():
    figure, grid = draw_panels(sharey=True)
    grid[0].set_ylabel("loss")
    form = narrow(figure)
    assert form.get_figwidth() == WIDTH
    assert columns_of(form) == 1
    assert [axes.get_ylabel() for axes in form.axes] == ["loss", "loss"]
    assert form.axes[1].yaxis.get_tick_params()["labelleft"]


def test_a_grid_keeps_its_columns_where_its_words_fit():
    figure, _ = draw_panels(rows=2)
    assert columns_of(narrow(figure)) == 2
    figure, grid = draw_panels(rows=2)
    for axes in grid.flat:
        axes.set_title("as long as the whole width of the form")
    form = narrow(figure)
    assert columns_of(form) == 1 or form.axes[0].get_title().count("\n") == 1
    assert find_faults(form) == {}


def test_the_figure_stays_as_it_is_and_pyplot_knows_no_other():
    figure, _ = draw_panels()
    before = svg_of(figure)
    narrow(figure)
    assert svg_of(figure) == before
    assert plt.get_fignums() == [figure.number]


def test_the_form_has_the_same_bytes_at_every_run():
    first, second = (write_narrow(draw_panels()[0]) for _ in range(2))
    assert first == second
    assert first.keys() == {KIND}
    assert first[KIND].startswith("<svg")


def test_a_legend_that_is_too_wide_gets_fewer_columns():
    figure, axes = plt.subplots()
    for n in range(4):
        axes.plot([0, 1], [0, n], label=f"a curve with a long name {n}")
    figure.legend(loc="outside upper center", ncols=4)
    form = narrow(figure)
    form.draw_without_rendering()
    assert form.legends[0].get_window_extent().width <= form.bbox.width


def test_words_that_leave_their_box_are_wrapped_or_say_their_label():
    figure, axes = plt.subplots(figsize=(7.2, 3))
    add_box(axes, "two long words", (2, 1), width=1.4, height=1)
    axes.text(5, 1, "what is long", label="short")
    axes.set(xlim=(0, 7.2), ylim=(0, 2))
    hide_axes(axes)
    texts = {text.get_text() for text in narrow(figure).axes[0].texts}
    assert texts == {"two long\nwords", "short"}


def test_slanted_names_stand_upright():
    figure, axes = plt.subplots()
    axes.set_xticks(range(3), ["one", "two", "three"])
    axes.tick_params(axis="x", rotation=45)
    [panel] = narrow(figure).axes
    assert {label.get_rotation() for label in panel.get_xticklabels()} == {90}


def test_no_letters_are_smaller_than_eight_points():
    figure, axes = plt.subplots()
    axes.text(0, 0, "small", fontsize=6)
    assert narrow(figure).axes[0].texts[0].get_fontsize() == 8


def test_texts_that_meet_cross_a_box_or_stick_out_are_faults():
    figure, axes = plt.subplots(figsize=(WIDTH, 3), layout="none")
    axes.text(0.2, 0.5, "one")
    axes.text(0.22, 0.5, "two")
    add_box(axes, "a text wider than its box", (0.5, 0.8), width=0.1, height=0.05)
    axes.text(0.9, 0.2, "a text that goes on beyond the end of the figure")
    hide_axes(axes)
    assert list(find_faults(figure)) == [
        "'one' and 'two' meet",
        "'a text wider than its box' crosses a box",
        "it is too wide",
    ]


def test_a_figure_that_cannot_be_copied_has_no_narrow_form():
    figure, axes = plt.subplots()
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value}!"))
    assert write_narrow(figure) == {}


def test_a_figure_without_panels_has_a_narrow_form():
    figure = plt.figure()
    figure.add_axes((0.1, 0.1, 0.8, 0.8)).plot([0, 1])
    assert write_narrow(figure).keys() == {KIND}
