"""A caption names no panel by its side where the narrow form puts it elsewhere."""

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bookkit.book.boxes import caption_below
from bookkit.book.cells import images
from bookkit.book.files import find_root
from bookkit.book.notebooks import NARROW, SVG, notebook_paths, read_notebook
from bookkit.checking.facts import facts

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# "Left, …", "(right)", "on the left", "the middle table", but neither "what is left",
# "writes no number right" nor "at the left" within each panel.
SIDE = re.compile(
    r"(?:^|[.;:]\s+|\()(?:left|middle|right)(?=[,:)])"
    r"|\b(?:in|on|of) the (?:left|middle|right)\b"
    r"|\bthe (?:left|middle|right) (?:one|panel|grid|table|plot|picture|half)\b",
    re.I,
)


def read_spans(svg):
    """Read from where to where each panel of a drawing goes, from left to right."""
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", svg))
    spans = []
    for group in root.iter():
        if re.fullmatch(r"axes_\d+", group.get("id", "")):
            parts = (p for p in group.iter() if p.get("id", "").startswith("patch_"))
            paths = next(parts, group).iter("{http://www.w3.org/2000/svg}path")
            across = [
                float(x) for p in paths for x in NUMBER.findall(p.get("d", ""))[::2]
            ]
            spans += [(min(across), max(across))] if across else []
    return spans


def count_neighbors(spans):
    """Count the pairs of panels of which one ends before the other begins."""
    return sum(min(a[1], b[1]) <= max(a[0], b[0]) for a, b in combinations(spans, 2))


def stacked_captions():
    """List the captions of figures whose narrow form has fewer panels side by side."""
    for path in notebook_paths(find_root(Path(__file__))):
        notebook = read_notebook(path)
        for index, cell in enumerate(notebook.cells):
            caption = caption_below(notebook, index)
            for output in images(cell) if cell.cell_type == "code" and caption else ():
                if {NARROW, SVG} <= set(output.data):
                    wide, narrow = (read_spans(output.data[k]) for k in (SVG, NARROW))
                    if count_neighbors(narrow) < count_neighbors(wide):
                        yield pytest.param(caption.body, id=caption.label)


STACKED = list(stacked_captions())


def test_figures_with_stacked_panels_are_found():
    assert {"fig-counters", "fig-mha-stripes", "fig-cost-held"} <= {
        param.id for param in STACKED
    }


@facts("caption", STACKED)
def test_the_caption_of_stacked_panels_names_no_side(caption):
    assert SIDE.findall(caption) == []


@facts(
    "caption",
    [
        "Two models. Left, the first.",
        "A counter (left) and sines.",
        "It looks perfect on the left.",
        "Only the left table shows vowels.",
        "In the first row of the middle, a fifth.",
    ],
)
def test_a_side_is_found(caption):
    assert SIDE.search(caption)


@facts(
    "caption",
    [
        "Nothing is left.",
        "The model writes no number right.",
        "The block above left.",
        "Times (left is faster).",
    ],
)
def test_what_names_no_panel_is_not_found(caption):
    assert not SIDE.search(caption)
