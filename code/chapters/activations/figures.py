"""Figures of the chapter on activations."""

from collections.abc import Mapping, Sequence
from math import erf, exp, pi, sqrt

import numpy as np
import torch
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike
from torch import Tensor

from chapters.shared.diagrams import add_arrow, add_box, hide_axes
from chapters.shared.plots import line_plot, range_plot, to_numpy
from chapters.start import BLUE, COLORS, GREEN, INK, LINE_STYLES, ORANGE
from transformer.layers import gelu, gelu_tanh, relu, silu, swish

NAMED = {"ReLU": relu, "GELU": gelu, "SiLU": silu}
BAND = (0.05, 0.25, 0.5, 0.75, 0.95)  # of the gates of a layer


def points(low: float, high: float, count: int) -> Tensor:
    """Return equally spaced numbers, in float64 on the CPU."""
    return torch.linspace(low, high, count, dtype=torch.float64, device="cpu")


def draw_bend(inputs: Sequence[float]):
    """Follow numbers through two hidden units, once without and once with a bend.

    Args:
        inputs: A few numbers; the units see each of them and its negative.
    """
    _, panels = plt.subplots(1, 2, figsize=(7.2, 2.2))
    bends = {"no bend": lambda x: x, "negative becomes 0": lambda x: max(x, 0)}
    for axes, (title, bend) in zip(panels, bends.items(), strict=True):
        for row, x in enumerate(inputs):
            up, down = 1.6 - 2.2 * row + 0.45, 1.6 - 2.2 * row - 0.45
            middle = (up + down) / 2
            total = bend(x) + bend(-x)
            add_box(axes, f"{x:g}", (0, middle), width=0.5)
            add_box(axes, f"{total:g}", (6.6, middle), width=0.5, color=ORANGE)
            for height, unit in ((up, x), (down, -x)):
                bent = bend(unit)
                color = BLUE if bent == unit else INK
                add_box(axes, f"{unit:g}", (2.2, height), width=0.5)
                add_box(axes, f"{bent:g}", (4.4, height), width=0.5, color=color)
                add_arrow(axes, (0.4, middle), (1.8, height))
                add_arrow(axes, (2.6, height), (4.0, height), color=color)
                add_arrow(axes, (4.8, height), (6.2, middle))
        axes.set(xlim=(-0.6, 7.2), ylim=(-1.6, 2.6), title=title)
        hide_axes(axes)
    plt.show()


def bell(x: float) -> float:
    """Return the density of the standard normal distribution."""
    return exp(-x * x / 2) / sqrt(2 * pi)


def draw_coin(*places: float):
    """Show the share of a standard normal that lies below each of a few numbers."""
    _, panels = plt.subplots(1, len(places), figsize=(7.2, 2.8), sharey=True)
    for axes, place in zip(panels, places, strict=True):
        below = np.linspace(-3.5, place, 101)
        axes.plot(*curve(np.linspace(-3.5, 3.5, 201)), color=INK)
        axes.fill_between(*curve(below), color=BLUE, alpha=0.4, lw=0)
        axes.axvline(place, color=ORANGE, linestyle="dashed")
        share = (1 + erf(place / sqrt(2))) / 2
        axes.set(xlabel="normal number", title=f"$x = {place}$: passes {share:.0%}")
        axes.set_ylim(0, 0.45)
    panels[0].set_ylabel("density")
    plt.show()


