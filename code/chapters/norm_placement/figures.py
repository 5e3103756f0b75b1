"""Figures of the chapter on where the norm goes."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, to_numpy
from chapters.start import BLUE, COLORS, INK, LINE_STYLES, ORANGE, PAPER

MARKERS = ("o", "s", "^", "D")


def draw_wirings():
    """Show one sublayer with the norm after the sum and with the norm before it."""
    _, axes = plt.subplots(1, 2, figsize=(6.4, 3.6))
    for panel, title, parts in (
        (axes[0], "post-norm", {"sublayer": 1.0, "+": 2.2, "norm": 3.2}),
        (axes[1], "pre-norm", {"norm": 1.0, "sublayer": 2.0, "+": 3.2}),
    ):
        add_wiring(panel, parts)
        panel.set_title(title)
    plt.show()


def add_wiring(axes: Axes, parts: Mapping[str, float]) -> None:
    """Draw boxes from the bottom up, and a skip that leads around to the sum."""
    heights = [-0.1, *parts.values(), 4.3]
    for low, high in pairwise(heights):
        add_arrow(axes, (0, low + 0.28 * (low > 0)), (0, high - 0.28 * (high < 4)))
    for name, height in parts.items():
        add_box(
            axes,
            name,
            (0, height),
            width=0.4 if name == "+" else 1.5,
            color=ORANGE if name == "norm" else INK,
        )
    branch, total = 0.3, parts["+"]
    axes.plot((0, 1.3, 1.3), (branch, branch, total), color=BLUE)
    add_arrow(axes, (1.3, total), (0.3, total), color=BLUE)
    axes.text(1.4, (branch + total) / 2, "skip", color=BLUE, va="center")
    axes.text(0.15, -0.1, "$x$", va="bottom")
    axes.text(0.15, 4.2, "$y$", va="center")
    axes.set(xlim=(-1.2, 2.1), ylim=(-0.2, 4.4), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def draw_stacks():
    """Show two layers in each order, with the stream as a line from x to y."""
    _, axes = plt.subplots(1, 2, figsize=(6.4, 6.4))
    for panel, placement in zip(axes, ("post", "pre"), strict=True):
        for n, name in enumerate(("attention", "feed-forward") * 2):
            add_sublayer(panel, name, placement, bottom=2 * n)
        if placement == "pre":
            add_box(panel, "final norm", (0, 8.4), color=ORANGE)
        panel.plot((0, 0), (-0.6, 9), color=BLUE, linestyle="-", zorder=1)
        add_arrow(panel, (0, 8.9), (0, 9.3), color=BLUE)
        panel.text(0.15, -0.5, "$x$", va="center")
        panel.text(0.15, 9.2, "$y$", va="center")
        panel.set(title=f"{placement}-norm", xlim=(-1.1, 3.1), ylim=(-0.7, 9.4))
        hide_axes(panel)
    plt.show()


def add_sublayer(axes: Axes, name: str, placement: str, *, bottom: float) -> None:
    """Draw the branch of one sublayer at the right of the stream, and its norm."""
    norm_first = placement == "pre"
    total, branch = bottom + (1.7 if norm_first else 1.1), 1.9
    corners = (bottom + 0.05, bottom + 0.05, total, total)
    axes.plot((0, branch, branch, 0), corners, color=INK, linestyle="-", zorder=0)
    add_arrow(axes, (0.5, total), (0.25, total))
    add_box(axes, "+", (0, total), width=0.3, height=0.3)
    add_box(axes, name, (branch, bottom + (1.2 if norm_first else 0.6)), width=2.0)
    place = (branch, bottom + 0.55) if norm_first else (0, bottom + 1.65)
    add_box(axes, "norm", place, width=1.2, height=0.3, color=ORANGE)


def draw_piles(piles: Mapping[str, ArrayLike]):
    """Show the letter under a pile of remarks, a bar after each remark.

    Args:
        piles: A title, and a row for each bar: how much of the variance comes from
            the letter and from each remark, in their order.
    """
    _, panels = plt.subplots(1, len(piles), figsize=(7.2, 3.4))
    for axes, (title, matrix) in zip(np.atleast_1d(panels), piles.items(), strict=True):
        parts = to_numpy(matrix)
        tops = parts.cumsum(axis=1)
        for n, part in enumerate(parts.T):  # from the letter up
            axes.bar(
                range(len(parts)),
                part,
                bottom=tops[:, n] - part,
                color=BLUE if n == 0 else INK,
                alpha=1.0 if n == 0 else 0.2,
                edgecolor=PAPER,
                linewidth=1.0,
            )
        axes.set(title=title, xlabel="remarks added", ylabel="variance")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plt.show()


def draw_by_layer(
    runs: Mapping[str, ArrayLike], *, first: int, y_label: str, log: bool = False
):
    """Show a quantity over the depth: the mean and the range over seeds.

    Args:
        runs: A name, and one row of numbers for each seed.
        first: Number of the first layer; 0 for the input of the stack.
        y_label: What is shown.
        log: Whether equal factors are equal steps.
    """
    _, axes = plt.subplots()
    layers = first + np.arange(np.shape(next(iter(runs.values())))[1])
    band_plot(axes, layers, runs, x_label="layer", y_label=y_label)
    axes.set_yscale("log" if log else "linear")
    if log and np.ptp(np.log10(axes.get_ylim())) < 2:  # too short for powers of ten
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    columns = len(runs) if len(runs) < 4 else 2
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)
    plt.show()


def draw_grid(
    panels: Mapping[str, Mapping[str, Mapping[float, Sequence[float]]]],
    *,
    baseline: float,
):
    """Show the result of trainings over the learning rate, a panel for each depth.

    Args:
        panels: A title, and for each name the results of its seeds at each rate.
        baseline: The result of one who knows only how often each token comes.
    """
    _, grid = plt.subplots(1, len(panels), figsize=(7.2, 3.8), sharex=True, sharey=True)
    for axes, (title, curves) in zip(grid, panels.items(), strict=True):
        styles = zip(COLORS, LINE_STYLES, MARKERS, strict=True)
        for (name, curve), (color, style, mark) in zip(
            curves.items(), styles, strict=False
        ):
            seeds = [to_numpy(results) for _, results in sorted(curve.items())]
            means = [results.mean() for results in seeds]
            ranges = [(r.mean() - r.min(), r.max() - r.mean()) for r in seeds]
            axes.errorbar(
                sorted(curve),
                means,
                yerr=np.transpose(ranges),
                color=color,
                linestyle=style,
                marker=mark,
                label=name,
            )
        axes.axhline(baseline, color=INK, lw=1, linestyle=":")
        axes.set(title=title, xscale="log", xlabel="learning rate")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
    grid[0].set(ylabel="nats per token, held out", ylim=(0, None))
    name_curves(axes)
    plt.show()


def name_curves(axes: Axes) -> None:
    """Write the names of the curves above the figure, two in a row."""
    lines, names = axes.get_legend_handles_labels()
    axes.figure.legend(lines, names, loc="outside upper center", ncols=2)


def draw_losses(
    curves: Mapping[str, ArrayLike], *, every: int, bounds: Sequence[float]
):
    """Show the training losses of all seeds of a few trainings.

    Args:
        curves: A name, and one row of losses for each seed.
        every: Steps from one loss to the next.
        bounds: What a constant prediction and a perfect one lose, as dotted lines.
    """
    _, axes = plt.subplots()
    steps = 1 + every * np.arange(np.shape(next(iter(curves.values())))[1])
    label = "training loss (nats per token)"
    band_plot(axes, steps, curves, x_label="step", y_label=label)
    for bound in bounds:
        axes.axhline(bound, color=INK, lw=1, linestyle=":")
    axes.set_ylim(0, None)
    name_curves(axes)
    plt.show()


def draw_volume(
    factors: Sequence[float],
    losses: Mapping[str, ArrayLike],
    norms: Mapping[str, tuple[float, float]],
    *,
    guess: float,
):
    """Show the loss of a model whose stream is multiplied behind a layer.

    Args:
        factors: By what it is multiplied, rising.
        losses: A name for each layer, and one row of losses for each text.
        norms: For some of the names the factor that an extra norm amounts to on
            average, and the loss with it.
        guess: The loss of a blind guess, as a dotted line.
    """
    _, axes = plt.subplots(figsize=(6.8, 3.8))
    x_label = "factor on the stream"
    y_label = "loss (nats per token)"
    band_plot(axes, factors, losses, x_label=x_label, y_label=y_label)
    for name, color in zip(losses, COLORS, strict=False):
        if name in norms:
            axes.plot(*norms[name], "X", color=color, ms=10, mec=PAPER)
    axes.axhline(guess, color=INK, lw=1, linestyle=":")
    axes.set(xscale="log", ylim=(0, None))
    axes.set_xticks(factors, [f"{factor:g}" for factor in factors])
    axes.minorticks_off()
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(losses))
    plt.show()


def draw_first_steps(steps: Sequence[int], curves: Mapping[str, ArrayLike]):
    """Show how alike the tokens of a batch are after the first steps of trainings.

    Args:
        steps: After how many steps, rising from 0.
        curves: A name, and one row of cosines for each seed.
    """
    _, axes = plt.subplots(figsize=(6.8, 3.8))
    y_label = "cosine between two tokens"
    band_plot(axes, steps, curves, x_label="training steps", y_label=y_label)
    axes.set_xscale("symlog", linthresh=4, linscale=1.5)
    ticks = [step for step in steps if step in (0, 1, 2, 4, 8, 16, 32, 75)]
    axes.set(xlim=(0, steps[-1]), ylim=(0, 1.05))
    axes.set_xticks(ticks, [str(step) for step in ticks])
    axes.minorticks_off()
    name_curves(axes)
    plt.show()
