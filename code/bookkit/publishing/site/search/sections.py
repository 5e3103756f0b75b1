"""Read what a search may find from the tree of a page: its sections, words and names.

A section is found by its title and by its own text, not by the text of the sections
within it. So are a term of the glossary and an object of the API. Formulas within a
line become plain characters; formulas of their own, outputs and solutions are left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from keyword import iskeyword

from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import solution_node

from bookkit.publishing.plain_formulas import plain_formula

# What has an entry of its own, or none.
APART = (addnodes.desc, nodes.math_block, nodes.title, solution_node)
OUTPUT = "cell_code_output"
UNSEARCHED = {"api-link", "api-links", "unsearched"}  # classes of what is no answer
NAME = re.compile(r"[A-Za-z_]\w{2,}")
SPACES = re.compile(r"\s+")
DASH = " \N{EN DASH} "


@dataclass
class Section:
    """What a search can find, and where it stands.

    Attributes:
        anchor: The id within the page; empty for the page itself.
        title: The title of the section, the term, or the name of the object.
        text: Its own words.
        code: The names in its own code.
        ids: All its ids, of which the anchor is the first.
    """

    anchor: str
    title: str
    text: str = ""
    code: str = ""
    ids: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """What the script reads of it."""
        return self.anchor, self.title, self.text, self.code


def read_sections(page: nodes.Node) -> list[Section]:
    """List what a search may find on a page, in its order."""
    sections = []
    for part in page.findall():
        if is_section(part):
            title, *children = part.children
            found = Section(part["ids"][0], flatten(title), ids=tuple(part["ids"]))
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


def list_names(listings: Iterable[str]) -> list[str]:
    """List the names in some code once each, without the words of the language."""
    names = {name for code in listings for name in NAME.findall(code)}
    return sorted(name for name in names if not iskeyword(name))


def join(texts: Iterable[str]) -> str:
    """Join texts with one space wherever there are some."""
    return SPACES.sub(" ", " ".join(texts)).strip()
