"""Put the whole book on one page, from which a browser prints it."""

import json
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lxml import html
from lxml.html import HtmlElement, builder

from bookkit.book.chinese import LANGUAGE
from bookkit.book.errors import BookError
from bookkit.publishing.edition.contents import Book, Part
from bookkit.publishing.edition.formulas import take_signs
from bookkit.publishing.edition.front import build_front
from bookkit.publishing.edition.pages import read_article, read_words, relink, title_of
from bookkit.publishing.edition.press import number_links, place_for_number
from bookkit.publishing.edition.solutions import take_shown
from bookkit.publishing.edition.tables import let_names_break

# Parts are of the first level, so every heading of a page moves down by one.
_LOWER = {"h5": "h6", "h4": "h5", "h3": "h4", "h2": "h3", "h1": "h2"}
# Code of so many lines may go over to the next page; shorter code stays whole.
_LONG = 14
# A paragraph of so many signs has two lines at most.
_SHORT = 150
# What refers to other elements of its page by their names.
_REFERENCES = ("aria-labelledby", "aria-describedby")


@dataclass(frozen=True)
class OnePage:
    """The whole book as one HTML page."""

    book: Book
    head: str
    body: HtmlElement

    def write(self) -> str:
        """Write the page as HTML."""
        return f"{self.head}{html.tostring(self.body, encoding='unicode')}</html>\n"

    def headings(self) -> list[str]:
        """List the words of all headings, from top to bottom."""
        words = self.body.xpath("//*[self::h1 or @data-title]")
        return [heading.get("data-title") or read_words(heading) for heading in words]


def build_page(book: Book, site: Path, *, styles: list[str], extra: str) -> "OnePage":
    """Put the whole book on one HTML page at the root of the site.

    Args:
        book: The book.
        site: The folder of the built site.
        styles: The style sheets, as paths in the site.
        extra: Rules that hold on this page only.
    """
    articles = {page: read_article(site, page) for page in book.pages}
    titles = {page: title_of(article) for page, article in articles.items()}
    gone = {page: take_shown(article, book.shown) for page, article in articles.items()}
    for page, article in articles.items():
        _join(article, page, book, gone)
        article.set("style", f"page: {_leaf(page)}")
    body = builder.BODY(
        *build_front(book),
        _table_of_contents(book, titles),
        articles[book.first_page],
        *(_part(part, titles, articles) for part in book.parts),
    )
    _check_anchors(body)
    number_links(body)
    return OnePage(book, _head(book, styles, extra + _feet(titles)), body)


def _leaf(page: str) -> str:
    """Name the leaves of a page of the site; pages below one share its leaves."""
    name = "-".join(name_of(page).split(".")[:2])
    return f"leaf-{name}"


def _feet(titles: dict[str, str]) -> str:
    """Write a style that says at the foot of each leaf what it belongs to."""
    feet: dict[str, str] = {}
    for page, title in titles.items():
        # The words as they are: a style knows no escapes of JSON.
        feet.setdefault(_leaf(page), json.dumps(title, ensure_ascii=False))
    return "".join(
        f"@page {leaf} {{ @bottom-left {{ content: {title} }} }}\n"
        for leaf, title in feet.items()
    )


def _head(book: Book, styles: list[str], extra: str) -> str:
    links = "".join(f'<link rel="stylesheet" href="{escape(s)}">' for s in styles)
    return (
        f'<!doctype html>\n<html lang="{escape(book.language)}" data-theme="light">'
        f'<head><meta charset="utf-8"><title>{escape(book.title)}</title>{links}'
        f"<style>{extra}</style></head>\n"
    )


def name_of(page: str, anchor: str = "") -> str:
    """Name a place in the book: the same anchor may stand on several pages."""
    name = page.removeprefix("book/").removesuffix(".html").replace("/", ".")
    return f"{name}.{anchor}" if anchor else name


