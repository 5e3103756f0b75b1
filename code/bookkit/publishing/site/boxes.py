"""Finish the boxes of the book: theorems, proofs, exercises, solutions, folded code.

The extensions that make them give every box of a kind the same id, which a page may
hold only once; leave a folded solution to a script; and name folded code otherwise for
the ear than for the eye. Here each id is unique, and what folds is a plain ``details``
element, which a keyboard and a screen reader know how to open. Folded code comes after
what it made, which readers came for, and says of what it is the source, and where it
stands, to those who do not see that.
"""

import re
from collections import Counter
from html import escape
from textwrap import shorten

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import solution_node
from sphinx_proof.nodes import proof_node

from bookkit.publishing.site.search.sections import flatten

SHARED_IDS = {"exercise-content", "proof-content", "solution-content"}
PROOF_WORD = "Proof. "
# Of a name such as transformer.blocks.decoder:Decoder.forward, or of a source.
OBJECT = re.compile(r"(?<=:).+")
DEFINED = re.compile(r"^(?:class|def) (\w+)", re.M)
OTHER = re.compile(r"^(?!import |from |[ )#]|$)", re.M)  # lines that import nothing
FEW_NAMES = 2
QUOTED, MORE = 22, " …"  # letters


class folded_solution(nodes.General, nodes.Element):  # noqa: N801 (docutils' way)
    """A solution that a reader opens."""


class solution_summary(nodes.General, nodes.Element):  # noqa: N801 (docutils' way)
    """The line of a folded solution that stays in view."""


class SeparateIds(SphinxTransform):
    """Give each box an id of its own, and a proof its word in italics."""

    default_priority = 880

    def apply(self) -> None:
        """Change the boxes of one page."""
        for section in self.document.findall(nodes.section):
            if SHARED_IDS.intersection(section["ids"]):
                section["ids"] = [f"{section.parent['ids'][0]}-content"]
        for proof in self.document.findall(proof_node):
            box = proof.children[0]
            box["ids"] = []
            box["classes"].append("proof-text")
            italicize_proof_word(box)


def italicize_proof_word(box: nodes.Element) -> None:
    """Set the word that opens a proof in italics."""
    text = next(iter(box.findall(nodes.Text)), None)
    if text is None or not text.startswith(PROOF_WORD):
        return
    rest = nodes.Text(text.removeprefix(PROOF_WORD))
    word = nodes.emphasis("", PROOF_WORD.strip())
    text.parent.replace(text, [word, nodes.Text(" "), rest])


class FoldSolutions(SphinxPostTransform):
    """Turn each solution of the class ``dropdown`` into a folded one."""

    # After sphinx-exercise has written the titles (20 to 22).
    default_priority = 30

    def run(self, **kwargs: object) -> None:
        """Change the solutions of one page."""
        if self.app.builder.format != "html":
            return
        for solution in list(self.document.findall(solution_node)):
            if "dropdown" in solution["classes"]:
                solution.parent.replace(solution, fold(solution))


def fold(solution: solution_node) -> folded_solution:
    """Make the folded form of a solution, with the same content."""
    title, section = solution.children
    summary = solution_summary()
    for child in title.children:
        # A link within the line to click on would be hard to hit.
        summary += child.children if isinstance(child, nodes.reference) else child
    return folded_solution(
        "",
        summary,
        *section.children,
        ids=[f"{solution['target_label']}-solution"],  # rather than a count
        classes=[name for name in solution["classes"] if name != "dropdown"],
    )


class NameFoldedCode(SphinxPostTransform):
    """Put folded code below what it makes, and say what that is and where it stands."""

    default_priority = 200  # MyST-NB folds at 199

    def run(self, **kwargs: object) -> None:
        """Move and name the folded cells of one page."""
        numbers = self.env.toc_fignumbers.get(self.env.docname, {}).get("figure", {})
        counts: Counter[str] = Counter()
        for cell in list(self.document.findall(HideCodeCellNode)):
            cell["below"] = put_below(cell)
            figures = cell.parent.findall(nodes.figure)
            ids = [id for figure in figures for id in figure["ids"]]
            drawn = [numbers[id] for id in ids if id in numbers]
            if drawn:
                cell["of"] = f"Figure {'.'.join(map(str, drawn[0]))}"
                continue
            cell["of"] = name_source(cell)
            title = section_title(cell)
            counts[title] += 1
            cell["where"] = f": listing {counts[title]} in the section {title}"


