"""Printed tables on a phone: what is small enough stays, and the rest goes on below."""

import re
from html import escape, unescape
from math import nan

import pytest

from bookkit.publishing.columns import fit_table, goes_on, has_columns
from bookkit.publishing.cuts import ROOM

NAMES = ["no factor", "no factor, small queries"]
VERDICTS = ["behind at first", "no clear difference"]
ROWS = [
    f"{name:26}-1.65 ± 1.10   +0.02 ± 0.07   {verdict}\n"
    for name, verdict in zip(NAMES, VERDICTS, strict=True)
]
NOTE = "Each variant at the best of its learning rates, chosen on validation data\n"
BELOW = re.compile('<span class="below">([^<]*)</span>')


def test_a_table_with_room_stays_as_it_is():
    table = f"{'a':{ROOM - 2}} b\na  b  c\n"
    assert fit_table(table) == (ROOM, table)


def test_verdicts_stand_below_their_rows():
    letters, found = fit_table("".join(ROWS))
    assert letters == ROOM
    assert BELOW.findall(found) == [f"{verdict}\n" for verdict in VERDICTS]


def test_a_row_that_has_room_is_parted_as_its_neighbors():
    short = ROWS[0].replace("behind at first", "A")
    assert len(short.rstrip()) == ROOM
    found = BELOW.findall(fit_table(short + ROWS[1])[1])
    assert found == ["A\n", "no clear difference\n"]


def test_tables_one_below_the_other_are_parted_each_at_its_own_place():
    other = [f"a {row}" for row in ROWS]
    _, found = fit_table("".join([*ROWS, *other]))
    assert BELOW.findall(found) == [f"{verdict}\n" for verdict in [*VERDICTS] * 2]


def test_a_head_without_the_last_column_stays_whole():
    head = f"{'gain over factor':26}150 steps      600 steps\n"
    assert fit_table(head + "".join(ROWS))[1].startswith(head)


def test_a_sentence_beside_a_table_wraps():
    _, found = fit_table("a  b  c\n" + NOTE)
    assert found == f'a  b  c\n<span class="line">{NOTE}</span>'


def test_a_sentence_that_goes_on_in_the_next_line_flows():
    rest = "after 50 steps.\n"
    _, found = fit_table(f"a  b  c\n{NOTE}{rest}d  e  f\n")
    assert f'<span class="line flows">{NOTE}{rest}</span>d' in found


FULL = f"{'and so on, ' * 5}until a line is full"


def test_a_full_line_goes_on_with_the_end_of_its_sentence():
    assert len(FULL) == 75
    assert goes_on(FULL, "to the last place.")


@pytest.mark.parametrize(
    ("above", "text"),
    [
        (FULL.removesuffix(" is full"), "to the last place."),  # had room above
        (FULL.replace("is full", "is 0.02"), "to the last place."),
        (FULL.replace("is full", "is two-"), "thirds of that."),  # no space
        (FULL, "row of a batch: 3.25"),
        (FULL, "row of  a batch."),
        (FULL, "Rows of a batch."),
        (FULL, ""),
    ],
)
def test_a_row_does_not_go_on_with_the_one_above(above, text):
    assert not goes_on(above, text)


def read_parts(table):
    """Read what a phone shows of the rows of a table, without the gaps."""
    marked = re.sub('<span class="gap"> *</span>', "", fit_table(table)[1])
    parts = re.split('\n|<span class="below">', marked)
    return [text for part in parts if (text := re.sub("<[^>]*>", "", part))]


def test_columns_that_have_no_room_below_either_go_on_once_more():
    gain = "-0.31 ± 0.09   "
    row = f"{'two attentions':36}{gain * 4}behind at first\n"
    assert read_parts(row) == [
        f"{'two attentions':36}{gain.strip()}",
        f"{gain}{gain}{gain.strip()}",
        "behind at first",
    ]


