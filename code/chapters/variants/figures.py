"""Figures of the chapter on variants of the feed-forward layer."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from torch import Tensor

from chapters.laboratory.study import Gain
from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import heat_map, to_numpy
from chapters.start import BLUE, COLORS, DIVERGING, INK, ORANGE, PAPER
from transformer.layers import get_activation

FAINT = "0.5"  # what a token does not visit
LAYERS = {"GLU": "sigmoid", "bilinear": "identity", "ReGLU": "relu", "SwiGLU": "silu"}


def draw_wirings():
    """Show an ungated layer, a gated one, and a mixture of three experts."""
    _, panels = plt.subplots(1, 3, figsize=(7.2, 4.0))
    add_column(panels[0], 0, {"up": 0.9, "bend": 1.9, "down": 3.6})
    panels[0].set(title="plain")
    add_column(panels[1], 0.8, {"up": 0.9, r"$\times$": 2.75, "down": 3.6})
    for name, height in {"gate": 0.9, "bend": 1.9}.items():
        add_box(panels[1], name, (-0.9, height), width=0.9, color=ORANGE)
    panels[1].plot((-0.9, -0.9, 0.8), (0, 2.75, 2.75), color=ORANGE, linestyle="-")
    panels[1].plot((-0.9, 0.8), (0, 0), color=ORANGE, linestyle="-")
    add_arrow(panels[1], (0.2, 2.75), (0.5, 2.75), color=ORANGE)
    panels[1].text(-0.9, 3.0, "door", ha="center", color=ORANGE)
    panels[1].text(0.95, 1.25, "message", color=INK, rotation=90, va="bottom")
    panels[1].set(title="gated")
    add_mixture(panels[2])
    panels[2].set(title="experts")
    for panel in panels:
        panel.set(xlim=(-2.0, 2.0), ylim=(-0.3, 4.6))
        hide_axes(panel)
    plt.show()


def add_mixture(axes: Axes) -> None:
    """Draw a router that sends a token to the second of three networks."""
    axes.plot((0, 0), (-0.1, 4.1), color=INK, linestyle="-", zorder=1)
    add_arrow(axes, (0, 4.0), (0, 4.3))
    add_box(axes, "router", (0, 0.9), width=1.3, color=ORANGE)
    for number, x in enumerate((-1.4, 0, 1.4), start=1):
        asked = x == 0
        if not asked:
            axes.plot((0, x), (1.2, 2.2), color=INK, linestyle=":", lw=1, zorder=1)
        color = INK if asked else FAINT
        add_box(axes, f"{number}", (x, 2.6), width=0.6, height=0.9, color=color)
    for height, name in ((-0.15, "$x$"), (4.3, "$y$")):
        axes.text(0.15, height, name, va="center")


def add_column(axes: Axes, x: float, parts: Mapping[str, float]) -> None:
    """Draw boxes over each other, on a line from x to y."""
    axes.plot((x, x), (-0.1, 4.1), color=INK, linestyle="-", zorder=1)
    add_arrow(axes, (x, 4.0), (x, 4.3))
    for name, height in parts.items():
        narrow = name.startswith("$")
        add_box(axes, name, (x, height), width=0.3 if narrow else 0.9)
    axes.text(x + 0.15, -0.15, "$x$", va="center")
    axes.text(x + 0.15, 4.3, "$y$", va="center")


def draw_units():
    """Show what one hidden unit of each gated layer makes of its two inputs."""
    _, panels = plt.subplots(1, 4, figsize=(7.6, 2.5), sharey=True)
    axis = torch.linspace(-3, 3, 61, dtype=torch.float64, device="cpu")
    for axes, (name, activation) in zip(panels, LAYERS.items(), strict=True):
        unit = axis[:, None] * get_activation(activation)(axis)[None, :]
        shown = axes.imshow(
            to_numpy(unit),
            cmap=DIVERGING,
            vmin=-9,
            vmax=9,
            origin="lower",
            extent=(-3, 3, -3, 3),
        )
        axes.contour(
            axis, axis, unit, levels=[-4, -1, 1, 4], colors=INK, linewidths=0.7
        )
        axes.set(
            title=name,
            xlabel="door's number",
            xticks=(-3, 0, 3),
            yticks=(-3, 0, 3),
        )
    panels[0].set_ylabel("message")
    plt.colorbar(shown, ax=panels, label="hidden feature", ticks=(-9, 0, 9), shrink=0.7)
    plt.show()


def draw_swaps(verdicts: Mapping[str, np.ndarray], countries: Sequence[str]):
    """Show whose capital a model names when a part of its layers is another's.

    Args:
        verdicts: A name, and for each owner of the part (rows) and each sentence
            (columns) 2 for the owner's capital, 1 for the sentence's, 0 for neither.
        countries: The names of rows and columns.
    """
    _, panels = plt.subplots(1, len(verdicts), figsize=(7.2, 4.1), sharey=True)
    colors = (PAPER, ORANGE, BLUE)
    for axes, (name, found) in zip(panels, verdicts.items(), strict=True):
        axes.pcolormesh(
            found,
            cmap=ListedColormap(colors),
            vmin=0,
            vmax=2,
            edgecolors=INK,
            linewidth=0.4,
        )
        for row, column in zip(*np.nonzero(found == 1), strict=True):
            axes.plot(column + 0.5, row + 0.5, "o", color=PAPER, markersize=4)
        axes.set(title=f"{name} of …", xlabel="the sentence is about")
        middles = np.arange(len(countries)) + 0.5
        axes.set_xticks(middles, countries, rotation=90)
        axes.set_yticks(middles, countries)
        axes.set_aspect("equal")
        axes.grid(visible=False)
        axes.tick_params(length=0)
    panels[0].invert_yaxis()
    names = ("neither", "sentence's own", "owner's capital")
    pairs = zip(colors, names, strict=True)
    handles = [Patch(facecolor=c, edgecolor=INK, label=n) for c, n in pairs]
    panels[0].figure.legend(handles=handles[::-1], loc="outside upper center", ncols=3)
    plt.show()


def draw_reach(reach: Mapping[str, Tensor]):
    """Show which outputs change when an input does.

    Args:
        reach: A name, and a matrix with the largest change of each output (rows) when
            each input (columns) changes.
    """
    _, panels = plt.subplots(1, len(reach), figsize=(7.2, 3.0), sharey=True)
    for axes, (name, change) in zip(panels, reach.items(), strict=True):
        seen = (to_numpy(change) > 0).astype(float)
        heat_map(
            axes,
            seen,
            title=name,
            limit=1.6,
            row_label="output position",
            column_label="input position",
        )
        ends = (-0.5, len(seen) - 0.5)
        axes.plot(ends, ends, color=ORANGE, linestyle="dashed")
        axes.set(xlim=ends, ylim=ends[::-1])
        if axes is not panels[0]:
            axes.set_ylabel("")
    plt.show()


def draw_gains(gains: Mapping[str, Mapping[int, Gain]], *, baseline: str):
    """Show what each layer gains over a baseline, with the interval of each budget.

    Args:
        gains: A name, and its gain for each number of training steps, two at most.
        baseline: The layer that all are compared with.
    """
    _, axes = plt.subplots(figsize=(6.4, 1.0 + 0.36 * len(gains)))
    styles = zip((BLUE, ORANGE), "os", (-0.13, 0.13), strict=True)
    for (color, marker, shift), steps in zip(
        styles, next(iter(gains.values())), strict=False
    ):
        found = [by_steps[steps] for by_steps in gains.values()]
        axes.errorbar(
            [gain.mean for gain in found],
            np.arange(len(found)) + shift,
            xerr=np.array([[g.mean - g.low, g.high - g.mean] for g in found]).T,
            fmt=marker,
            color=color,
            label=f"{steps} steps",
        )
    axes.axvline(0, color=INK, lw=1, linestyle=":")
    axes.set_yticks(range(len(gains)), list(gains))
    axes.set(xlabel=f"gain over {baseline}, nats per letter")
    axes.invert_yaxis()
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    plt.show()


def draw_loads(loads: Mapping[str, Sequence[Sequence[float]]], *, even: float):
    """Show the share of the tokens that asks each expert, the busiest first.

    Args:
        loads: A name, and the shares of the experts in several layers.
        even: The share at which all experts have the same to do.
    """
    _, panels = plt.subplots(1, len(loads), figsize=(7.2, 3.0), sharey=True)
    for axes, (name, rows) in zip(panels, loads.items(), strict=True):
        ranked = np.sort(np.array(rows), axis=1)[:, ::-1]
        experts = np.arange(1, ranked.shape[1] + 1)
        axes.plot(experts, ranked.T, color=COLORS[0], alpha=0.5, lw=1.2, linestyle="-")
        axes.plot(experts, ranked.mean(axis=0), "o", color=INK)
        axes.axhline(even, color=ORANGE, linestyle="dashed")
        axes.set(title=name, xlabel="expert, the busiest first", ylim=(0, None))
    panels[0].set_ylabel("share of tokens")
    panels[0].text(experts[-1], even, "even", color=ORANGE, ha="right", va="bottom")
    plt.show()
