"""Figures of the chapter on the complete Transformer."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import band_plot, heat_map, to_numpy
from chapters.start import BLUE, COLORS, GREEN, INK, ORANGE, PAPER

TARGET = 5.2  # the middle of the right column of the wiring
HATCHES = ("", "//", "..", "xx")
# Names of the parts that a bar shows together.
GROUPS = {
    "embeddings": ("embedding", "positions"),
    "attention": ("encoder_attention", "decoder_attention", "cross_attention"),
    "feed-forward": ("encoder_feed_forward", "decoder_feed_forward"),
    "norms and head": ("norms", "head"),
}


def draw_wiring():
    """Show the modules of the model, what flows between them, and in which shape."""
    _, axes = plt.subplots(figsize=(7.2, 4.6))
    for middle, name, stack, size in (
        (0.0, "source", "encoder", "n"),
        (TARGET, "target", "decoder", "m"),
    ):
        axes.text(middle, -0.15, f"{name}  (batch, {size})", ha="center", va="top")
        for low, text, color in (
            (0.6, "embedding", ORANGE),
            (2.2, stack, BLUE if middle else INK),
        ):
            add_arrow(axes, (middle, low - 0.7), (middle, low - 0.28))
            add_box(axes, text, (middle, low), width=2.2, color=color)
        narrow = f"(batch, {size},\nd_model)"
        axes.text(
            middle + 0.1,
            1.25,
            f"(batch, {size}, d_model)",
            va="center",
            label=narrow,
        )
        axes.plot((middle, middle), (0.88, 1.6), color=INK, linestyle="-")
    axes.plot((1.2, TARGET - 1.2), (0.6, 0.6), color=ORANGE, linestyle=":")
    axes.text(TARGET / 2, 0.68, "one matrix", color=ORANGE, ha="center", va="bottom")
    add_arrow(axes, (1.2, 2.2), (TARGET - 1.2, 2.2), color=BLUE)
    axes.text(TARGET / 2, 2.3, "memory", color=BLUE, ha="center", va="bottom")
    axes.text(TARGET / 2, 2.1, "(batch, n, d_model)", color=BLUE, ha="center", va="top")
    add_arrow(axes, (TARGET, 2.48), (TARGET, 3.3))
    place = (TARGET + 0.1, 2.85)
    axes.text(*place, "(batch, m, d_model)", va="center", label=narrow)
    add_box(axes, "head", (TARGET, 3.6), width=2.2, color=ORANGE)
    side = TARGET + 2.5
    corners = ((TARGET + 1.2, side, side, TARGET + 1.2), (0.6, 0.6, 3.6, 3.6))
    axes.plot(*corners, color=ORANGE, linestyle=":")
    axes.text(side + 0.1, 2.1, "tied", color=ORANGE, va="center")
    add_arrow(axes, (TARGET, 3.88), (TARGET, 4.4))
    axes.text(TARGET, 4.45, "logits  (batch, m, vocab)", ha="center", va="bottom")
    axes.set(xlim=(-1.4, TARGET + 3.2), ylim=(-0.5, 4.8))
    hide_axes(axes)
    plt.show()


def draw_path(
    stations: Mapping[str, Mapping[str, ArrayLike]],
    *,
    tokens: Mapping[str, Sequence[str]],
    columns: int = 4,
):
    """Show what stands at each station of the way through a small model.

    Args:
        stations: For each stack, a name and a matrix for each station, in order.
        tokens: For each stack, what its rows are.
        columns: Panels in a line; each stack starts a new one.
    """
    lines = {stack: -(-len(found) // columns) for stack, found in stations.items()}
    height = sum(lines.values())
    _, grid = plt.subplots(height, columns, figsize=(7.2, 1.7 * height))
    top, number = 0, 0
    for stack, found in stations.items():
        panels = [*grid[top : top + lines[stack]].flat]
        for place, (name, matrix) in enumerate(found.items()):
            number += 1
            add_station(panels[place], f"{number} {name}", to_numpy(matrix))
            if place % columns == 0:
                rows = range(len(tokens[stack]))
                panels[place].set_yticks(rows, tokens[stack], fontsize=8)
        for axes in panels[len(found) :]:
            hide_axes(axes)
        top += lines[stack]
    plt.show()


def add_station(axes: Axes, title: str, matrix: np.ndarray) -> None:
    """Draw the numbers of one station, and their shape below them."""
    share = "weights" in title or "probabilities" in title
    heat_map(
        axes,
        matrix,
        kind="sequential" if share else "diverging",
        limit=1.0 if share else 4.0,
        row_label="",
        column_label="",
        decimals=1,
    )
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(" x ".join(map(str, matrix.shape)), fontsize=9)
    for text in axes.texts:
        text.set_fontsize(7)
        text.set_text(text.get_text().replace("-0.0", "0.0"))


def draw_budgets(budgets: Mapping[str, Mapping[str, int]]):
    """Show which share of the parameters of each model stands where."""
    _, axes = plt.subplots(figsize=(7.2, 3.2))
    for row, parts in enumerate(budgets.values()):
        total, left = sum(parts.values()), 0.0
        for (label, names), color, hatch in zip(
            GROUPS.items(), COLORS, HATCHES, strict=True
        ):
            share = 100 * sum(parts[name] for name in names) / total
            look = {"color": color, "hatch": hatch, "edgecolor": PAPER}
            axes.barh(row, share, left=left, label=None if row else label, **look)
            if share > 4:
                add_share(axes, left + share / 2, row, share)
            left += share
    axes.set_yticks(range(len(budgets)), list(budgets))
    axes.set(xlabel="share of the parameters (%)", xlim=(0, 100))
    axes.set_ylim(len(budgets) - 0.5, -0.5)
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=len(GROUPS))
    plt.show()


def add_share(axes: Axes, x: float, y: float, share: float) -> None:
    """Write a share into its part of a bar."""
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
    axes.text(x, y, f"{share:.0f}", ha="center", va="center", bbox=box)


def draw_leak(
    losses: Mapping[str, ArrayLike],
    shares: Mapping[str, Mapping[str, ArrayLike]],
    *,
    least: float,
    chance: float,
):
    """Show what a leak does to the loss, and what it does not do for writing.

    Args:
        losses: What the encoder reads, and the nats at each position by seed.
        shares: The same, and for each way of testing the share of right guesses.
        least: The least loss that is possible, in nats.
        chance: The share of right guesses of one who knows nothing.
    """
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6))
    positions = np.arange(np.shape(next(iter(losses.values())))[1])
    label = "held-out loss (nats)"
    band_plot(left, positions, losses, x_label="position", y_label=label)
    left.axhline(least, color=INK, lw=1, linestyle=":")
    left.set_ylim(0, 1.3 * max(to_numpy(rows).max() for rows in losses.values()))
    for column, kinds in enumerate(shares.values()):
        for (name, seeds), offset, mark in zip(
            kinds.items(), (-0.15, 0.15), ("o", "s"), strict=True
        ):
            seeds, color = to_numpy(seeds), BLUE if mark == "o" else GREEN
            place = np.full(seeds.size, column + offset)
            name = None if column else name
            right.plot(place, seeds, mark, color=color, alpha=0.6, label=name)
    right.axhline(chance, color=INK, lw=1, linestyle=":")
    right.set_xticks(range(len(shares)), [name.replace(" ", "\n") for name in shares])
    right.set(xlabel="the encoder reads", ylabel="share of right guesses")
    right.set(ylim=(-0.03, 1.03), xlim=(-0.5, len(shares) - 0.5))
    right.legend(loc="upper right")
    left.legend(loc="center left", fontsize=9)
    plt.show()
