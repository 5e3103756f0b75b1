"""Figures of the appendix of convention traps."""

from collections.abc import Mapping, Sequence

from matplotlib import pyplot as plt
from torch import Tensor

from chapters.shared.diagrams import hide_axes
from chapters.start import BLUE, INK, PAPER


def draw_polarity(
    dialects: Mapping[str, Tensor],
    *,
    tokens: Sequence[str],
    seen: Sequence[bool],
):
    """Show what one and the same mask looks like in several libraries.

    Args:
        dialects: A name, and the entry for each token.
        tokens: The tokens.
        seen: Which of them may be attended to.
    """
    _, axes = plt.subplots(figsize=(7.0, 0.5 * len(dialects) + 0.7))
    for row, entries in enumerate(dialects.values()):
        places = enumerate(zip(entries.tolist(), seen, strict=True))
        for column, (entry, is_seen) in places:
            color = BLUE if is_seen else PAPER
            axes.barh(row, 0.94, left=column - 0.47, height=0.86, color=color, ec=INK)
            style = {"color": PAPER if is_seen else INK, "ha": "center", "va": "center"}
            axes.text(column, row, as_written(entry), **style)
    axes.set(xlim=(-0.6, len(tokens) - 0.4), ylim=(len(dialects) - 0.45, -0.55))
    hide_axes(axes)
    axes.set_yticks(range(len(dialects)), list(dialects))
    axes.set_xticks(range(len(tokens)), tokens)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    plt.show()


def as_written(entry: bool | int | float) -> str:
    """Write an entry of a mask as code would."""
    if entry == -float("inf"):
        return "-inf"
    return str(entry)
