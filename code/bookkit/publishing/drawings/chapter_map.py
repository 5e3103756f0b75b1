"""The map of which chapter needs which: one row a chapter, lines from top to bottom.

A line leaves a chapter, runs down beside the rows, and turns into each chapter that
needs it. What follows from other lines is not drawn, but stands in the table.
"""

from collections.abc import Sequence
from dataclasses import replace

from bookkit.book.outline import Chapter, direct_needs, needed_by
from bookkit.book.prose import escape_markdown
from bookkit.publishing.appendix.templates import row_of
from bookkit.publishing.drawings.shapes import Box, Dot, Drawing, Line

TITLE = "The map of chapters: a line leads from a chapter down to each that needs it"
DESCRIPTION = (
    "The chapters stand in a column, in the order of the book. Lines beside them run "
    "downward only. The table below says the same in words."
)
WIDTH, ROW, FONT_SIZE, LANE = 346.0, 36.0, 13.0, 11.0
EDGE = 10.0  # from the rim to the first lane

# The names on the map, where a title is longer than a row.
SHORT = {
    "attention/embeddings": "Tokens and embeddings",
    "attention/multi_head_attention": "Multi-head attention",
    "position/sinusoidal": "Sinusoidal encoding",
    "position/rotary": "Rotary embedding",
    "position/field_guide": "A field guide to positions",
    "feed_forward/feed_forward": "The feed-forward network",
    "feed_forward/activations": "Activations",
    "feed_forward/variants": "Variants: gates, experts",
    "normalization/rms_norm": "RMSNorm",
    "normalization/norm_placement": "Where the norm goes",
    "architecture/encoder_decoder": "Encoder and decoder",
    "architecture/one_sentence": "One sentence by hand",
    "architecture/one_page": "All of it on one page",
    "architecture/is_it_the_model": "Is it your model?",
    "architecture/decoding": "Decoding",
    "beyond/ablations": "Ablations",
    "beyond/inside": "Inside a real model",
}


def chapter_map(chapters: Sequence[Chapter]) -> Drawing:
    """Draw which chapter needs which.

    Args:
        chapters: In the order of the book; none needs a later one.
    """
    rows = {chapter.name: number for number, chapter in enumerate(chapters)}
    pairs = direct_needs(chapters)
    lanes = assign_lanes([(rows[a], rows[b]) for a, b in pairs])
    right = EDGE + LANE * (max(lanes.values(), default=-1) + 1)
    lines = []
    for chapter in reversed(chapters):
        end = rows[chapter.name]
        into = [
            Line(
                points=_path(rows[needed], end, lanes[rows[needed]], right),
                hue=needed.split("/")[0],
                dashed=needed in chapter.instead,
                chapters=(needed, chapter.name),
            )
            for needed, name in sorted(pairs, key=lambda pair: lanes[rows[pair[0]]])
            if name == chapter.name
        ]
        lines += [*(replace(line, halo=True) for line in into), *into]
    rests = []
    for chapter in chapters:
        hue, level = chapter.name.split("/")[0], _level(rows[chapter.name])
        rests += [Dot(x=right, y=level, hue=hue), _row(chapter, right + 10, level)]
    return Drawing(
        name="chapter-map",
        width=WIDTH,
        height=ROW * len(chapters),
        font_size=FONT_SIZE,
        title=TITLE,
        description=DESCRIPTION,
        shapes=(*lines, *rests),
    )


def assign_lanes(pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Give each row with lines a lane, so that no two lines run over each other.

    Args:
        pairs: Rows from which and to which a line leads.

    Returns:
        The lane of each first row; short lines are near the rows, on the right.
    """
    ends: dict[int, int] = {}
    for start, end in pairs:
        ends[start] = max(end, ends.get(start, end))
    taken: list[list[tuple[int, int]]] = []
    lanes = {}
    for start, end in sorted(ends.items(), key=lambda span: (span[1] - span[0], span)):
        free = (
            i
            for i, spans in enumerate(taken)
            if all(end < first or last < start for first, last in spans)
        )
        lane = next(free, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append((start, end))
        lanes[start] = lane
    return {start: len(taken) - 1 - lane for start, lane in lanes.items()}


def _level(row: int) -> float:
    return ROW * (row + 0.5)


def _path(start: int, end: int, lane: int, right: float) -> tuple:
    """Lead from one row down to another: out below its middle, in above it."""
    x, leave, arrive = EDGE + LANE * lane, _level(start) + 4, _level(end) - 4
    return ((right, leave), (x, leave), (x, arrive), (right, arrive))


def _row(chapter: Chapter, x: float, level: float) -> Box:
    """Make the name of a chapter, as a link as high as its row."""
    title = SHORT.get(chapter.name, chapter.title)
    return Box(
        x=x,
        y=level - ROW / 2 + 3,
        width=WIDTH - x - 2,
        height=ROW - 6,
        text=f"{chapter.number}. {title}",
        chapter=chapter.name,
        hue=chapter.name.split("/")[0],
        look="row",
    )


def map_rows(chapters: Sequence[Chapter]) -> list[str]:
    """Write the map as the rows of a table, for the page and for a screen reader."""
    by_name = {chapter.name: chapter for chapter in chapters}

    def link(name: str, text: str = "") -> str:
        words = escape_markdown(text) or by_name[name].number
        return f"[{words}]({name}.ipynb)"

    rows, users = [], needed_by(chapters)
    for chapter in chapters:
        needs = ", ".join(map(link, chapter.needs))
        if chapter.instead:
            both = sorted(chapter.needs, key=lambda name: by_name[name].number)
            needs = " and ".join(map(link, both))
            needs += ", or only " + " and ".join(map(link, chapter.instead))
        title = link(chapter.name, chapter.title)
        cells = (
            str(chapter.number),
            title,
            needs or "none",
            ", ".join(map(link, users[chapter.name])) or "none",
        )
        rows.append(row_of(cells))
    return rows
