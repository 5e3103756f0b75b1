"""Lead from each entry of the bibliography back to the chapters that cite it."""

from posixpath import dirname, relpath
from urllib.parse import urlsplit

from lxml.html import HtmlElement, builder

from bookkit.publishing.edition.pages import title_of

_PREFIX = "cites-"


def link_back(articles: dict[str, HtmlElement]) -> None:
    """Put behind each entry a link to its first citation in each chapter.

    Args:
        articles: The texts of pages by their path in the site; they are changed.
    """
    entries = {
        entry.get("id"): (page, entry)
        for page, article in articles.items()
        for entry in article.xpath(".//div[@class='citation'][@id]")
    }
    places: dict[str, list[HtmlElement]] = {}
    for page, article in articles.items():
        seen = set()
        for citation in article.find_class("citation-link"):
            name = urlsplit(citation.get("href", "")).fragment
            if name in entries and name not in seen:
                seen.add(name)
                target = citation.get("id") or f"{_PREFIX}{name}"
                citation.set("id", target)
                path = relpath(page, dirname(entries[name][0]))
                words = _shorten(title_of(article))
                link = builder.A(words, href=f"{path}#{target}")
                places.setdefault(name, []).append(link)
    for name, links in places.items():
        for link in links[:-1]:
            link.tail = ", "
        links[-1].tail = "."
        entry = entries[name][1]
        entry.append(builder.P("Cited in ", *links, builder.CLASS("cited")))


def _shorten(title: str) -> str:
    """Return the number of a chapter, or the title of what has none."""
    number = title.partition(". ")[0]
    return f"chapter {number}" if number.isdigit() else title
