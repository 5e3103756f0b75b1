"""Take the text of a page out of the site: open what is folded, drop what needs it.

Drawings and explorers keep the styles that they bring along, which give their colors.
"""

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

from lxml import html
from lxml.html import HtmlElement, builder

from bookkit.book.errors import BookError
from bookkit.publishing.edition.solutions import gather_solutions
from bookkit.publishing.plain_formulas import plain_formula

# What a page shows, and other forms of it.
PICTURES = ".//img[@src] | .//picture/source[@srcset]"
# What only a screen can use. `d-print-none` is the theme's own mark for such parts.
_FOR_SCREENS = (
    ".//script | .//button | .//input | .//select | .//form | .//dialog"
    "| .//template | .//*[contains(concat(' ', @class, ' '), ' d-print-none ')]"
    "| .//a[contains(concat(' ', @class, ' '), ' headerlink ')]"
    "| .//p[@class='explorer-asleep']"
)
# Code that draws a figure is folded away on the site: the figure is what it says.
DRAWING_CODE = (
    ".//div[contains(@class, 'tag_hide-input') or contains(@class, 'tag_hide-cell')"
    "]/details[contains(@class, 'folded-code')][.//div[contains(@class, 'cell_input')]]"
)
# Figures of which a device chooses a form.
TWO_FORMS = "edition-forms"
_HAS_TWO = f"contains(concat(' ', @class, ' '), ' {TWO_FORMS} ')"
# What a root needs no brackets for.
ROOT = re.compile(r"√\((\w+)\)")
# Empty elements that HTML got after its fourth version.
_VOIDS = ("source", "track", "wbr")
_NUMBER = re.compile(r"\s+")

Link = Callable[[str, str], str | None]
Source = Callable[[str], str]


def read_article(site: Path, page: str) -> HtmlElement:
    """Read the text of a page, without what only a screen can use.

    Args:
        site: The folder of the built site.
        page: The path of the page in it.

    Raises:
        BookError: The page is missing, holds no text, or has a solution of no exercise.
    """
    file = site / page
    if not file.is_file():
        raise BookError(f"The site must hold {page}; run `make book` first.")
    tree = html.document_fromstring(file.read_text("utf-8"))
    articles = tree.xpath("//article")
    if len(articles) != 1:
        raise BookError(
            f"{page} must hold its text in one article, and has {len(articles)}; "
            "look at the template of the page."
        )
    return gather_solutions(clean(articles[0]), page)


def clean(article: HtmlElement, dropped: str = DRAWING_CODE) -> HtmlElement:
    """Open what is folded, but for what is dropped, and what only a screen can use."""
    article.tail = None
    close_voids(article)
    for element in article.xpath(dropped):
        element.drop_tree()
    for element in article.xpath(_FOR_SCREENS):
        element.drop_tree()
    for element in article.iter("details"):
        element.tag = "div"
        element.attrib.pop("open", None)
    for element in article.iter("summary"):
        _show_summary(element)
    for element in article.find_class("drawings"):
        element.tag = "figure"
    for element in article.xpath(f".//picture[not({_HAS_TWO})]"):
        for form in element.findall("source"):
            form.drop_tag()
        element.drop_tag()
    for element in article.iter("img"):
        element.attrib.pop("loading", None)
        element.attrib.pop("decoding", None)
    return article


def close_voids(article: HtmlElement) -> None:
    """Take out of an element what cannot be in it.

    The parser knows the empty elements of HTML 4, and takes what follows a later one,
    such as the place of a break in a formula, for its content.
    """
    for element in list(article.iter(*_VOIDS)):
        empty = builder.E(element.tag, **element.attrib)
        element.addprevious(empty)
        element.drop_tag()


def _show_summary(summary: HtmlElement) -> None:
    """Turn the line that a reader would click on into an ordinary one."""
    summary.tag = "p"
    # "Show the source" has nothing left to show.
    for prompt in summary.find_class("when-closed") + summary.find_class("when-open"):
        prompt.drop_tree()
    if not summary.text_content().strip():
        summary.drop_tree()


def relink(article: HtmlElement, page: str, link: Link, source: Source) -> None:
    """Rewrite where a page leads and what it shows.

    Args:
        article: The text of the page; it is changed.
        page: The path of the page in the site.
        link: Makes a link out of a path in the site and an anchor; where it makes
            none, the words stay without a link.
        source: Makes the address of a picture out of a path in the site.
    """
    for element in article.xpath(".//a[@href]"):
        parts = urlsplit(element.get("href"))
        if not parts.scheme and not parts.netloc:
            path = _resolve(page, parts.path)
            address = link(path, unquote(parts.fragment))
            if address is None:
                del element.attrib["href"]
            else:
                element.set("href", address)
    for element in article.xpath(PICTURES):
        path = picture_path(element, page)
        element.set("src" if element.tag == "img" else "srcset", source(path))


def picture_path(image: HtmlElement, page: str) -> str:
    """Return the path of a picture, or of another form of it, in the site.

    Raises:
        BookError: The picture is not of the site.
    """
    address = image.get("src") or image.get("srcset")
    parts = urlsplit(address)
    path = _resolve(page, parts.path)
    if parts.scheme or parts.netloc or path.startswith(("/", "../")):
        raise BookError(
            f"{page} must show pictures of the site only, and shows {address}; put the "
            "picture into the book."
        )
    return path


def _resolve(page: str, path: str) -> str:
    """Turn a path relative to a page into a path in the site."""
    return normpath(join(dirname(page), unquote(path))) if path else page


def title_of(article: HtmlElement) -> str:
    """Read the title of a page, with its number."""
    return read_words(article.xpath(".//h1")[0])


def read_words(element: HtmlElement) -> str:
    """Read the words of an element as they are seen, formulas as plain signs."""
    seen = deepcopy(element)
    for part in list(seen.iter("style")):
        part.drop_tree()
    for formula in seen.find_class("katex"):
        (source,) = formula.xpath(".//*[local-name()='annotation']/text()")
        formula[:], formula.text = [], ROOT.sub(r"√\1", plain_formula(source))
    words = "".join(seen.itertext())
    return _NUMBER.sub(" ", words.replace("\u200b", "")).strip()
