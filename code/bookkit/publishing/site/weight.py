"""Let a page show before it has all it asks for: less to fetch, and later.

The theme links a dozen style sheets, most of whose rules are for what no page shows.
Here the style sheets of the theme and of the extensions become one, without those
rules, and scripts wait for the text. The theme also measures every box of the page at
its start, for which the browser must lay out all of it: book.js does that part by part.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from bookkit.publishing.site.policy import (
    LINK,
    TO_BE_CHOSEN,
    color,
    darken,
    list_pages,
    unfinished_pages,
)

# Scripts in the page read these settings at once.
EAGER = "documentation_options.js"
# The search of Sphinx, in whose place the book has its own.
UNUSED = ("searchtools.js", "language_data.js", "searchindex.js")
# What these scripts and sheets act on: a page without it does not ask for them.
LISTING = re.compile(r'class="highlight')
TWIN = r'href="[^"]*index\.html#without-|<figure[^>]*-translator"'
QUESTION = r'<details class="question"'
ANSWERED = r'class="exercise |id="what-you-answered"'
TOLD = re.compile(
    r'class="(?:glossary|citation)-link\b|href="[^"]*#(?:fig|equation|thm)-'
)
ACTS_ON = {
    "answers.css": re.compile(rf"{ANSWERED}|{QUESTION}"),
    "answers.js": re.compile(ANSWERED),
    "clipboard.min.js": LISTING,
    "copybutton.js": LISTING,
    "design-tabs.js": re.compile(r"\bsd-tab-label\b"),
    "explorers.js": re.compile(r"\bdata-explorer="),
    "quiz.js": re.compile(QUESTION),
    "sheet.css": TOLD,
    "sheet.js": TOLD,
    "switches.js": re.compile(r'class="switches\b'),
    "togglebutton.js": re.compile(
        r'class="(?:[^"]* )?(?:toggle[ "]|admonition [^"]*\bdropdown[ "])'
    ),
    "translator.css": re.compile(rf'class="[^"]*\btranslator\b|{TWIN}'),
    "twins.js": re.compile(TWIN),
    "writer.css": re.compile(r'class="[^"]*\bwriter\b'),
}
SCRIPT = re.compile(
    r'<script\b(?P<rest>[^>]*?\bsrc="(?P<source>[^"]+)"[^>]*)></script>\s*'
)
PRELOAD = re.compile(r'<link rel="preload" as="script"[^>]*>\s*')
SHEET = re.compile(
    r'<link\b(?=[^>]*rel="stylesheet")[^>]*?href="(?P<source>[^"]+)"[^>]*>\s*'
)
IMPORT = re.compile(r"""@import\s*(?:url\()?["']?([^"'()\s;]+)["']?\)?\s*;""")
URL = re.compile(r"""url\((["']?)(?!data:|[a-z]+:|#|/)([^"')]+)\1\)""")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
LICENSE = re.compile(r"/\*!.*?\*/", re.DOTALL)
RULE = re.compile(r"(?P<selectors>[^{}@;]+)\{(?P<rules>[^{}]*)\}")
# A media query that has lost all its rules.
EMPTY = re.compile(r"@(?:media|supports)[^{};]*\{\s*\}")
COMMA = re.compile(r",(?![^()\[\]]*[)\]])")
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
WORD = re.compile(r"-?[A-Za-z_][\w-]*")
# The sheets from this one on are the book's own: small, and named in its tests.
FIRST_OWN = "katex"
BUNDLES = "_static/bundles"
THEME = "_static/scripts/pydata-sphinx-theme.js"
MEASURES = re.compile(
    r'"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
)
MEASURED = 'void"book.js measures"'


def name_of(source: str) -> str:
    """Return the name of a file from its address."""
    return source.split("?")[0].rsplit("/", 1)[-1]


def is_idle(name: str, page: str) -> bool:
    """Return whether a page has nothing that a script or a sheet acts on."""
    return name in ACTS_ON and not ACTS_ON[name].search(page)


def lighten_scripts(page: str) -> str:
    """Let the scripts of a page wait, and leave out those that nothing on it uses."""

    def change(match: re.Match[str]) -> str:
        name = name_of(match["source"])
        if name in UNUSED or is_idle(name, page):
            return ""
        if name == EAGER or re.search(r"\b(defer|async)\b", match["rest"]):
            return match.group()
        return match.group().replace("<script", "<script defer", 1)

    return SCRIPT.sub(change, PRELOAD.sub("", page))


def lighten_sheets(page: str) -> str:
    """Leave out the style sheets of the book that are about nothing on a page."""

    def change(match: re.Match[str]) -> str:
        return "" if is_idle(name_of(match["source"]), page) else match.group()

    return SHEET.sub(change, page)


def list_sheets(page: str) -> list[re.Match[str]]:
    """List the links to the style sheets of theme and extensions, in their order."""
    sheets = []
    for match in SHEET.finditer(page):
        if FIRST_OWN in match["source"]:
            break
        sheets.append(match)
    return sheets


def bundle_sheets(page: str, folder: str, site: Path, words: set[str]) -> str:
    """Link one style sheet in place of those of the theme and of the extensions.

    Args:
        page: The HTML of a page.
        folder: The folder of the page in the site.
        site: The folder of the site; the one style sheet is written there.
        words: The words of pages and scripts, among them all classes in use.
    """
    links = list_sheets(page)
    files = [normpath(join(folder, m["source"].split("?")[0])) for m in links]
    if len(files) < 2 or any(file.startswith(BUNDLES) for file in files):
        return page
    css = "\n".join(read_sheet(site, file) for file in files)
    name = write_bundle(site, drop_rules(css, words))
    for link in links[1:]:
        page = page.replace(link.group(), "", 1)
    new = f'<link rel="stylesheet" href="{relpath(name, folder or ".")}" />\n'
    return page.replace(links[0].group(), new, 1)


def color_page(page: str, folder: str, site: Path) -> str:
    """Give a page, once, the colors that it has where no script runs."""
    links = list(SHEET.finditer(page))
    if not links or not TO_BE_CHOSEN.search(page):
        return page
    files = [normpath(join(folder, m["source"].split("?")[0])) for m in links]
    css = "\n".join(read_sheet(site, file) for file in files)
    name = write_bundle(site, darken(COMMENT.sub("", css)))
    end = links[-1].end()
    dark = LINK.format(relpath(name, folder or "."))
    return color(page[:end] + dark + page[end:])


def write_bundle(site: Path, css: str) -> str:
    """Write a style sheet and return where it is in the site."""
    name = f"{BUNDLES}/{hashlib.sha256(css.encode()).hexdigest()[:12]}.css"
    target = site / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(css, "utf-8")
    return name


def read_sheet(site: Path, file: str) -> str:
    """Read a style sheet with all that it imports, as seen from the bundle."""
    css = (site / file).read_text("utf-8").replace('@charset "UTF-8";', "")

    def move(match: re.Match[str]) -> str:
        target = normpath(join(dirname(file), match[2]))
        return f"url({relpath(target, BUNDLES)})"

    # Every second part is the name of an imported sheet. Names are taken out before
    # addresses move: moving takes the quotes off.
    parts = IMPORT.split(css)
    imported = [read_sheet(site, normpath(join(dirname(file), n))) for n in parts[1::2]]
    return "".join([*imported, *(URL.sub(move, part) for part in parts[0::2])])


def drop_rules(css: str, words: set[str]) -> str:
    """Leave out the rules for classes that stand in no page and in no script."""

    def change(match: re.Match[str]) -> str:
        selectors = [s for s in COMMA.split(match["selectors"]) if applies(s, words)]
        return f"{','.join(selectors)}{{{match['rules']}}}" if selectors else ""

    licenses = "\n".join(LICENSE.findall(css))
    return licenses + EMPTY.sub("", RULE.sub(change, COMMENT.sub("", css)))


def applies(selector: str, words: set[str]) -> bool:
    """Return whether a selector may fit a page: each class that it asks for is known.

    What stands in brackets is passed over: it may ask for the absence of a class.
    """
    outer = BRACKETS.sub("", selector)
    while outer != selector:
        selector, outer = outer, BRACKETS.sub("", outer)
    return all(name in words for name in CLASS.findall(outer))


def read_words(files: Iterable[Path]) -> set[str]:
    """List every word of pages and scripts: a class that is used is one of them."""
    words: set[str] = set()
    for file in files:
        words.update(WORD.findall(file.read_text("utf-8")))
    return words


def drop_measures(script: str) -> str:
    """Take out of the script of the theme what measures all boxes at once.

    A second build finds the script as the first one left it.

    Raises:
        ExtensionError: It does not stand there once, as in the version pinned.
    """
    script, count = MEASURES.subn(MEASURED, script)
    if count != 1 and script.count(MEASURED) != 1:
        raise ExtensionError(
            f"{THEME} must start its measure of all boxes at one place, and does so at "
            f"{count}: see what the theme does now, and change MEASURES in "
            f"{Path(__file__).name}."
        )
    return script


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """Lighten every page that this build wrote, once all are written."""
    if exception is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)
    words = read_words([*list_pages(site), *sorted(site.glob("_static/**/*.js"))])
    for file in unfinished_pages(site):
        path = file.relative_to(site).as_posix()
        page = lighten_scripts(file.read_text("utf-8"))
        page = bundle_sheets(page, dirname(path), site, words)
        page = color_page(lighten_sheets(page), dirname(path), site)
        file.write_text(page, "utf-8")
    theme = site / THEME
    theme.write_text(drop_measures(theme.read_text("utf-8")), "utf-8")


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    # After the icons are counted, and before the lost page gets its addresses.
    app.connect("build-finished", lighten, priority=600)
