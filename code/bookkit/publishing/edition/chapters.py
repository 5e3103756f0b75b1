"""Turn the text of a page, as Sphinx writes it, into XHTML for reading devices."""

from math import ceil

from lxml import etree, html
from lxml.html import HtmlElement, builder

from bookkit.publishing.edition.chinese import mark_chinese
from bookkit.publishing.edition.forms import limit_heights, take_narrow
from bookkit.publishing.edition.pages import DRAWING_CODE, clean
from bookkit.publishing.edition.roles import mark_roles
from bookkit.publishing.edition.signs import take_signs
from bookkit.publishing.edition.solutions import gather_solutions
from bookkit.publishing.edition.stills import Camera
from bookkit.publishing.edition.tables import fit_tables, let_names_break

_MATHML = "http://www.w3.org/1998/Math/MathML"
# Some code of the package is folded away, with a link to its tests behind it: a device
# has room for it, as for all but the code that draws figures.
_DROPPED = (
    f"{DRAWING_CODE}[not(../following-sibling::*[1][contains(@class, 'api-link')])]"
)
# Signs of a row of code on a phone, and rows of what stays on one page.
_ROW, _FEW = 36, 10
_INLINE = ".//span[contains(concat(' ', @class, ' '), ' math ')]"


def write_chapter(body: str, page: str, camera: Camera) -> str:
    """Write the text of a page as XHTML; a camera takes the stills that it shows.

    Args:
        body: What Sphinx has written, as HTML.
        page: The path of the page, without its ending.
        camera: It keeps its pictures in the folder `_images` of the EPUB.
    """
    article = html.fragment_fromstring(body, create_parent="article")
    take_narrow(article)
    clean(article, _DROPPED)
    gather_solutions(article, page)
    limit_heights(article)
    up = "../" * page.count("/")
    for name, still in camera.take_stills(article).items():
        still.set("src", f"{up}_images/{name}")
    for formula in article.xpath(_INLINE):
        _keep_signs(formula)
    for listing in article.iter("pre"):
        _keep_short(listing)
    let_names_break(article, on_small_pages=True)
    fit_tables(article)
    for math in article.iter("math"):
        math.set("xmlns", _MATHML)
    article.tag = "section"
    mark_chinese(article)
    mark_roles(article, page)
    return etree.tostring(article, method="xml", encoding="unicode")


def _keep_signs(place: HtmlElement) -> None:
    """Keep a full stop and a bracket on the line of the formula beside them."""
    before, after = take_signs(place)
    parts = place.findall("math")
    if not parts:
        return
    if before:
        _wrap(parts[0]).text = before
    if after:
        kept = parts[-1].getparent()
        (_wrap(parts[-1]) if kept is place else kept).find("math").tail = after


def _wrap(math: HtmlElement) -> HtmlElement:
    """Put a formula into an element that stays on one line."""
    kept = builder.SPAN(builder.CLASS("kept"))
    math.addprevious(kept)
    kept.tail, math.tail = math.tail, None
    kept.append(math)
    return kept


def _keep_short(listing: HtmlElement) -> None:
    """Mark code or an output that is too short to stand on two pages."""
    lines = listing.text_content().rstrip().splitlines()
    if sum(max(1, ceil(len(line) / _ROW)) for line in lines) <= _FEW:
        listing.classes.add("short")
