"""A title with markup stays words wherever a command writes it."""

from markdown_it import MarkdownIt
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

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


@facts("written, title", TITLES.items(), ids=[*TITLES])
def test_the_table_of_the_map_shows_the_words(
    numbered_book, write_chapter, written, title
):
    write_chapter(f"# {written}\n\n**Reading time** about 5 minutes.\n")
    [chapter] = outline = read_outline(numbered_book)
    assert chapter.title == title
    table = "\n".join(["| a | b | c | d |", "|---|---|---|---|", *map_rows(outline)])
    words, links, kinds = words_of(table)
    assert words == f"abcd1{title}nonenone"
    assert links == ["part/chapter.ipynb"]
    assert kinds == {"text", "link_open", "link_close"}


@facts("title", TITLES.values())
def test_a_link_of_the_appendix_shows_the_words(title):
    link = Place("part/chapter", title, "a", drawn=False).link("../")
    words, links, _ = words_of(f"See {link}.")
    assert words == f"See {title}."
    assert links == ["../part/chapter.ipynb#a"]


def test_every_mark_can_be_shown():
    marks = r"""\`*_$<>&{}[]()#!"'~^=+-.:;,/@%?"""
    assert words_of(f"x {escape_markdown(marks)}")[0] == f"x {marks}"
