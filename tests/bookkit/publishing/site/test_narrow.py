"""The narrow form of a figure is named on its page beside the figure."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bookkit.book.notebooks import NARROW, SVG, write_notebook
from bookkit.publishing.site.drawings import name_figure, offer_forms, read_forms

FORM = '<svg width="300pt" height="150pt" viewBox="0 0 300 150">'
PAGE = '<p><img alt="a" src="../_images/a.svg" /><img src="../_images/b.svg" /></p>'


@pytest.fixture
def find(tmp_path):
    (tmp_path / "a-narrow.svg").write_text(FORM)
    return {"a.svg": tmp_path / "a-narrow.svg"}.get


def test_a_page_names_the_narrow_form_with_its_size_for_narrow_screens(find):
    body = offer_forms(PAGE, find)
    assert body == (
        '<p><picture style="--natural: 400px">'
        '<source media="screen and (max-width: 640px)" '
        'srcset="../_images/a-narrow.svg" width="400" height="200">'
        '<img alt="a" src="../_images/a.svg" /></picture>'
        '<img src="../_images/b.svg" /></p>'
    )


def test_forms_of_a_notebook_are_found_by_the_names_of_the_figures_files(tmp_path):
    drawn = {SVG: "<svg>\n</svg>\n", NARROW: FORM, "text/plain": "<Figure>"}
    outputs = [
        new_output("display_data", drawn),
        new_output("display_data", {SVG: "<svg/>"}),
    ]
    cell = new_code_cell("draw()", outputs=outputs, execution_count=1)
    (tmp_path / "_config.yml").touch()
    write_notebook(tmp_path / "a.ipynb", new_notebook(cells=[cell]))
    assert read_forms(tmp_path / "a.ipynb") == {name_figure(drawn[SVG]): FORM}
