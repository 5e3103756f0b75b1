"""Printed tables on a phone: what is small enough stays, and the rest goes on below."""

import re
from html import escape, unescape
from math import nan

from bookkit.checking.facts import facts
from bookkit.publishing.columns import find_cells, fit_table, goes_on, has_columns
from bookkit.publishing.cuts import ROOM

NAMES = ["no factor", "no factor, few"]
VERDICTS = ["behind at first", "no clear difference"]
ROWS = [
    f"{name:15}-1.65 ± 1.10   +0.02 ± 0.07   {verdict}\n"
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
    head = f"{'gain over':15}150 steps      600 steps\n"
    assert fit_table(head + "".join(ROWS))[1].startswith(head)


def test_the_name_of_a_column_does_not_go_below_without_its_numbers():
    head = f"{'loss':>22}  rows right  with 10 more pads\n"
    row = f"{'no padding mask':16}0.0001     1.00           0.01\n"
    found = BELOW.findall(fit_table(head + row)[1])
    assert found == [head[16:], row[16:]]


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


@facts(
    "above, text",
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
    row = f"{'two attentions':33}{gain * 4}behind at first\n"
    assert read_parts(row) == [
        f"{'two attentions':33}{gain.strip()}",
        f"{gain}{gain}{gain.strip()}",
        "behind at first",
    ]


def test_numbers_stand_below_the_names_of_their_rows_each_in_its_column():
    heads = f"{'layers':16}" + "".join(f"{layer:6d}" for layer in range(7))
    rows = [
        f"{name:16}" + "".join(f"{number:6.2f}" for number in numbers)
        for name, numbers in (
            ("a bank", [0.96, *[1, -0.82] * 3]),
            ("another dog", [nan] * 7),
        )
    ]
    assert read_parts("\n".join([heads, *rows]) + "\n") == [
        "layers",
        "   0     1     2     3     4     5     6",
        "a bank",
        "0.96  1.00 -0.82  1.00 -0.82  1.00 -0.82",
        "another dog",
        " nan   nan   nan   nan   nan   nan   nan",
    ]


@facts(
    "numbers",
    [
        ["0.69 (0.67)", "1.00 (1.00)", "0.95 (0.94)"],
        ["0.003: 1.61,", "0.01: 1.38,", "0.03: 2.76"],
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


def test_columns_stand_below_names_as_their_heads_do_with_narrow_gaps():
    table = (
        "MiB kept           formula         fused   with a mask with the flag\n"
        "n = 512:              11.0           4.0           5.0           4.0\n"
        "n = 2048:            140.0          16.1          32.1          16.1\n"
    )
    assert read_parts(table) == [
        "MiB kept",
        "formula  fused  with a mask with the flag",
        "n = 512:",
        "   11.0    4.0          5.0           4.0",
        "n = 2048:",
        "  140.0   16.1         32.1          16.1",
    ]


@facts(
    "rows, first",
    [
        (
            "logits    tensor([ 2.4000,  2.2000, -1.0000]) seen: [True, False]\n"
            "penalized tensor([ 2.0000,  2.2000, -1.2000])\n",
            "logits    tensor([ 2.4000,  2.2000,",
        ),
        (
            "layer        parameters  200 steps  800 steps  Shazeer\n"
            "ReLU squared 33,088      1.84       1.37       -\n"
            "GLU          33,044      2.01       1.37       1.663\n",
            "layer        parameters  200 steps  800 steps",
        ),
    ],
)
def test_columns_do_not_stand_below_what_is_more_than_a_name(rows, first):
    assert read_parts(rows)[0] == first


def test_rows_below_a_head_are_parted_once_rather_than_often():
    table = (
        "activation         shift page 1 page 2 continuation\n"
        "SiLU                0.00   2.84   3.17 ' Paris and its answer is:'\n"
        "SiLU + 0.17         0.17   6.72   6.74 ' is is in France is in the the'\n"
    )
    assert read_parts(table) == [
        "activation         shift page 1 page 2",
        "continuation",
        "SiLU                0.00   2.84   3.17",
        "' Paris and its answer is:'",
        "SiLU + 0.17         0.17   6.72   6.74",
        "' is is in France is in the the'",
    ]


def test_a_block_without_room_leaves_the_parts_of_others_alone():
    numbers = "one name " + " 1.25" * 9 + "\n"
    found = BELOW.findall(fit_table("".join(ROWS) + "\n" + numbers)[1])
    assert [part.strip() for part in found[:2]] == VERDICTS
    assert found[2].split() == ["1.25"] * 9


def test_a_table_with_a_word_that_has_no_room_scrolls():
    table = "x" * 70 + "  a  b\n"
    assert fit_table(table) == (len(table) - 1, table)


def test_a_name_may_end_in_a_number():
    numbers = "   0.50   0.26   0.35        16      8"
    names = ["18.4", "18.5", "18.4, 18.5", "all the four finders, cut away"]
    rows = "".join(f"{name:31}{numbers}\n" for name in names)
    found = [part.strip() for part in read_parts(rows)]
    assert found == [part for name in names for part in (name, numbers.strip())]


def test_names_of_rows_and_of_columns_may_end_in_numbers_and_stay_whole():
    table = """\
                hot day hot dog  0,0,-1   1,1,1   1,1,2
as it is    x 1    1.00    2.00    0.00    2.00    2.00
as it is    x10   10.00   20.00    0.00   20.00   20.00
only center x 1    0.33    0.67    0.67    0.00   -0.67
only center x10    3.33    6.67    6.67    0.00   -6.67
"""
    head, name, numbers, *_ = read_parts(table)
    assert head == "hot day hot dog  0,0,-1   1,1,1   1,1,2"
    assert name == "as it is    x 1"
    assert numbers == "   1.00    2.00    0.00    2.00    2.00"


def test_gaps_become_narrow_before_a_row_is_parted():
    row = "".join(f"{number:9.2f}" for number in (0.5, 1.5, 2.5, 3.5, 4.5))
    assert read_parts(f"{'name':11}{row}\n{'other':11}{row}\n") == [
        f"{name:5}   0.50   1.50   2.50   3.50   4.50" for name in ("name", "other")
    ]


def test_blanks_behind_a_row_take_no_room():
    row = "".join(f"{number:9.2f}" for number in (0.5, 1.5, 2.5, 3.5, 4.5))
    _, found = fit_table(f"{'name':11}{row}    \n")
    assert found.endswith('4.50<span class="gap">    </span>\n')


def test_words_beside_one_another_keep_two_blanks():
    rows = ["the best of all 50 words   before", "of 17.1, after 16 layers   0.01"]
    wide = "".join(f"{row:33}{'  1.2' * 3}\n" for row in rows)
    assert max(map(len, wide.splitlines())) == ROOM + 2
    assert read_parts(wide)[0].startswith(f"{rows[0].replace('   ', '  ')} ")


# Rows that have a gap in common, and what a phone shows of them.
START = (
    """
start         embedding    down  first loss - ln V  label = input
glorot           0.062   0.040          0.5           -1.3
""",
    """
start         embedding    down
first loss - ln V  label = input
glorot           0.062   0.040
0.5           -1.3
""",
)
# They end with a comma there, and a gap behind a sign is none.
MODELS = (
    """
transformer-base   6 +  6 layers, d =  512,  8 heads, sinusoidal
bert-base-uncased 12 +  0 layers, d =  768, 12 heads, learned
gpt2               0 + 12 layers, d =  768, 12 heads, learned
""",
    """
transformer-base   6 +  6 layers, d =  512,
8 heads, sinusoidal
bert-base-uncased 12 +  0 layers, d =  768,
12 heads, learned
gpt2               0 + 12 layers, d =  768,
12 heads, learned
""",
)
# They have one blank in common.
MISTAKES = (
    """
                    names     loss  logits  1, 2, 3, 4,
epsilon 1e-6        -0 +0     3.20    0.02 ' 5, 6, 7,'
no gates            -0 +30   31.85   44.54 'onianonianomegranoniano
""",
    """
names     loss
logits  1, 2, 3, 4,
epsilon 1e-6        -0 +0     3.20
0.02 ' 5, 6, 7,'
no gates            -0 +30   31.85
44.54 'onianonianomegranoniano
""",
)


@facts("rows, parts", [START, MODELS, MISTAKES])
def test_rows_are_parted_where_all_have_a_blank(rows, parts):
    assert [part.strip() for part in read_parts(rows[1:])] == parts.split("\n")[1:-1]


def test_a_number_stays_beside_what_it_varies_by():
    row = f"{'name':40}0.50 ± 0.25 {'x' * 30}  a\n"
    assert not any("0.50\n" in f"{part}\n" for part in read_parts(row))


def test_a_long_row_is_parted_with_those_that_have_a_gap_at_the_same_place():
    texts = ["a short one", "one that goes on for so long that no phone has room"]
    rows = [f"{'name':10}1.5 {text}\n" for text in texts]
    found = fit_table(f"{'name':10}1.5  {'a':30}b\n" + "".join(rows))[1]
    assert "line" not in found.replace("below", "")


def test_each_table_has_its_cells_where_all_its_rows_have_a_blank():
    lines = [
        "layer     1   2",
        "all 50  0.5 1.5",
        "a sentence",
        "loss  rate",
        "b     2.5",
    ]
    cells = find_cells([*lines, "c      1.5"])
    assert cells == [(6, 11), (6, 11), (), (4,), (4,), (4,)]


@facts(
    "text, is_row",
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
