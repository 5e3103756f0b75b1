"""Formulas in plain characters keep what they say."""

import json
import re

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.plain_formulas import plain_formula


@facts(
    "tex, plain",
    [
        (r"\sqrt{d_k}", "√(d_k)"),
        (r"\frac{1}{\sqrt{d_k}}", "1/√(d_k)"),
        (r"\frac{x - \mu}{\omega}", "(x - μ)/ω"),
        (r"\tfrac12", "1/2"),
        (r"\dfrac{x}{\sqrt{m + \epsilon}}", "x/√(m + ε)"),
        (r"\cfrac{a}{1 + \cfrac{b}{c}}", "a/(1 + b/c)"),
        (r"\frac{(a)+(b)}{c}", "((a)+(b))/c"),
        (r"\frac{L\omega}{2\pi}", "(Lω)/(2π)"),
        (r"\frac1d\mathbf{y}", "1/d y"),
        (r"(\tfrac12, \tfrac12)", "(1/2, 1/2)"),
        (r"\binom{2n}{n}", "(2n choose n)"),
        (r"\exp z_v + \ln P(Y) + \exp(x)", "exp z_v + ln P(Y) + exp(x)"),
        (r"e^{-x/2}", "e^(-x/2)"),
        (r"a \ne 0", "a ≠ 0"),
        (r"(a + b) \bmod m", "(a + b) mod m"),
        (r"\operatorname{softmax}(x)", "softmax(x)"),
        (r"\mathbf{q} \cdot \mathbf{k}", "q ·k"),
        (r"\mathrm{softmax}(\mathbf{Q}\mathbf{K})", "softmax(QK)"),
    ],
)
def test_a_formula_becomes_plain_characters(tex, plain):
    assert plain_formula(tex) == plain


def macros_of_the_book(root):
    """Return all names of macros in the formulas of the notebooks."""
    found = set()
    for path in root.glob("book/*/*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
        for formula in re.findall(r"(\$\$?)(.+?)\1", "\n".join(texts), re.DOTALL):
            found |= set(re.findall(r"\\([A-Za-z]+)", formula[1]))
    return found


def test_no_macro_of_the_book_is_lost_but_what_shapes_and_spaces(pytestconfig):
    shapes = {"bar", "hat", "underbrace", "left", "right", "tag", "text", "textit"}
    shapes |= {"boldsymbol", "mathbb", "mathbf", "mathcal", "mathit", "mathrm"}
    shapes |= {"big", "Big", "bigl", "bigr", "quad", "qquad", "operatorname"}
    macros = macros_of_the_book(find_root(pytestconfig.rootpath)) - shapes
    assert len(macros) > 50
    for name in sorted(macros):
        plain = plain_formula(rf"x \{name}{{z}}{{u}} y").replace(" ", "")
        assert plain != plain_formula("x{z}{u} y").replace(" ", ""), name
