"""Figures of the chapter on activations."""

from collections.abc import Mapping
from math import erf, exp, pi, sqrt

import numpy as np
import torch
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike
from torch import Tensor

from chapters.shared.plots import line_plot, range_plot, to_numpy
from chapters.start import BLUE, COLORS, GREEN, INK, LINE_STYLES, ORANGE
from transformer.layers import gelu, gelu_tanh, relu, sigmoid, silu, swish

NAMED = {"ReLU": relu, "GELU": gelu, "SiLU": silu}


def points(low: float, high: float, count: int) -> Tensor:
    """Return equally spaced numbers, in float64 on the CPU."""
    return torch.linspace(low, high, count, dtype=torch.float64, device="cpu")


def draw_gates():
    """Show three gates, and the activations that they make of their own input."""
    x = points(-4, 4, 321)
    gates = {
        "step": (x > 0).double(),
        r"$\Phi(x)$": torch.special.ndtr(x),
        r"$\sigma(x)$": sigmoid(x),
    }
    made = dict(zip(NAMED, (x * gate for gate in gates.values()), strict=True))
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.2))
    label = "gate (share that passes)"
    line_plot(axes[0], x, gates, x_label="x", y_label=label, direct=False)
    line_plot(axes[1], x, made, x_label="x", y_label="x times gate", direct=False)
    for panel, limits in zip(axes, ((-0.05, 1.05), (-0.6, 2.6)), strict=True):
        panel.set(ylim=limits)
        panel.axvline(0, color=INK, lw=0.7)
    axes[1].set(xlim=(-4, 2.6))
    axes[1].axhline(0, color=INK, lw=0.7)
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


def draw_slopes():
    """Show the slopes in the middle, and how they fade toward the left."""
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.2))
    x = points(-4, 4, 320)  # without zero, where ReLU has a corner
    slopes = {name: slope(f, x) for name, f in NAMED.items()}
    line_plot(axes[0], x, slopes, x_label="x", y_label="slope", direct=False)
    tail = points(-10, -3, 141)
    places = {"GELU": (-6.4, 1e-15), "SiLU": (-9.6, 4e-3)}  # ReLU's slope is zero
    for (name, place), color, style in zip(
        places.items(), (ORANGE, GREEN), ("dashed", "dashdot"), strict=True
    ):
        size = to_numpy(slope(NAMED[name], tail).abs())
        axes[1].plot(to_numpy(tail), size, color=color, linestyle=style)
        axes[1].text(*place, name, color=color)
    axes[1].set(yscale="log", ylim=(1e-24, 10), xlabel="x", ylabel="size of the slope")
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
    panels[0].legend()
    plt.show()
