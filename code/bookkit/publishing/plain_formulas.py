"""Write formulas in plain characters, for a search and for lists of titles."""

import re
import unicodedata

from pylatexenc import latex2text, latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec
from pylatexenc.macrospec import std_macro

SPACES = re.compile(r"\s+")
# What needs no brackets in a fraction: a number, a letter with its index, a root.
ATOM = re.compile(r"[\d.]+|[^\W\d_](_(\w|\{\w+\}))?|√?\([^()]*\)")
FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
# The end of a fraction, from which a factor must keep its distance: 1/d y is not 1/dy.
END = "\N{WORD JOINER}"
AFTER_FRACTION = re.compile(rf"{END} *(?=[\w(\[√∑∇‖⌊∂])")
FUNCTION = re.compile(
    r"\\(cos|exp|ln|log|sin|tanh)(?= *[\\A-Za-z])(?! *\\(left|[bB]ig))"
)
BRACKETS = str.maketrans("{}", "()")


def plain_formula(tex: str) -> str:
    r"""Write a formula in plain characters: `\frac{1}{\sqrt{d_k}}` as 1/√(d_k)."""
    tex = FUNCTION.sub(r"\g<0>\\ ", tex)
    plain = _READER.latex_to_text(tex, latex_context=_ARGUMENTS)
    plain = unicodedata.normalize("NFKC", plain).translate(BRACKETS)
    plain = AFTER_FRACTION.sub(" ", plain).replace(END, "")
    return SPACES.sub(" ", plain).strip()


def plain_fraction(node: object, l2tobj: LatexNodes2Text) -> str:
    """Write a fraction in one line, with brackets where it needs them."""
    parts = (l2tobj.node_arg_to_text(node, place).strip() for place in range(2))
    return "/".join(p if ATOM.fullmatch(p) else f"({p})" for p in parts) + END


def plain_binomial(node: object, l2tobj: LatexNodes2Text) -> str:
    """Write a binomial coefficient in one line, as one says it."""
    above, below = (l2tobj.node_arg_to_text(node, place).strip() for place in range(2))
    return f"({above} choose {below})"


def plain_name(node: object, l2tobj: LatexNodes2Text) -> str:
    """Write the name of an operator without the braces around it."""
    return l2tobj.node_arg_to_text(node, 0).strip()


_ARGUMENTS = latexwalker.get_default_latex_context_db()
_ARGUMENTS.add_context_category(
    "book",
    macros=[
        *(std_macro(name, False, 2) for name in (*FRACTIONS, "binom")),
        std_macro("operatorname", False, 1),
    ],
    prepend=True,
)
_TEXTS = latex2text.get_default_latex_context_db()
_TEXTS.add_context_category(
    "book",
    macros=[
        *(MacroTextSpec(name, plain_fraction) for name in FRACTIONS),
        MacroTextSpec("binom", plain_binomial),
        MacroTextSpec("ne", " ≠ "),
        MacroTextSpec("bmod", " mod "),
        MacroTextSpec("operatorname", plain_name),
    ],
    prepend=True,
)
_READER = LatexNodes2Text(
    latex_context=_TEXTS,
    math_mode="text",
    keep_braced_groups=True,
    keep_braced_groups_minlen=2,
)
