"""The narrow form of a figure, which the site shows on a phone.

A figure that is 7 inches wide has letters of 5 pixels there. Its narrow form is a copy
that is laid out anew: 4.2 inches wide, the panels of a row in a column, and the letters
as large as fit. The figure itself stays as it is.
"""

from chapters.narrow.form import KIND, WIDTH, narrow, write_narrow
from chapters.narrow.words import find_faults

__all__ = ["KIND", "WIDTH", "find_faults", "narrow", "write_narrow"]
