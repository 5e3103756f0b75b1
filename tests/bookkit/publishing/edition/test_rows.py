"""Rows of printed tables have cells: where letters are large, all part between them."""

from lxml import html

from bookkit.publishing.edition.rows import mark_rows

TABLE = f"""\
{"1,1,1":>19}   1,1,2{" " * 3}
as it is       2.00  -10.00
normalization  1.41   -1.41
"""


def mark(inside, style=""):
    table = html.fragment_fromstring(f"<pre{style}>{inside}</pre>")
    mark_rows(table)
    return table


def read_cells(row):
    return [cell.text for cell in row.find_class("cell")]


def test_all_rows_of_a_table_have_their_cells_at_the_same_places():
    assert [read_cells(row) for row in mark(TABLE)] == [
        [" 1,1,1", "   1,1,2"],
        ["as it is     ", "  2.00", "  -10.00"],
        ["normalization", "  1.41", "   -1.41"],
    ]


def test_the_text_of_a_table_stays_letter_for_letter():
    assert mark(TABLE).text_content() == TABLE


def test_what_may_be_wider_than_a_page_and_a_sentence_are_no_cells():
    name = "a name of many words, and more"
    rows = f"{name}  1.5\n{'x' * len(name)}  2.5\n"
    row, _, _, sentence = mark(f"{rows}\nand so on, and so on, and so on\n")
    assert (row.text, read_cells(row)) == (name, ["  1.5"])
    assert read_cells(sentence) == []


def test_what_stands_below_has_cells_too():
    gap, below = '<span class="gap">  </span>', '<span class="below">{}\n</span>'
    rows = "".join(f"a  {n}{gap}{below.format('b  c')}" for n in (1, 2))
    for row in mark(rows):
        assert [part.get("class") for part in row] == ["cell", "cell", "gap", "below"]
        assert read_cells(row[-1]) == ["b", "  c"]


def test_a_table_says_how_long_its_longest_row_is():
    table = mark("a  b\nc   d\n", ' style="--columns: 3"')
    assert table.get("style") == "--columns: 3; --letters: 5"
