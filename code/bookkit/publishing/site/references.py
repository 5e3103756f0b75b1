"""Lead the plain links of the pages to what they name, as roles would.

In a notebook a citation is a link to the work itself and a reference a link with a
number, so that both read well in Colab. On the site a citation leads to the entry of
the bibliography, which holds all addresses of the work: a reader of the site and of a
printed page wants title and authors first. An entry begins with the words that cite it.
A link to a theorem or an exercise, which MyST does not resolve, leads to its box.
"""

from docutils import nodes
from pybtex.plugin import find_plugin
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode
from sphinx.writers.html5 import HTML5Translator

from bookkit.book.bibliography import Entry, cite_entries, entries_by_address

# Looked up once: it takes a tenth of a second, and a page has dozens of citations.
PLAIN = find_plugin("pybtex.backends", "text")()


class ResolveBoxes(SphinxPostTransform):
    """Resolve the plain links to theorems and exercises."""

    default_priority = 4  # before MyST, which does not know them

    def run(self, **kwargs: object) -> None:
        """Change the links of one page."""
        theorems = getattr(self.env, "proof_list", {})
        exercises = getattr(self.env, "sphinx_exercise_registry", {})
        for node in list(self.document.findall(pending_xref)):
            label = node.get("reftarget")
            box = theorems.get(label) or exercises.get(label)
            if node.get("reftype") != "myst" or not box or not node["refexplicit"]:
                continue
            words = nodes.inline("", "", *node.children, classes=["std", "std-ref"])
            link = make_refnode(
                self.app.builder,
                node.get("refdoc", self.env.docname),
                box["docname"],
                label,
                words,
            )
            node.replace_self(link)


class ResolveCitations(SphinxPostTransform):
    """Lead the links to works to their entries in the bibliography."""

    default_priority = 4

    def run(self, **kwargs: object) -> None:
        """Change the links of one page."""
        domain = self.env.get_domain("cite")
        places = {citation.key: citation for citation in domain.citations}
        entries = entries_by_address(cite_entries(domain.bibdata.data).values())
        for link in list(self.document.findall(nodes.reference)):
            entry = entries.get(link.get("refuri", ""))
            place = places.get(entry.key) if entry else None
            if place is None or not names(entry, link.astext()):
                continue
            docname = place.bibliography_key.docname
            uri = self.app.builder.get_relative_uri(self.env.docname, docname)
            link["refuri"] = f"{uri}#{place.citation_id}"
            link["internal"] = True
            link["classes"].append("citation-link")
            if place.tooltip_entry is not None:
                link["reftitle"] = place.tooltip_entry.text.render(PLAIN)


def names(entry: Entry, words: str) -> bool:
    """Return whether the words of a link cite an entry."""
    words = " ".join(words.split())
    return words in (entry.textual, entry.parenthetical)


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
    app.add_post_transform(ResolveBoxes)
    app.add_post_transform(ResolveCitations)
    app.add_post_transform(NameEntries)
    app.add_node(nodes.citation, html=(visit_citation, depart_citation), override=True)
