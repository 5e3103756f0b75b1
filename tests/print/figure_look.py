"""Where the figures of a PDF are, and which colors a picture shows."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pypdfium2
from PIL import Image
from pypdfium2 import raw

HUES = 24
GREY = 24  # of 255: what differs less between its channels has no hue
FAINT = 0.05  # of all ink: where less has a color, it counts for less
BARE = -1  # the mark of what belongs to no element
MOST = 0.9  # of the parts of a figure, where a few letters are turned
LINE = 12  # points

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Look:
    """What a picture shows: how much ink, and which share of its colors has which hue.

    Letters are larger on a screen than on paper, so what is grey counts as ink alone.
    """

    ink: float
    hues: np.ndarray


def look_at(picture: Image.Image) -> Look:
    """Measure the colors of a picture.

    Ink is how far a pixel is from white, so that the soft edge of a line counts for as
    much as it covers, however large the picture is drawn.
    """
    pixels = np.asarray(picture.convert("RGB"), dtype=float)
    high, low = pixels.max(axis=2), pixels.min(axis=2)
    ink = 255 - low
    hue = np.asarray(picture.convert("HSV"))[..., 0].astype(int) * HUES // 256
    bins = np.where(high - low < GREY, HUES, hue)
    amounts = np.bincount(bins.ravel(), weights=ink.ravel(), minlength=HUES + 1)
    # A color at the border of two hues is a little of both.
    around = amounts[:HUES]
    colors = (np.roll(around, 1) + 2 * around + np.roll(around, -1)) / 4
    total = amounts.sum()
    return Look(total / ink.size / 255, colors / max(colors.sum(), FAINT * total, 1))


def compare(found: Look, expected: Look) -> tuple[float, float]:
    """Return how far two pictures are apart: shares of hues, and ratio of ink."""
    hues = float(np.abs(found.hues - expected.hues).sum() / 2)
    return hues, (found.ink + 0.002) / (expected.ink + 0.002)


def find_figures(page: pypdfium2.PdfPage) -> list[Box]:
    """Return the box of each figure on a tagged page, in points, without its caption.

    A box is (left, bottom, right, top).
    """
    tree = raw.FPDF_StructTree_GetForPage(page)
    try:
        roots = _list_children(tree, tree=True)
        figures = [figure for root in roots for figure in _find_outer(root)]
        marks = [set(_list_marks(figure)) for figure in figures]
        # What is drawn in a form counts its marks anew, so some are also the text's.
        text = {mark for root in roots for mark in _list_marks(root, figures=False)}
    finally:
        raw.FPDF_StructTree_Close(tree)
    parts: dict[int, list[Box]] = {}
    # What is within a form has marks and a place of its own, not those of the page.
    for part in page.get_objects(max_depth=1):
        mark = raw.FPDFPageObj_GetMarkedContentID(part)
        parts.setdefault(mark, []).append(part.get_bounds())
    return [_surround(wanted, text, parts) for wanted in marks if wanted]


def _surround(marks: set[int], text: set[int], parts: dict[int, list[Box]]) -> Box:
    """Return the box around a figure.

    Most figures begin with their paper. Others have lines without a mark. Of what has
    a mark of the text, a figure has what touches the rest of it.
    """
    boxes = [
        box for mark in sorted(marks - text or marks) for box in parts.get(mark, [])
    ]
    rest = _join(boxes)
    shared = (box for mark in marks & text for box in parts.get(mark, []))
    boxes += [box for box in shared if _touches(box, rest)]
    paper = boxes[0]
    if sum(_is_within(box, paper) for box in boxes) > MOST * len(boxes):
        return paper
    height = _join(boxes)
    bare = [box for box in parts[BARE] if _is_between(box, height)]
    return _join(boxes + bare)


def _is_within(box: Box, paper: Box) -> bool:
    """Say whether the middle of a box is on a sheet; lines may go on beyond it."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return paper[0] <= x <= paper[2] and paper[1] <= y <= paper[3]


def _is_between(box: Box, around: Box) -> bool:
    """Say whether a box is no lower and no higher than another, but for a line."""
    return box[1] >= around[1] - LINE and box[3] <= around[3] + LINE


def _touches(box: Box, other: Box) -> bool:
    """Say whether two boxes overlap, or share an edge."""
    return (
        max(box[0], other[0]) <= min(box[2], other[2]) + 1
        and max(box[1], other[1]) <= min(box[3], other[3]) + 1
    )


def _join(boxes: list[Box]) -> Box:
    """Return the box around boxes."""
    left, bottom, right, top = zip(*boxes, strict=True)
    return min(left), min(bottom), max(right), max(top)


def _find_outer(element: object) -> Iterator[object]:
    """Find the figures that stand in no other."""
    if _is_figure(element):
        yield element
        return
    for child in _list_children(element):
        yield from _find_outer(child)


def _is_figure(element: object) -> bool:
    """Say whether an element is a figure; a formula is one with words instead."""
    kind = _read(raw.FPDF_StructElement_GetType, element)
    return kind == "Figure" and not _read(raw.FPDF_StructElement_GetAltText, element)


def _list_marks(element: object, *, figures: bool = True) -> Iterator[int]:
    """List the marks of what an element holds, without captions, or without figures."""
    if figures and _read(raw.FPDF_StructElement_GetType, element) == "Caption":
        return
    if not figures and _is_figure(element):
        return
    for index in range(raw.FPDF_StructElement_GetMarkedContentIdCount(element)):
        mark = raw.FPDF_StructElement_GetMarkedContentIdAtIndex(element, index)
        if mark >= 0:
            yield mark
    for child in _list_children(element):
        yield from _list_marks(child, figures=figures)


def _list_children(element: object, *, tree: bool = False) -> list[object]:
    kind = "Tree" if tree else "Element"
    count = getattr(raw, f"FPDF_Struct{kind}_CountChildren")(element)
    get = getattr(raw, f"FPDF_Struct{kind}_GetChildAtIndex")
    return [child for child in (get(element, i) for i in range(count)) if child]


def _read(ask: Callable, element: object) -> str:
    """Read a word of a structure element."""
    size = ask(element, None, 0)
    words = ctypes.create_string_buffer(size)
    ask(element, words, size)
    return words.raw.decode("utf-16-le").rstrip("\0")


def cut_out(page: pypdfium2.PdfPage, box: Box, width: int) -> Image.Image:
    """Return a part of a page, drawn so many pixels wide."""
    left, bottom, right, top = box
    page_width, page_height = page.get_size()
    scale = width / (right - left)
    crop = (left, bottom, page_width - right, page_height - top)
    return page.render(scale=scale, crop=crop).to_pil()
