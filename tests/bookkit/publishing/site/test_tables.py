"""Cells that hold a phrase need room; rows of many of them become cards on a phone."""

from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from bookkit.publishing.site.tables import set_results
from chapters.tables import Table

HEAD = ("", "what it *is*", "in $x$", "further words of it")
SHORT = ("a name", "one", "two", "three")
LONG = ("a name", "of nineteen letters", "nineteen letters, too", "3 to 5")
ROW = "| {} |\n"


def write(*rows):
    """Write a table, the first row its head."""
    head, *others = (ROW.format(" | ".join(row)) for row in rows)
    return f"# Page\n\n{head}|{'---|' * len(rows[0])}\n{''.join(others)}"


def read(text):
    """Return the table of a page, and whether it is one of cards."""
    (table,) = read_all(text)
    return table, "cards" in table["class"]


def read_all(text):
    """Return the tables of a page."""
    return BeautifulSoup(text, "html.parser").find_all("table")


def test_each_cell_of_a_card_stands_behind_the_name_of_its_column(build):
    text, warnings = build(write(HEAD, LONG, LONG))
    assert warnings == ""
    table, is_of_cards = read(text)
    assert is_of_cards
    for row in table.select("tbody tr"):
        names = [cell.select("p.column") for cell in row.select("td")]
        assert names[0] == []  # its column has no name
        words = [name.get_text() for (name,) in names[1:]]
        assert words[0] == "what it is"
        assert "in x" in words[1].replace("$", "")
        assert all(cell.find("p") == cell.p for cell in row.select("td"))
        assert [cell.select("p")[-1].get_text() for cell in row.select("td")] == [*LONG]


CARDS = [
    ([HEAD, LONG, LONG], True),
    ([HEAD, LONG, SHORT], False),  # 36 letters a row, which have room
    ([HEAD[:3], [word * 2 for word in LONG[:3]]], False),  # of three columns
    ([SHORT, [*LONG[:2], "1", "2" * 18]], False),  # one column of four
    ([SHORT, [*LONG[:2], "1" * 19, "2" * 19]], True),
    ([list("abcdef"), list("ghijkl")], True),  # a row of six that is alone
    ([list("abcde"), list("ghijk")], False),
    ([list("abcdef"), list("ghijkl"), list("mnopqr")], False),
    ([HEAD[:3], ["`" + "a_" * 15 + "`", "of nineteen letters", LONG[2]]], True),
    ([HEAD[:3], ["$" + "a+" * 15 + "a$", "of nineteen letters", LONG[2]]], False),
    ([HEAD[:3], ["`" + "a_" * 15 + "`", "one", "two"]], False),  # no phrases
]


def test_a_table_without_room_for_its_columns_becomes_cards(build):
    tables = read_all(build("\n".join(write(*rows) for rows, _ in CARDS))[0])
    for table, (rows, is_of_cards) in zip(tables, CARDS, strict=True):
        assert ("cards" in table["class"]) is is_of_cards, rows
        assert bool(table.select(".column")) is is_of_cards, rows


NAMES = ("ours", "theirs", "forward", "gradient", "bound")
FACTS = ("`a_long_name`", "`another_name`", "0.001", "—", "0.25")


def test_each_fact_stands_behind_the_name_of_its_column(build):
    table, _ = read(build(write(NAMES, FACTS, FACTS))[0])
    assert "facts" in table["class"]
    for row in table.select("tbody tr"):
        words = [cell.get_text().strip() for cell in row.select("td")]
        assert words == [
            "a_long_name",
            "theirs another_name",
            "forward 0.001",
            "—",
            "bound 0.25",
        ]
        empty = [cell.get_text() for cell in row.select("td.empty")]
        assert empty == ["—"]


FACTS_OR_NOT = [
    (NAMES, "abcde", False),
    (NAMES[:3], ("a" * 20, "b" * 10, "c" * 10), False),
    (NAMES[:4], ("a" * 10, *"bcd"), False),  # 10, 6, 7, 8 letters and 4 gaps
    (NAMES[:4], ("a" * 15, *"bcd"), True),
    (NAMES[:4], ("`" + "a" * 12 + "`", *"bcd"), False),
    (NAMES[:4], ("`" + "a" * 13 + "`", *"bcd"), True),  # wider letters
]


def test_columns_without_room_become_facts(build):
    pages = [write(names, row, row) for names, row, _ in FACTS_OR_NOT]
    tables = read_all(build("\n".join(pages))[0])
    for table, (_, row, are_facts) in zip(tables, FACTS_OR_NOT, strict=True):
        assert ("facts" in table["class"]) is are_facts, row


def page_of(*pieces):
    page = new_document("page")
    page += [nodes.raw("", piece, format="html") for piece in pieces]
    set_results(None, page)
    return page


def test_head_rows_and_cells_are_those_of_the_result():
    table = Table(["what", "loss"], [["a < b", 0.5], ["c", 12.25]])
    (found,) = page_of(table._repr_html_()).findall(nodes.table)
    rows = [[cell.astext() for cell in row] for row in found.findall(nodes.row)]
    assert rows == [["what", "loss"], ["a < b", "0.50"], ["c", "12.25"]]
    (head,) = found.findall(nodes.thead)
    assert len(head.children) == 1
    whole = ["whole", "text-right"]
    assert [cell["classes"] for cell in found.findall(nodes.entry)] == [
        *([], ["text-right"]),
        *([], whole),
        *([], whole),
    ]


def test_a_text_that_a_model_writes_stands_as_python_shows_it():
    table = Table(["what", "text"], [["said", repr("Paris.\n")], ["a 'word'", "5"]])
    (found,) = page_of(table._repr_html_()).findall(nodes.table)
    assert [code.astext() for code in found.findall(nodes.literal)] == [r"'Paris.\n'"]


def test_other_html_stays():
    page = page_of("<p>Hello.</p>", "<table><tr><td>1</td></tr></table>")
    assert len([*page.findall(nodes.raw)]) == 2


def test_an_empty_cell_of_a_card_is_marked(build):
    row = (*LONG[:3], "—")
    table, is_of_cards = read(build(write(HEAD, LONG, row, LONG))[0])
    assert is_of_cards
    [empty] = table.select("td.empty")
    assert "—" in empty.get_text()
