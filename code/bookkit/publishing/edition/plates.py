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

# What a link of a drawing is about, and its chapter.
_PLACE = re.compile(r"(?:\d+\. )?(.+): chapter (\d+)")

# What only a page and its scripts ask for.
_IN_PAGES = re.compile("aria-|data-|class$|href$|role$")
_LINE = 20  # pixels
# Ink that would not be seen on a black page, and what is seen on a white one too.
_DARK = re.compile(r"rgb\(\d\d?, \d\d?, \d\d?\)")
_GRAY = "#767676"


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
        links = _list_links(drawing)
        content = _write(drawing, is_told=bool(picture.get("alt")))
        name = f"images/drawing-{hashlib.sha256(content).hexdigest()[:16]}.svg"
        files[name] = content
        picture.set("src", name)
        picture.tail, drawing.tail = drawing.tail, None
        drawing.getparent().replace(drawing, picture)
        if len(links):
            next(picture.iterancestors("figure"), picture).addnext(links)
    return files


def _list_links(drawing: HtmlElement) -> HtmlElement:
    """List where a drawing leads, by chapters: a picture has no links."""
    places = {
        (int(place[2]), place[1]): link.get("href")
        for link in drawing.xpath(".//a[@href]")
        if (place := _PLACE.match(link.get("aria-label", "")))
    }
    entries = [
        builder.LI(builder.A(f"{chapter} {words}", href=places[chapter, words]))
        for chapter, words in sorted(places)
    ]
    return builder.UL(*entries, builder.CLASS("places"))


def _describe(drawing: HtmlElement) -> HtmlElement:
    """Make the element that shows a drawing, with its words, if it has any."""
    style = drawing.get("style", "")
    own = "".join(match[0] for match in _OF_THE_PAGE.finditer(style))
    drawing.set("style", f"font-family: sans-serif; {_OF_THE_PAGE.sub('', style)}")
    # The title of a drawing with links speaks of them, and its description does not.
    told = ("desc", "title") if drawing.find(".//a") is not None else ("title",)
    texts = [text for name in told for text in drawing.xpath(f"./{name}/text()")]
    words = drawing.get("aria-label") or next(iter(texts), "")
    picture = builder.IMG(alt=words, style=own.removesuffix("; "))
    if not words:  # what is around it says what it shows
        picture.set("role", "presentation")
    return picture


def _write(drawing: HtmlElement, *, is_told: bool) -> bytes:
    """Write a drawing as a file: nothing in it leads anywhere.

    Args:
        drawing: The drawing; it is changed.
        is_told: Whether it has words of its own. One that has none and is no higher
            than a line of words stands among those of the page.
    """
    drawing.set("xmlns", _SVG)
    for link in drawing.xpath(".//a"):
        link.tag = "g"
    view = drawing.get("viewbox")
    is_on_page = not is_told and float(view.split()[3]) <= _LINE
    for element in drawing.iter(etree.Element):
        element.tag = _SVG_NAMES.get(element.tag, element.tag)
        for name in filter(_IN_PAGES.match, element.attrib.keys()):
            del element.attrib[name]
        for name in _SVG_NAMES.keys() & element.attrib.keys():
            element.set(_SVG_NAMES[name], element.attrib.pop(name))
        if is_on_page and element.get("style"):
            element.set("style", _DARK.sub(_GRAY, element.get("style")))
    if not is_on_page:
        drawing.insert(0, _lay_paper(view))
    return etree.tostring(drawing, with_tail=False)


def _lay_paper(view: str) -> HtmlElement:
    """Return a white sheet as large as a drawing."""
    names = ("x", "y", "width", "height")
    sides = dict(zip(names, view.split(), strict=True))
    return builder.E("rect", fill="#fff", **sides)
