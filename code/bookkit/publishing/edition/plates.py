"""Take the drawings of a page out into files, each with a paper of its own.

A device with a dark page gives all words and all backgrounds of a page other colors,
those of a drawing that stands in the page too. It leaves a picture as it is.
"""

import hashlib
import re

from lxml import etree
from lxml.html import HtmlElement, builder

_SVG = "http://www.w3.org/2000/svg"
# An HTML parser writes all names in lower case; XML is particular about these.
_CASED = (
    "viewBox preserveAspectRatio linearGradient radialGradient clipPath textPath "
    "gradientUnits gradientTransform markerWidth markerHeight markerUnits refX refY "
    "patternUnits textLength lengthAdjust foreignObject"
)
_SVG_NAMES = {name.lower(): name for name in _CASED.split()}
_DRAWINGS = ".//svg[not(ancestor::svg)]"
# What the page has to know of a picture: its place and its size.
_OF_THE_PAGE = re.compile(
    r"(?:display|height|vertical-align|transform|width): [^;]*(?:; )?"
)

# What only a page and its scripts ask for.
_IN_PAGES = re.compile("aria-|data-|class$|href$|role$")


def take_drawings(article: HtmlElement) -> dict[str, bytes]:
    """Put a picture in the place of each drawing of a page.

    Args:
        article: The text of the page; it is changed.

    Returns:
        The files of the pictures, by their names.
    """
    files = {}
    for drawing in article.xpath(_DRAWINGS):
        picture = _describe(drawing)
        content = _write(drawing)
        name = f"images/drawing-{hashlib.sha256(content).hexdigest()[:16]}.svg"
        files[name] = content
        picture.set("src", name)
        picture.tail, drawing.tail = drawing.tail, None
        drawing.getparent().replace(drawing, picture)
    return files


def _describe(drawing: HtmlElement) -> HtmlElement:
    """Make the element that shows a drawing, with its words, if it has any."""
    style = drawing.get("style", "")
    own = "".join(match[0] for match in _OF_THE_PAGE.finditer(style))
    drawing.set("style", f"font-family: sans-serif; {_OF_THE_PAGE.sub('', style)}")
    titles = drawing.xpath("./title/text()")
    words = drawing.get("aria-label") or (titles[0] if titles else "")
    picture = builder.IMG(alt=words, style=own.removesuffix("; "))
    if not words:  # what is around it says what it shows
        picture.set("role", "presentation")
    return picture


def _write(drawing: HtmlElement) -> bytes:
    """Write a drawing as a file: nothing in it leads anywhere."""
    drawing.set("xmlns", _SVG)
    for link in drawing.xpath(".//a"):
        link.tag = "g"
    for element in drawing.iter(etree.Element):
        element.tag = _SVG_NAMES.get(element.tag, element.tag)
        for name in filter(_IN_PAGES.match, element.attrib.keys()):
            del element.attrib[name]
        for name in _SVG_NAMES.keys() & element.attrib.keys():
            element.set(_SVG_NAMES[name], element.attrib.pop(name))
    drawing.insert(0, _lay_paper(drawing.get("viewBox")))
    return etree.tostring(drawing, with_tail=False)


def _lay_paper(view: str) -> HtmlElement:
    """Return a white sheet as large as a drawing."""
    names = ("x", "y", "width", "height")
    sides = dict(zip(names, view.split(), strict=True))
    return builder.E("rect", fill="#fff", **sides)
