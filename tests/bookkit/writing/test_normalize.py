"""What the site folds is folded in JupyterLab and Colab."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.writing.normalize import fold


def test_a_solution_is_folded_below_its_heading():
    notebook = new_notebook(
        cells=[
            new_markdown_cell("### Exercise 1\n\nCompute.", id="exercise"),
            new_markdown_cell("#### Solution", id="solution-a"),
            new_markdown_cell("Two.", id="text"),
            new_code_cell("check(2)", id="code"),
        ]
    )
    fold(notebook)
    assert [dict(cell.metadata) for cell in notebook.cells] == [
        {},
        {"id": "solution-a", "jp-MarkdownHeadingCollapsed": True},
        {},
        {},
    ]
    assert notebook.metadata == {"colab": {"collapsed_sections": ["solution-a"]}}


def test_code_that_the_site_hides_is_folded():
    metadata = {"tags": ["hide-input", "other"]}
    notebook = new_notebook(cells=[new_code_cell("draw()", metadata=metadata)])
    fold(notebook)
    [cell] = notebook.cells
    assert cell.metadata.cellView == "form"
    assert cell.metadata.jupyter == {"source_hidden": True}
    assert "colab" not in notebook.metadata
