"""Figures of the chapter on rotary position embedding."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Wedge
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, heat_map, line_plot, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE

LIGHT = "#b8c4ce"
ROWS = 0.75  # between two boxes


def draw_turns(pairs: Sequence[tuple[int, int]], *, frequency: float):
    """Show two arrows that turn with their positions; both point up at position 0.

    Args:
        pairs: The positions of the query and of the key, a panel for each.
        frequency: Angle for each position, in radians.
    """
    _, panels = plt.subplots(1, len(pairs), figsize=(7.2, 2.9))
    for axes, (query, key) in zip(panels, pairs, strict=True):
        axes.add_patch(plt.Circle((0, 0), 1, fill=False, color=LIGHT))
        for name, place, color, style in (
            ("q", query, BLUE, "-"),
            ("k", key, ORANGE, "--"),
        ):
            angle = np.pi / 2 + frequency * place
            x, y = np.cos(angle), np.sin(angle)
            axes.plot((0, x), (0, y), color=color, linestyle=style)
            axes.plot(x, y, "o", color=color)
            side = "center" if abs(x) < 0.5 else "left" if x > 0 else "right"
            label = f"{name} at {place}"
            axes.text(1.15 * x, 1.2 * y, label, color=color, ha=side, va="center")
        low, high = sorted(np.degrees(np.pi / 2 + frequency * np.array((query, key))))
        axes.add_patch(Arc((0, 0), 0.7, 0.7, theta1=low, theta2=high, lw=2, color=INK))
        axes.set(xlim=(-2.1, 1.3), ylim=(-1.35, 1.35), aspect="equal")
        hide_axes(axes)
    plt.show()


def draw_places():
    """Show where a sinusoid enters a model, and where rotations do."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 4.4))
    for axes, title in (
        (left, "sinusoidal: once, added"),
        (right, "rotary: in layers"),
    ):
        add_attention(axes, rotary=axes is right)
        axes.set(title=title, xlim=(-2.3, 2.5), ylim=(-0.45, 5 * ROWS + 1.0))
        hide_axes(axes)
    plt.show()


def add_attention(axes: Axes, *, rotary: bool) -> None:
    """Draw a head with the way of telling positions apart in it."""
    bottom, projections, turn, scores, top = (ROWS * row for row in (0, 2, 3, 4, 5.4))
    add_arrow(axes, (0, bottom), (0, projections - ROWS + 0.12))
    for x, name in ((-1.5, "Q"), (0, "K"), (1.5, "V")):
        axes.plot((0, x), (projections - ROWS + 0.12,) * 2, color=INK, linestyle="-")
        add_arrow(axes, (x, projections - ROWS + 0.12), (x, projections - 0.28))
        end = scores - 0.28 if name != "V" else top - 0.28
        add_arrow(axes, (x, projections), (x, end))
        add_box(axes, name, (x, projections), width=0.7)
        if rotary and name != "V":
            add_box(axes, "turn", (x, turn), width=0.7, color=ORANGE)
    add_box(axes, "weights", (-0.75, scores), width=2.2)
    add_arrow(axes, (-0.75, scores + 0.28), (-0.75, top - 0.28))
    add_box(axes, "weighted sum", (0.4, top), width=2.9)
    add_box(axes, "tokens", (0, bottom), width=1.3)
    if not rotary:
        add_box(axes, "+ wave", (1.65, bottom), width=1.0, color=ORANGE)
        add_arrow(axes, (1.05, bottom), (0.75, bottom), color=ORANGE)


def draw_hands(frequencies: ArrayLike, *, offsets: Sequence[int]):
    """Show where the hands of a key point that stands some positions behind a query.

    Args:
        frequencies: Angle for each position, in radians, a hand for each.
        offsets: Distances in positions, a row for each.
    """
    angles = np.outer(offsets, to_numpy(frequencies))
    rows, hands = angles.shape
    _, axes = plt.subplots(figsize=(7.2, 0.9 * rows))
    for (row, hand), angle in np.ndenumerate(angles):
        x, y = hand, -row
        tip = x - 0.38 * np.sin(angle), y + 0.38 * np.cos(angle)
        axes.add_patch(plt.Circle((x, y), 0.38, fill=False, color=LIGHT))
        axes.plot((x, x), (y, y + 0.38), color=LIGHT, linestyle="-")
        axes.plot((x, tip[0]), (y, tip[1]), color=ORANGE, linestyle="-")
    axes.set(xlim=(-0.6, hands - 0.4), ylim=(0.6 - rows, 0.75), aspect="equal")
    hide_axes(axes)
    for row, offset in enumerate(offsets):
        axes.text(-0.7, -row, f"{offset} apart", ha="right", va="center")
    for hand in range(hands):
        axes.text(hand, 0.5, str(hand), ha="center", va="bottom")
    plt.show()


