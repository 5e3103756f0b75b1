"""Build one page without the others, for a quick look at it.

What the page needs of the others is given here: its number, where they are read, and
whether they have what it links to.
"""

import functools
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.logging import getLogger

from bookkit.book.files import find_root, relative_name
from bookkit.book.labels import page_labels, page_slugs
from bookkit.book.numbering import chapter_numbers
from bookkit.book.published import published, write_addresses
from bookkit.checking.rules.links import faults_outside

LOG = getLogger(__name__)


def leave_out(app: Sphinx, config: Config) -> None:
    """Lead to no page that moved, since those it moved to are not there."""
    if config.book_alone:
        config.html_context = {**config.html_context, "moved": {}}
        config.html_additional_pages = {
            name: template
            for name, template in config.html_additional_pages.items()
            if "/" not in name
        }


def judge_online(app: Sphinx, config: Config) -> None:
    """Look at the links to other pages, which Sphinx does not know."""
    if config.book_alone:
        app.add_post_transform(JudgeOnline)


def lead_online(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lead the links to other pages to where the book is published."""
    if app.config.book_alone:
        root = find_root(Path(app.confdir))
        file = relative_name(Path(app.env.doc2path(docname)), root)
        source[0] = write_addresses(source[0], file, published(root))


class JudgeOnline(SphinxPostTransform):
    """Say which links lead to no page of the book, or to no part of one."""

    default_priority = 4

    def run(self, **kwargs: object) -> None:
        """Look at the links of one page."""
        root = find_root(Path(self.app.confdir))
        online = published(root)
        labels = functools.cache(lambda path: page_labels(path) | page_slugs(path))
        for link in self.document.findall(nodes.reference):
            address = link.get("refuri", "")
            for fault in faults_outside(address, online, labels, root):
                page = address.removeprefix(online.base)
                LOG.warning("links to %s, %s", page, fault, location=link)


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
    app.connect("config-inited", judge_online)
    # After Sphinx has numbered what it sees.
    app.connect("env-get-updated", number, priority=900)
