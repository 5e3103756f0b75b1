"""Figures of the chapter on training."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from chapters.shared.plots import band_plot, heat_map, line_plot, to_numpy
from chapters.start import COLORS, INK, LINE_STYLES, PAPER

PADDING = "#d9d9d9"


def draw_batch(panels: Mapping[str, Sequence[Sequence[str]]], *, empty: Sequence[str]):
    """Show the sides of a batch as grids of words, what is filled up in grey.

    Args:
        panels: A title and its rows of words; a row is a pair.
        empty: The words that stand for nothing, such as "pad".
    """
    _, axes = plt.subplots(len(panels), 1, figsize=(6.4, 5.2))
    width = max(len(row) for rows in panels.values() for row in rows)
    for panel, (title, rows) in zip(axes, panels.items(), strict=True):
        for place, row in enumerate(rows):
            for step, word in enumerate(row):
                add_cell(panel, word, step, place, filled=word in empty)
        panel.set(xlim=(-0.05, width + 0.05), ylim=(len(rows) + 0.05, -0.05))
        places = range(1, max(map(len, rows)) + 1)
        panel.set_xticks(np.arange(len(places)) + 0.5, places)
        panel.set_yticks(np.arange(len(rows)) + 0.5)
        panel.set_yticklabels(range(1, len(rows) + 1))
        panel.set(title=title, ylabel="pair")
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
    axes[-1].set_xlabel("position")
    plt.show()


def add_cell(axes: Axes, word: str, step: int, place: int, *, filled: bool) -> None:
    """Draw one word of a batch in its box."""
    face = PADDING if filled else PAPER
    axes.add_patch(Rectangle((step, place), 1, 1, fc=face, ec=INK, lw=1))
    x, y = step + 0.5, place + 0.5
    axes.text(x, y, word, ha="center", va="center", color=INK, fontsize=10)


def draw_losses(p: ArrayLike, losses: Mapping[str, ArrayLike], *, least: float):
    """Show losses over the probability of the true token, and their least value.

    Args:
        p: The probability of the true token.
        losses: A name and the loss at each probability.
        least: The least value of the smoothed loss, drawn as a dotted line.
    """
    _, axes = plt.subplots()
    line_plot(
        axes,
        p,
        losses,
        x_label="probability of the true token",
        y_label="loss (nats)",
        direct=False,
    )
    axes.axhline(least, color=INK, lw=1, linestyle=":")
    axes.set_ylim(0, 3)
    plt.show()


def draw_schedules(steps: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]]):
    """Show learning rates over the steps, a panel for each kind of schedule.

    Args:
        steps: Numbers of the steps.
        panels: A title, and names with the learning rate at each step.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(6.4, 3.2), sharey=True)
    for panel, (title, curves) in zip(axes, panels.items(), strict=True):
        scaled = {name: 1000 * to_numpy(rates) for name, rates in curves.items()}
        thousands = to_numpy(steps) / 1000
        line_plot(panel, thousands, scaled, x_label="", y_label="", direct=False)
        panel.set(title=title, xlabel="step (thousands)", ylim=(0, 0.85))
        panel.get_legend().remove()
    axes[0].set_ylabel("learning rate (thousandths)")
    axes[0].legend(loc="upper right")
    plt.show()


def draw_curves(steps: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]]):
    """Show what is measured during trainings: the mean and range of some seeds.

    Args:
        steps: When was looked.
        panels: The label of a vertical axis, and names with a row for each seed.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(6.4, 3.2))
    for panel, (label, curves) in zip(axes, panels.items(), strict=True):
        band_plot(panel, steps, curves, x_label="step", y_label=label)
        panel.set_ylim(bottom=0)
    plt.show()


def draw_overfitting(steps: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]]):
    """Show the loss of what was learned and of what was held out, on one scale.

    Args:
        steps: When was looked.
        panels: A title, and names with a row of losses for each seed.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(6.4, 3.2), sharey=True)
    for panel, (title, curves) in zip(axes, panels.items(), strict=True):
        band_plot(panel, steps, curves, x_label="step", y_label="")
        panel.set(title=title, yscale="log")
    axes[0].set_ylabel("cross-entropy (nats per token)")
    names = list(next(iter(panels.values())))
    axes[-1].legend(axes[-1].lines, names, loc="lower left", fontsize=10)
    plt.show()


def draw_cross_attention(
    panels: Mapping[str, ArrayLike], *, rows: Sequence[str], columns: Sequence[str]
):
    """Show where each word that is written looks in what was read.

    Args:
        panels: A title and the weights (target, source).
        rows: The words that are written.
        columns: The words that were read.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(6.4, 4.2), sharey=True)
    for panel, (title, weights) in zip(axes, panels.items(), strict=True):
        heat_map(
            panel,
            to_numpy(weights).round(2),
            limit=1.0,
            rows=rows,
            columns=columns,
            row_label="",
            column_label="read",
            title=title,
        )
        panel.set_xticks(range(len(columns)), columns, rotation=60, ha="right")
    axes[0].set_ylabel("word to be written")
    plt.show()


def draw_spike(steps: ArrayLike, curves: Mapping[str, ArrayLike], *, spike: int):
    """Show how far a parameter moves in each step around one long gradient.

    Args:
        steps: Numbers of the steps.
        curves: A name and the size of each move, in learning rates.
        spike: The step with the long gradient.
    """
    _, axes = plt.subplots(figsize=(6.4, 2.8))
    for (name, moves), color, style in zip(
        curves.items(), COLORS, LINE_STYLES, strict=False
    ):
        axes.plot(to_numpy(steps), to_numpy(moves), color=color, ls=style, label=name)
    axes.axvline(spike, color=INK, lw=1, linestyle=":")
    axes.set(xlabel="step", ylabel="move (learning rates)", ylim=(0, 1.5))
    axes.legend()
    plt.show()
