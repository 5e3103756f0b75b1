"""Write the numbers that boxes and equations carry, since only the site counts them."""

from collections.abc import Mapping
from dataclasses import replace

from bookkit.book.anchors import change_equations, without_anchors, write_anchor
from bookkit.book.boxes import FIGURE, read_box, write_box
from bookkit.book.numbering import Number


def write_numbers(text: str, numbers: Mapping[str, Number]) -> str:
    """Give the box that a cell is, and the equations in it, their numbers."""

    def tagged(label: str, latex: str) -> str:
        number = numbers.get(label)
        tag = f"\n\\tag{{{number.number}}}" if number else ""
        return f"{write_anchor(label)}\n$${latex.rstrip()}{tag}\n$$"

    if box := read_box(text):
        known = numbers.get(box.label)
        text = write_box(replace(box, number=known.number) if known else box)
    return change_equations(text, tagged)


def without_numbers(text: str) -> str:
    """Return what is read as prose: without anchors, numbers and captions.

    A caption is looked at with its figure, and its time is the figure's.
    """
    box = read_box(text)
    if box is None:
        return without_anchors(text)
    words = "" if box.kind == FIGURE else f"{box.title} {box.body}"
    return without_anchors(words)
