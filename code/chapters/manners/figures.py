"""Figures of the chapter on manners."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, hide_axes
from chapters.shared.plots import band_plot, line_plot
from chapters.start import BLUE, GREEN, INK, ORANGE, PAPER

WIDTH = 46  # letters of a line of tokens


def draw_talk(pieces: Sequence[str], counted: Sequence[bool]):
    """Show the tokens of a talk one after the other, and which of them are learned.

    Args:
        pieces: The text of each token.
        counted: Whether the loss counts it.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.4))
    x, y = 0.0, 0.0
    for piece, learned in zip(pieces, counted, strict=True):
        shown = piece.replace("\n", "↵").replace(" ", "·")
        room = len(shown) + 0.8
        if x + room > WIDTH:
            x, y = 0.0, y - 1.0
        color = ORANGE if learned else INK
        look = {"edgecolor": color, "facecolor": PAPER, "lw": 2.2 if learned else 0.8}
        axes.add_patch(Rectangle((x, y), room - 0.2, 0.72, **look))
        weight = "bold" if learned else "normal"
        said = {"ha": "center", "va": "center", "color": color, "fontweight": weight}
        axes.text(x + room / 2 - 0.1, y + 0.35, shown, fontsize=8, **said)
        x += room
    axes.set(xlim=(-0.3, WIDTH + 0.3), ylim=(y - 0.2, 1.0))
    hide_axes(axes)
    plt.show()


def draw_prices(betas: ArrayLike, better: ArrayLike, *, reference: float):
    """Show how likely the better of two answers is under the best policy.

    Args:
        betas: Prices of leaving the reference.
        better: The probability of the better answer at each of them.
        reference: Its probability before.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.2))
    axes.plot(betas, better, color=BLUE, lw=2)
    axes.axhline(reference, color=INK, lw=1, linestyle="dotted")
    axes.text(betas[-1], reference - 0.03, "the reference", ha="right", va="top")
    axes.set(xscale="log", ylim=(0, 1.05))
    axes.set(xlabel="price β", ylabel="probability of the better answer")
    plt.show()


def draw_courses(
    panels: Mapping[str, Mapping[str, ArrayLike]], *, x_label: str, y_label: str
):
    """Show courses side by side, one panel for each name.

    Args:
        panels: A title, and named curves from step 0 on.
        x_label: What is counted.
        y_label: What is shown.
    """
    _, axes = plt.subplots(1, len(panels), figsize=(7.2, 3.2), sharey=True)
    for panel, (title, curves) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        steps = np.arange(len(next(iter(curves.values()))))
        labels = {"x_label": x_label, "y_label": y_label}
        line_plot(panel, steps, curves, direct=False, **labels)
        panel.set_title(title)
        panel.set_ylim(0, 1.05)
        panel.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    for panel in np.atleast_1d(axes)[1:]:
        panel.set_ylabel("")
        panel.get_legend().remove()
    first = np.atleast_1d(axes)[0]
    first.legend(loc="upper left", bbox_to_anchor=(0.0, 1.42), ncols=2)
    plt.show()


def draw_gamed(courses: Mapping[str, ArrayLike], *, steps: int):
    """Show what a reward with a gap does: the mean of some trainings, and their range.

    Args:
        courses: What is counted, a row of shares for each training.
        steps: Of training between two counts.
    """
    _, axes = plt.subplots(figsize=(7.2, 3.2))
    places = steps * np.arange(len(next(iter(courses.values()))[0]))
    band_plot(axes, places, courses, x_label="step", y_label="share of answers")
    axes.set_ylim(0, 1.05)
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, 1.42), ncols=2)
    plt.show()


def draw_group(answers: Sequence[str], rewards: Sequence[float]):
    """Show a group of answers, what each earns, and the way it is pushed.

    Args:
        answers: What was drawn.
        rewards: What each has earned.
    """
    _, axes = plt.subplots(figsize=(6.4, 2.4))
    mean = sum(rewards) / len(rewards)
    for place, (answer, reward) in enumerate(zip(answers, rewards, strict=True)):
        up = reward > mean
        color = GREEN if up else ORANGE
        axes.text(place, 0.0, answer, ha="center", va="center", color=color)
        axes.text(place, -0.45, f"{reward:g}", ha="center", va="center", color=INK)
        ends = ((place, 0.25), (place, 0.85))
        add_arrow(axes, *(ends if up else ends[::-1]), color=color)
    axes.text(-0.8, 0.0, "answer", ha="right", va="center", color=INK)
    axes.text(-0.8, -0.45, "reward", ha="right", va="center", color=INK)
    axes.text(-0.8, 0.55, "pushed", ha="right", va="center", color=INK)
    axes.set(xlim=(-2.2, len(answers) - 0.4), ylim=(-0.8, 1.0))
    hide_axes(axes)
    plt.show()
