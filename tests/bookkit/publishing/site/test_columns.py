"""Printed tables on a phone: what is small enough stays, and words go on below."""

import re
from html import escape, unescape

import pytest

from bookkit.publishing.site.columns import ROOM, fit_table, has_columns

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
    rest = "in part.\n"
    _, found = fit_table(f"a  b  c\n{NOTE}{rest}d  e  f\n")
    assert f'<span class="line flows">{NOTE}{rest}</span>d' in found


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
