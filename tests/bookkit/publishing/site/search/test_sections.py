"""What a search reads from a page: sections with their own words, and no others."""

from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import solution_node

from bookkit.publishing.site.search.sections import read_sections


def paragraph(*parts):
    children = [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    return nodes.paragraph("", "", *children)


def section(anchor, title, *children):
    return nodes.section("", nodes.title("", title), *children, ids=[anchor])


def page(*children):
    document = nodes.section("", nodes.title("", "Page"), *children, ids=["page"])
    return nodes.container("", document)


def test_outputs_solutions_and_formulas_of_their_own_are_left_out():
    output = nodes.container("", paragraph("0.5"), nb_element="cell_code_output")
    solution = solution_node("", paragraph("answer"))
    formula = nodes.math_block("", "x^2")
    [found] = read_sections(page(output, solution, formula, paragraph("kept")))
    assert found.text == "kept"


def test_code_counts_by_its_names_each_once():
    code = nodes.literal_block("", "weights = q @ keys.T\nprint(weights)")
    [found] = read_sections(page(code))
    assert (found.text, found.code) == ("", "keys print weights")


def test_a_row_of_a_table_is_a_sentence_with_dashes():
    code = nodes.literal_block("", "causal_mask(n)")
    cells = [nodes.entry("", paragraph("it is so")), nodes.entry("", paragraph("no."))]
    row, short = nodes.row("", *cells), nodes.row("", nodes.entry("", code))
    table = nodes.table("", nodes.tgroup("", nodes.tbody("", row, short)))
    [found] = read_sections(page(table, paragraph("after")))
    assert (found.text, found.code) == ("it is so \N{EN DASH} no. after", "causal_mask")


def test_each_term_of_a_glossary_has_an_entry():
    term = nodes.term("", "mask", ids=["term-mask"])
    definition = nodes.definition("", paragraph("Who sees whom."))
    item = nodes.definition_list_item("", term, definition)
    first, found = read_sections(page(nodes.definition_list("", item)))
    assert first.text == ""
    assert (found.anchor, found.title) == ("term-mask", "mask")
    assert found.text == "Who sees whom."


def api_object(name, *content):
    signature = addnodes.desc_signature(
        "", nodes.Text(name), ids=[f"package.{name}"], module="package", fullname=name
    )
    return addnodes.desc("", signature, addnodes.desc_content("", *content))


def test_an_object_of_the_api_has_an_entry_and_its_methods_have_none():
    method = api_object("Model.forward", paragraph("Run."))
    model = api_object("Model", paragraph("A model."), method)
    first, found = read_sections(page(model))
    assert (first.anchor, first.text) == ("", "")
    assert (found.anchor, found.title) == ("package.Model", "package.Model")
    assert found.text == "A model."


def test_links_to_the_api_are_left_out():
    link = nodes.paragraph("", "API and tests of Mask", classes=["api-link"])
    [found] = read_sections(page(link, paragraph("kept")))
    assert found.text == "kept"
