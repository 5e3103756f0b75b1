"""On paper the API of the package is a book of its own."""

from bookkit.publishing.edition.apart import take_api
from bookkit.publishing.edition.contents import Book, Part

API = ["book/appendix/api.html", "book/appendix/api/layers.html"]


def book(*appendix):
    return Book(
        title="Title",
        author="A",
        address="https://owner.github.io/name/",
        repository="https://github.com/Owner/name",
        language="en",
        first_page="book/index.html",
        parts=[Part("One", ["book/a/b.html"]), Part("Appendix", [*appendix])],
    )


def test_the_api_is_taken_out_of_the_book():
    text, api = take_api(book("book/appendix/glossary.html", *API))
    glossary = ["book/index.html", "book/a/b.html", "book/appendix/glossary.html"]
    assert text.pages == glossary
    assert (api.pages, api.title) == (API, "Title: The API of the package")


def test_links_lead_from_each_book_to_the_site_for_the_other():
    text, _ = take_api(book(*API))
    assert text.link(API[0], "b") == f"https://owner.github.io/name/{API[0]}#b"


def test_a_book_without_an_api_stays_whole():
    whole = book("book/appendix/api_of_others.html")
    assert take_api(whole) == (whole, None)
