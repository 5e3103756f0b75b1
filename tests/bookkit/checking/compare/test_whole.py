"""A whole notebook is compared by the rules for its cells."""

import copy

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.checking.compare.conditions import compare_notebooks

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect x="{}"/></svg>'


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


def test_texts_and_figures_that_differ_are_named_by_the_index_of_their_cell():
    stored, executed = notebook(outputs=printed("1")), notebook(outputs=printed("2"))
    executed.cells[0].outputs[0].data["image/svg+xml"] = SVG.format(3)
    found = compare_notebooks(stored, executed)
    assert list(found) == [0, 2]
    assert "x stored as" in found[0][0]
    assert 'stored "1", computed "2"' in found[2][0]
    assert list(compare_notebooks(stored, executed, figures=False)) == [2]


def test_a_notebook_equals_its_own_run():
    stored = notebook(outputs=printed("1"))
    assert compare_notebooks(stored, copy.deepcopy(stored)) == {}


def test_a_cell_that_was_never_executed_is_named():
    found = compare_notebooks(notebook(execution_count=None), notebook())
    assert "never executed" in found[2][0]


def test_a_cell_that_measures_time_is_left_out():
    timed = {"source": "assert t", "metadata": {"tags": ["nbval-ignore-output"]}}
    stored, executed = (notebook(**timed, outputs=printed(t)) for t in "12")
    assert compare_notebooks(stored, executed) == {}
