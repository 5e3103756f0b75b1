"""Begin each entry of the bibliography with the words that cite it.

So a reader who comes with "Chen et al. (2023b)" finds the right one. The citations
themselves are links, as notebooks have them (`references`).
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from bookkit.book.bibliography import cite_entries


class NameEntries(SphinxPostTransform):
    """Begin each entry of the bibliography with the words that cite it."""

    default_priority = 20  # after sphinxcontrib-bibtex has written the entries

    def run(self, **kwargs: object) -> None:
        """Change the entries of one page."""
        domain = self.env.get_domain("cite")
        entries = cite_entries(domain.bibdata.data)
        for citation in domain.citations:
            place = citation.bibliography_key
            if place.docname == self.env.docname:
                # Of a page that was read before, `document.ids` has an empty copy.
                node = domain.bibliographies[place].citation_nodes[citation.key]
                words = f"{entries[citation.key].textual}."
                node[-1].insert(0, [nodes.strong("", words), nodes.Text(" ")])


def visit_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Open an entry of the bibliography.

    The entries are sorted by author and cited by author and year, so the number that
    docutils would put before each says nothing; and the role that it would give them
    is no longer part of the standard for accessible pages.
    """
    for label in list(node.findall(nodes.label)):
        node.remove(label)
    self.body.append(self.starttag(node, "div", CLASS="citation"))


def depart_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Close an entry of the bibliography."""
    self.body.append("</div>\n")


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_post_transform(NameEntries)
    app.add_node(nodes.citation, html=(visit_citation, depart_citation), override=True)
