"""Figures of the chapter on what to check before a model is trained."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from numpy.typing import ArrayLike

from chapters.shared.plots import to_numpy
from chapters.start import BLUE, COLORS, INK, ORANGE, PAPER

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


def draw_answers(text: str):
    """Show what each place of a text sees, and where the next letter stands.

    Args:
        text: What is read, and one letter more.
    """
    _, panels = plt.subplots(1, 2, figsize=(7.2, 3.4))
    size = len(text) - 1
    causal = np.tri(size)
    names = ("with the mask", "mask forgotten")
    labels = [f"{one} → {after}" for one, after in pairwise(text.replace(" ", "␣"))]
    for axes, name, sees in zip(panels, names, (causal, causal**0), strict=True):
        axes.imshow(sees, cmap=ListedColormap([PAPER, BLUE]), vmin=0, alpha=0.3)
        for row, column in np.argwhere(sees):
            weight = "bold" if column == row + 1 else "normal"
            axes.text(
                column, row, text[column], ha="center", va="center", weight=weight
            )
        for row in range(size - 1):  # the last answer has no column
            frame = {"fill": False, "edgecolor": ORANGE, "lw": 2.5}
            axes.add_patch(plt.Rectangle((row + 0.55, row - 0.45), 0.9, 0.9, **frame))
        axes.set_xticks(range(size), text[:size])
        axes.set_yticks(range(size), labels)
        axes.set(xlabel=f"letter that is seen, {name}")
        axes.tick_params(length=0)
    panels[0].set_ylabel("letter read → its label")
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
