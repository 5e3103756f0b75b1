"""The one figure style of the book: SVG with the same bytes at every run."""

import matplotlib as mpl
from cycler import cycler
from IPython import get_ipython
from matplotlib.colors import LinearSegmentedColormap
from matplotlib_inline.backend_inline import set_matplotlib_formats

# Okabe and Ito's palette for all kinds of color vision; each color comes with its
# own line style, so that curves can be told apart in grey.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
COLORS = (BLUE, ORANGE, GREEN, PURPLE)
LINE_STYLES = ("solid", "dashed", "dashdot", "dotted")
INK, PAPER = "#1a1a1a", "#ffffff"

SEQUENTIAL = LinearSegmentedColormap.from_list(
    "book_sequential", ["#ffffff", "#9ecae1", "#2171b5", "#08306b"]
)
DIVERGING = LinearSegmentedColormap.from_list(
    "book_diverging", ["#8c3b00", "#f4a261", "#ffffff", "#6baed6", "#084594"]
)

RC_PARAMS = {
    "figure.figsize": (6.4, 3.4),
    "figure.dpi": 100,
    "figure.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    "savefig.facecolor": PAPER,
    "font.size": 11,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.facecolor": PAPER,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.prop_cycle": cycler(color=COLORS) + cycler(linestyle=LINE_STYLES),
    "axes.unicode_minus": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 2,
    "legend.frameon": False,
    "path.simplify": False,  # rounding must not change the number of points
    "svg.fonttype": "path",
    "svg.hashsalt": "the-tested-transformer",
    "image.interpolation": "none",
}


def use_book_style() -> None:
    """Draw every later figure in the style of the book, as SVG in a notebook.

    The SVG carries no date and hashes its ids with a fixed salt, so that the same
    figure gives the same bytes at every run.
    """
    mpl.rcParams.update(mpl.rcParamsDefault | {"backend": mpl.rcParams["backend"]})
    mpl.rcParams.update(RC_PARAMS)
    if get_ipython() is not None:
        set_matplotlib_formats("svg", metadata={"Date": None}, bbox_inches="tight")
