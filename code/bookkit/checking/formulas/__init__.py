"""Check the displayed formulas: what a page displays is computed.

A displayed formula is a statement. A *binding* gives each of its names a value, mostly
random numbers and what the package makes of them, and the statement must hold. The
LaTeX is that of the notebook, so that nobody can change one without the other. Those of
docstrings stand beside the code that they describe, and are read with it.
"""

from bookkit.checking.formulas.binding import Binding, refutation
from bookkit.checking.formulas.values import Family, FormulaError

__all__ = ["Binding", "Family", "FormulaError", "refutation"]
