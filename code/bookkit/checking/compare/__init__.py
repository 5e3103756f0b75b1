"""Compare the stored outputs of a notebook with freshly computed ones.

``text``, ``svg`` and ``png`` say what equal means, ``outputs`` compares all outputs of
a cell, ``differences`` how far apart they are, ``conditions`` which cells can be
compared at all, and ``plugin`` makes ``pytest --nbval`` use them.
"""

from bookkit.checking.compare.outputs import compare_outputs, join_streams, kind_of
from bookkit.checking.compare.png import compare_png
from bookkit.checking.compare.record import Differences, collecting
from bookkit.checking.compare.svg import compare_svg
from bookkit.checking.compare.text import compare_text

__all__ = [
    "Differences",
    "collecting",
    "compare_outputs",
    "compare_png",
    "compare_svg",
    "compare_text",
    "join_streams",
    "kind_of",
]
