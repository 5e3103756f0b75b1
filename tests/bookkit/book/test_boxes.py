"""A box is read from the plain words of its cell, and written as them."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.book.boxes import (
    Box,
    boxes,
    caption_below,
)

ANCHOR = '<a id="{0}" name="{0}"></a>\n'
FORMS = [
    (
        f"{ANCHOR.format('thm-a')}**Theorem 3.1 (All (or none)).** Let $x$ be so.",
        Box(
            kind="theorem",
            label="thm-a",
            number="3.1",
            title="All (or none)",
            body="Let $x$ be so.",
        ),
    ),
    (
        f"{ANCHOR.format('thm-b')}**Lemma 2.**\n\n- one\n- two",
        Box(kind="lemma", label="thm-b", number="2", body="- one\n- two"),
    ),
    (
        f"{ANCHOR.format('thm-c')}**Definition.** It is **bold**.",
        Box(kind="definition", label="thm-c", body="It is **bold**."),
    ),
    (
        f"{ANCHOR.format('fig-a')}**Figure 3.10.** What it *shows*.",
        Box(kind="figure", label="fig-a", number="3.10", body="What it *shows*."),
    ),
    (
        f"{ANCHOR.format('ex-a')}\n### Exercise 3.2: By hand, $d_k$\n\nCompute.",
        Box(
            kind="exercise",
            label="ex-a",
            number="3.2",
            title="By hand, $d_k$",
            body="Compute.",
        ),
    ),
    ("*Proof.* It holds. ∎", Box(kind="proof", body="It holds.")),
    ("*Proof.*\n\n$$\nx\n$$\n\n∎", Box(kind="proof", body="$$\nx\n$$")),
    (
        "*Proof.* So:\n\n1. one\n2. two\n\n∎",
        Box(kind="proof", body="So:\n\n1. one\n2. two"),
    ),
    ("#### Solution", Box(kind="solution", body="")),
]


def test_a_caption_belongs_to_the_cell_right_above():
    figure, proof = FORMS[3][0], FORMS[5][0]
    notebook = new_notebook(
        cells=[
            new_code_cell("draw()"),
            new_markdown_cell(figure),
            new_code_cell("count()"),
            new_markdown_cell(proof),
            new_code_cell("last()"),
        ]
    )
    found = [caption_below(notebook, index) for index in range(5)]
    assert [box and box.label for box in found] == ["fig-a", None, None, None, None]
    assert [(i, box.kind) for i, box in boxes(notebook)] == [
        (1, "figure"),
        (3, "proof"),
    ]
