"""What the site folds is folded in JupyterLab and Colab."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.writing.folding import fold


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
