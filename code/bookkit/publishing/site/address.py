"""Tell others the addresses of pages, mend wrong ones, and let links be checked.

All of it derives from the address of the repository, the one place that knows it. A
repository that is not on GitHub has no known address of its pages; then the pages name
none.

`make links` asks elsewhere where the answer says something: a link to a file of this
repository is answered by the file itself, so that the host need not be asked hundreds
of times, and a DOI by its registry, since publishers refuse programs.
"""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import sphinx_sitemap
from sphinx.application import Sphinx
from sphinx.config import Config

from bookkit.book.address import repository_url, site_url
from bookkit.book.files import CONFIG, find_root
from bookkit.book.notebooks import read_yaml

IMAGE = "_static/social.png"
IMAGE_ALT = "The Tested Transformer: a textbook in which every output is checked"
# As much as a search engine shows.
DESCRIPTION_LENGTH = 155
LOST = "404.html"
# What stands below the address in a search engine, of pages without a first paragraph.
DESCRIPTIONS = {
    "search": "Search The Tested Transformer: its sections, the terms of its glossary, "
    "the names in its code, and the papers behind it.",
    "404": "There is no such page in The Tested Transformer. Search the book, or go on "
    "from its first page.",
}
# An address that depends on where its page stands.
RELATIVE = re.compile(
    r'((?<![\w-])(?:href|src|action|data-content_root)=")(?![a-z]+:|[/#"])(?:\./)?([^"]*)"'
)
DOI = "https://doi.org/"
REGISTRY = "https://doi.org/api/handles/"


def set_address(app: Sphinx, config: Config) -> None:
    """Derive every setting that names the site from the address of the repository."""
    address = site_url(repository_url(find_root(Path(app.confdir)))) or ""
    config.html_baseurl = address
    config.ogp_site_url = address
    config.ogp_site_name = config.project
    config.ogp_description_length = DESCRIPTION_LENGTH
    config.ogp_social_cards = {"enable": False}
    config.sitemap_url_scheme = "{link}"
    # What is no page of the book: a search, and addresses that only lead on.
    others = ["search", "genindex", *config.html_additional_pages]
    config.sitemap_excludes = [f"{name}.html" for name in others]
    if address:
        config.ogp_image = address + IMAGE
        config.ogp_image_alt = IMAGE_ALT


def describe(
    app: Sphinx, page: str, template: str, context: dict, doctree: object
) -> None:
    """Say what a page is for that has no text of its own."""
    if page in DESCRIPTIONS:
        tag = f'<meta name="description" content="{DESCRIPTIONS[page]}" />'
        context["metatags"] = f"{context.get('metatags', '')}\n{tag}"


def make_absolute(page: str, folder: str) -> str:
    """Let every address of a page start at the folder of the site.

    A host shows the page in place of any other, in whatever folder that would stand.
    """
    return RELATIVE.sub(rf'\g<1>{folder}\g<2>"', page)


def finish_lost_page(app: Sphinx, exception: Exception | None) -> None:
    """Make the addresses of the page for lost readers independent of its place."""
    file = Path(app.outdir) / LOST
    if exception is None and app.builder.name == "html" and file.is_file():
        folder = urlsplit(app.config.html_baseurl or "/").path
        file.write_text(make_absolute(file.read_text("utf-8"), folder), "utf-8")


def map_every_page(app: Sphinx, exception: Exception | None) -> None:
    """Let the map of the site list every page, not only those written this time."""
    if exception is None and app.builder.name == "html":
        links = app.env.app.sitemap_links
        while not links.empty():
            links.get_nowait()
        for page in sorted(app.env.found_docs):
            sphinx_sitemap.add_html_link(app, page, "", {}, None)


def ask_elsewhere(app: Sphinx, uri: str) -> str | None:
    """Return what to ask for in place of an address, if there is something better."""
    if uri.startswith(DOI):
        return REGISTRY + uri.removeprefix(DOI)
    root = find_root(Path(app.confdir))
    branch = read_yaml(root / CONFIG)["repository"]["branch"]
    for kind in ("blob", "tree"):
        start = f"{repository_url(root)}/{kind}/{branch}/"
        if uri.startswith(start):
            return str(root / unquote(uri.removeprefix(start).partition("#")[0]))
    return None


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.setup_extension("sphinxext.opengraph")
    app.setup_extension("sphinx_sitemap")
    app.connect("config-inited", set_address)
    app.connect("html-page-context", describe)
    # Before the map is written.
    app.connect("build-finished", map_every_page, priority=400)
    # After all other changes of its text.
    app.connect("build-finished", finish_lost_page, priority=700)
    app.connect("linkcheck-process-uri", ask_elsewhere)
