import base64
import io

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

BARS = (3.0, 5.0, 2.0, 7.0, 4.0)


def draw(
    *,
    format="svg",
    salt="book",
    creator=None,
    shift=0.0,
    noise=0.0,
    bars=BARS,
    color="#0072b2",
    label="attention",
    width=2.0,
    opacity=0.5,
    cell=0.25,
):
    """Draw a curve, bars, and a heat map; each argument changes one thing."""
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": "path"}):
        figure = Figure(figsize=(6, 3))
        left, middle, right = figure.subplots(1, 3)
        x = np.linspace(0, 6, 101)
        curve = np.sin(x) + shift + noise * np.cos(37 * x)
        left.plot(x, curve, color=color, linewidth=width)
        left.set(ylim=(-2, 2), ylabel=label)
        left.axhspan(-1, 0, alpha=opacity)
        middle.bar(np.arange(len(bars)), bars)
        middle.set(xlim=(-1, 5), ylim=(0, 8))
        weights = np.eye(11) / 2
        weights[3, 7] = cell
        right.imshow(weights + noise, vmin=0, vmax=1)
        file = io.BytesIO()
        metadata = {"Date": None, "Creator": creator} if format == "svg" else None
        figure.savefig(file, format=format, metadata=metadata, dpi=100)
    data = file.getvalue()
    return (base64.b64encode(data) if format == "png" else data).decode()


@pytest.fixture(scope="session")
def figure():
    return draw


@pytest.fixture(scope="session")
def svg():
    return draw()


@pytest.fixture(scope="session")
def png():
    return draw(format="png")
