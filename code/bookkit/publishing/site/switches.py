"""Let readers hide the code of a chapter and its Deeper sections, by two switches.

What is hidden stands in two attributes of the page, and a style sheet obeys them on the
screen and on paper (`reading.css`). A script in the head of the page sets them before
anything is drawn: from the address, such as `?core=1&code=0`, or else from what the
browser keeps. `switches.js` changes them. Where no script runs, all is shown, and no
switch.
"""

from typing import Any, NamedTuple

from sphinx.application import Sphinx


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


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    # After the other buttons were taken out of their menus.
    app.connect("html-page-context", add_switches, priority=650)
