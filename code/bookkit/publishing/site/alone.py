"""Build one page without the others, for a quick look at it.

What the page needs of the others is given here: its number, and where they are read.
"""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector

from bookkit.book.files import find_root, relative_name
from bookkit.book.numbering import chapter_numbers
from bookkit.book.published import published, write_addresses


def leave_out(app: Sphinx, config: Config) -> None:
    """Lead to no page that moved, since those it moved to are not there."""
    if config.book_alone:
        config.html_context = {**config.html_context, "moved": {}}
        config.html_additional_pages = {
            name: template
            for name, template in config.html_additional_pages.items()
            if "/" not in name
        }


def lead_online(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lead the links to other pages to where the book is published."""
    if app.config.book_alone:
        root = find_root(Path(app.confdir))
        file = relative_name(Path(app.env.doc2path(docname)), root)
        source[0] = write_addresses(source[0], file, published(root))


def number(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give the page the number that it has among the others, and to what is on it."""
    if not app.config.book_alone:
        return []
    page = env.config.root_doc
    numbers = dict(chapter_numbers(find_root(Path(app.confdir))))
    chapter = numbers.get(Path(env.doc2path(page)))
    if chapter is None:
        return []
    parts = env.tocs[page].findall(nodes.reference)
    without = {part["anchorname"]: () for part in parts}
    env.toc_secnumbers = {page: without | {"": (chapter,)}}
    env.titles[page]["secnumber"] = [chapter]
    TocTreeCollector().assign_figure_numbers(env)
    return []


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_config_value("book_alone", False, "env", types=(bool,))
    app.connect("config-inited", leave_out)
    app.connect("source-read", lead_online)
    # After Sphinx has numbered what it sees.
    app.connect("env-get-updated", number, priority=900)
