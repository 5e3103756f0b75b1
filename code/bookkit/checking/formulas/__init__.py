"""Check the displayed formulas: what a page or docstring displays is computed.

A displayed formula is a statement. A *binding* gives each of its names a value, mostly
random numbers and what the package makes of them, and the statement must hold. The
LaTeX is that of the notebook or the docstring, so that nobody can change one without
the other.
"""

from bookkit.checking.formulas.binding import Binding, refutation
from bookkit.checking.formulas.values import Family, FormulaError

__all__ = ["Binding", "Family", "FormulaError", "refutation"]
