"""A result that is a table becomes a table of the page."""

from docutils import nodes
from docutils.utils import new_document

from bookkit.publishing.site.tables import set_results
from chapters.tables import Table


def page_of(*pieces):
    page = new_document("page")
    page += [nodes.raw("", piece, format="html") for piece in pieces]
    set_results(None, page)
    return page


def test_head_rows_and_cells_are_those_of_the_result():
    table = Table(["what", "loss"], [["a < b", 0.5], ["c", 12.25]])
    (found,) = page_of(table._repr_html_()).findall(nodes.table)
    rows = [[cell.astext() for cell in row] for row in found.findall(nodes.row)]
    assert rows == [["what", "loss"], ["a < b", "0.50"], ["c", "12.25"]]
    (head,) = found.findall(nodes.thead)
    assert len(head.children) == 1
    whole = ["whole", "text-right"]
    assert [cell["classes"] for cell in found.findall(nodes.entry)] == [
        *([], ["text-right"]),
        *([], whole),
        *([], whole),
    ]


def test_a_text_that_a_model_writes_stands_as_python_shows_it():
    table = Table(["what", "text"], [["said", repr("Paris.\n")], ["a 'word'", "5"]])
    (found,) = page_of(table._repr_html_()).findall(nodes.table)
    assert [code.astext() for code in found.findall(nodes.literal)] == [r"'Paris.\n'"]


def test_other_html_stays():
    page = page_of("<p>Hello.</p>", "<table><tr><td>1</td></tr></table>")
    assert len([*page.findall(nodes.raw)]) == 2
