"""Let tables and figures fit a page, in the form and the size that it has room for.

The site lays tables of phrases out as cards, and those of facts as lists. Others keep
their columns on a reading device too, which does not scroll.
"""

import re
from mimetypes import guess_type

from lxml.html import HtmlElement, builder

from bookkit.book.chinese import SIGNS
from bookkit.publishing.edition.pages import TWO_FORMS

# Where a name of code may break, and on a small page before each word of CamelCase.
_JOINTS = re.compile(r"(?<=[_./])(?=\w)")
_ENDS = re.compile(r"[ \n\t\u200b]+|(?<=\w-)(?=\w)")
_SIGN = 0.66  # em, the width of a sign
_BETWEEN = 1.5  # signs, between two columns
_WIDER = 1.15  # a letter of code than another one
_ALL_JOINTS = re.compile(rf"{_JOINTS.pattern}|(?<=[a-z])(?=[A-Z])")
# A small device shows figures 460 pixels wide: the letters of a wider one, of 8 points
# and more, are below 8 pixels there.
WIDEST = 613
# Pages with room for the wide form.
_WITH_ROOM = "(min-width: 720px) and (orientation: portrait)"
# Pixels of the letters that a device begins with, and of a figure that fits its page.
_LETTERS, _TALL = 16, 700
# A figure of letters of 8 points has this part of its size, or more; what is lower than
# so many pixels then has room wherever the styles allow it.
_LEAST, _LOW = 0.75, 360


def let_names_break(article: HtmlElement, *, on_small_pages: bool = False) -> None:
    """Let a long name in a table break between its words, rather than anywhere."""
    joints = _ALL_JOINTS if on_small_pages else _JOINTS
    for name in article.xpath(".//td//code//text()/.."):
        first, *words = joints.split(name.text or "")
        name.text = first
        for place, word in enumerate(words):
            joint = builder.WBR()
            joint.tail = word
            name.insert(place, joint)


def fit_tables(article: HtmlElement) -> None:
    """Say how wide each table with columns is, for the size of its letters."""
    for table in article.iter("table"):
        if not {"cards", "facts"} & set(table.classes):
            width = _SIGN * _find_width(table)
            table.set("style", f"--width: {width:.1f}")  # for epub.css


def _find_width(table: HtmlElement) -> float:
    """Return how many signs stand beside one another in a table, at the least."""
    rows = [row.xpath("./td | ./th") for row in table.iter("tr")]
    columns = zip(*rows, strict=False)
    return sum(max(map(_find_longest, cells)) + _BETWEEN for cells in columns)


def _find_longest(cell: HtmlElement) -> float:
    """Return the length of the longest part of a cell that does not break."""
    words = _read(cell)
    parts = [words] if "text-right" in cell.classes else _ENDS.split(words)
    wider = _WIDER if cell.find(".//code") is not None else 1
    return wider * max(len(part.strip()) + len(SIGNS.findall(part)) for part in parts)


def _read(element: HtmlElement) -> str:
    """Read an element, with an end of line where it may break."""
    if element.tag == "wbr":
        return "\n"
    inside = "".join(_read(part) + (part.tail or "") for part in element)
    return (element.text or "") + inside


def take_narrow(article: HtmlElement) -> None:
    """Show the narrow form of each figure that is wider, where it has one.

    The wide one is for tall pages that have room for it. A wide page may be two that
    stand beside each other, which a device does not tell.
    """
    for picture in article.iter("picture"):
        (image,), (form,) = picture.iter("img"), picture.iter("source")
        if int(image.get("width")) > WIDEST:
            wide, narrow = image.get("src"), form.get("srcset")
            image.set("src", narrow)
            for side in ("width", "height"):
                image.set(side, form.attrib.pop(side))
            image.set("style", f"width: {_grow(image)}em")
            form.set("srcset", wide)
            form.set("media", _WITH_ROOM)
            form.set("type", guess_type(wide)[0])
            picture.attrib.pop("style", None)
            picture.classes.add(TWO_FORMS)


def _grow(image: HtmlElement) -> float:
    """Say how wide a narrow form is: it grows with the letters around it.

    Its own, of 8 points, are a little smaller. A tall one must fit a page.
    """
    width, height = (int(image.get(side)) for side in ("width", "height"))
    return round(width * max(1, min(1.2, _TALL / height)) / _LETTERS, 1)


def limit_heights(article: HtmlElement) -> None:
    """Let tall figures be as low as their letters allow: 6 points, and no smaller."""
    for image in article.xpath(".//figure//img[@height]"):
        least = round(_LEAST * int(image.get("height")))
        if least > _LOW:
            limit = f"max-height: max(60vh, {least}px)"
            image.set("style", "; ".join(filter(None, (image.get("style"), limit))))
