"""Tables, links and paragraphs of the generated pages."""

import pytest

from bookkit.publishing.appendix.tables import counted, source_link, table, unwrapped


def test_a_table_has_a_head_a_rule_and_rows():
    assert table(("a", "b"), [(1, "x|y")], "lr").splitlines() == [
        "| a | b |",
        "| :-- | --: |",
        "| 1 | x\\|y |",
    ]


def test_a_row_has_a_cell_for_each_heading():
    with pytest.raises(ValueError, match=r"must have 2 cells, got 1: \['x'\]"):
        table(("a", "b"), [("x",)], "ll")


def test_a_link_leads_to_the_branch_that_is_published(tmp_path):
    config = tmp_path / "_config.yml"
    config.write_text("repository: {url: https://a.org/b/c, branch: next}\n")
    link = source_link("words", "tests/a.py", tmp_path)
    assert link == "[words](https://a.org/b/c/blob/next/tests/a.py)"


def test_numbers_have_their_nouns():
    assert counted(1, "cell") == "1 cell"
    assert counted(1234, "cell") == "1,234 cells"
    assert counted(0, "cell is", "cells are") == "0 cells are"


def test_a_paragraph_becomes_one_line():
    assert unwrapped("# A\n\none\ntwo\n\nthree\n") == "# A\n\none two\n\nthree\n"
