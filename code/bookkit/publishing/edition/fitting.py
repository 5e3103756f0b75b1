"""Print a figure a little smaller where it then stands on the page that it would leave.

A browser moves a figure that does not fit to the next page, and leaves the rest of the
page empty. How much room there is and how much is needed, marks at both ends of the
figure tell when the book has been printed.
"""

from lxml.html import HtmlElement, builder

from bookkit.publishing.edition.page_numbers import ask_for

Places = dict[str, tuple[int, float]]  # of each name, its page and how far down
HEIGHT = 271 * 72 / 25.4  # points: A4 without the margins of the style sheet
_MOST_EMPTY = 0.2  # of a page; less is no gap
_SMALLEST = 0.75  # of a figure, so that its words can be read
_SPARE = 0.98


def frame_figures(body: HtmlElement) -> None:
    """Put marks around each figure, and the cell in which it stands."""
    names = []
    for figure in body.iter("figure"):
        top, end = (f"{side}-{len(names) // 2 + 1}" for side in ("top", "end"))
        cells = figure.xpath("ancestor::div[contains(concat(@class, ' '), 'cell ')]")
        (cells or [figure])[0].addprevious(_mark(top))
        figure.addnext(_mark(end))
        figure.set("data-frame", f"{top} {end}")
        names += [top, end]
    ask_for(body, names)


def fit_figures(body: HtmlElement, places: Places) -> bool:
    """Make the first figure of each chapter smaller that would leave a page half empty.

    Returns:
        Whether there was one; what comes after it moves, and is judged anew.
    """
    fitted = set()
    for figure in body.xpath(".//figure[@data-frame]"):
        chapter = figure.xpath("ancestor::section[contains(@class, 'bd-article')]")[0]
        top, end = (places[name] for name in figure.get("data-frame").split())
        room, height = HEIGHT - top[1], end[1]
        is_over = end[0] == top[0] + 1 and _MOST_EMPTY * HEIGHT < room < height
        size = float(figure.get("data-size", "1"))
        if is_over and chapter not in fitted and room > _SMALLEST / size * height:
            size *= _SPARE * room / height
            fitted.add(chapter)
            figure.set("data-size", f"{size:.2f}")
            figure.set("style", f"--size: {size:.2f}")
    return bool(fitted)


def _mark(name: str) -> HtmlElement:
    return builder.SPAN(builder.CLASS("edition-edge"), id=name)
