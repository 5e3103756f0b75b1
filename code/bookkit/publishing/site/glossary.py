"""Lead from the words that the chapters define to the glossary.

A chapter defines a word in bold. On the site the first such word in the section that
an entry of the glossary names leads to the entry, which leads back to the section, and
has what the entry says as its tooltip; the notebook itself holds nothing but the bold
word. On the page of the glossary, what Chinese texts call a term stands at the end of
its line, and the letters of the alphabet lead to their first terms.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from bookkit.book.chinese import LANGUAGE
from bookkit.book.glossary import GLOSSARY, Term, plain_form, read_glossary
from bookkit.publishing.plain_formulas import plain_formula

logger = logging.getLogger(__name__)
COMMA = "\N{IDEOGRAPHIC COMMA}"
FORMULA = re.compile(r"\$([^$]+)\$")
MARKS = re.compile(r"\{term\}|[*`]")


class LinkDefinedWords(SphinxPostTransform):
    """Link the bold words of one page to their entries."""

    default_priority = 200  # after all other links are resolved

    def run(self, **kwargs: object) -> None:
        """Change the bold words of one page."""
        page = self.env.docname.removeprefix("book/")
        for term in self.config.book_terms:
            if term.page == page:
                self.link(term)

    def link(self, term: Term) -> None:
        """Link one word, which must be there."""
        entry = self.find_entry(term.name)
        slugs = self.env.metadata[self.env.docname].get("myst_slugs", {})
        section = self.document.ids.get(slugs.get(term.anchor, (0, "", ""))[1])
        if entry is None or section is None:
            return  # the link of the entry to the section is reported as dead
        word = find_word(section, term.forms)
        if word is None:
            logger.warning(
                "%r must be bold in the section #%s, where the glossary says that it "
                "is explained.",
                term.name,
                term.anchor,
                location=self.env.docname,
            )
            return
        link = make_refnode(
            self.app.builder, self.env.docname, *entry, word.children, term.name
        )
        link["classes"].append("glossary-link")
        link["reftitle"] = f"{term.name}: {define(term)}"
        word[:] = [link]

    def find_entry(self, name: str) -> tuple[str, str] | None:
        """Find page and anchor of an entry, whose apostrophe MyST has curled."""
        objects = self.env.get_domain("std").objects
        return objects.get(("term", name)) or objects.get(("term", curl(name)))


class NameInChinese(SphinxPostTransform):
    """Write behind each term of the glossary what Chinese texts call it.

    Sphinx takes what stands behind the colon of a term for a key of its index.
    """

    default_priority = 200

    def run(self, **kwargs: object) -> None:
        """Change the terms, if this page is the glossary."""
        if f"{self.env.docname}.md" != GLOSSARY:
            return
        names = {curl(term.name): term.chinese for term in self.config.book_terms}
        for term in self.document.findall(nodes.term):
            if chinese := names.get(curl(term.astext())):
                words = COMMA.join(chinese)
                classes = ["chinese", f"language-{LANGUAGE}"]
                term += [nodes.Text(" "), nodes.inline("", words, classes=classes)]


class ListLetters(SphinxPostTransform):
    """Put the letters above the glossary, each with a link to its first term."""

    default_priority = 201  # after the names in Chinese, which are no letters

    def run(self, **kwargs: object) -> None:
        """Add the letters, if this page is the glossary."""
        if f"{self.env.docname}.md" != GLOSSARY:
            return
        for glossary in self.document.findall(addnodes.glossary):
            first: dict[str, str] = {}
            for term in glossary.findall(nodes.term):
                first.setdefault(term.astext()[0].upper(), term["ids"][0])
            row = nodes.paragraph("", "", classes=["letters"])
            for letter, place in first.items():
                link = nodes.reference("", letter, internal=True, refid=place)
                row += [link, nodes.Text(" ")]
            glossary.insert(0, row)


def define(term: Term) -> str:
    """Write in plain characters what a term means, without the section that says it."""
    text = term.text.partition(" Explained in [")[0]
    text = FORMULA.sub(lambda formula: plain_formula(formula[1]), text)
    return MARKS.sub("", text)


def curl(name: str) -> str:
    """Write the apostrophe of a term as MyST does."""
    return name.replace("'", "\u2019")


def find_word(section: nodes.section, forms: set[str]) -> nodes.strong | None:
    """Find a word in bold in a section, not in the sections below it."""
    for child in section.children:
        if isinstance(child, nodes.section):
            return None
        for word in child.findall(nodes.strong):
            if plain_form(word.astext()) in forms:
                return word
    return None


def read_terms(app: Sphinx, config: object) -> None:
    """Read the terms once; a new glossary makes Sphinx read every page again."""
    config.book_terms = read_glossary(Path(app.srcdir))


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_config_value("book_terms", [], "env", types=(list,))
    app.connect("config-inited", read_terms)
    app.add_post_transform(LinkDefinedWords)
    app.add_post_transform(NameInChinese)
    app.add_post_transform(ListLetters)
    app.add_css_file("glossary.css")
