"""The book's own Sphinx extensions, and a way to try them on a small book."""

from collections.abc import Callable

import pytest

CONF = """
from pathlib import Path

from bookkit.book.files import find_root
from bookkit.publishing.site import (
    boxes, drawings, glossary, math, pages, plain, reading, references, switches,
    tables,
)

extensions = ["myst_nb", "sphinx_proof", "sphinx_exercise", "sphinxcontrib.bibtex"]
myst_heading_anchors = 3
myst_enable_extensions = [
    "amsmath", "attrs_block", "colon_fence", "dollarmath", "smartquotes"
]
html_math_renderer = "book_katex"
html_title = "Small & sound"
templates_path = [str(find_root(Path(pages.__file__)) / "book/_templates")]
html_additional_pages = {"way/in": "redirect.html"}
if (Path(__file__).parent / "new/two.md").is_file():
    html_additional_pages["old/one"] = "redirect.html"
    places = {"index": {}, "new/two": {"fig-b": None, "thm-c": "thm-d"}}
    html_context = {"moved": {"old/one": places, "index": {"new/two": {"fig-e": None}}}}
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
nb_execution_mode = "off"
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"


def setup(app):
    parts = (boxes, drawings, glossary, math, pages, plain, references, switches)
    for part in (*parts, tables):
        part.register(app)
    reading.offer_editions(app)
"""
SETTINGS = "repository: {url: https://github.com/owner/book}"
REFERENCES = """
@article{bahdanau2015, author={Dzmitry Bahdanau and Kyunghyun Cho and Yoshua Bengio},
 title={Neural machine translation}, journal={ICLR}, year={2015}, eprint={1409.0473}}
"""


@pytest.fixture
def build(tmp_path) -> Callable[..., tuple[str, str]]:
    """Build a page, beside others; the value is its HTML and the warnings.

    A warm build writes again what the one before has read.
    """
    import io

    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    def build_page(
        text: str,
        name: str = "index.md",
        others: dict[str, str] | None = None,
        *,
        warm: bool = False,
    ) -> tuple[str, str]:
        source, out = tmp_path / "source", tmp_path / "out"
        files = {"conf.py": CONF, "references.bib": REFERENCES, name: text}
        files["_config.yml"] = SETTINGS  # the root of a book
        for page, content in (files | (others or {})).items():
            (source / page).parent.mkdir(parents=True, exist_ok=True)
            if not warm:  # or each page would be read again
                (source / page).write_text(content, "utf-8")
        warnings = io.StringIO()
        with docutils_namespace():
            Sphinx(
                str(source),
                str(source),
                str(out),
                str(tmp_path / "trees"),
                "html",
                status=None,
                warning=warnings,
                freshenv=not warm,
            ).build()
        html = (out / name).with_suffix(".html").read_text("utf-8")
        return html, warnings.getvalue()

    return build_page