def curve(x: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Return points and the density of the standard normal there."""
    return x, [bell(place) for place in x]


def draw_halves():
    """Show that each activation is half of its input and an even function."""
    x = points(-4, 4, 321)
    even = {name: (f(x) + f(-x)) / 2 for name, f in NAMED.items()}
    odd = {name: (f(x) - f(-x)) / 2 for name, f in NAMED.items()}
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    titles = {"odd part: one line for all": odd, "even part": even}
    for panel, (title, curves) in zip(axes, titles.items(), strict=True):
        line_plot(panel, x, curves, x_label="x", y_label="", direct=False)
        panel.set(title=title)
    axes[1].get_legend().remove()
    axes[0].set_ylabel("part of the activation")
    plt.show()


def slope(function, x: Tensor) -> Tensor:
    """Return the derivative of a function at each number."""
    x = x.clone().requires_grad_()
    function(x).sum().backward()
    return x.grad


def draw_tails():
    """Show how the slopes fade toward the left."""
    _, axes = plt.subplots(figsize=(5.6, 3.0))
    tail = points(-10, -3, 141)
    places = {"GELU": (-6.4, 1e-15), "SiLU": (-9.6, 4e-3)}  # ReLU's slope is zero
    for (name, place), color, style in zip(
        places.items(), (ORANGE, GREEN), ("dashed", "dashdot"), strict=True
    ):
        size = to_numpy(slope(NAMED[name], tail).abs())
        axes.plot(to_numpy(tail), size, color=color, linestyle=style)
        axes.text(*place, name, color=color)
    axes.set(yscale="log", ylim=(1e-24, 10), xlabel="x", ylabel="size of the slope")
    plt.show()


def draw_swish():
    """Show Swish for several beta, and how far two stand-ins for GELU are off."""
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.4))
    x = points(-4, 4, 321)
    family = {rf"$\beta$ = {b:g}": swish(x, beta=b) for b in (0.0, 1.0, 1.702, 8.0)}
    line_plot(axes[0], x, family, x_label="x", y_label="Swish", direct=False)
    axes[0].set(ylim=(-2.2, 3.0), xlim=(-4, 3))
    errors = {
        "tanh form": (gelu_tanh(x) - gelu(x)).abs(),
        r"Swish, $\beta$ = 1.702": (swish(x, beta=1.702) - gelu(x)).abs(),
    }
    label = "distance to GELU"
    line_plot(axes[1], x, errors, x_label="x", y_label=label, direct=False)
    axes[1].set(yscale="log", ylim=(1e-6, 1))
    plt.show()


def draw_dead(dead: Mapping[str, ArrayLike], losses: Mapping[str, ArrayLike]):
    """Show the dead share and the loss of each seed.

    Args:
        dead: A name, and the share of dead units of each seed.
        losses: The same names, and the mean squared errors.
    """
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.8), sharey=True)
    range_plot(axes[0], dead, x_label="share of dead units")
    axes[0].set(xlim=(-0.05, 1.05))
    range_plot(axes[1], losses, x_label="mean squared error")
    axes[1].set(xscale="log")
    plt.show()


def draw_rates(losses: Mapping[int, Mapping[str, Mapping[float, float]]]):
    """Show the loss over the learning rate, a panel for each number of steps.

    Args:
        losses: Numbers of steps, the activations, and the loss at each rate; four
            activations at most.
    """
    _, panels = plt.subplots(1, len(losses), figsize=(7.2, 3.4), sharey=True)
    for axes, (steps, curves) in zip(panels, losses.items(), strict=True):
        styles = zip(COLORS, LINE_STYLES, "osD^", strict=True)
        for (name, curve), (color, line, marker) in zip(
            curves.items(), styles, strict=False
        ):
            rates, nats = zip(*sorted(curve.items()), strict=True)
            axes.plot(
                rates, nats, color=color, linestyle=line, marker=marker, label=name
            )
        axes.set(xscale="log", xlabel="learning rate", title=f"{steps} steps")
        tried = sorted({rate for curve in curves.values() for rate in curve})
        axes.set_xticks(tried, [f"{rate:g}" for rate in tried])
        axes.set_xticks([], minor=True)
    panels[0].set_ylabel("nats per letter, validation")
    panels[0].legend(loc="best")
    plt.show()


def draw_real_gates(inputs: Tensor):
    """Show what the activations of a model read, and how far its gates are open.

    Args:
        inputs: What they read, (layers, tokens, units).
    """
    x = points(-4, 4, 321)
    edges = np.linspace(-4, 4, 81)
    counts, _ = np.histogram(to_numpy(inputs), bins=edges)
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    height = 1.4 * counts / counts.max()
    left.stairs(height, edges, fill=True, color=BLUE, alpha=0.35)
    left.plot(to_numpy(x), to_numpy(silu(x)), color=GREEN, linestyle="dashdot")
    left.plot(to_numpy(x), to_numpy(relu(x)), color=INK, lw=1)
    left.text(-3.8, 0.1, "ReLU")
    left.text(-3.8, -0.36, "SiLU", color=GREEN)
    left.text(-0.7, 1.55, "inputs", color=BLUE, ha="center")
    left.set(xlim=(-4, 2.2), ylim=(-0.5, 2), xlabel="x", ylabel="activation")
    gates = to_numpy(inputs.sigmoid().flatten(start_dim=1))
    low, first, middle, third, high = np.quantile(gates, BAND, axis=1)
    layers = np.arange(1, len(gates) + 1)
    right.fill_between(layers, low, high, color=BLUE, alpha=0.2, lw=0)
    right.fill_between(layers, first, third, color=BLUE, alpha=0.4, lw=0)
    right.plot(layers, middle, color=BLUE)
    right.axhline(0.5, color=INK, lw=0.7)
    right.text(1, 0.95, "open", va="center")
    right.text(1, 0.05, "shut", va="center")
    right.set(ylim=(0, 1), xlabel="layer", ylabel="gate (share that passes)")
    plt.show()
