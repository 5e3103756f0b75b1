"""Let every line of code go on further in, where letters are large on a small page."""

import re

from lxml import html
from lxml.html import HtmlElement

from bookkit.publishing.edition.pages import close_voids
from bookkit.publishing.long_lines import LANGUAGES, mark_line

_LISTINGS = f".//div[re:test(@class, '^highlight-({LANGUAGES})')]/div/pre"
_REGULAR = {"re": "http://exslt.org/regular-expressions"}
# A line that the site has marked holds its own end.
_NEXT_LINE = re.compile(r"(?<=\n)(?!</span>)|(?<=\n</span>)")


def mark_listings(article: HtmlElement) -> None:
    """Put the short lines of code into parts of their own, as the site does long ones.

    It knows how many letters its narrow pages have room for; here a reader decides.
    """
    for listing in article.xpath(_LISTINGS, namespaces=_REGULAR):
        lines = _NEXT_LINE.split(_write_inside(listing))
        marked = html.fragment_fromstring(f"<pre>{''.join(map(_mark, lines))}</pre>")
        close_voids(marked)
        listing.text = marked.text
        listing[:] = marked
        listing.classes.add("wraps")


def _write_inside(listing: HtmlElement) -> str:
    text = html.tostring(listing, encoding="unicode", with_tail=False)
    return text.partition(">")[2].removesuffix("</pre>")


def _mark(line: str) -> str:
    return line if '<span class="line"' in line else mark_line(line, room=0)
