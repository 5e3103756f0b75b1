"""Write formulas as MathML, in parts that a small page has room for.

A reading device lays MathML out itself, as large as its reader wants, and breaks no
formula. So a long one is several, and a line may end between two of them. What is wider
than a page all the same has smaller letters there.
"""

from collections.abc import Iterator

from docutils import nodes
from lxml import etree
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from bookkit.publishing.edition.formulas import measure, mend, set_letters, split
from bookkit.publishing.site.math import (
    FormulaError,
    ask_katex,
    render_node,
    without_numbers,
)

RENDERER = "book_mathml"
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
# What has room on any page, and where a longer formula is cut: in a line, on its own.
ROOM, ROOM_ON_ITS_OWN = 9, 14
GAPS = {r"\quad", r"\qquad"}
RELATIONS = {*"=<>", r"\approx", r"\sim", r"\propto", r"\mapsto", r"\to", r"\lt"}
RELATIONS |= {r"\gt", r"\le", r"\leq", r"\ge", r"\geq", r"\rightarrow"}
SUMS, PRODUCTS = {"+", "-"}, {r"\cdot", r"\odot", r"\times"}


def write(latex: str, *, display: bool) -> str:
    """Write a LaTeX formula as MathML, a long one in several parts.

    Raises:
        FormulaError: If KaTeX cannot render it.
    """
    whole = read(latex, display=display)
    kinds = [GAPS, RELATIONS, SUMS, PRODUCTS] if display else [RELATIONS, SUMS]
    try:
        parts = [*cut(latex, whole, kinds, display=display)]
    except FormulaError:  # what belongs together is on both sides of a cut
        parts = [whole]
    widest = max(map(measure, parts))
    for math in parts:
        if display and len(parts) > 1:
            del math.attrib["display"]
            math.set("displaystyle", "true")
        if widest > ROOM:
            math.set("style", f"--width: {widest:.1f}")  # for epub.css
    return "<wbr/>".join(etree.tostring(math, encoding="unicode") for math in parts)


def read(latex: str, *, display: bool) -> etree._Element:
    """Let KaTeX render a formula, and mend what devices refuse or show otherwise."""
    written = ask_katex(latex, {"displayMode": display, "output": "mathml"})
    math = etree.fromstring(written.replace(f' xmlns="{NAMESPACE}"', "")).find("math")
    annotation = math.find(".//annotation")
    annotation.getparent().remove(annotation)
    math.set("xmlns", NAMESPACE)
    math.set("alttext", latex.strip())
    mend(math)
    set_letters(math)
    return math


def cut(
    latex: str, whole: etree._Element, kinds: list[set[str]], *, display: bool
) -> Iterator[etree._Element]:
    """Cut a formula that is too long behind signs of a kind, then of the next one."""
    is_cut_always = kinds[:1] == [GAPS]
    room = ROOM_ON_ITS_OWN if display else ROOM
    if not kinds or (measure(whole) <= room and not is_cut_always):
        yield whole
        return
    for part in split(latex, kinds[0]):
        yield from cut(part, read(part, display=display), kinds[1:], display=display)


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula that stands within a line."""
    self.body.append(self.starttag(node, "span", "", CLASS="math"))
    self.body.append(render_node(node, node.astext(), display=False, write=write))
    self.body.append("</span>")
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, behind the number that stands beside it."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})</span>')
    latex = without_numbers(node.astext())
    self.body.append(render_node(node, latex, display=True, write=write))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_html_math_renderer(RENDERER, (visit_math, None), (visit_math_block, None))
