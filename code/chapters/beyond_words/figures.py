"""Figures of the chapter on images."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from chapters.shared.diagrams import hide_axes
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
