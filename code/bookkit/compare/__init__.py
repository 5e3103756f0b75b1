"""Compare the stored outputs of a notebook with freshly computed ones.

``text``, ``svg`` and ``png`` say what equal means, ``outputs`` compares all outputs of
a cell, ``conditions`` says which cells can be compared at all, and ``plugin`` makes
``pytest --nbval`` use them.
"""

from bookkit.compare.outputs import compare_outputs, join_streams, kind_of
from bookkit.compare.png import compare_png
from bookkit.compare.svg import compare_svg
from bookkit.compare.text import compare_text

__all__ = [
    "compare_outputs",
    "compare_png",
    "compare_svg",
    "compare_text",
    "join_streams",
    "kind_of",
]
