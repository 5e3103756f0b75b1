import nbformat
import pytest
from bs4 import BeautifulSoup

from bookkit.checking.facts import facts
from bookkit.publishing.site.boxes import quote_output

BOXES = """# Page

:::{prf:theorem} First
:label: thm-a
A law.
:::

:::{prf:proof}
It *holds*.
:::

:::{prf:theorem} Second
:label: thm-b
Another.
:::

:::{prf:proof}
It holds too.
:::

See {prf:ref}`thm-b` and {ref}`ex-a`.

:::{exercise} Count
:label: ex-a
How many?
:::

:::{solution} ex-a
:class: dropdown
Two, for $x$.
:::

:::{exercise}
:label: ex-b
Why?
:::

:::{solution} ex-b
:label: answer-b
In the open.
:::
"""


@pytest.fixture
def page(build):
    html, warnings = build(BOXES)
    assert warnings == ""
    return BeautifulSoup(html, "html.parser")


def test_theorems_are_numbered_and_named(page):
    titles = [box.p.get_text() for box in page.find_all(class_="theorem")]
    assert [" ".join(title.split()) for title in titles] == [
        "Theorem 1 (First)",
        "Theorem 2 (Second)",
    ]
    assert page.find("a", href="#thm-b").get_text() == "Theorem 2"


def test_proof_opens_with_its_word_in_italics(page):
    proofs = page.find_all(class_="proof-text")
    assert [proof.find("em").get_text() for proof in proofs] == ["Proof.", "Proof."]
    assert proofs[0].get_text().strip() == "Proof. It holds."


def test_solution_folds_under_the_name_of_its_exercise(page):
    (details,) = page.find_all("details")
    assert details["id"] == "ex-a-solution"
    assert details.summary.get_text() == "Solution to Exercise 1 (Count)"
    assert details.summary.find("a") is None
    assert "Two, for" in details.get_text()


def notebook(*cells):
    metadata = {"language_info": {"name": "python"}}
    return nbformat.writes(
        nbformat.v4.new_notebook(cells=list(cells), metadata=metadata)
    )


def markdown(text):
    return nbformat.v4.new_markdown_cell(text)


def code(source, text, **metadata):
    output = nbformat.v4.new_output("stream", text=text)
    return nbformat.v4.new_code_cell(
        source, outputs=[output], execution_count=1, metadata=metadata
    )


def test_folded_solution_holds_the_code_cell_between_its_gates(build):
    text = notebook(
        markdown("# Page\n\n:::{exercise}\n:label: ex-a\nCode it.\n:::"),
        markdown(":::{solution-start} ex-a\n:class: dropdown\n:::"),
        code("check(1)", "All 3 properties hold."),
        markdown(":::{solution-end}\n:::"),
        markdown("After."),
    )
    html, warnings = build(text, "index.ipynb")
    (details,) = BeautifulSoup(html, "html.parser").find_all("details")
    assert warnings == ""
    assert "check(1)" in details.get_text()
    assert "All 3 properties hold." in details.get_text()
    assert "After." not in details.get_text()


def test_folded_code_stands_below_what_it_makes_and_is_named_for_the_ear(build):
    text = notebook(markdown("# Page"), code("draw()", "drawn", tags=["hide-input"]))
    html, _ = build(text, "index.ipynb")
    (details,) = BeautifulSoup(html, "html.parser").find_all("details")
    assert details.summary.attrs == {}
    shown = "the source of “drawn”: listing 1 in the section Page"
    assert details.find(class_="when-closed").get_text() == f"Show {shown}"
    assert details.find(class_="when-open").get_text() == f"Hide {shown}"
    for heard in details.find_all(class_="visually-hidden"):
        assert (
            heard.extract().get_text() == " of “drawn”: listing 1 in the section Page"
        )
    assert details.summary.extract().get_text() == "Show the sourceHide the source"
    assert details.get_text().strip() == "draw()"
    output = details.find_previous_sibling()
    assert "cell_output" in output["class"]
    assert details.find_next_sibling() is None


NAMED = {
    "the imports": "import math\nfrom os import (\n    sep,\n)",
    "the setup": "import math\n\nmath.pi",
    "area": "import math\n\ndef area(r):\n    return r",
    "a and B": "def a():\n    0\n\nclass B:\n    0",
    "a and 2 more": "def a():\n    0\ndef b():\n    0\ndef c():\n    0",
    "Layer.forward": "def forward(x):\n    0",
}


def test_folded_code_that_shows_nothing_is_named_by_what_it_defines(build):
    cells = [code(source, "", tags=["hide-input"]) for source in NAMED.values()]
    for cell in cells:
        cell["outputs"] = []
    cells[-1].metadata.draw = "package.room:Layer.forward"
    html, _ = build(notebook(markdown("# Page"), *cells), "index.ipynb")
    shown = BeautifulSoup(html, "html.parser").select("summary .when-closed")
    for words in shown:
        words.find(class_="visually-hidden").extract()
    assert [words.get_text() for words in shown] == [
        f"Show the source of {name}" for name in NAMED
    ]


@facts(
    "output, name",
    [
        ("   loss  rows\n", "“loss rows”"),
        ("a cosine with the arrow from big", "“a cosine with the …”"),
        ("0" * 40, "the output"),
    ],
)
def test_a_folded_output_is_named_by_its_first_words(output, name):
    assert quote_output(output) == name
