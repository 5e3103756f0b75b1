"""Let every line of code go on further in, where letters are large on a small page."""

import re
from math import ceil

from lxml import html
from lxml.html import HtmlElement

from bookkit.publishing.edition.pages import close_voids
from bookkit.publishing.long_lines import LANGUAGES, mark_line

_LISTINGS = f".//div[re:test(@class, '^highlight-({LANGUAGES})')]/div/pre"
# Signs of a row on a phone, and rows of what stays on one page.
_ROW, _FEW = 36, 10
_REGULAR = {"re": "http://exslt.org/regular-expressions"}
# A line that the site has marked holds its own end.
_EMPTY = "<span></span>"  # a break before it would leave its cell on two pages
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
    return text.partition(">")[2].removesuffix("</pre>").removeprefix(_EMPTY)


def _mark(line: str) -> str:
    return line if '<span class="line"' in line else mark_line(line, room=0)


def keep_short(article: HtmlElement) -> None:
    """Mark the code and the outputs that are too short to stand on two pages."""
    for listing in article.iter("pre"):
        lines = listing.text_content().rstrip().splitlines()
        if sum(max(1, ceil(len(line) / _ROW)) for line in lines) <= _FEW:
            listing.classes.add("short")
