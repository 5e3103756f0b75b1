"""Where the parts of a narrow form stand, and how large they are."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text

HEIGHT = 0.9  # of a panel, relative to the figure's
GAP = 0.08  # inches between panels below each other, where labels and titles meet
STANDARD, SMALLEST = 11.0, 8.0  # points: the letters of figures, and the least of forms
# How much of the form the legend of one panel may take; its numbers need the rest.
LEGEND = 0.75
IN_A_ROW = 3  # panels with numbers in a row that go into one column, more into two
PICTURES = 2  # panels without numbers that may stand side by side


def list_columns(figure: Figure) -> Sequence[int]:
    """List in how many columns the panels may stand, the best number first."""
    panels = _list_panels(figure)
    if not panels:
        return [1]
    rows, columns = panels[0].get_gridspec().get_geometry()
    if rows == 1:
        has_numbers = any(map(_has_numbers, panels))
        most = (1 if columns <= IN_A_ROW else 2) if has_numbers else PICTURES
        columns = min(columns, most)
    return range(columns, 0, -1)


def arrange(figure: Figure, columns: int, width: float) -> None:
    """Give a figure the width of a form, and its panels so many columns."""
    panels = _list_panels(figure)
    old_rows = rows = 1
    if panels:
        old_rows, old_columns = panels[0].get_gridspec().get_geometry()
        rows = -(-len(panels) // columns)
        if columns != old_columns:
            _label_all(panels, old_columns)
            grid = GridSpec(rows, columns, figure=figure)
            for place, panel in enumerate(panels):
                panel.set_subplotspec(grid[place])
            layout = figure.get_layout_engine()
            if isinstance(layout, ConstrainedLayoutEngine):
                layout.set(h_pad=GAP)
    height = figure.get_figheight() * HEIGHT * rows / old_rows
    figure.set_size_inches(width, height)


def scale_letters(figure: Figure, size: float) -> None:
    """Scale all letters to a standard size in points; no text stays slanted."""

    def scaled(points: float) -> float:
        return max(SMALLEST, points * size / STANDARD)

    axes = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)]
    firsts = {
        axis: ticks[0].label1 for axis in axes if (ticks := axis.get_major_ticks())
    }
    looks = {a: (t.get_fontsize(), t.get_rotation()) for a, t in firsts.items()}
    for text in figure.findobj(Text):
        text.set_fontsize(scaled(text.get_fontsize()))
    for axis, (points, turn) in looks.items():
        turn = 90 if turn % 90 else turn
        axis.set_tick_params(which="both", labelsize=scaled(points), labelrotation=turn)


def fold_legend(figure: Figure, legend: Legend) -> None:
    """Give a legend fewer columns, until it is not too wide."""
    room = figure.bbox.width * (1 if legend.axes is None else LEGEND)
    columns = legend._legend_handle_box.get_children()
    entries = [entry for column in columns for entry in column.get_children()]
    while len(columns) > 1 and legend.get_window_extent().width > room:
        columns.pop()
        parts = np.array_split(np.arange(len(entries)), len(columns))
        for column, part in zip(columns, parts, strict=True):
            column.get_children()[:] = [entries[i] for i in part]


def _list_panels(figure: Figure) -> list[Axes]:
    """List the panels, without scales of colors."""
    return [axes for axes in figure.axes if axes.get_subplotspec() is not None]


def _has_numbers(axes: Axes) -> bool:
    """Return whether a panel is a plot, and no picture."""
    return len(axes.get_xticks()) > 0 or len(axes.get_yticks()) > 0


def _label_all(panels: Sequence[Axes], columns: int) -> None:
    """Let panels that share an axis say what it is, each for itself."""
    for place, panel in enumerate(panels):
        left = panels[place - place % columns]
        below = panels[place + (len(panels) - 1 - place) // columns * columns]
        if panel.get_shared_y_axes().joined(panel, left):
            panel.tick_params(axis="y", which="both", labelleft=True)
            panel.set_ylabel(panel.get_ylabel() or left.get_ylabel())
        if panel.get_shared_x_axes().joined(panel, below):
            panel.tick_params(axis="x", which="both", labelbottom=True)
            panel.set_xlabel(panel.get_xlabel() or below.get_xlabel())
