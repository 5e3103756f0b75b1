"""The canary: a notebook with planted wrong outputs, each beside a sound twin.

A comparison that lets a planted output pass protects nothing. The name of a cell says
what must happen to it: *planted* ones must fail, each for its reason; *sound* ones hold
what the run gave, *tolerated* ones something within the tolerances, and both must pass.
``plants`` says what is planted, ``modes`` are the ways in which the book is validated.
"""

from bookkit.checking.canary.modes import MODES, check, write
from bookkit.checking.canary.plants import NOTEBOOK

__all__ = ["MODES", "NOTEBOOK", "check", "write"]