def put_below(cell: HideCodeCellNode) -> bool:
    """Put folded code behind all that it shows; return whether it shows anything."""
    whole = cell.parent
    shows = any("cell_output" in part["classes"] for part in whole)
    if shows:
        whole.remove(cell)
        whole += cell
    return shows


def name_source(cell: HideCodeCellNode) -> str:
    """Name what a folded cell shows, or what it defines if it shows nothing."""
    shown = [part for part in cell.parent if "cell_output" in part["classes"]]
    for output in shown:
        kinds = ((nodes.image, "the figure"), (nodes.raw, "the explorer"))
        found = (name for kind, name in kinds if any(output.findall(kind)))
        return next(found, None) or quote_output(output.astext())
    drawn = cell.parent.get("cell_metadata", {}).get("draw", "")
    source = cell.astext()
    names = OBJECT.findall(drawn) or DEFINED.findall(source)
    if len(names) > FEW_NAMES:
        return f"{names[0]} and {len(names) - 1} more"
    return " and ".join(names) or (
        "the setup" if OTHER.search(source) else "the imports"
    )


def quote_output(text: str) -> str:
    """Name an output by its first words, as far as they fit on the line of a phone."""
    words = shorten(text, QUOTED, placeholder=MORE)
    return f"“{words}”" if words.strip(MORE) else "the output"


def section_title(node: nodes.Node) -> str:
    """Return the title of the section in which a node stands."""
    while node.parent is not None and not isinstance(node, nodes.section):
        node = node.parent
    title = next(iter(node.findall(nodes.title)), None)
    return flatten(title) if title is not None else ""


def visit_folded_solution(self: HTML5Translator, node: folded_solution) -> None:
    """Open a folded solution."""
    self.body.append(self.starttag(node, "details", CLASS="admonition"))


def depart_details(self: HTML5Translator, node: nodes.Element) -> None:
    """Close a folded solution, or a box with code or an output."""
    self.body.append("</details>\n")


def visit_solution_summary(self: HTML5Translator, node: solution_summary) -> None:
    """Open the line that stays in view."""
    self.body.append(self.starttag(node, "summary", "", CLASS="admonition-title"))


def depart_solution_summary(self: HTML5Translator, node: solution_summary) -> None:
    """Close the line that stays in view."""
    self.body.append("</summary>\n")


def visit_folded_code(self: HTML5Translator, node: HideCodeCellNode) -> None:
    """Open a box with the code or the output of a cell."""
    show, hide = escape(node["prompt_show"]), escape(node["prompt_hide"])
    of, where = escape(node.get("of", "")), escape(node.get("where", ""))
    seen, heard = f" of {of}" if of else "", where
    if node.get("below"):  # it is seen what it is the source of
        seen, heard = "", seen + where
    named = f'{seen}<span class="visually-hidden">{heard}</span>'
    # Without the node's own classes, which the theme draws as a heavy box.
    self.body.append('<details class="folded-code">\n')
    self.body.append(
        f'<summary><span class="when-closed">{show}{named}</span>'
        f'<span class="when-open">{hide}{named}</span></summary>\n'
    )


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_transform(SeparateIds)
    app.add_post_transform(FoldSolutions)
    app.add_post_transform(NameFoldedCode)
    app.add_node(folded_solution, html=(visit_folded_solution, depart_details))
    app.add_node(
        solution_summary, html=(visit_solution_summary, depart_solution_summary)
    )
    app.add_node(
        HideCodeCellNode,
        html=(visit_folded_code, depart_details),
        override=True,
    )
