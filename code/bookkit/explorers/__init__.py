"""Explorers: figures that a reader can move, one module and one script each.

`explorers.sinusoidal.show()` as the last line of a cell shows one. `frame` says what
all of them have in common.
"""

from bookkit.explorers import (
    decoding,
    norm_placement,
    rotary,
    self_attention,
    sinusoidal,
    translator_attention,
)

__all__ = [
    "decoding",
    "norm_placement",
    "rotary",
    "self_attention",
    "sinusoidal",
    "translator_attention",
]
