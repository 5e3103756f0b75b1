"""The API pages hold what the package exports, once, with formulas that render."""

import html
import io
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.maps.api import page_objects, page_text
from bookkit.publishing.maps.atlas import read_papers
from bookkit.publishing.site import api as site_api
from bookkit.publishing.site.math import render

BOOK = find_root(Path(__file__)) / "book"
PAGES = sorted((BOOK / "appendix/api").glob("*.md"))
CONF = """
from bookkit.publishing.site import api, math

extensions = ["myst_nb"]
myst_enable_extensions = ["attrs_block", "dollarmath"]
html_math_renderer = "book_katex"
nb_execution_mode = "off"
nitpicky = True
exclude_patterns = ["out"]
suppress_warnings = ["myst.xref_missing"]


def setup(app):
    for part in (math, api):
        part.register(app)
"""
PAGE = "# Norms\n\n% api: transformer.layers.norms\n"


def marks(page):
    """List the modules and rooms that a page names."""
    return [word for mark in site_api.MARK.findall(page) for word in mark.split()]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A page of the API and a chapter with a drawn cell: their HTML, the warnings."""
    folder = tmp_path_factory.mktemp("api")
    (folder / "conf.py").write_text(CONF, "utf-8")
    (folder / "index.md").write_text(f"{PAGE}\n```{{toctree}}\ncell\n```\n", "utf-8")
    drawn = nbformat.v4.new_code_cell("class RMSNorm: ...")
    drawn.metadata["draw"] = "transformer.layers.norms:RMSNorm"
    tool = nbformat.v4.new_code_cell("def t_quantile(): ...")
    tool.metadata["draw"] = "chapters.laboratory.differences:t_quantile"
    title = nbformat.v4.new_markdown_cell("# A chapter")
    notebook = nbformat.v4.new_notebook(cells=[title, drawn, tool])
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "python"}
    nbformat.write(notebook, folder / "cell.ipynb")
    warnings = io.StringIO()
    with docutils_namespace():
        folders = [str(folder / name) for name in ("", "", "out", "trees")]
        options = {"status": None, "warning": warnings, "freshenv": True}
        Sphinx(*folders, "html", **options).build()
    pages = [
        (folder / f"out/{name}.html").read_text("utf-8") for name in ("index", "cell")
    ]
    return *pages, warnings.getvalue()


def test_every_export_stands_on_one_page():
    words = [word for page in PAGES for word in marks(page.read_text("utf-8"))]
    entries = [
        n for m in page_objects(site_api.atlas(), words).values() for n in m.values()
    ]
    exports = site_api.atlas().package.exports
    assert Counter(name for name in entries if name in exports) == Counter(
        list(exports)
    )
    assert len(words) == len(set(words))


def test_what_a_paper_or_a_cell_names_stands_on_a_page():
    words = [word for page in PAGES for word in marks(page.read_text("utf-8"))]
    shown = {
        t.address for m in page_objects(site_api.atlas(), words).values() for t in m
    }
    named = {a for p in read_papers(BOOK.parent) for e in p.entries for a in e.objects}
    owners = {re.sub(r"(:\w+)\.\w+$", r"\1", address) for address in named}
    assert owners - shown == set()


def test_a_page_without_objects_is_refused():
    with pytest.raises(ValueError, match=r"got 'transformer\.lairs'; choose one"):
        page_text(site_api.atlas(), ["transformer.lairs"])


@facts(
    "docstring, expected",
    [
        ("The root of $x_i$.", "The root of :math:`x_i`."),
        ("of `eps`, see `RMSNorm`", "of ``eps``, see :py:obj:`RMSNorm "),
        ("shape (*batch, time)", r"shape (\*batch, time)"),
        ("the name_ of it", r"the name\_ of it"),
        ("first\n\n    $$a\n    = b$$\n", "\n    .. math::\n\n       a = b\n"),
    ],
)
def test_a_docstring_becomes_what_sphinx_reads(docstring, expected):
    assert expected in site_api.to_rst(docstring)


def test_every_formula_of_the_papers_renders():
    for paper in read_papers(BOOK.parent):
        for entry in paper.entries:
            assert "katex" in render(entry.formula or "x", display=True)


def test_a_page_is_built_without_a_warning(built):
    assert built[2] == ""


def test_an_entry_has_an_anchor_formulas_types_and_links(built):
    page = built[0]
    for name in ("RMSNorm", "RMSNorm.forward", "layer_norm", "NORMS"):
        assert f'id="transformer.layers.{name}"' in page
    shown = re.sub(r"<(script|annotation).*?</\1>|<[^>]*>", "", page, flags=re.DOTALL)
    assert "$" not in shown
    assert "Float[Tensor, '*batch d_model']" in html.unescape(shown)
    assert "tests/layers/test_norms.py" in page
    assert "code/transformer/layers/norms.py" in page


def test_a_long_signature_is_no_list_of_definitions(built):
    signatures = re.findall(r"<dt class=\"sig .*?</dt>", built[0], flags=re.DOTALL)
    assert any("<div>" in signature for signature in signatures)
    assert not any(re.search(r"<d[ld]\b", signature) for signature in signatures)


@facts(
    "reference, name",
    [
        (
            "transformer.layers.cache:KVCache.update",
            "transformer.layers.KVCache.update",
        ),
        ("transformer.layers.cache:KVCache.__init__", "transformer.layers.KVCache"),
        (
            "transformer.layers.attention:split_heads",
            "transformer.layers.attention.split_heads",
        ),
        ("chapters.laboratory.differences:t_quantile", None),
        ("", None),
    ],
)
def test_a_drawn_object_has_its_own_entry_or_that_of_its_class(reference, name):
    assert site_api.entry_of(reference) == name
