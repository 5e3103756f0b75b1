"""The words of a figure: where they stand, which of them meet, and shorter lines."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

RIM = 0.03  # inches around the narrow form
# How near two texts may come, relative to their height: on a line, and as lines.
APART, OVERLAP = 0.35, 0.15


def find_faults(figure: Figure) -> dict[str, list[Text]]:
    """Say which texts of a figure meet, cross a box, or make it too wide."""
    figure.draw_without_rendering()
    places = [(text, text.get_window_extent()) for text in _list_texts(figure)]
    faults = {
        f"{a.get_text()!r} and {b.get_text()!r} meet": [a, b]
        for (a, first), (b, second) in combinations(places, 2)
        if _meet(first, second)
    }
    for patch in figure.findobj(FancyBboxPatch):
        box = patch.get_window_extent()
        for text, place in places:
            if text.axes is patch.axes and _crosses(place, box):
                faults[f"{text.get_text()!r} crosses a box"] = [text]
    whole = figure.get_tightbbox()
    if whole.width > figure.get_figwidth() - 2 * RIM:
        low, high = (side * figure.dpi for side in whole.intervalx)
        ends = [t for t, place in places if place.x0 < low + 1 or place.x1 > high - 1]
        faults["it is too wide"] = ends
    return faults


def _list_texts(artist: Artist) -> Iterator[Text]:
    """List the texts that can be seen."""
    children = artist.get_children()
    if isinstance(artist, Axis):
        low, high = sorted(artist.get_view_interval())
        ticks = {*artist.get_major_ticks(), *artist.get_minor_ticks()}
        passed = {tick for tick in ticks if not low <= tick.get_loc() <= high}
        children = [child for child in children if child not in passed]
    if isinstance(artist, Axes) and not artist.axison:
        children = [child for child in children if not isinstance(child, Axis)]
    if not artist.get_visible():
        return
    if isinstance(artist, Text):
        if artist.get_text().strip():
            yield artist
        return
    for child in children:
        yield from _list_texts(child)


def _meet(a: Bbox, b: Bbox) -> bool:
    """Return whether two texts meet."""
    aside = min(a.x1, b.x1) - max(a.x0, b.x0)
    above = min(a.y1, b.y1) - max(a.y0, b.y0)
    height = min(a.height, b.height, a.width, b.width)
    return aside > -APART * height and above > OVERLAP * height


def _crosses(text: Bbox, box: Bbox) -> bool:
    """Return whether a text stands neither in a box nor beside it."""
    beside = not box.overlaps(text.padded(-1))
    return not beside and not (
        text.x0 >= box.x0
        and text.x1 <= box.x1
        and text.y0 >= box.y0
        and text.y1 <= box.y1
    )


def wrap(faults: Mapping[str, Sequence[Text]]) -> bool:
    """Give each text of a fault one line more; return whether one took it."""
    wrapped = False
    for text in {text for texts in faults.values() for text in texts}:
        words = text.get_text()
        if " " not in words or "$" in words:
            continue
        lines = words.count("\n") + 2
        for width in range(max(map(len, words.split())), len(words)):
            parts = textwrap.wrap(words, width, break_on_hyphens=False)
            if len(parts) <= lines:
                text.set_text("\n".join(parts))
                wrapped = True
                break
    return wrapped
