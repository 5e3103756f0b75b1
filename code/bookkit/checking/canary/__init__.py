"""The canary: a notebook with planted wrong outputs, each beside a sound twin.

A comparison that lets a planted output pass protects nothing. The name of a cell says
what must happen to it: *planted* ones must fail, each for its reason; *sound* ones hold
what the run gave, *tolerated* ones something within the tolerances, and both must pass.
``plants`` says what is planted, ``modes`` are the ways in which the book is validated,
and ``verdict`` judges what they say.
"""

from bookkit.checking.canary.modes import MODES, write
from bookkit.checking.canary.plants import NOTEBOOK
from bookkit.checking.canary.verdict import check

__all__ = ["MODES", "NOTEBOOK", "check", "write"]
