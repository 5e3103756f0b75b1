"""Write what the search of the site reads: all sections, in plain words, with names.

`book/_static/search/` searches them with MiniSearch, in the browser and without a
server; the words are brought to their stems by Sphinx's own stemmer.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish

from bookkit.publishing.site.search.names import (
    ABSENT,
    NAMES,
    Group,
    list_groups,
    read_groups,
)
from bookkit.publishing.site.search.sections import Section, read_sections

DATA = "search_data.js"
COMMON = 60  # sections: a name in the code of more, such as `print`, finds none of them
SCRIPT = """\
{stemmer}
window.BOOK_SEARCH = {{Stemmer, ...{data}}};
"""


def keep_sections(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the sections of a page, which are quicker to read again than its tree."""
    _sections(app.env)[app.env.docname] = read_sections(doctree)


def forget_sections(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget the sections of a page that changed or went."""
    _sections(env).pop(docname, None)


def _sections(env: BuildEnvironment) -> dict[str, list[Section]]:
    """Return the sections of all pages, which last from one build to the next."""
    if not hasattr(env, "book_sections"):
        env.book_sections = {}
    return env.book_sections


def write_data(app: Sphinx, exception: Exception | None) -> None:
    """Write the data of the search, once all pages are read."""
    if exception is not None or app.builder.name != "html":
        return
    groups = list_groups(NAMES, app.config.book_terms)
    stemmer = SearchEnglish({})
    data = collect(app.env, groups, absent=read_groups(ABSENT))
    data |= {"ignored": sorted(stemmer.stopwords)}
    text = SCRIPT.format(
        stemmer=stemmer.js_stemmer_code,
        data=json.dumps(data, ensure_ascii=False, separators=(",", ":")),
    )
    (Path(app.outdir) / DATA).write_text(text, "utf-8")


def collect(
    env: BuildEnvironment, groups: Iterable[Group], absent: Iterable[Group] = ()
) -> dict[str, list]:
    """List pages, their sections and the groups of names, as the script reads them.

    Returns:
        "pages": address, and title with the number of the chapter; "sections": the
        place of the page, and the `fields` of its `Section`; "groups": the place of the
        section that explains a thing, and the names of the thing; "absent": likewise,
        of what no section explains, and the nearest to it.

    Raises:
        ExtensionError: A group names a place that is not there.
    """
    pages, sections, places = [], [], {}
    for docname in sorted(_sections(env)):
        for section in _sections(env)[docname]:
            for anchor in (section.anchor, *section.ids):
                places[docname, anchor] = len(sections)
            sections.append([len(pages), *section.fields])
        pages.append([f"{docname}.html", numbered_title(env, docname)])
    drop_common_names(sections)

    def named(group: Group) -> list:
        place = (group.page, find_anchor(env, group))
        if place not in places:
            raise ExtensionError(
                f"{NAMES.name}, {ABSENT.name} and the glossary must name sections of "
                f"the book; got '{group.page}#{group.slug}' for "
                f"{', '.join(group.names)}. Write the page as in _toc.yml and the "
                "heading as in links."
            )
        return [places[place], *group.names]

    return {
        "pages": pages,
        "sections": sections,
        "groups": [*map(named, groups)],
        "absent": [*map(named, absent)],
    }


def drop_common_names(sections: list[list]) -> None:
    """Leave out of the code of sections the names that many of them hold."""
    counts = Counter(name for *_, code in sections for name in code.split())
    for section in sections:
        names = section[-1].split()
        section[-1] = " ".join(name for name in names if counts[name] <= COMMON)


def find_anchor(env: BuildEnvironment, group: Group) -> str:
    """Return the anchor of the heading that a group names; empty for the page's own."""
    slugs = env.metadata.get(group.page, {}).get("myst_slugs", {})
    _, anchor, _ = slugs.get(group.slug, (0, group.slug, ""))
    found = _sections(env).get(group.page, [])
    is_first = bool(slugs) and group.slug == next(iter(slugs))
    return "" if found and (not group.slug or is_first) else anchor


def numbered_title(env: BuildEnvironment, docname: str) -> str:
    """Return the title of a page, after its number if it is a chapter."""
    number = ".".join(map(str, env.toc_secnumbers.get(docname, {}).get("", ())))
    title = env.titles[docname].astext()
    return f"{number}. {title}" if number else title


def use_own_search(app: Sphinx) -> None:
    """Let Sphinx build no index of its own, which lists pages and not sections."""
    if app.builder.name == "html":
        app.builder.search = False


def collect_pages(app: Sphinx) -> list[tuple[str, dict, str]]:
    """Add the page of the search, which Sphinx leaves out with its index."""
    return [("search", {}, "search.html")] if app.builder.name == "html" else []


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("builder-inited", use_own_search)
    app.connect("doctree-read", keep_sections)
    app.connect("env-purge-doc", forget_sections)
    app.connect("html-collect-pages", collect_pages)
    app.connect("build-finished", write_data)
    app.add_js_file("search/search.js", loading_method="defer")
