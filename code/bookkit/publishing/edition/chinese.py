"""Mark the Chinese in the prose of a page, which a device may have no font for.

Code and outputs have the font anyway, and the glossary marks its names itself.
"""

import re

from lxml import etree
from lxml.html import HtmlElement, builder

from bookkit.book.chinese import LANGUAGE, SIGNS

_WORDS = re.compile(f"({SIGNS.pattern}+)")
_IS_CODE = "ancestor::pre or ancestor::code"
_IS_MARKED = f"ancestor::*[@lang='{LANGUAGE}']"
_PROSE = f".//text()[not({_IS_CODE} or {_IS_MARKED})]"


def mark_chinese(article: HtmlElement) -> None:
    """Put the Chinese words of a page into parts that name their language."""
    for text in article.xpath(_PROSE):
        if SIGNS.search(text):
            _mark(text)


def _mark(text: etree._ElementUnicodeResult) -> None:
    first, *rest = _WORDS.split(text)
    parts = []
    for words, after in zip(rest[::2], rest[1::2], strict=True):
        parts.append(builder.SPAN(words, lang=LANGUAGE))
        parts[-1].tail = after
    beside = text.getparent()
    if text.is_tail:
        beside.tail, around = first, beside.getparent()
        place = around.index(beside) + 1
    else:
        beside.text, around, place = first, beside, 0
    around[place:place] = parts
