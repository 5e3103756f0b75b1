"""Figures of the chapter on training."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, heat_map, line_plot, to_numpy
from chapters.start import BLUE, COLORS, INK, LINE_STYLES, ORANGE, PAPER

PADDING = "#d9d9d9"
DETAILED = 200  # steps whose losses are alike on all processors


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


def draw_step():
    """Show one step of training as a circle of four stations."""
    _, axes = plt.subplots(figsize=(6.4, 3.0))
    hide_axes(axes)
    axes.set(xlim=(-0.1, 6.3), ylim=(-0.2, 2.9))
    stations = {
        "parameters": (1.0, 2.3),
        "guesses": (5.2, 2.3),
        "loss": (5.2, 0.4),
        "gradient": (1.0, 0.4),
    }
    for name, place in stations.items():
        add_box(axes, name, place, width=1.7, height=0.45)
    add_arrow(axes, (2.0, 2.3), (4.2, 2.3))
    add_arrow(axes, (5.2, 1.95), (5.2, 0.75))
    add_arrow(axes, (4.2, 0.4), (2.0, 0.4))
    add_arrow(axes, (1.0, 0.75), (1.0, 1.95))
    for text, place in {
        "forward: read the batch": (3.1, 2.5),
        "backward": (3.1, 0.6),
    }.items():
        style = {"ha": "center", "va": "bottom", "color": BLUE}
        axes.text(*place, text, label=text.replace(": ", ":\n"), **style)
    axes.text(5.05, 1.35, "compare with\nthe true words", ha="right", color=BLUE)
    axes.text(1.15, 1.35, "move each number\na little", ha="left", color=BLUE)
    plt.show()


def fold(words: str) -> str:
    """Write some words in two lines of about the same length, for a phone."""
    return "\n".join(wrap(words, len(words) // 2 + 4))


def draw_run(
    losses: ArrayLike,
    baselines: Mapping[str, float],
    looks: Mapping[int, str],
):
    """Show the loss of a run, what dumb models pay, and what was written when.

    Each point is the mean of the steps within a tenth of its own. Late losses differ
    from processor to processor, and of them only the last point is drawn.

    Args:
        losses: The training loss of each step.
        baselines: What a simpler model knows, and its loss.
        looks: The numbers of three steps, and what the model wrote after each.
    """
    _, axes = plt.subplots(figsize=(6.4, 4.2))
    losses = to_numpy(losses)
    steps = np.arange(1, len(losses) + 1)
    near = [np.abs(steps - step) <= step / 10 for step in steps]
    smooth = np.array([losses[place].mean() for place in near])
    drawn = (steps <= DETAILED) | (steps == len(losses))
    axes.plot(steps[drawn], smooth[drawn], color=BLUE)
    axes.set(xscale="log", xlim=(1, 1.25 * len(losses)), ylim=(0, 5.9))
    axes.set(xlabel="step", ylabel="training loss (nats per token)")
    for name, loss in baselines.items():
        axes.axhline(loss, color=INK, lw=1, linestyle=":")
        axes.text(1.06, loss - 0.07, name, va="top", color=INK, fontsize=10)
    for height, (step, words) in zip((2.5, 1.85, 0.9), looks.items(), strict=True):
        loss, end = smooth[step - 1], len(losses)
        axes.plot(step, loss, "o", color=ORANGE, clip_on=False)
        ends = [step, max(step, 0.45 * end)], [loss, height - 0.1]
        axes.plot(*ends, color=ORANGE, lw=1, linestyle="-")
        look = {"ha": "right", "color": ORANGE, "fontsize": 10}
        axes.text(1.2 * end, height, words, label=fold(words), **look)
    axes.set_xticks([1, 10, 100], ["1", "10", "100"])
    plt.show()


def draw_by_heart(panels: Mapping[str, Mapping[str, ArrayLike]]):
    """Show what texts cost a model while it learns one paragraph by heart.

    Args:
        panels: What is learned, and the bits a byte of each text after 0, 1, … steps.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(6.4, 3.4), sharey=True)
    for panel, (title, curves) in zip(axes, panels.items(), strict=True):
        steps = np.arange(len(next(iter(curves.values()))))
        line_plot(panel, steps, curves, x_label="step", y_label="", direct=False)
        panel.set(title=title, ylim=(0, 2.05), xticks=range(0, len(steps), 2))
        panel.get_legend().remove()
    axes[0].set_ylabel("bits a byte")
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=10)
    plt.show()


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
    axes.legend(loc="best")
    plt.show()
