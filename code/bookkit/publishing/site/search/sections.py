"""Read what a search may find from the tree of a page: its sections, words and names.

A section is found by its title and by its own text, not by the text of the sections
within it. So are a term of the glossary and an object of the API. Formulas within a
line become plain characters; formulas of their own, outputs and solutions are left out.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from keyword import iskeyword

from docutils import nodes
from pylatexenc import latex2text, latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec
from pylatexenc.macrospec import std_macro
from sphinx import addnodes
from sphinx_exercise.nodes import solution_node

# What has an entry of its own, or none.
APART = (addnodes.desc, nodes.math_block, nodes.title, solution_node)
OUTPUT = "cell_code_output"
UNSEARCHED = {"api-link", "api-links", "unsearched"}  # classes of what is no answer
NAME = re.compile(r"[A-Za-z_]\w{2,}")
SPACES = re.compile(r"\s+")
DASH = " \N{EN DASH} "
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


@dataclass
class Section:
    """What a search can find, and where it stands.

    Attributes:
        anchor: The id within the page; empty for the page itself.
        title: The title of the section, the term, or the name of the object.
        text: Its own words.
        code: The names in its own code.
    """

    anchor: str
    title: str
    text: str = ""
    code: str = ""


def read_sections(page: nodes.Node) -> list[Section]:
    """List what a search may find on a page, in its order."""
    sections = []
    for part in page.findall():
        if is_section(part):
            title, *children = part.children
            found = Section(part["ids"][0], flatten(title))
        elif isinstance(part, nodes.term) and part.get("ids"):
            children = part.parent.children[1:]
            found = Section(part["ids"][0], flatten(part))
        elif is_object(part):
            signature, *children = part.children
            name = f"{signature['module']}.{signature['fullname']}"
            found = Section(signature["ids"][0], name)
        else:
            continue
        texts = [text for child in children for text in read_texts(child)]
        found.text = join(text for text, is_code in texts if not is_code)
        found.code = " ".join(list_names(text for text, is_code in texts if is_code))
        sections.append(found)
    if sections:
        sections[0].anchor = ""
    return sections


def is_section(part: nodes.Node) -> bool:
    """Return whether a part of a page is a section with a title; a theorem has none."""
    return (
        isinstance(part, nodes.section)
        and bool(part.children)
        and isinstance(part[0], nodes.title)
    )


def is_object(part: nodes.Node) -> bool:
    """Return whether a part of a page is an object of the API, and no method of one."""
    return (
        isinstance(part, addnodes.desc)
        and bool(part[0].get("ids"))
        and not isinstance(part.parent, addnodes.desc_content)
    )


def read_texts(part: nodes.Node) -> Iterator[tuple[str, bool]]:
    """Yield each paragraph and listing of a part, and whether it is code."""
    if isinstance(part, APART) or is_section(part) or is_left_out(part):
        return
    if isinstance(part, nodes.literal_block):
        yield part.astext(), True
    elif isinstance(part, nodes.TextElement):
        yield flatten(part), False
    elif isinstance(part, nodes.row):
        yield from read_row(part)
    else:
        for child in part.children:
            yield from read_texts(child)


def read_row(row: nodes.row) -> Iterator[tuple[str, bool]]:
    """Yield a row of a table as one sentence with dashes, and the code in its cells."""
    texts = [list(read_texts(cell)) for cell in row.children]
    words = [join(text for text, is_code in cell if not is_code) for cell in texts]
    if sentence := DASH.join(filter(None, words)):
        yield f"{sentence.rstrip('.')}.", False
    yield from ((text, True) for cell in texts for text, is_code in cell if is_code)


def is_left_out(part: nodes.Node) -> bool:
    """Return whether a part is an output, a term, no answer, or invisible."""
    if isinstance(part, nodes.Invisible | nodes.raw):
        return True
    if isinstance(part, nodes.definition_list_item):
        return bool(part[0].get("ids"))
    return isinstance(part, nodes.Element) and (
        part.get("nb_element") == OUTPUT
        or not UNSEARCHED.isdisjoint(part.get("classes", ()))
    )


def flatten(part: nodes.Node) -> str:
    """Return the words of a paragraph, its formulas as plain characters."""
    if isinstance(part, nodes.math):
        return plain_formula(part.astext())
    if isinstance(part, nodes.Text):
        return part.astext()
    if isinstance(part, nodes.Invisible | nodes.raw | nodes.footnote_reference):
        return ""
    return "".join(flatten(child) for child in part.children)


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


def list_names(listings: Iterable[str]) -> list[str]:
    """List the names in some code once each, without the words of the language."""
    names = {name for code in listings for name in NAME.findall(code)}
    return sorted(name for name in names if not iskeyword(name))


def join(texts: Iterable[str]) -> str:
    """Join texts with one space wherever there are some."""
    return SPACES.sub(" ", " ".join(texts)).strip()


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