def test_numbers_stand_below_the_names_of_their_rows_each_in_its_column():
    heads = f"{'layers':16}" + "".join(f"{layer:6d}" for layer in range(8))
    rows = [
        f"{name:16}" + "".join(f"{number:6.2f}" for number in numbers)
        for name, numbers in (("a bank", [0.96, -0.82] * 4), ("another dog", [nan] * 8))
    ]
    assert read_parts("\n".join([heads, *rows]) + "\n") == [
        "layers",
        "   0     1     2     3     4     5     6     7",
        "a bank",
        "0.96 -0.82  0.96 -0.82  0.96 -0.82  0.96 -0.82",
        "another dog",
        " nan   nan   nan   nan   nan   nan   nan   nan",
    ]


@pytest.mark.parametrize(
    "numbers",
    [
        ["0.69 (0.67)", "1.00 (1.00)", "0.95 (0.94)", "0.98 (0.97)"],
        ["0.003: 1.61,", "0.01: 1.38,", "0.03: 2.76,", "0.1: 2.64"],
        ["0.40", "0.31", "0.51", "0.43-0.51", "12%"],
    ],
)
def test_numbers_with_others_beside_them_stand_below_names_too(numbers):
    row = f"{'a name that takes some room':29}{'  '.join(numbers)}\n"
    assert read_parts(row) == ["a name that takes some room", "  ".join(numbers)]


def test_numbers_behind_names_without_columns_stand_below_each():
    names = ["24.3 asks with 18.1 to 18.9:", "18.5 reads 17.1:"]
    numbers = "0.82 0.00 0.80 0.00 0.01 0.02 0.03 0.02 0.00"
    table = "".join(f"{name} {numbers}\n" for name in names)
    assert read_parts(table) == [names[0], numbers, names[1], numbers]


def test_a_block_without_room_leaves_the_parts_of_others_alone():
    numbers = "one name" + "    1.25" * 7 + "\n"
    found = BELOW.findall(fit_table("".join(ROWS) + "\n" + numbers)[1])
    assert [part.strip() for part in found[:2]] == VERDICTS
    assert found[2].split() == ["1.25"] * 7


@pytest.mark.parametrize(
    "table",
    [
        "name" + "    1.25" * 11 + "\n",
        "logits    tensor([ 2.4000,  2.2000, -1.0000]) seen: [True, False, True]\n",
        "x" * 70 + "  a  b\n",
    ],
)
def test_a_table_without_words_that_have_room_below_scrolls(table):
    assert fit_table(table) == (len(table) - 1, table)


def test_a_head_that_cannot_be_parted_with_the_numbers_lets_the_table_scroll():
    rows = [f"n ={n:6d}{'    1.25' * 6}\n" for n in (512, 1024)]
    assert fit_table("".join(["n      kept  in all\n", *rows]))[0] == ROOM
    letters, found = fit_table("".join(["kept  in  all\n", *rows]))
    assert letters == len(rows[0]) - 1
    assert "below" not in found


@pytest.mark.parametrize(
    ("text", "is_row"),
    [
        ("rotary  1.37", True),
        ("rotary  1.37  1.37  a b c d e f", True),
        ("greedy  and I was going to the gym", False),
        ("no gap at all", False),
    ],
)
def test_a_sentence_behind_one_gap_is_no_column(text, is_row):
    assert has_columns(text) is is_row


def test_the_text_stays_letter_for_letter():
    table = "".join(row.replace("no", "a < b &") for row in [*ROWS, NOTE])
    _, found = fit_table(escape(table))
    assert "below" in found
    assert unescape(re.sub("<[^>]*>", "", found)) == table


def test_where_nothing_scrolls_columns_of_numbers_stand_below_too():
    head = "name" + "    left" * 7
    rows = [f"{name:4}{'    1.25' * 7}" for name in ("a", "b")]
    table = "\n".join([head, *rows, ""])
    letters, found = fit_table(table, 40, scrolls=False)
    assert letters == 40
    assert [part.split() for part in BELOW.findall(found)] == [
        ["left"] * 3,
        ["1.25"] * 3,
        ["1.25"] * 3,
    ]
