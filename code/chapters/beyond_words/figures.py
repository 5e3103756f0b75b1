"""Figures of the chapter on images."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import heat_map, range_plot, to_numpy
from chapters.start import INK

PAPER_TO_INK = "Greys"


def show_image(axes: Axes, image: ArrayLike, *, title: str = "") -> None:
    """Draw an image, dark where there is ink.

    Args:
        axes: Where to draw.
        image: From 0 for paper to 1 for ink, shape (height, width).
        title: What it is, in a word or two.
    """
    axes.imshow(to_numpy(image), cmap=PAPER_TO_INK, vmin=0, vmax=1)
    axes.set_title(title)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(visible=True, linewidth=0.6)


def draw_flow(image: ArrayLike, side: int):
    """Show the way of a picture: patches, one map, the encoder, and what is read off.

    Args:
        image: From 0 for paper to 1 for ink, a square.
        side: That of a patch.
    """
    image = to_numpy(image)
    starts = range(0, len(image), side)
    patches = [image[r : r + side, c : c + side] for r in starts for c in starts]
    last = len(patches)
    _, axes = plt.subplots(figsize=(7.2, 3.1))
    for place, patch in enumerate(patches, start=1):
        left, right = place - 0.42, place + 0.42
        axes.imshow(patch, PAPER_TO_INK, vmin=0, vmax=1, extent=(left, right, 0, 0.84))
        frame = plt.Rectangle((left, 0), 0.84, 0.84, fill=False, lw=0.6)
        axes.add_patch(frame)
        add_arrow(axes, (place, 1.0), (place, 1.6))
        add_arrow(axes, (place, 2.5), (place, 3.1))
    add_box(axes, "c", (0, 2.05), width=0.5, height=0.5)
    add_arrow(axes, (0, 2.5), (0, 3.1))
    middle = (1 + last) / 2
    words = "one map for all, plus a vector for the place"
    add_box(axes, words, (middle, 2.05), width=last - 0.4)
    add_box(axes, "encoder", (last / 2, 3.6), width=last + 0.6)
    add_arrow(axes, (0, 4.05), (0, 4.65))
    add_box(axes, "scores of the labels", (2.6, 5.1), width=6)
    axes.set(xlim=(-0.8, last + 0.8), ylim=(-0.2, 5.6), aspect="auto")
    hide_axes(axes)
    plt.show()


def draw_shares(shares: Mapping[str, ArrayLike], *, y_label: str, chance: float = 0.1):
    """Show shares of right answers, a dot for each seed, and what guessing gives.

    Args:
        shares: The shares by name.
        y_label: What the names are.
        chance: The share of who guesses, as a dotted line.
    """
    _, axes = plt.subplots(figsize=(6.4, 0.45 * len(shares) + 1.1))
    range_plot(axes, shares, x_label="share of right answers", baseline=chance)
    axes.set_xlim(-0.02, 1.04)
    axes.set_ylabel(y_label)
    plt.show()


def draw_looks(images: ArrayLike, weights: ArrayLike):
    """Show digits, and below each how much weight the class token gives its patches.

    Args:
        images: Shape (digits, height, width).
        weights: Shape (digits, rows, columns).
    """
    images, weights = to_numpy(images), to_numpy(weights)
    _, panels = plt.subplots(2, len(images), figsize=(7.2, 3.0))
    for image, weight, above, below in zip(images, weights, *panels, strict=True):
        show_image(above, image)
        heat_map(below, weight, limit=weights.max(), row_label="", column_label="")
        below.set(xticks=[], yticks=[], aspect="equal")
    panels[0, 0].set_ylabel("digit")
    panels[1, 0].set_ylabel("weight")
    plt.show()


def draw_reading(image: ArrayLike, pieces: Sequence[str], weights: ArrayLike):
    """Show for each word that was written where in the picture the decoder looked.

    Args:
        image: The picture, shape (height, width).
        pieces: The words.
        weights: Shape (words, rows, columns), a number for each patch.
    """
    image, weights = to_numpy(image), to_numpy(weights)
    columns = 2
    rows = -(-len(pieces) // columns)
    _, panels = plt.subplots(rows, columns, figsize=(7.2, 1.25 * rows))
    for axes in panels.flat:
        hide_axes(axes)
    side = image.shape[0] // weights.shape[1]
    for axes, piece, weight in zip(panels.flat, pieces, weights, strict=False):
        show_image(axes, 0.45 * image)
        bright = np.kron(weight / weights.max(), np.ones((side, side)))
        shade = np.zeros((*bright.shape, 4))
        shade[..., 0], shade[..., 1], shade[..., 3] = 0.83, 0.37, 0.9 * bright
        axes.imshow(shade)
        axes.set_title(piece or "end", fontsize=10, color=INK)
        axes.set_axis_off()
    plt.show()


def draw_texts(shares: Mapping[str, Mapping[str, ArrayLike]], *, chance: float = 0.1):
    """Show how often a picture is named rightly behind each text, by what was learned.

    Args:
        shares: For each kind of training, the shares of its seeds by text.
        chance: The share of who guesses, as a dotted line.
    """
    height = 0.42 * len(next(iter(shares.values()))) + 1.1
    _, panels = plt.subplots(
        len(shares), 1, figsize=(6.4, height * len(shares)), sharex=True
    )
    for axes, (name, texts) in zip(np.atleast_1d(panels), shares.items(), strict=True):
        last = name == list(shares)[-1]
        label = "share of right answers among ten words" if last else ""
        range_plot(axes, texts, x_label=label, baseline=chance)
        axes.set_title(f"learned behind {name}")
        axes.set_xlim(-0.02, 1.04)
    plt.show()
