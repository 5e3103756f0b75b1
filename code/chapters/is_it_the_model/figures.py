"""Figures of the chapter on what to check before a model is trained."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.plots import band_plot, to_numpy
from chapters.start import BLUE, COLORS, GREEN, INK, ORANGE, PAPER

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


def draw_first_losses(
    stds: ArrayLike, losses: ArrayLike, *, features: int, least: float
):
    """Show the loss before training, over the size of the head's entries.

    Args:
        stds: Standard deviations of the entries.
        losses: A row of losses for each seed.
        features: How many features a vector has that the head reads.
        least: The loss of equal logits.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.2))
    stds = to_numpy(stds)
    fine = np.geomspace(stds.min(), stds.max(), 99)
    law = least + features * fine**2 / 2
    axes.plot(fine, law, color=ORANGE, linestyle="--", label="formula")
    for row, seed in enumerate(to_numpy(losses)):
        axes.plot(stds, seed, "o", color=BLUE, label=None if row else "random heads")
    axes.axhline(least, color=INK, lw=1, linestyle=":", label="all tokens alike")
    axes.set(xscale="log", yscale="log", ylim=(5, 400))
    axes.set_yticks((7, 20, 70, 200), ("7", "20", "70", "200"))
    axes.set_yticks((), minor=True)
    ticks = (0.005, 0.02, 0.1, 1)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set(xlabel="standard deviation of the head's entries")
    axes.set(ylabel="first loss (nats)")
    axes.legend(loc="upper left")
    plt.show()


def draw_mistakes(
    results: Mapping[str, tuple[Sequence[float], Sequence[bool]]],
    *,
    checks: Sequence[str],
):
    """Show what each check finds in each model, and frame what cannot be right.

    Args:
        results: For each model its numbers and whether each check is content.
        checks: The names of the checks.
    """
    _, axes = plt.subplots(figsize=(7.2, 4.0))
    for row, (numbers, verdicts) in enumerate(results.values()):
        for column, (number, fine) in enumerate(zip(numbers, verdicts, strict=True)):
            text = f"{number:,.0f}" if column == 0 else f"{number + 0.0:.1f}"
            if column == 2:
                text = f"{number:.2f}"
            if not fine:
                box = (column - 0.46, row - 0.42), 0.92, 0.84
                look = {"facecolor": ORANGE, "alpha": 0.25, "edgecolor": "none"}
                axes.add_patch(plt.Rectangle(*box, **look))
                axes.add_patch(plt.Rectangle(*box, fill=False, edgecolor=ORANGE, lw=2))
            weight = "normal" if fine else "bold"
            look = {"ha": "center", "va": "center", "weight": weight}
            axes.text(column, row, text, **look)
    axes.set_xlim(-0.5, len(checks) - 0.5)
    axes.set_ylim(len(results) - 0.5, -0.5)
    axes.set_xticks(range(len(checks)), checks)
    axes.set_yticks(range(len(results)), list(results))
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    plt.show()
