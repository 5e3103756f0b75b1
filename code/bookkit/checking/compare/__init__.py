"""Compare the stored outputs of a notebook with freshly computed ones.

``text``, ``svg`` and ``png`` say what equal means, ``outputs`` compares all outputs of
a cell, ``record`` how far apart they are, ``conditions`` which cells can be
compared at all, and ``plugin`` makes ``pytest --nbval`` use them.
"""
