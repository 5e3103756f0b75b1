"""Make what stands before the text of a book: its cover, its title, its licenses."""

from html import escape

from lxml.html import HtmlElement, builder

from bookkit.publishing.edition.contents import Book

_TEXT_LICENSE = "https://creativecommons.org/licenses/by/4.0/"
_CODE_LICENSE = "https://opensource.org/license/mit"
_FONTS = (
    "The text is set in STIX General and the code in DejaVu Sans Mono, as matplotlib "
    "brings them along, the formulas in the fonts of KaTeX, and Chinese in Noto Serif "
    "CJK. Each of these fonts is under a free license of its own."
)
PROMISE = "A textbook in which every output is computed again and compared"
DESCRIPTION = f"{PROMISE}."
LICENSE = "Text and figures: CC BY 4.0. Code: MIT License."
_TITLE = """\
<section epub:type="titlepage" class="imprint">
<h1>{title}</h1>
<p>{description}</p>
<p>{author}</p>
<p>{day}</p>
{addresses}
<p>{license}</p>
<p>The fonts of formulas and of Chinese signs are parts of TeX Gyre Schola Math and of
Noto Serif CJK, and bring their licenses with them.</p>
</section>"""


def build_front(book: Book) -> list[HtmlElement]:
    """Make the pages before the table of contents, each on a sheet of its own."""
    return [_cover(book), _title_page(book), _imprint(book)]


def _cover(book: Book) -> HtmlElement:
    """Make a page for the drawing of the cover, which the style sheet brings along."""
    cover = builder.SECTION(builder.CLASS("edition-cover"), role="img")
    cover.set("aria-label", f"The cover: {book.title}. {PROMISE}")
    return cover


def _title_page(book: Book) -> HtmlElement:
    return builder.SECTION(
        builder.P(book.title, builder.CLASS("edition-title")),
        builder.P(PROMISE, builder.CLASS("edition-subtitle")),
        builder.P(book.author, builder.CLASS("edition-author")),
        builder.P(*_link(book.address), builder.CLASS("edition-address")),
        builder.P(book.day, builder.CLASS("edition-date")),
        builder.CLASS("edition-front"),
    )


def _imprint(book: Book) -> HtmlElement:
    """Say to whom the book belongs, what others may do with it, and what it is of."""
    site = [*_link(book.address), " and "] if book.address else []
    paragraphs: list[tuple[str | HtmlElement, ...]] = [
        (f"{book.title}, {book.day}" if book.day else book.title,),
        (f"© {book.author}",),
        (
            "Text and figures are licensed under Creative Commons Attribution 4.0 "
            "International (CC BY 4.0): you may share and change them, also for money, "
            "if you name the source and say what you changed. ",
            *_link(_TEXT_LICENSE),
        ),
        (
            "Code is licensed under the MIT License: you may use it for everything, if "
            "its copyright notice stays with it. ",
            *_link(_CODE_LICENSE),
        ),
        ("The book, with all it is made from: ", *site, *_link(book.repository)),
        (
            "The solutions of exercises, what is looked up, such as the API of the "
            "package, and the pages in Chinese are files of their own. The foot of "
            "each page of the site offers them, and a bill of materials with the "
            "versions and licenses of the packages that the book was made with.",
        ),
        (_FONTS,),
    ]
    return builder.SECTION(
        *(builder.P(*parts) for parts in paragraphs),
        builder.CLASS("edition-front edition-imprint"),
    )


def _link(address: str | None) -> list[HtmlElement]:
    """Show an address that leads where it says, and nothing for one nobody knows."""
    return [] if address is None else [builder.A(address, href=address)]


def write_title(book: Book) -> str:
    """Write the text of the title page of an EPUB."""
    places = map(escape, filter(None, (book.address, book.repository)))
    addresses = [f'<p><a href="{place}">{place}</a></p>' for place in places]
    return _TITLE.format(
        title=escape(book.title),
        description=DESCRIPTION,
        author=escape(book.author),
        day=book.day,
        addresses="\n".join(addresses),
        license=LICENSE,
    )
