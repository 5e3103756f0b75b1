"""Check the numbered formulas: what a page displays is read and computed.

A displayed formula is a statement. A *binding* gives each of its names a value, mostly
random numbers and what the package makes of them, and the statement must hold. The
LaTeX is that of the notebook, so that nobody can change one without the other.
"""

from bookkit.checking.formulas.binding import Binding, refutation
from bookkit.checking.formulas.values import Family, FormulaError

__all__ = ["Binding", "Family", "FormulaError", "refutation"]
