"""Turn pages of the site into the chapters of an EPUB: XHTML, MathML and pictures."""

from html import escape

from lxml import etree
from lxml.html import HtmlElement

from bookkit.publishing.edition.contents import Book
from bookkit.publishing.edition.pages import relink

_SCRIPT_PARTS = 2
_LONG = 30  # signs: a formula that may be wider than the page of a small device
_MATHML = "http://www.w3.org/1998/Math/MathML"
_SVG = "http://www.w3.org/2000/svg"
# An HTML parser writes all names in lower case; XML is particular about these.
_CASED = (
    "viewBox preserveAspectRatio linearGradient radialGradient clipPath textPath "
    "gradientUnits gradientTransform markerWidth markerHeight markerUnits refX refY "
    "patternUnits textLength lengthAdjust foreignObject"
)
_SVG_NAMES = {name.lower(): name for name in _CASED.split()}
_FRAME = """\
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" \
lang="{language}" xml:lang="{language}">
<head>
<title>{title}</title>
<link rel="stylesheet" type="text/css" href="epub.css"/>
</head>
<body>
{body}
</body>
</html>
"""


def chapter_name(page: str) -> str:
    """Name the file of a page in the EPUB."""
    name = page.removeprefix("book/").removesuffix(".html").replace("/", ".")
    return f"{name}.xhtml"


def picture_name(path: str) -> str:
    """Name the file of a picture, a path in the site, in the EPUB."""
    return f"images/{path.removeprefix('_images/')}"


def frame(title: str, body: str, language: str) -> str:
    """Write an XHTML file around its body."""
    return _FRAME.format(title=escape(title), body=body, language=language)


def write_chapter(article: HtmlElement, page: str, title: str, book: Book) -> str:
    """Write a page of the site as an XHTML file."""
    pages = set(book.pages)

    def link(path: str, anchor: str) -> str | None:
        if path not in pages:
            return book.link(path, anchor)
        return chapter_name(path) + (f"#{anchor}" if anchor else "")

    relink(article, page, link, picture_name)
    for formula in article.find_class("katex"):
        _keep_mathml(formula)
    for math in article.xpath(".//span[contains(@class, 'math')]/math"):
        _let_break(math)
    for math in article.iter("math"):
        math.set("xmlns", _MATHML)
    for drawing in article.iter("svg"):
        _restore_case(drawing)
        _name_links(drawing)
    article.tag = "section"
    article.attrib.pop("role", None)
    body = etree.tostring(article, method="xml", encoding="unicode")
    return frame(title, body, book.language)


def uses(article: HtmlElement) -> str:
    """List what a chapter holds besides XHTML, in the words of a package file."""
    found = [
        word
        for word, name in (("mathml", "math"), ("svg", "svg"))
        if article.find(f".//{name}") is not None
    ]
    return " ".join(found)


def _keep_mathml(formula: HtmlElement) -> None:
    """Keep the form of a formula that readers of EPUB lay out themselves."""
    math = formula.find(".//math")
    source = math.find(".//annotation")
    math.set("alttext", source.text or "")
    source.getparent().remove(source)
    formula.getparent().replace(formula, math)
    math.tail = formula.tail
    _mend_mathml(math)


def _mend_mathml(math: HtmlElement) -> None:
    """Mend two ways of KaTeX that readers of EPUB may refuse.

    It writes the name of an operator such as mod as letters that are elements, and lets
    the space after a name such as max be a third part of an index.
    """
    for operator in math.iter("mo"):
        if len(operator):
            words = "".join(operator.itertext())
            for letter in list(operator):
                operator.remove(letter)
            operator.text = words
    for script in math.iter("msub", "msup"):
        if len(script) > _SCRIPT_PARTS:
            row = etree.Element("mrow")
            row.extend(script[1:])
            script.append(row)


def _let_break(math: HtmlElement) -> None:
    """Let a long formula within a line break behind each sign of equality.

    Readers of EPUB break no formula: it becomes several, one behind the other.
    """
    row, words = math.find("semantics/mrow"), _split(math.get("alttext"))
    if row is None or len("".join(row.itertext())) < _LONG:
        return
    if sum(part.text == "=" for part in row.iterchildren("mo")) != len(words) - 1:
        return
    parts = list(row)
    for place in [n for n, part in enumerate(parts) if part.text == "="][::-1]:
        rest = etree.Element("math", alttext=words.pop())
        etree.SubElement(etree.SubElement(rest, "semantics"), "mrow").extend(
            parts[place + 1 :]
        )
        del parts[place + 1 :]
        rest.tail, math.tail = math.tail, None
        math.addnext(rest)
        math.addnext(etree.Element("wbr"))
    math.set("alttext", words.pop())


def _split(formula: str) -> list[str]:
    """Split TeX behind each = that stands in no braces."""
    parts, depth = [""], 0
    for letter in formula:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        parts[-1] += letter
        if letter == "=" and depth == 0:
            parts.append("")
    return [part.strip() for part in parts]


def _restore_case(drawing: HtmlElement) -> None:
    """Give the parts of a drawing the names that XML knows."""
    drawing.set("xmlns", _SVG)
    for element in drawing.iter(etree.Element):
        element.tag = _SVG_NAMES.get(element.tag, element.tag)
        for name in [name for name in element.attrib if name in _SVG_NAMES]:
            element.set(_SVG_NAMES[name], element.attrib.pop(name))


def _name_links(drawing: HtmlElement) -> None:
    """Name the links of a drawing in the way that EPUB asks for."""
    drawing.attrib.pop("role", None)  # of the roles of groups it knows none
    for link in drawing.iter("a"):
        label = link.attrib.pop("aria-label", None)
        if label:
            title = etree.Element("title")
            title.text = label
            link.insert(0, title)
