"""Plots that several chapters share. Rows are queries, columns are keys."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike
from torch import Tensor

from chapters.start import COLORS, DIVERGING, INK, LINE_STYLES, PAPER, SEQUENTIAL


def to_numpy(numbers: ArrayLike | Tensor) -> np.ndarray:
    """Return numbers, or a tensor on any device, as a NumPy array of floats."""
    if isinstance(numbers, Tensor):
        numbers = numbers.detach().cpu()
    return np.asarray(numbers, dtype=float)


def heat_map(
    axes: Axes,
    matrix: ArrayLike,
    *,
    kind: str = "sequential",
    limit: float | None = None,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    row_label: str = "query",
    column_label: str = "key",
    title: str = "",
    decimals: int | None = None,
) -> None:
    """Draw a matrix as a grid of colors, the first row on top.

    Args:
        axes: Where to draw.
        matrix: The numbers, rows = queries and columns = keys.
        kind: "sequential" runs from zero up, "diverging" is centered at zero.
        limit: The number of the strongest color; the largest size when not given.
        rows: A name for each row.
        columns: A name for each column.
        row_label: What the rows are.
        column_label: What the columns are.
        title: What the matrix is, one or two words, for figures of several panels.
        decimals: Write each number into its cell with so many decimals.

    Raises:
        ValueError: If `kind` is unknown, or a sequential matrix has a number below 0.
    """
    matrix = to_numpy(matrix)
    maps = {"sequential": SEQUENTIAL, "diverging": DIVERGING}
    if kind not in maps:
        raise ValueError(
            f"kind must be 'sequential' or 'diverging', got {kind!r}; choose one."
        )
    if kind == "sequential" and matrix.min() < 0:
        raise ValueError(
            f"a sequential map starts at zero, got {matrix.min():.4g}; "
            "use kind='diverging'."
        )
    limit = float(np.abs(matrix).max()) if limit is None else limit
    low = 0.0 if kind == "sequential" else -limit
    axes.imshow(matrix, cmap=maps[kind], vmin=low, vmax=limit, aspect="auto")
    axes.set(xlabel=column_label, ylabel=row_label, title=title)
    axes.spines[:].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    if columns:
        axes.set_xticks(range(len(columns)), columns)
    if rows:
        axes.set_yticks(range(len(rows)), rows)
    if decimals is not None:
        for (row, column), number in np.ndenumerate(matrix):
            dark = abs(number) > 0.55 * limit
            axes.text(
                column,
                row,
                f"{number:.{decimals}f}",
                ha="center",
                va="center",
                color=PAPER if dark else INK,
            )


def line_plot(
    axes: Axes,
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    x_label: str,
    y_label: str,
    direct: bool = True,
) -> None:
    """Draw named curves over one axis, each with its own color and line style.

    Args:
        axes: Where to draw.
        x: The common x values.
        curves: A name and the y values of each curve, four at most.
        x_label: Lowercase, with the unit.
        y_label: Lowercase, with the unit.
        direct: Write the names at the right ends instead of in a legend.

    Raises:
        ValueError: If there are more curves than colors.
    """
    if len(curves) > len(COLORS):
        raise ValueError(
            f"a plot shows at most {len(COLORS)} curves, got {len(curves)}; "
            "split it into panels."
        )
    styles = zip(COLORS, LINE_STYLES, strict=True)
    for (name, y), (color, style) in zip(curves.items(), styles, strict=False):
        y = to_numpy(y)
        axes.plot(to_numpy(x), y, color=color, linestyle=style, label=name)
        if direct:
            axes.annotate(
                name,
                (to_numpy(x)[-1], y[-1]),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                color=color,
            )
    axes.set(xlabel=x_label, ylabel=y_label)
    if not direct:
        axes.legend(loc="best")  # the default, which warns where it takes a second


def band_plot(
    axes: Axes,
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    x_label: str,
    y_label: str,
) -> None:
    """Draw named curves with what the seeds differ by: the mean and the range.

    Args:
        axes: Where to draw.
        x: The common x values.
        curves: A name and one row of y values for each seed, four names at most.
        x_label: Lowercase, with the unit.
        y_label: Lowercase, with the unit.

    Raises:
        ValueError: If there are more curves than colors.
    """
    rows = {name: to_numpy(seeds) for name, seeds in curves.items()}
    means = {name: seeds.mean(axis=0) for name, seeds in rows.items()}
    line_plot(axes, x, means, x_label=x_label, y_label=y_label, direct=False)
    axes.get_legend().remove()
    for seeds, color in zip(rows.values(), COLORS, strict=False):
        low, high = seeds.min(axis=0), seeds.max(axis=0)
        axes.fill_between(to_numpy(x), low, high, color=color, alpha=0.2, lw=0)


def range_plot(
    axes: Axes,
    results: Mapping[str, ArrayLike],
    *,
    x_label: str,
    baseline: float | None = None,
) -> None:
    """Draw a row of dots for each name, one dot a seed, and a bar at their mean.

    Args:
        axes: Where to draw.
        results: A name and the results of its seeds; the first name on top.
        x_label: Lowercase, with the unit.
        baseline: Where to draw a dotted line to compare with.
    """
    for row, seeds in enumerate(results.values()):
        seeds = to_numpy(seeds)
        axes.plot(seeds, np.full(seeds.size, row), "o", color=COLORS[0], alpha=0.6)
        axes.plot(seeds.mean(), row, "|", color=INK, markersize=18, markeredgewidth=2)
    if baseline is not None:
        axes.axvline(baseline, color=INK, lw=1, linestyle=":")
    axes.set_yticks(range(len(results)), list(results))
    axes.set(xlabel=x_label, ylim=(len(results) - 0.4, -0.6))
