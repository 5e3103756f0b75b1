"""A chapter falls into sections, and those that begin with Deeper may be skipped."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.book.sections import parts
from bookkit.checking.facts import facts


def read(*cells):
    """List text and Deeper heading of each part; what calls is code."""
    nodes = [
        new_code_cell(cell) if cell.endswith(")") else new_markdown_cell(cell)
        for cell in cells
    ]
    notebook = new_notebook(cells=nodes)
    return [(part.text.split("\n")[-1], part.deeper) for part in parts(notebook)]


def test_a_deeper_section_goes_on_through_cells_to_the_next_heading():
    found = read("# T\n\na\n## Deeper: x\nb", "run()", "c\n## Next\nd", "draw()")
    deeper = "Deeper: x"
    assert found == [
        ("a", ""),
        ("b", deeper),
        ("run()", deeper),
        ("c", deeper),
        ("d", ""),
        ("draw()", ""),
    ]


@facts(
    "heading, following, after",
    [
        ("## Deeper: x", "### y", "Deeper: x"),
        ("## Deeper: x", "#### y", "Deeper: x"),
        ("## Deeper: x", "## y", ""),
        ("### Deeper: x", "#### y", "Deeper: x"),
        ("### Deeper: x", "### y", ""),
        ("### Deeper: x", "## y", ""),
        ("## Deeper: x", "### Deeper: y", "Deeper: x"),
        ("### Deeper: x", "### Deeper: y", "Deeper: y"),
    ],
)
def test_a_heading_of_the_same_or_a_higher_level_ends_it(heading, following, after):
    assert read(f"{heading}\na\n\n{following}\nb")[-1] == ("b", after)


@facts(
    "text",
    [
        "## Deep water\na",
        "## One step, Deeper: x\na",
        "#### Deeper: x\na",
        "```\n## Deeper: x\n```\na",
        "**Deeper: x**\na",
    ],
)
def test_nothing_else_is_deeper(text):
    assert read(text)[-1] == ("a", "")


def test_the_parts_name_the_headings_above_them():
    text = "a\n## Why $x$?\nb\n### So\nc\n## End\nd"
    notebook = new_notebook(cells=[new_markdown_cell(text)])
    found = [(part.section, part.subsection) for part in parts(notebook)]
    assert found == [("", ""), ("Why $x$?", ""), ("Why $x$?", "So"), ("End", "")]
