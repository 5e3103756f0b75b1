import copy

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.checking.compare.conditions import (
    compare_texts,
    faults_of,
    has_assert,
    ignores_output,
)
from bookkit.checking.facts import facts


def cell(source="1 + 1", *, count=3, tags=()):
    return new_code_cell(source, execution_count=count, metadata={"tags": list(tags)})


def test_an_executed_cell_at_its_position_has_no_fault():
    assert faults_of(cell(), 3) == []


FAULTS = {
    "no count": (
        cell(count=None),
        "the cell was never executed (its execution count is empty)",
    ),
    "another count": (
        cell(count=5),
        "the execution count must be 3, the stored one is 5",
    ),
    "no code": (cell(" \n", count=None), "the cell is empty: delete it"),
    "ignored without an assert": (
        cell("# assert", tags=["nbval-ignore-output"]),
        "the tag 'nbval-ignore-output' is only for a cell that checks itself: "
        "add an assert about what the cell measures, or remove the tag",
    ),
}


@facts("faulty, sentence", FAULTS.values(), ids=[*FAULTS])
def test_a_fault_is_said(faulty, sentence):
    assert faults_of(faulty, 3) == [sentence]
    assert not ignores_output(faulty)


def test_all_faults_are_said():
    assert len(faults_of(cell(count=1, tags=["nbval-ignore-output"]), 2)) == 2


def test_a_cell_with_tag_and_assert_may_leave_its_outputs_out():
    timed = cell("%time f()\nassert seconds < 1", tags=["nbval-ignore-output"])
    assert faults_of(timed, 3) == []
    assert ignores_output(timed)


def test_a_cell_with_an_assert_and_no_tag_is_compared():
    assert not ignores_output(cell("assert x"))


@facts(
    "source, asserts",
    [
        ("assert x", True),
        ("if x:\n    assert y < 2", True),
        (r"'\d'; assert x", True),
        ("assert True", False),
        ("assert (x < 2, 'small')", False),
        ("print('assert x')", False),
        ("# assert x", False),
        ("assert", False),
    ],
)
def test_only_an_assert_that_can_fail_counts(source, asserts):
    assert has_assert(source) is asserts


SVG = '<svg xmlns="http://www.w3.org/2000/svg" id="figure_1"><rect x="{}"/></svg>'


def notebook(**cell):
    """Make a notebook whose third cell is the second code cell."""
    drawn = new_output("display_data", data={"image/svg+xml": SVG.format(1)})
    cells = [
        new_code_cell("first", execution_count=1, outputs=[drawn]),
        new_markdown_cell("text"),
        new_code_cell(**{"source": "second", "execution_count": 2} | cell),
    ]
    return new_notebook(cells=cells)


def printed(text):
    return [new_output("stream", name="stdout", text=text)]


def test_a_text_that_differs_is_named_by_the_index_of_its_cell_and_no_figure_is():
    stored, executed = notebook(outputs=printed("1")), notebook(outputs=printed("2"))
    executed.cells[0].outputs[0].data["image/svg+xml"] = SVG.format(3)
    [(index, [said])] = compare_texts(stored, executed).items()
    assert index == 2
    assert 'stored "1", computed "2"' in said


def test_a_notebook_equals_its_own_run():
    stored = notebook(outputs=printed("1"))
    assert compare_texts(stored, copy.deepcopy(stored)) == {}


def test_a_cell_that_was_never_executed_is_named():
    found = compare_texts(notebook(execution_count=None), notebook())
    assert "never executed" in found[2][0]


def test_a_cell_that_measures_time_is_left_out():
    timed = {"source": "assert t", "metadata": {"tags": ["nbval-ignore-output"]}}
    stored, executed = (notebook(**timed, outputs=printed(t)) for t in "12")
    assert compare_texts(stored, executed) == {}
