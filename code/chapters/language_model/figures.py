"""Figures of the chapter on a language model of your own."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import hide_axes
from chapters.shared.plots import line_plot, to_numpy
from chapters.start import BLUE, INK, ORANGE, PAPER, SEQUENTIAL

HEIGHT, GAP = 0.5, 0.75  # of a bar, and between two of them
LABELS, SAID, PAID = -1.8, -2.9, -3.7  # the heights of rows below a window
APART = 0.1  # bits between the names of two lines
MINUTES = (0.1, 0.3, 1, 3, 10, 30, 100)  # where an axis of time has marks


def draw_window(tokens: Sequence[str], probabilities: ArrayLike):
    """Show what a loss is taken of: a row of tokens, the same row moved by one, prices.

    Args:
        tokens: A window, one token longer than what is read.
        probabilities: How likely each label was said to be.
    """
    said = to_numpy(probabilities)
    costs = -np.log(said)
    _, axes = plt.subplots(figsize=(5.8, 3.1))
    for place, token in enumerate(tokens):
        read = place < len(said)
        add_token(axes, (place, 0), token, BLUE if read else INK, faint=not read)
        if place:  # where it is the label of the token before
            add_token(axes, (place - 1, LABELS), token, ORANGE)
            start, end = (place - 0.2, -0.35), (place - 0.8, LABELS + 0.35)
            arrow = {"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", xy=end, xytext=start, arrowprops=arrow)
    names = ("input", "label", "p", "loss,\nnats")
    for name, height in zip(names, (0, LABELS, SAID, PAID), strict=True):
        axes.text(-0.65, height, name, ha="right", va="center", color=INK)
    for place, (share, cost) in enumerate(zip(said, costs, strict=True)):
        numbers = f"{share:.4f}".lstrip("0"), f"{cost:.2f}"
        for height, number in zip((SAID, PAID), numbers, strict=True):
            axes.text(place, height, number, ha="center", va="center", color=INK)
        bar = 2.2 * cost / max(costs)
        corner = (place - 0.3, PAID - 0.4 - bar)
        axes.add_patch(Rectangle(corner, 0.6, bar, facecolor=ORANGE, alpha=0.5, lw=0))
    axes.set(xlim=(-1.6, len(tokens) - 0.4), ylim=(PAID - 2.8, 0.6))
    hide_axes(axes)
    plt.show()


def add_token(
    axes: Axes,
    middle: tuple[float, float],
    token: str,
    color: str,
    *,
    faint: bool = False,
) -> None:
    """Draw a token in a box, with a dotted rim where it is not read."""
    x, y = middle
    style = ":" if faint else "-"
    axes.add_patch(
        Rectangle(
            (x - 0.44, y - 0.35), 0.88, 0.7, facecolor=PAPER, edgecolor=color, ls=style
        )
    )
    axes.text(x, y, token, ha="center", va="center", color=INK)


def draw_intervals(text: str, shares: Mapping[str, Fraction]):
    """Show how each letter of a text leaves a part of the interval before it.

    Each bar is the marked part of the bar above, drawn as wide as the whole.

    Args:
        text: The letters, two or more.
        shares: The share of each letter, the same at each place.
    """
    _, axes = plt.subplots(figsize=(6.6, 3.6))
    low, width = Fraction(0), Fraction(1)
    for row, letter in enumerate(text):
        top, begin = -row * (HEIGHT + GAP), Fraction(0)
        for other, share in shares.items():
            add_part(axes, (begin, top), share, other, chosen=other == letter)
            if other == letter:
                chosen = begin
            begin += share
        for place, end in ((0, low), (1, low + width)):
            side = "right" if place == 0 else "left"
            x = place + (0.015 if place else -0.015)
            axes.text(x, top - HEIGHT / 2, str(end), ha=side, va="center", color=INK)
        if row + 1 < len(text):
            add_lens(axes, chosen, shares[letter], top - HEIGHT)
        low, width = low + width * chosen, width * shares[letter]
    axes.set(xlim=(-0.12, 1.12), ylim=(top - HEIGHT - 0.1, 0.1))
    hide_axes(axes)
    plt.show()


def add_part(
    axes: Axes,
    corner: tuple[Fraction, float],
    share: Fraction,
    letter: str,
    *,
    chosen: bool,
) -> None:
    """Draw the part of a bar that belongs to a letter, below its upper left corner."""
    x, y = float(corner[0]), corner[1] - HEIGHT
    fill = ORANGE if chosen else PAPER
    axes.add_patch(
        Rectangle((x, y), float(share), HEIGHT, facecolor=fill, edgecolor=INK, lw=1)
    )
    middle = x + float(share) / 2, y + HEIGHT / 2
    axes.text(*middle, letter, ha="center", va="center", color=PAPER if chosen else INK)


def add_lens(axes: Axes, begin: Fraction, share: Fraction, y: float) -> None:
    """Draw how a part of a bar becomes the whole of the next."""
    left, right = float(begin), float(begin + share)
    corners = [(left, y), (right, y), (1, y - GAP), (0, y - GAP)]
    axes.add_patch(Polygon(corners, facecolor=ORANGE, alpha=0.15, lw=0))


def draw_orders(orders: Sequence[int], bits: Mapping[str, ArrayLike]):
    """Show what a letter costs against the number of letters that are counted.

    Args:
        orders: How many letters are counted together.
        bits: Bits a letter for each order, by the text that is read.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.4))
    line_plot(
        axes,
        orders,
        bits,
        x_label="letters counted together, n",
        y_label="bits a letter",
        direct=False,
    )
    axes.set_xticks(list(orders))
    axes.set_ylim(0, None)
    plt.show()


