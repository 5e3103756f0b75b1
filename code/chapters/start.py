"""How every chapter starts: one style, float64, and the GPU where there is one."""

import sys
from collections.abc import Mapping

import matplotlib as mpl
import torch
from cycler import cycler
from jaxtyping import Float
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from torch import Tensor

from chapters.as_on_cpu import compute_as_on_cpu
from chapters.labels import read_labels, translate_labels
from chapters.narrow import write_narrow

# Okabe and Ito's palette for all kinds of color vision; each color comes with its
# own line style, so that curves can be told apart in grey.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
COLORS = (BLUE, ORANGE, GREEN, PURPLE)
LINE_STYLES = ("solid", "dashed", "dashdot", "dotted")
# What a color says wherever parts of attention are drawn, here, in the explorers
# (shared/explorer/frame.css) and in the translator: blue is who asks (query), orange
# who is looked at (key) and how much (weight), green what is handed over (value),
# purple what comes out. In drawings of the machine attention is blue, between two
# texts too, and the feed-forward network is none of these four (book/_drawings). Curves
# that are compared take the four in turn, and a map of numbers its own scale of blue.
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


def start_chapter(labels: str = "") -> None:
    """Set the figure style, float64 with four decimals, one thread, and the device.

    The models of the chapters are small: one thread is as fast as two for them, gives
    the same digits everywhere, and does not stall on a busy machine.

    On a machine with a CUDA device every new tensor lives there, so that the same
    notebook checks the GPU. Random numbers still come from the CPU (`AsOnCPU`), so that
    they are the same everywhere.

    Args:
        labels: The chapter whose figures speak Chinese, as in `"rotary"`; the Chinese
            notebooks name theirs.
    """
    use_book_style(labels)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    torch.set_printoptions(precision=4, sci_mode=False, linewidth=88)
    if torch.cuda.is_available():
        torch.set_default_device("cuda")
        compute_as_on_cpu()
    torch.manual_seed(0)


def gaussian(*shape: int, seed: int) -> Float[Tensor, "..."]:
    """Draw standard normal numbers, the same on every device.

    Args:
        *shape: Shape of the tensor.
        seed: Which numbers; the same seed and shape give the same numbers.

    Returns:
        A float64 tensor on the default device.
    """
    generator = torch.Generator("cpu").manual_seed(seed)
    numbers = torch.randn(shape, generator=generator, dtype=torch.float64, device="cpu")
    return numbers.to(torch.get_default_device())


def use_book_style(labels: str = "") -> None:
    """Draw every later figure in the style of the book, as SVG in a notebook.

    The SVG carries no date and hashes its ids with a fixed salt, so that the same
    figure gives the same bytes at every run.
    """
    mpl.rcParams.update(mpl.rcParamsDefault | {"backend": mpl.rcParams["backend"]})
    mpl.rcParams.update(RC_PARAMS)
    if "IPython" in sys.modules:
        _show_svg(read_labels(labels) if labels else {})


def _show_svg(labels: Mapping[str, str]) -> None:
    """Let a notebook show figures as SVG; IPython is there, but nothing asks for it.

    Beside each figure the notebook keeps its narrow form, which is for the site alone.
    That form is asked for first, so that labels are in Chinese in whatever follows it.
    """
    from IPython import get_ipython
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    def write_forms(figure: Figure) -> dict[str, str]:
        translate_labels(figure, labels)
        return write_narrow(figure)

    if (shell := get_ipython()) is not None:
        set_matplotlib_formats("svg", metadata={"Date": None}, bbox_inches="tight")
        bundle = shell.display_formatter.mimebundle_formatter
        bundle.for_type(Figure, write_forms if labels else write_narrow)
