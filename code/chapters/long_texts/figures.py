"""Figures of the chapter on long texts."""

from collections.abc import Mapping

from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import line_plot, to_numpy
from chapters.start import BLUE, GREEN, INK, ORANGE, PURPLE


def draw_kept(ways: Mapping[str, ArrayLike]):
    """Show what each way keeps of a text, in a square for each token.

    Args:
        ways: A name, and for each token the share of its numbers that is kept, from 0
            to 1, which is the share of its square that is full.
    """
    _, axes = plt.subplots(figsize=(7.2, 0.25 + 0.43 * len(ways)))
    place = {"fill": False, "edgecolor": INK, "lw": 0.6}
    for row, (name, shares) in enumerate(ways.items()):
        shares = to_numpy(shares)
        for token, share in enumerate(shares):
            full = 0.84 * share**0.5
            for side, look in ((full, {"color": ORANGE, "lw": 0}), (0.84, place)):
                corner = (token - side / 2, row - side / 2)
                axes.add_patch(Rectangle(corner, side, side, **look))
        axes.text(-0.8, row, name, ha="right", va="center")
        axes.text(len(shares) - 0.3, row, f"{shares.mean():.0%}", va="center")
    axes.set(xlim=(-5.6, len(shares) + 1.3), ylim=(len(ways) - 0.4, -0.6))
    axes.set_aspect("equal")
    hide_axes(axes)
    plt.show()


def draw_merge():
    """Show two tiles of scores, what is known after each, and how they are joined."""
    _, axes = plt.subplots(figsize=(7.2, 3.4))
    for y, name, scores, known in (
        (2.4, "first tile", "ln 1, ln 3", "largest ln 3\nsum 4/3\nmix 8"),
        (0.6, "second tile", "ln 4, ln 8", "largest ln 8\nsum 3/2\nmix 8"),
    ):
        axes.text(0.7, y + 0.55, name, color=INK, ha="center")
        add_box(axes, scores, (0.7, y), width=1.6, height=0.45, color=ORANGE)
        add_arrow(axes, (1.65, y), (2.05, y))
        add_box(axes, known, (3.55, y), width=2.7, height=0.95, color=BLUE)
    joined = "largest ln 8\nsum 2\nmix 11"
    add_box(axes, joined, (7.4, 1.5), width=2.7, height=0.95, color=BLUE)
    add_arrow(axes, (5.05, 2.3), (5.95, 1.75))
    add_arrow(axes, (5.05, 0.7), (5.95, 1.25))
    axes.text(5.55, 2.35, "times 3/8", color=INK, ha="left")
    axes.text(5.55, 0.55, "times 1", color=INK, ha="left")
    add_arrow(axes, (8.85, 1.5), (9.3, 1.5))
    add_box(axes, "11/2", (9.8, 1.5), width=0.8, height=0.45, color=PURPLE)
    axes.set(xlim=(-0.3, 10.4), ylim=(-0.2, 3.3))
    hide_axes(axes)
    plt.show()


def draw_circle(window: int, tokens: int):
    """Show what a cache holds that is written in a circle, token after token.

    Args:
        window: How many places it has.
        tokens: How many tokens come.
    """
    _, axes = plt.subplots(figsize=(6.4, 2.6))
    held = [""] * window
    for token in range(tokens):
        held[token % window] = str(token)
        for place, text in enumerate(held):
            is_new = place == token % window
            look = {"color": ORANGE if is_new else INK, "ha": "center", "va": "center"}
            weight = "bold" if is_new else "normal"
            axes.text(token, place, text or "·", fontweight=weight, **look)
    axes.set(xlim=(-0.6, tokens - 0.4), ylim=(window - 0.5, -0.5))
    axes.set(xticks=range(tokens), yticks=range(window))
    axes.set(xlabel="token that has come", ylabel="place")
    plt.show()


def draw_courses(places: ArrayLike, courses: Mapping[str, ArrayLike], *, window: int):
    """Show what a token costs along a text, for each way to see.

    Args:
        places: Where in the text.
        courses: A name, and the loss at these places in nats.
        window: Where the first token leaves the window.
    """
    _, axes = plt.subplots(figsize=(6.8, 3.6))
    labels = {"x_label": "place in the text", "y_label": "nats a token"}
    line_plot(axes, places, courses, direct=False, **labels)
    axes.axvline(window, color=INK, lw=1, linestyle="dotted")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.25), ncols=2)
    axes.set_ylim(0, None)
    plt.show()


def draw_latent():
    """Show where the matrix that unpacks keys stands, and where it moves."""
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.0))
    for panel, title in zip(axes, ("unpacked", "absorbed"), strict=True):
        panel.set_title(title)
        add_box(panel, "query", (0.6, 0.4), width=0.9, color=BLUE)
        add_box(panel, "kept: c", (3.6, 0.4), width=1.1, color=ORANGE)
        add_box(panel, "score", (2.1, 3.2), width=0.9, color=PURPLE)
        panel.set(xlim=(-0.4, 4.8), ylim=(-0.2, 3.7))
        hide_axes(panel)
    plain, absorbed = axes
    add_box(plain, "matrix", (3.6, 1.3), width=1.1, color=GREEN)
    add_box(plain, "a key for\neach token", (3.6, 2.3), width=1.3, height=0.6)
    add_arrow(plain, (3.6, 0.7), (3.6, 1.0))
    add_arrow(plain, (3.6, 1.6), (3.6, 1.9))
    add_arrow(plain, (3.1, 2.7), (2.5, 2.95))
    add_arrow(plain, (0.6, 0.7), (1.8, 2.9))
    add_box(absorbed, "matrix", (0.6, 1.3), width=1.1, color=GREEN)
    add_box(absorbed, "one short\nquery", (0.6, 2.3), width=1.3, height=0.6)
    add_arrow(absorbed, (0.6, 0.7), (0.6, 1.0))
    add_arrow(absorbed, (0.6, 1.6), (0.6, 1.9))
    add_arrow(absorbed, (1.1, 2.7), (1.7, 2.95))
    add_arrow(absorbed, (3.6, 0.7), (2.4, 2.9))
    plt.show()
