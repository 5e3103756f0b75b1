"""Mark Deeper sections, lead past each, and let readers hide them and the code.

What is hidden stands in two attributes of the page, and a style sheet obeys them on the
screen and on paper (`reading.css`). A script in the head of the page sets them before
anything is drawn: from the address, such as `?core=1&code=0`, or else from what the
browser keeps. `switches.js` changes them. Where no script runs, all is shown, and no
switch.

A line in the margin runs beside a Deeper section, the first word of its heading is set
small, and below the heading a link leads to the next section of the core track. The
notebook holds none of it but the words of the heading.
"""

from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from bookkit.book.cells import DEEPER
from bookkit.publishing.site.search.sections import is_section

CHINESE = "深入："  # the same on a Chinese page


class Switch(NamedTuple):
    """A switch: what it does, its words, and what a page must hold to have it."""

    name: str
    words: str
    tooltip: str
    mark: str


SWITCHES = (
    Switch("core", "Core only", "Hide what is marked Deeper", 'class="deeper"'),
    Switch("code", "Hide code", "Hide the code, not its results", 'class="cell_input'),
)
HEAD = """
<script>
  for (const name of ["core", "code"]) {
    let shown = new URLSearchParams(location.search).get(name);
    try {
      if (shown === null) shown = localStorage.getItem(`book-${name}`);
      else localStorage.setItem(`book-${name}`, shown);
    } catch {}
    document.documentElement.dataset[name] = shown ?? "";
  }
</script>
"""
ROW = '\n<p class="switches d-print-none">{}</p>'
BUTTON = '<button type="button" class="btn" data-book-action="{}">{}</button>'


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


def add_switches(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give a page its switches: in the bar, and for a phone below its title."""
    body = context.get("body") or ""
    shown = [switch for switch in SWITCHES if switch.mark in body]
    if not shown or app.builder.name != "html":
        return
    context["metatags"] = context.get("metatags", "") + HEAD
    row = ROW.format("\n".join(BUTTON.format(s.name, s.words) for s in shown))
    context["body"] = body.replace("</h1>", f"</h1>{row}", 1)
    buttons = [
        {
            "type": "javascript",
            "javascript": f"switch_{switch.name}()",
            "text": switch.words,
            "tooltip": switch.tooltip,
            "label": "switch",
        }
        for switch in shown
    ]
    context["header_buttons"] = [*buttons, *context.get("header_buttons", [])]


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
    # After the other buttons were taken out of their menus.
    app.connect("html-page-context", add_switches, priority=650)
    app.add_post_transform(MarkDeeper)
