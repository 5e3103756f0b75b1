"""The drawing of a finished translation, which stands where no scripts run.

It looks as the translator on the page does before it is touched. Within the page its
colors are those of the page; alone, those of a light one.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from chapters.shared.explorer.markup import fixed, tag

FILE = Path(__file__).parents[3] / "book/_drawings/translator.svg"
FONT = 14
SIGN = 0.58 * FONT  # the width of a letter
PADDING, SPACE = 6, 5  # within a word, and between two
HEIGHT, GAP = 28, 72  # of a word, and between the rows
EDGE = 1
LEAST = 0.02  # the weakest look that is drawn
STYLE = """\

.translator-drawing { --ink: var(--pst-color-text-base, #1a1a1a);
  --paper: var(--pst-color-background, #ffffff);
  --look: var(--look-ink, #b84f00); --ask: var(--asks, #0072b2);
  --faint: var(--pst-color-text-muted, #48566b);
  font-family: var(--pst-font-family-base, "DejaVu Sans", sans-serif); }
.translator-drawing text { fill: var(--ink); dominant-baseline: central;
  text-anchor: middle; }
.translator-drawing rect { fill: var(--paper); stroke: var(--ink);
  stroke-opacity: 0.5; }
.translator-drawing rect.paper { stroke: none; }
.translator-drawing rect.looked { fill: var(--look); stroke: none; }
.translator-drawing rect.asks { fill: none; stroke: var(--ask); stroke-opacity: 1;
  stroke-width: 2; }
.translator-drawing line { stroke: var(--faint); stroke-linecap: round; }
.translator-drawing line.asks { stroke: var(--look); }
"""


def draw(rest: Mapping) -> str:
    """Draw a finished translation: two rows of words, and lines between them.

    Args:
        rest: What `told.at_rest` returns.

    Returns:
        The text of an SVG file.
    """
    words, chosen = rest["words"], rest["words"][rest["place"]]
    pieces = [word["piece"] for word in words]
    above, below = _places(rest["source"]), _places(pieces)
    width = max(x + wide for x, wide in (above[-1], below[-1])) + EDGE
    height = 2 * (HEIGHT + EDGE) + GAP
    lines = [
        _line(above[key], below[place], look, is_chosen=word is chosen)
        for place, word in enumerate(words)
        for key, look in enumerate(word["looks"])
        if look >= LEAST
    ]
    looked = [
        {"class_": "looked", "fill_opacity": fixed(0.55 * w, 2)}
        for w in chosen["looks"]
    ]
    asks = [{"class_": "asks"} if word is chosen else None for word in words]
    name = f"“{rest['text']}” becomes “{rest['translation']}”"
    parts = [
        tag("title", name, id="translator-title"),
        tag("desc", rest["seen"], id="translator-seen"),
        tag("style", STYLE),
        tag("rect", class_="paper", width=width, height=height),
        *lines,
        *_row(rest["source"], above, EDGE, looked),
        *_row(pieces, below, EDGE + HEIGHT + GAP, asks),
    ]
    drawing = tag(
        "svg",
        "\n".join(["", *parts, ""]),
        xmlns="http://www.w3.org/2000/svg",
        class_="translator-drawing",
        viewBox=f"0 0 {width} {height}",
        font_size=FONT,
        role="img",
        aria_labelledby="translator-title",
        aria_describedby="translator-seen",
    )
    return drawing + "\n"


def _bare(piece: str) -> str:
    return piece.removeprefix("##")


def _places(pieces: Sequence[str]) -> list[tuple[int, int]]:
    """Return where each word of a row begins, and how wide it is."""
    widths = [round(SIGN * len(_bare(piece))) + 2 * PADDING for piece in pieces]
    spaces = [0 if piece.startswith("##") else SPACE for piece in pieces[1:]]
    steps = [wide + space for wide, space in zip(widths[:-1], spaces, strict=True)]
    return list(zip(accumulate(steps, initial=EDGE), widths, strict=True))


def _middle(place: tuple[int, int]) -> str:
    return fixed(place[0] + place[1] / 2, 1)


def _line(
    above: tuple[int, int], below: tuple[int, int], look: float, *, is_chosen: bool
) -> str:
    """Draw a look; those of the words that are not chosen are faint."""
    return tag(
        "line",
        class_="asks" if is_chosen else None,
        x1=_middle(above),
        y1=EDGE + HEIGHT,
        x2=_middle(below),
        y2=EDGE + HEIGHT + GAP,
        stroke_width=fixed(0.5 + 4 * look, 2),
        stroke_opacity=fixed(0.25 + 0.75 * look if is_chosen else 0.1 + 0.2 * look, 2),
    )


def _row(
    pieces: Sequence[str],
    places: Iterable[tuple[int, int]],
    y: int,
    marks: Iterable[Mapping | None],
) -> list[str]:
    """Draw a row of words, some with a mark."""
    parts = []
    for piece, place, mark in zip(pieces, places, marks, strict=True):
        box = {"x": place[0], "y": y, "width": place[1], "height": HEIGHT, "rx": 6}
        parts.append(tag("rect", **box))
        if mark:
            parts.append(tag("rect", **mark, **box))
        parts.append(tag("text", _bare(piece), x=_middle(place), y=y + HEIGHT // 2))
    return parts
