"""Say what the book is, and what a reader may do with it."""

from html import escape

from bookkit.publishing.edition.contents import Book

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
