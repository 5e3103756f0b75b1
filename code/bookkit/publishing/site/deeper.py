"""Mark Deeper sections for the eye, and lead a reader past each of them.

A line in the margin runs beside such a section, the first word of its heading is set
small, and below the heading a link leads to the next section of the core track. The
notebook holds none of it but the words of the heading.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from bookkit.book.sections import DEEPER
from bookkit.publishing.site.search.sections import is_section

CHINESE = "深入："  # the same on a Chinese page


class MarkDeeper(SphinxPostTransform):
    """Mark the Deeper sections of one page."""

    default_priority = 210  # after all links are resolved, those in headings too

    def run(self, **kwargs: object) -> None:
        """Change the sections of one page."""
        if self.app.builder.format != "html":
            return
        inside: set[nodes.Node] = set()
        waiting: list[nodes.section] = []
        for section in list(self.document.findall(is_section)):
            words = section[0].astext()
            deeper = next((w for w in (DEEPER, CHINESE) if words.startswith(w)), "")
            if deeper:
                set_apart(section[0], deeper)
            if section.parent in inside:
                inside.add(section)
            elif deeper:
                inside.add(section)
                waiting.append(section)
                section["classes"].append("deeper")
            else:
                while waiting:
                    lead_past(waiting.pop(), section)


def set_apart(heading: nodes.Element, deeper: str) -> None:
    """Give the word that begins the heading of a Deeper section its class."""
    text = next(iter(heading.findall(nodes.Text)))
    word = nodes.inline("", deeper, classes=["deeper-word"])
    text.parent.replace(text, [word, nodes.Text(text.removeprefix(deeper))])


def lead_past(section: nodes.section, core: nodes.section) -> None:
    """Put a link to a section of the core track below the heading of a Deeper one."""
    title = [part.deepcopy() for part in core[0]]
    link = nodes.reference("", "Skip to ", internal=True, refid=core["ids"][0])
    link += nodes.emphasis("", "", *title)
    # Of no use on paper: `d-print-none` is the theme's own mark for such parts.
    classes = ["deeper-skip", "d-print-none"]
    section.insert(1, nodes.paragraph("", "", link, classes=classes))


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_post_transform(MarkDeeper)
