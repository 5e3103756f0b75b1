"""Show each figure in the form and the size that fit the page of a reading device."""

from mimetypes import guess_type

from lxml.html import HtmlElement

from bookkit.publishing.edition.pages import TWO_FORMS

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