def draw_sweeps(
    frequencies: ArrayLike, *, planes: Sequence[int], lengths: Sequence[int]
):
    """Show which angles hands have taken within texts of two lengths.

    Args:
        frequencies: Angle for each position, in radians, a hand for each plane.
        planes: Which of them to show.
        lengths: Largest distances in positions: in training, and beyond.
    """
    _, axes = plt.subplots(figsize=(7.2, 2.9))
    angles = np.outer(lengths, to_numpy(frequencies)[list(planes)])
    for (row, column), angle in np.ndenumerate(np.degrees(angles)):
        center = column, -row
        axes.add_patch(plt.Circle(center, 0.38, fill=False, color=LIGHT))
        known = min(np.degrees(angles[0, column]), 360)
        swept = min(angle, 360)
        axes.add_patch(Wedge(center, 0.38, 90, 90 + known, color=BLUE, alpha=0.6))
        if swept > known:
            axes.add_patch(
                Wedge(
                    center,
                    0.38,
                    90 + known,
                    90 + swept,
                    fill=False,
                    hatch="///",
                    ec=ORANGE,
                )
            )
    axes.set(
        xlim=(-0.6, len(planes) - 0.4),
        ylim=(0.4 - len(lengths), 0.85),
        aspect="equal",
    )
    hide_axes(axes)
    for row, length in enumerate(lengths):
        axes.text(-0.7, -row, f"up to {length}", ha="right", va="center")
    for column, plane in enumerate(planes):
        axes.text(column, 0.5, f"hand {plane}", ha="center", va="bottom")
    plt.show()


def draw_head(weights: Mapping[str, ArrayLike], *, words: Sequence[str]):
    """Show the weights of one head as a grid of colors, a panel for each name.

    Args:
        weights: A name, and the weights with a row for each word that asks.
        words: What the model reads.
    """
    _, panels = plt.subplots(1, len(weights), figsize=(7.2, 2.9), layout="constrained")
    for axes, (name, matrix) in zip(panels, weights.items(), strict=True):
        named = words if axes is panels[0] else [""] * len(words)
        heat_map(axes, matrix, limit=1.0, rows=named, title=name, row_label="")
        axes.set_xticks([])
        axes.set(aspect="equal", xlabel="")
        axes.tick_params(labelsize=9, length=0)
    plt.show()


def draw_decay(offsets: ArrayLike, curves: Mapping[str, ArrayLike]):
    """Show sizes of scores over the offset between query and key."""
    _, axes = plt.subplots()
    label = "score, as a share of the first"
    line_plot(
        axes, offsets, curves, x_label="offset (positions)", y_label=label, direct=False
    )
    axes.get_legend().remove()
    axes.axhline(0, color=INK, lw=1)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(curves))
    plt.show()


def draw_by_position(
    curves: Mapping[str, ArrayLike], *, width: int, trained: int, baseline: float
):
    """Show losses along long texts: the mean and the range over seeds.

    Args:
        curves: A name, and for each seed the losses of bins of positions.
        width: Positions in a bin.
        trained: Positions of a text in training.
        baseline: The loss of one who knows only how often each letter comes.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.8))
    middle = width * (np.arange(np.shape(next(iter(curves.values())))[1]) + 0.5)
    band_plot(axes, middle, curves, x_label="position", y_label="nats per letter")
    axes.axvline(trained, color=INK, lw=1)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.1 * (high - low))
    axes.annotate("trained up to here", (trained + 6, high), va="center")
    axes.axhline(baseline, color=INK, lw=1, linestyle=":")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(curves))
    plt.show()


def draw_scalings(ratios: Mapping[str, ArrayLike], *, turns: ArrayLike):
    """Show by how much each scaling slows each plane down.

    Args:
        ratios: A name, and for each plane the new frequency over the old one.
        turns: How often each plane turned within the trained length.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.6))
    line_plot(
        axes,
        np.arange(len(turns)),
        ratios,
        x_label="plane $i$, fastest first",
        y_label="new frequency / old one",
        direct=False,
    )
    axes.get_legend().remove()
    slow = int((to_numpy(turns) >= 1).sum()) - 0.5
    axes.axvline(slow, color=GREEN, lw=1, linestyle=":")
    axes.text(slow + 0.5, 1.06, "less than one turn in training", fontsize=10)
    axes.set_ylim(0, 1.15)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(ratios))
    plt.show()
