"""A title with markup stays words wherever a command writes it."""

import pytest
from markdown_it import MarkdownIt
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from nbformat.v4 import new_markdown_cell, new_notebook

from bookkit.book.notebooks import canonical_bytes
from bookkit.book.outline import read_outline
from bookkit.book.prose import escape_markdown
from bookkit.checking.facts import facts
from bookkit.publishing.maps.chapters import Place
from bookkit.publishing.tables import map_rows

# What stands in the first cell: what is read of it, in words.
TITLES = {
    "<script>alert(1)</script>": "alert(1)",
    "A <img src=x onerror=alert(1)> title": "A  title",
    "A `code` and *stress*": "A code and stress",
    "a | b": "a | b",
    "[words](https://example.org)": "words",
    r"\[x\](y) \<b\> \`c\`": "[x](y) <b> `c`",
    "&lt;script&gt; &amp;": "<script> &",
    "a\\\\|b": r"a\|b",
    "2 * 3 * 4 and a_b_c": "2 * 3 * 4 and a_b_c",
    r"from {5} to \$6 and \$7": "from {5} to $6 and $7",
    "\"quotes\" 'and' é": "\"quotes\" 'and' é",
}


each_title = facts("written, title", TITLES.items(), ids=[*TITLES])


@pytest.fixture
def outlined(book, chapter):
    """Return the outline of a book with one chapter, which has a hostile title."""

    def read(written):
        text = f"# {written}\n\n**Reading time** about 5 minutes.\n"
        cells = [new_markdown_cell(text, id="title")]
        chapter.write_bytes(canonical_bytes(new_notebook(cells=cells)))
        return read_outline(book)

    return read


def words_of(markdown):
    """Return the words, the addresses and the kinds of parts that a page shows."""
    renderer = create_md_parser(
        MdParserConfig(enable_extensions={"dollarmath", "attrs_inline"}),
        MarkdownIt().renderer.__class__,
    )
    parts = [
        part for token in renderer.parse(markdown) for part in token.children or []
    ]
    return (
        "".join(part.content for part in parts),
        [part.attrs["href"] for part in parts if part.type == "link_open"],
        {part.type for part in parts},
    )


@each_title
def test_the_table_of_the_map_shows_the_words(outlined, written, title):
    outline = outlined(written)
    assert outline[1].title == title
    rows = map_rows(outline)
    table = "\n".join(["| a | b | c | d |", "|---|---|---|---|", rows[1]])
    words, links, kinds = words_of(table)
    assert words == f"abcd2{title}nonenone"
    assert links == ["bad/chapter.ipynb"]
    assert kinds == {"text", "link_open", "link_close"}


@facts("title", TITLES.values())
def test_a_link_of_the_appendix_shows_the_words(title):
    link = Place("bad/chapter", title, "a", drawn=False).link("../")
    words, links, _ = words_of(f"See {link}.")
    assert words == f"See {title}."
    assert links == ["../bad/chapter.ipynb#a"]


def test_every_mark_can_be_shown():
    marks = r"""\`*_$<>&{}[]()#!"'~^=+-.:;,/@%?"""
    assert words_of(f"x {escape_markdown(marks)}")[0] == f"x {marks}"
