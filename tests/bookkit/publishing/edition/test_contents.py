"""On paper solutions, what is looked up and what is in Chinese are books apart."""

from bookkit.publishing.edition.contents import Book, Part, divide

API = ["book/appendix/api.html", "book/appendix/api/layers.html"]
CARDS = ["book/appendix/fact_cards.html"]
SOURCES = ["book/appendix/paper_to_code.html", "book/appendix/parity.html"]
READ = ["book/index.html", "book/a/b.html", "book/appendix/glossary.html"]
CHINESE = ["zh/index.html", "zh/a/b.html"]


def book(appendix, chinese=()):
    parts = {"One": [READ[1]], "Appendix": appendix, "Other": chinese}
    return Book(
        title="Title",
        author="A",
        address="https://owner.github.io/name/",
        repository="https://github.com/Owner/name",
        language="en",
        first_page=READ[0],
        parts=[Part(name, [*pages]) for name, pages in parts.items() if pages],
    )


def test_what_is_looked_up_is_taken_out_of_the_book():
    volumes = divide(book([*SOURCES, READ[2], *CARDS, *API]))
    assert [*volumes] == ["", "reference"]
    assert volumes[""].pages == READ
    reference = volumes["reference"]
    assert (reference.first_page, reference.title) == (API[0], "Title: Reference")
    assert {part.title: part.pages for part in reference.parts} == {
        "The API of the package": API[1:],
        "Cards and traps": CARDS,
        "Sources and checks": SOURCES,
    }


def test_chinese_pages_are_taken_out_of_the_book():
    volumes = divide(book([READ[2]], CHINESE))
    assert [*volumes] == ["", "chinese"]
    assert volumes[""].pages == READ
    chinese = volumes["chinese"]
    assert (chinese.pages, chinese.language) == (CHINESE, "zh-Hans")
    assert chinese.title == "Title: 中文"


def test_solutions_are_taken_out_of_the_book():
    volumes = divide(book([*API, READ[2]]), solved=[*READ[1:], API[1]])
    assert [*volumes] == ["", "solutions", "reference"]
    text, solutions, reference = volumes.values()
    assert (text.pages, text.shown) == (READ, "text")
    assert (solutions.pages, solutions.shown) == (READ[1:], "solutions")
    assert solutions.title == "Title: Solutions"
    assert reference.shown == "all"


def test_a_book_to_be_read_stays_whole():
    whole = book(["book/appendix/api_of_others.html"])
    assert divide(whole) == {"": whole}
