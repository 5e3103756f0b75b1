"""Serve the icons of the theme as two fonts that hold only what the book uses.

The theme draws its icons with a script of 1.5 MB on every page. Its style sheet can
draw the same icons from fonts, so the page template leaves the script out and this
extension cuts the theme's fonts down to the icons found on the built pages.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pydata_sphinx_theme
import sphinx_book_theme
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

THEME_STATIC = (
    Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
)
BOOK_THEME_STATIC = sphinx_book_theme.get_html_theme_path() / "static"
WEB_FONTS = THEME_STATIC / "vendor/fontawesome/webfonts"
FONTS = {  # of which the theme ships one form or several
    family: min(WEB_FONTS.glob(f"{name}.*"))
    for family, name in (("solid", "fa-solid-900"), ("brands", "fa-brands-400"))
}
SERVED = {"fas", "fa-solid", "fab", "fa-brands"}

CLASS_LIST = re.compile(r"""class(?:List|Name)?=["']([^"']*\bfa[a-z]*[ -][^"']*)""")
ICON_RULE = re.compile(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"([^"]+)"\}')
ICON_NAME = re.compile(r"\.(fa-[a-z0-9-]+)")
PRIVATE_CHARACTER = re.compile(r'"(?:\\(f[0-9a-f]{3})|([\uf000-\uf8ff]))"')


def read_names(css: str) -> dict[str, int | None]:
    """Map each icon class of a style sheet to its character.

    A class that only changes the look, such as ``fa-lg``, maps to ``None``.
    """
    names: dict[str, int | None] = dict.fromkeys(ICON_NAME.findall(css))
    for selectors, content in ICON_RULE.findall(css):
        for name in ICON_NAME.findall(selectors):
            names[name] = _code_point(content)
    return names


def _code_point(content: str) -> int:
    escaped = content.removeprefix("\\").strip()
    return ord(escaped) if len(escaped) == 1 else int(escaped, 16)


def find_icons(text: str, names: dict[str, int | None]) -> set[int]:
    """List the characters of the icons that a page or a script shows.

    Raises:
        ExtensionError: If an icon has no known name or asks for an unserved font.
    """
    found = set()
    for classes in map(str.split, CLASS_LIST.findall(text)):
        for name in (c for c in classes if c.startswith("fa-") and c not in SERVED):
            if name not in names or not SERVED & {*classes}:
                raise ExtensionError(
                    f"An icon must have a name of the theme and one of the kinds "
                    f"{', '.join(sorted(SERVED))}; got {' '.join(classes)!r}. "
                    "Look it up in the theme's style sheet."
                )
            found.add(names[name])
    return found - {None}


def find_characters_in_rules(css: str) -> set[int]:
    """List the icons that a style sheet draws by itself, such as those of notes."""
    own_rules = ICON_RULE.sub("", css)
    return {
        int(escaped, 16) if escaped else ord(literal)
        for escaped, literal in PRIVATE_CHARACTER.findall(own_rules)
    }


def write_subset(source: Path, characters: set[int], target: Path) -> None:
    """Write a font that holds only some characters of another."""
    options = subset.Options(
        flavor="woff", hinting=False, layout_features=[], recalc_timestamp=False
    )
    with TTFont(source, lazy=True, recalcTimestamp=False) as font:
        known = set(font.getBestCmap())
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=characters & known)
        subsetter.subset(font)
        target.parent.mkdir(parents=True, exist_ok=True)
        subset.save_font(font, str(target), options)


def build_fonts(pages: Iterable[Path], out: Path) -> None:
    """Write the fonts that a set of built pages needs into a folder."""
    css = (THEME_STATIC / "styles/pydata-sphinx-theme.css").read_text("utf-8")
    book_css = (BOOK_THEME_STATIC / "styles/sphinx-book-theme.css").read_text("utf-8")
    script = THEME_STATIC / "scripts/pydata-sphinx-theme.js"
    names, characters = read_names(css), find_characters_in_rules(css + book_css)
    for file in (script, *pages):
        characters |= find_icons(file.read_text("utf-8"), names)
    for family, source in FONTS.items():
        write_subset(source, characters, out / f"{family}.woff")


def on_build_finished(app: Sphinx, exception: Exception | None) -> None:
    """Cut the fonts once all pages are written."""
    if exception is None and app.builder.name == "html":
        out = Path(app.outdir)
        build_fonts(sorted(out.rglob("*.html")), out / "_static/icons")


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("build-finished", on_build_finished)