def _join(
    article: HtmlElement, page: str, book: Book, gone: dict[str, set[str]]
) -> None:
    """Give a page names and links that hold on the one page of the whole book.

    Args:
        article: The text of the page; it is changed.
        page: The path of the page in the site.
        book: The book.
        gone: For each page of the book the names of what is not shown.
    """

    def link(path: str, anchor: str) -> str | None:
        if path in gone and anchor not in gone[path]:
            return f"#{name_of(path, anchor)}"
        return book.link(path, anchor)

    relink(article, page, link, lambda path: path)
    for element in article.xpath(".//*[@id]"):
        element.set("id", name_of(page, element.get("id")))
    for reference in _REFERENCES:
        for element in article.xpath(f".//*[@{reference}]"):
            names = element.get(reference).split()
            element.set(reference, " ".join(name_of(page, name) for name in names))
    for code in article.iter("pre"):
        lines = code.text_content().split("\n")
        if len(lines) > _LONG + 1:
            code.classes.add("edition-long")
    for name in article.find_class("column"):  # paper has room for columns
        name.drop_tree()
    let_names_break(article)
    for element in article.iter(*_LOWER):
        element.set("data-title", read_words(element))
        element.tag = _LOWER[element.tag]
    for formula in article.find_class("katex"):
        _show_once(formula)
        _keep_signs(formula)
    for paragraph in article.xpath(".//p[not(@class)]"):
        if len(paragraph.text_content()) <= _SHORT:
            paragraph.classes.add("edition-short")
    for words in article.iter("p", "li", "dd"):
        if words.text_content().rstrip().endswith(":"):
            words.classes.add("edition-announces")
    article.tag = "section"
    article.set("id", name_of(page))


def _show_once(formula: HtmlElement) -> None:
    """Keep what the eye reads of a formula, and say its source to a screen reader.

    The text of a file would hold the form for screen readers as well; and each of the
    hundred parts of a formula would be a part of the document.
    """
    (source,) = formula.xpath(".//*[local-name()='annotation']/text()")
    formula.set("role", "img")
    formula.set("aria-label", source)
    for hidden in formula.find_class("katex-mathml"):
        hidden.drop_tree()
    for shown in formula.find_class("katex-html"):
        del shown.attrib["aria-hidden"]


def _keep_signs(formula: HtmlElement) -> None:
    """Keep a full stop and a bracket on the line of the formula beside them."""
    math = formula.getparent()
    parts = formula.xpath("./span[@class='katex-html']/span[@class='base']")
    if not parts or "katex-display" in math.classes:
        return
    before, after = take_signs(math)
    formula.set("aria-label", before + formula.get("aria-label") + after)
    if after:
        parts[-1].append(_sign(after))
    if before:
        parts[0].insert(1, _sign(before))  # behind the strut


def _sign(words: str) -> HtmlElement:
    return builder.SPAN(words, builder.CLASS("edition-mark"))


def _check_anchors(body: HtmlElement) -> None:
    """Check that a link within the book leads somewhere."""
    known = set(body.xpath(".//@id"))
    for element in body.xpath(".//a[starts-with(@href, '#')]"):
        if element.get("href")[1:] not in known:
            raise BookError(
                f"Each link within the book must lead somewhere; {element.get('href')} "
                f"({read_words(element)}) does not. Mend the link on its page."
            )


def _table_of_contents(book: Book, titles: dict[str, str]) -> HtmlElement:
    entries = [_entry(book.first_page, titles)]
    for part in book.parts:
        entries.append(builder.LI(part.title, builder.CLASS("edition-part-name")))
        entries += [_entry(page, titles) for page in part.pages]
    return builder.SECTION(
        builder.H1("目录" if book.language == LANGUAGE else "Contents"),
        builder.UL(*entries),
        builder.CLASS("edition-contents"),
        role="doc-toc",
    )


def _entry(page: str, titles: dict[str, str]) -> HtmlElement:
    link = builder.A(builder.SPAN(titles[page]), href=f"#{name_of(page)}")
    return builder.LI(link, place_for_number())


def _part(
    part: Part, titles: dict[str, str], articles: dict[str, HtmlElement]
) -> HtmlElement:
    """Begin a part with a page of its own, which lists its chapters."""
    entries = [_entry(page, titles) for page in part.pages]
    opening = builder.DIV(
        builder.H1(part.title),
        builder.UL(*entries),
        builder.CLASS("edition-opening edition-contents"),
    )
    texts = [articles[page] for page in part.pages]
    return builder.SECTION(opening, *texts, builder.CLASS("edition-part"))
