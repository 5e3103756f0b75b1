"""Tables of results: the same cells as text and as HTML."""

import numpy as np
import pytest
import torch

from bookkit.checking.facts import facts
from chapters.tables import Table, written


def test_the_text_is_aligned_below_the_names():
    rows = [["mean", 1234, 0.5], ["a longer name", 7, -12.25]]
    table = Table(["what", "tokens", "loss [nats]"], rows, digits=3)
    assert repr(table).splitlines() == [
        "what           tokens  loss [nats]",
        "mean            1,234        0.500",
        "a longer name       7      -12.250",
    ]


def test_the_html_has_a_head_and_the_same_cells():
    table = Table(["<s>", "a & b"], [["x < y", 2.0]], digits=1)
    assert table._repr_html_() == (
        '<table class="result">\n<thead>\n'
        '<tr><th style="text-align: left">&lt;s&gt;</th>'
        '<th style="text-align: right">a &amp; b</th></tr>\n</thead>\n<tbody>\n'
        '<tr><td style="text-align: left">x &lt; y</td>'
        '<td style="text-align: right">2.0</td></tr>\n</tbody>\n</table>'
    )


@facts(
    "value, expected",
    [
        (1234567, "1,234,567"),
        (np.int64(5), "5"),
        (torch.tensor(3), "3"),
        (0.125, "0.12"),
        (-0.001, "0.00"),
        (torch.tensor(2.5, dtype=torch.float64), "2.50"),
        (np.float32(1e4), "10,000.00"),
        (float("nan"), "nan"),
        (True, "True"),
        ("0.5", "0.5"),
        (None, "None"),
    ],
)
def test_how_a_value_is_written(value, expected):
    assert written(value, 2) == expected


def test_each_column_may_have_its_own_digits():
    table = Table(["n", "share", "loss"], [[1.0, 0.25, 3.14159]], digits=[0, 2, 4])
    assert repr(table).splitlines()[1].split() == ["1", "0.25", "3.1416"]


def test_a_column_with_a_word_in_it_stands_to_the_left():
    table = Table(["a", "b"], [[1, "none"], [20, 3]])
    assert repr(table) == " a  b\n 1  none\n20  3"


def test_a_table_may_have_no_rows():
    assert repr(Table(["a", "b"], [])) == "a  b"


@facts("row", [[1], [1, 2, 3]])
def test_a_row_of_another_length_is_refused(row, refuses):
    refuses(lambda: Table(["a", "b"], [row]), ValueError, "2 values", "missing")


def test_digits_must_be_told_for_each_column():
    with pytest.raises(ValueError, match=r"shorter|longer"):
        Table(["a", "b"], [[1.0, 2.0]], digits=[1])
