"""Links of notebooks lead to the published pages, and back."""

from bookkit.book.address import Published, page_file, published, write_addresses
from bookkit.checking.facts import facts

SITE = Published("https://owner.github.io/book/")
FILES = Published("https://host.org/owner/book/blob/main/", is_site=False)


@facts(
    "link, site, file",
    [
        ("../a/b.ipynb", "book/a/b.html", "book/a/b.ipynb"),
        ("c.ipynb#part", "book/p/c.html#part", "book/p/c.ipynb#part"),
        ("../notation.md#x", "book/notation.html#x", "book/notation.md#x"),
    ],
)
def test_a_relative_link_becomes_the_address_of_the_page(link, site, file):
    text = f"See [it]({link}), and `[it]({link})`."
    for target, end in ((SITE, site), (FILES, file)):
        found = write_addresses(text, "book/p/q.ipynb", target)
        assert found == f"See [it]({target.base}{end}), and `[it]({link})`."


def test_the_base_follows_the_repository(book):
    assert published(book).base.endswith(".github.io/old-book/")
    config = (book / "_config.yml").read_text()
    (book / "_config.yml").write_text(config.replace("github.com", "codeberg.org"))
    assert published(book).base == "https://codeberg.org/owner/old-book/blob/main/"


def test_a_page_is_a_notebook_or_a_text(book):
    (book / "book" / "a.md").touch()
    assert page_file(book, "book/a") == "book/a.md"
    assert page_file(book, "book/none") is None
