"""Lay a copy of a figure out anew, and write it as SVG."""

import pickle
import re
import warnings
from io import StringIO

from matplotlib import _pylab_helpers
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from chapters.narrow.layout import (
    SMALLEST,
    arrange,
    fold_legend,
    list_columns,
    scale_letters,
)
from chapters.narrow.words import RIM, find_faults, wrap

# What a notebook calls the form, beside the figure itself.
KIND = "application/vnd.tested-transformer.narrow+svg"
WIDTH = 4.2  # inches: 390 pixels of a phone, less the margins, are 0.85 of it
WIDER = (5.0, 6.0)  # where no letters fit; the page lets a reader scroll sideways
LARGEST, MIDDLE = 9.5, 8.75  # points

_ADDED = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.S
)
_INDENT = re.compile(r"\s*\n\s*")
_PLACES = re.compile(r' (?:d|x|y)="[^"]*"|translate\([^)]*\)')
_DIGITS = re.compile(r"\d+\.\d{3,}")


def write_narrow(figure: Figure) -> dict[str, str]:
    """Write the narrow form of a figure as SVG, by what a notebook calls it.

    A reader may draw what cannot be copied or laid out anew, and sees it all the same.
    """
    target = StringIO()
    settings = {"metadata": {"Date": None}, "bbox_inches": "tight", "pad_inches": RIM}
    try:
        with warnings.catch_warnings(action="ignore"):
            narrow(figure).savefig(target, format="svg", **settings)
    except Exception:
        return {}
    return {KIND: _shorten(target.getvalue())}


def narrow(figure: Figure) -> Figure:
    """Lay a copy of a figure out for a phone.

    Letters become smaller before columns become fewer, and both before the form becomes
    wider than a phone. A text that has a label (`axes.text(…, label=…)`) says that.

    Returns:
        The first form without a fault, or the last one.
    """
    stored = pickle.dumps(figure)

    def lay_out(columns: int, size: float, width: float = WIDTH) -> Figure | None:
        form = _load(stored)
        _lay_out(form, columns, size, width)
        return None if _has_faults(form) and width < WIDER[-1] else form

    for columns in (choices := list_columns(_load(stored))):
        if form := lay_out(columns, LARGEST):
            return form
        if form := lay_out(columns, SMALLEST):
            return lay_out(columns, MIDDLE) or form
    forms = (lay_out(choices[0], SMALLEST, width) for width in WIDER)
    return next(filter(None, forms))


def _lay_out(form: Figure, columns: int, size: float, width: float) -> None:
    """Change a copy of a figure into a form."""
    for text in form.findobj(Text):
        text.set_text(text.get_label() or text.get_text())
    arrange(form, columns, width)
    scale_letters(form, size)
    for legend in form.findobj(Legend):
        fold_legend(form, legend)


def _has_faults(form: Figure) -> bool:
    """Return whether texts of a form do not fit, even if they are wrapped."""
    faults = find_faults(form)
    return bool(faults) and not (wrap(faults) and not find_faults(form))


def _shorten(svg: str) -> str:
    """Leave out of an SVG what nobody sees: comments, indents, the third decimals."""

    def rounded(match: re.Match[str]) -> str:
        return _DIGITS.sub(lambda number: f"{float(number[0]):.2f}", match[0])

    return _PLACES.sub(rounded, _INDENT.sub("\n", _ADDED.sub("", svg)).lstrip())


def _load(stored: bytes) -> Figure:
    """Load a copy of a figure, which pyplot must not know, or it would be shown too."""
    known = dict(_pylab_helpers.Gcf.figs)
    copy = pickle.loads(stored)
    for number in set(_pylab_helpers.Gcf.figs) - set(known):
        del _pylab_helpers.Gcf.figs[number]
    return copy
