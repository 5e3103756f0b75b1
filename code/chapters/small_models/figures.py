"""The figure of the page on small models."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from matplotlib import pyplot as plt

from chapters.start import BLUE, GREEN, INK, ORANGE

STAGES = ("as first told", "sizes matched", "and longer")


def draw_turns(
    stories: Mapping[str, Sequence[Sequence[float]]], *, units: Sequence[str]
) -> None:
    """Show what one variant gains over another, as it was told and told again.

    Args:
        stories: A variant, and for each of `STAGES` what it gains: the mean and the
            ends of the interval.
        units: What the gains of each story are counted in.
    """
    _, panels = plt.subplots(1, len(stories), figsize=(7.2, 2.4), sharey=True)
    for axes, unit, (title, gains) in zip(panels, units, stories.items(), strict=True):
        axes.axvline(0, color=INK, lw=1, linestyle="dotted")
        looks = zip(gains, (ORANGE, BLUE, GREEN), "s^o", strict=True)
        for row, ((mean, low, high), color, marker) in enumerate(looks):
            axes.plot((low, high), (row, row), color=color, linestyle="solid", lw=2)
            axes.plot(mean, row, marker, color=color, markersize=8)
        for row, (start, end) in enumerate(pairwise(gain[0] for gain in gains)):
            arrow = {"arrowstyle": "->", "color": INK, "lw": 1}
            axes.annotate("", (end, row + 0.8), (start, row + 0.2), arrowprops=arrow)
        axes.locator_params(axis="x", nbins=3)
        axes.set(title=title, xlabel=f"gain ({unit})", ylim=(2.5, -0.5))
    panels[0].set_yticks(range(len(STAGES)), STAGES)
    plt.show()
