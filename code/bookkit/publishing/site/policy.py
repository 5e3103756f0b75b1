"""State on each page which scripts may run, and give it colors where none does.

A host such as GitHub Pages sends no headers of ours, so the policy stands in the page
(https://www.w3.org/TR/CSP3/). Scripts and data come from the site alone, and a script
within the page runs only if it was there when the page was built: the policy has its
hash. Hashes do not cover the attributes in which the theme keeps what its buttons do,
so these become marks, and `buttons.js` listens for them.

Styles may stand in the page: KaTeX sets each formula, and every drawing its lines, by
attributes, which hashes do not cover either, and a style runs nothing.

The script of the theme that runs before the first paint leaves it to a later one to ask
the system of the reader for light or dark. It asks at once here, or the page would take
its colors twice: once wrong, and for a long page a tenth of a second on a phone.

Where no script runs, which would choose colors, a page is light, or dark if the system
of the reader asks for that: one more style sheet has the rules for dark pages, said of
light ones.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from lxml import html
from lxml.html import HtmlElement
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# A page read from a disk has no host, and 'self' means none of its files in some
# browsers; a page of a host can never load a file of a disk.
OWN = "'self' file:"
DIRECTIVES = {
    "default-src": OWN,
    "script-src": OWN,
    "style-src": f"{OWN} 'unsafe-inline'",
    "img-src": f"{OWN} data:",
    "connect-src": OWN,
    "form-action": OWN,
    "base-uri": OWN,
    "object-src": "'none'",
    "frame-src": "'none'",
}
# A script of any other type is data, and runs nothing.
TYPES = (None, "", "module", "text/javascript")
# What buttons at the top of a page do, and under which mark `buttons.js` does it, or
# `switches.js`.
ACTIONS = {
    "toggleFullScreen()": "fullscreen",
    "window.print()": "print",
    "switch_core()": "core",
    "switch_code()": "code",
}
STATED = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n?')
# The encoding of a page must stand in its first kilobyte, so the policy comes next.
ENCODING = re.compile(r'<meta charset="[^"]*" ?/?>')
TO_BE_CHOSEN = re.compile(r'(<html\b[^>]*\bdata-theme=)"auto"')
CHOICE = 'dataset.theme = localStorage.getItem("theme") || "auto";'
ASKED = """dataset.theme =
      { light: "light", dark: "dark" }[document.documentElement.dataset.mode]
      ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");"""
DARK = re.compile(r"""\bdata-theme=(["']?)dark\1""")
LINK = (
    '<noscript><link rel="stylesheet" href="{}" '
    'media="screen and (prefers-color-scheme: dark)" /></noscript>\n'
)


def mark_actions(page: str) -> str:
    """Write marks for what the buttons of the theme do."""
    for code, action in ACTIONS.items():
        page = page.replace(f'onclick="{code}"', f'data-book-action="{action}"')
    return page


def inline_scripts(tree: HtmlElement) -> list[str]:
    """List the scripts that stand in a page itself."""
    return [
        script.text or ""
        for script in tree.iter("script")
        if script.get("src") is None and script.get("type") in TYPES
    ]


def find_handlers(tree: HtmlElement) -> list[str]:
    """List the attributes of a page that hold code."""
    return tree.xpath(
        "//@*[starts-with(name(), 'on')] | //@href[starts-with(., 'javascript:')]"
    )


def policy_of(scripts: list[str]) -> str:
    """Write the policy of a page that holds some scripts."""
    digests = [hashlib.sha256(code.encode("utf-8")).digest() for code in scripts]
    hashes = [f"'sha256-{base64.b64encode(d).decode('ascii')}'" for d in digests]
    allowed = " ".join([DIRECTIVES["script-src"], *dict.fromkeys(hashes)])
    directives = DIRECTIVES | {"script-src": allowed}
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def state_policy(page: str, name: str) -> str:
    """Put the policy into a page; one that is there is replaced.

    Args:
        page: The HTML of a page, without code in attributes but that of the theme.
        name: What a message calls it.

    Raises:
        ExtensionError: An attribute holds code, or the page names no encoding.
    """
    page = mark_actions(STATED.sub("", page))
    tree = html.document_fromstring(page)
    if handlers := find_handlers(tree):
        raise ExtensionError(
            f"{name} must hold no code in attributes, which its policy would stop, and "
            f"holds {handlers[0]!r}; add a listener to buttons.js, and a mark for it "
            f"to ACTIONS in {Path(__file__).name}."
        )
    policy = escape(policy_of(inline_scripts(tree)), quote=False)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page, count = ENCODING.subn(rf"\g<0>\n{meta}", page, count=1)
    if not count:
        raise ExtensionError(
            f"{name} must name its encoding as <meta charset=…>, after which its "
            "policy stands, and does not; look at the template of the page."
        )
    return page


def list_pages(site: Path) -> list[Path]:
    """List the pages of a built site."""
    files = sorted(site.rglob("*.html"))
    return [file for file in files if file.relative_to(site).parts[0] != "_static"]


def unfinished_pages(site: Path) -> list[Path]:
    """List the pages without a policy, the last that a page gets: those just written.

    What changes how pages are finished makes Sphinx write all of them (`pages`).
    """
    return [f for f in list_pages(site) if not STATED.search(f.read_text("utf-8"))]


def state_policies(app: Sphinx, exception: Exception | None) -> None:
    """State the policy of every page that this build wrote, once all are written."""
    if exception is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)
    for file in unfinished_pages(site):
        name = file.relative_to(site).as_posix()
        file.write_text(state_policy(file.read_text("utf-8"), name), "utf-8")


def color(page: str) -> str:
    """Let a page be light until a script says otherwise, and let that ask the system.

    Raises:
        ExtensionError: The script does not stand there once, as in the version pinned.
    """
    if (count := page.count(CHOICE)) != 1:
        raise ExtensionError(
            f"A page must choose its colors in one place, and does so in {count}: see "
            f"what the theme does now, and change CHOICE in {Path(__file__).name}."
        )
    return TO_BE_CHOSEN.sub(r'\1"light"', page.replace(CHOICE, ASKED), count=1)


def darken(css: str) -> str:
    """Let the rules for dark pages hold on light ones, and leave out all others.

    Args:
        css: A style sheet without comments.
    """
    dark = []
    for selectors, rules in list_blocks(css):
        if selectors.startswith("@"):
            rules = darken(rules)
        elif DARK.search(selectors):
            selectors = DARK.sub(r"data-theme=\1light\1", selectors)
        else:
            continue
        if rules:
            dark.append(f"{selectors}{{{rules}}}")
    return "\n".join(dark)


def list_blocks(css: str) -> Iterator[tuple[str, str]]:
    """List what stands before the outermost braces of a style sheet, and in them."""
    depth = start = opened = 0
    for brace in re.finditer(r"[{}]", css):
        if brace.group() == "{":
            opened = opened if depth else brace.start()
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            before = css[start:opened].rsplit(";", 1)[-1].strip()
            yield before, css[opened + 1 : brace.start()]
            start = brace.end()


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_js_file("buttons.js")
    # The last change of a page: any later one of its scripts would stop them.
    app.connect("build-finished", state_policies, priority=900)
