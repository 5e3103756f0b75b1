"""The words of figures in Chinese.

`make chinese` writes what is said here from the catalogs in `zh/`. The font has all
signs of it, so that they show where there is no Chinese font, as in Colab.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from matplotlib import font_manager
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text

FONT = Path(__file__).with_name("labels.otf")
FAMILY = "Book Labels"


def read_labels(chapter: str) -> dict[str, str]:
    """Read what the labels of a chapter are in Chinese, and make the font known."""
    font_manager.fontManager.addfont(FONT)
    return json.loads(FONT.with_name(f"{chapter}.json").read_text("utf-8"))


def translate_labels(figure: Figure, labels: Mapping[str, str]) -> None:
    """Write the texts of a figure in other words, wherever there are some."""
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        _name_ticks(axis, labels)
    for text in figure.findobj(Text):
        if text.get_text() in labels:
            text.set(text=labels[text.get_text()], label="")  # for the narrow form
        if text.get_text() in labels.values():
            # What is written around a formula is looked up in the first font only.
            is_mixed = "$" in text.get_text()
            names = text.get_fontfamily()
            text.set_fontfamily([FAMILY] if is_mixed else [*names, FAMILY])


def _name_ticks(axis: Axis, labels: Mapping[str, str]) -> None:
    """Write the ticks of an axis in other words, which an axis keeps by itself."""
    names = [tick.get_text() for tick in axis.get_ticklabels()]
    if labels.keys() & set(names):
        low, high = axis.get_view_interval()
        axis.set_ticks(axis.get_ticklocs(), [labels.get(name, name) for name in names])
        axis.set_view_interval(low, high, ignore=True)
