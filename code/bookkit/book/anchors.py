"""Anchors: what the links within a notebook lead to.

An anchor is a line of its own above what it names. JupyterLab and VS Code look for its
id, Colab for its name, and no reader sees it.
"""

import re
from collections.abc import Callable

from bookkit.book.prose import without_code

ANCHOR = r'<a id="(?P<label>[\w.:-]+)"(?: name="(?P=label)")?></a>\n'
_ANCHOR = re.compile(rf"^{ANCHOR}", re.M)
_EQUATION = re.compile(
    rf"^{ANCHOR}\n?\$\$(?P<body>.+?)(?:\n\\tag\{{[\d.]+\}})?(?P<end>\s*\$\$)",
    re.M | re.S,
)
_TARGET = re.compile(r"^\((?P<label>[\w.:-]+)\)=$", re.M)
_ABOVE_HEADING = re.compile(rf"^{ANCHOR}\n(?=#+ (?P<heading>[^\n]+))", re.M)


def write_anchor(label: str) -> str:
    """Return the line that names what follows it."""
    return f'<a id="{label}" name="{label}"></a>\n'


def anchors(text: str) -> list[str]:
    """List the labels of all anchors in a markdown text."""
    return [match["label"] for match in _ANCHOR.finditer(without_code(text))]


def targets(text: str) -> list[str]:
    """List the labels that a page of MyST gives to what stands below them."""
    return [match["label"] for match in _TARGET.finditer(without_code(text))]


def equation_labels(text: str) -> list[str]:
    """List the labels of displayed equations in a markdown text."""
    return [match["label"] for match in _EQUATION.finditer(without_code(text))]


def change_equations(text: str, change: Callable[[str, str], str]) -> str:
    """Replace each labeled equation, given its label and its LaTeX without the tag."""
    return _EQUATION.sub(
        lambda match: change(match["label"], f"{match['body']}{match['end'][:-2]}"),
        text,
    )


def change_heading_anchors(text: str, change: Callable[[str, str], str]) -> str:
    """Replace each anchor above a heading, given its label and the heading."""
    return _ABOVE_HEADING.sub(lambda m: change(m["label"], m["heading"]), text)


def without_anchors(text: str) -> str:
    """Leave out the anchors of a text and the numbers that its equations carry."""
    text = change_equations(text, lambda _, latex: f"$${latex}$$")
    return re.sub(rf"{_ANCHOR.pattern}\n?", "", text, flags=re.M)