def draw_costs(pieces: Mapping[str, Sequence[tuple[str, float]]], *, across: int = 36):
    """Show a text for each guesser, each letter on a ground as dark as it was dear.

    Args:
        pieces: For each guesser the pieces of the text, with what each costs in bits.
            The cost of a piece is spread evenly over its letters.
        across: Letters in a line.
    """
    rows = {
        name: [(x, cost / len(piece)) for piece, cost in each for x in piece]
        for name, each in pieces.items()
    }
    lines = -(-max(map(len, rows.values())) // across)
    _, panels = plt.subplots(len(rows), figsize=(7.2, 0.55 * len(rows) * (lines + 0.7)))
    for axes, (name, letters) in zip(np.atleast_1d(panels), rows.items(), strict=True):
        for place, (letter, cost) in enumerate(letters):
            row, column = divmod(place, across)
            dark = min(cost / 8, 1.0)
            axes.add_patch(
                Rectangle((column, -row - 1), 1, 1, facecolor=SEQUENTIAL(dark), lw=0)
            )
            axes.text(
                column + 0.5,
                -row - 0.5,
                letter,
                ha="center",
                va="center",
                family="monospace",
                color=PAPER if dark > 0.55 else INK,
            )
        axes.set(xlim=(0, across), ylim=(-lines, 0))
        axes.set_title(name, loc="left")
        hide_axes(axes)
    plt.show()


def draw_learning(minutes: ArrayLike, bits: ArrayLike, *, rivals: Mapping[str, float]):
    """Show what a letter of unseen books costs while a model learns.

    Args:
        minutes: When it was measured.
        bits: What was measured.
        rivals: What a letter costs others, as lines to compare with.
    """
    _, axes = plt.subplots(figsize=(6.8, 3.8))
    x = to_numpy(minutes)
    axes.plot(x, to_numpy(bits), "o-", color=BLUE, markersize=4)
    axes.set_xscale("log")
    place = -np.inf
    for name, level in sorted(rivals.items(), key=lambda rival: rival[1]):
        axes.plot(x[[0, -1]], [level, level], color=INK, lw=1, linestyle=":")
        place = max(level, place + APART)
        at = (1.15 * x[-1], place)
        axes.annotate(name, at, va="center", color=INK, annotation_clip=False)
    axes.set(xlabel="minutes of one core", ylabel="bits a letter, unseen books")
    at = [tick for tick in MINUTES if x[0] <= tick <= 1.2 * x[-1]]
    axes.set_xticks(at, [f"{tick:g}" for tick in at])
    axes.minorticks_off()
    axes.set_xlim(x[0] / 1.5, 8 * x[-1])  # with room for the names
    plt.show()


def draw_kinds(steps: Sequence[int], shares: Mapping[str, ArrayLike]):
    """Show what is left of the price of each kind of piece, while a model learns.

    Args:
        steps: When it was measured.
        shares: For each kind its price, as a share of what it costs at the beginning.
    """
    _, axes = plt.subplots(figsize=(6.8, 3.6))
    line_plot(
        axes,
        steps,
        shares,
        x_label="steps of training",
        y_label="price, share of counting",
        direct=False,
    )
    axes.axhline(1, color=INK, lw=1, linestyle=":")
    axes.set_xscale("log")
    axes.set_xticks(steps, [str(step) for step in steps])
    axes.minorticks_off()
    axes.set_ylim(0, None)
    plt.show()


def draw_verdict(frozen: Mapping[str, float], adaptive: Mapping[str, float]):
    """Show what a letter costs each guesser, with and without learning on the way.

    Args:
        frozen: Bits a letter of those that stay as they are.
        adaptive: Bits a letter of those that learn from what they have read.
    """
    every = [*adaptive.items(), *frozen.items()]
    names = list(dict(sorted(every, key=lambda one: -one[1])))
    _, axes = plt.subplots(figsize=(6.8, 0.36 * len(names) + 0.9))
    kinds = (("stays as it is", frozen, "o"), ("learns on the way", adaptive, "D"))
    for (label, bits, marker), color in zip(kinds, (BLUE, ORANGE), strict=True):
        rows = [names.index(name) for name in bits]
        axes.plot(list(bits.values()), rows, marker, color=color, label=label)
        for row, level in zip(rows, bits.values(), strict=True):
            axes.hlines(row, 0, level, color=color, lw=1, alpha=0.4, zorder=0)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="bits a letter", ylim=(len(names) - 0.5, -0.5))
    axes.set_xlim(0, None)
    axes.legend(loc="lower right")
    plt.show()


def draw_calibration(said: ArrayLike, came: ArrayLike, counts: ArrayLike):
    """Show how often what was said to be likely did come.

    Args:
        said: The mean probability of the tokens in a group.
        came: How often a token of the group came.
        counts: How many tokens a group has.
    """
    _, axes = plt.subplots(figsize=(4.4, 4.0))
    axes.plot([0, 1], [0, 1], color=INK, lw=1, linestyle=":")
    sizes = 12 + 10 * np.log10(np.maximum(to_numpy(counts), 1))
    axes.scatter(to_numpy(said), to_numpy(came), s=sizes, color=BLUE, zorder=2)
    axes.set(xlabel="probability that was said", ylabel="share that came")
    axes.set_aspect("equal")
    plt.show()
