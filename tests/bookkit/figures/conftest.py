"""What the tests of figures share."""

import pytest
from matplotlib import pyplot as plt


@pytest.fixture
def drawn(monkeypatch):
    """Keep the figure that a call shows, and close it afterwards."""
    figures = []
    monkeypatch.setattr(plt, "show", lambda: figures.append(plt.gcf()))
    yield figures
    plt.close("all")
