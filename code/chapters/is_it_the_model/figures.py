"""Figures of the chapter on what to check before a model is trained."""

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.plots import band_plot, to_numpy
from chapters.start import BLUE, COLORS, GREEN, INK, PAPER

HATCHES = ("", "//", "..", "xx")
# Names of the parts that a bar shows together.
GROUPS = {
    "embeddings": ("embedding", "positions"),
    "attention": ("encoder_attention", "decoder_attention", "cross_attention"),
    "feed-forward": ("encoder_feed_forward", "decoder_feed_forward"),
    "norms and head": ("norms", "head"),
}


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
