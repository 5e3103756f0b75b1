"""Speak Chinese on the Chinese pages, and lead from each language to the other.

The pages of `zh/` stand in the same build, so that their links are checked and the
search finds them. What the theme and the boxes write around their text is Chinese, and
a translated chapter has the numbers of the English one.
"""

import gettext
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import locale
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from bookkit.book.chinese import END, LANGUAGE, LOCALE
from bookkit.book.notebooks import CHINESE

ENGLISH = "book/"
# Where the words of the site are in other languages: catalog, package, folder.
CATALOGS = (
    ("sphinx", "sphinx", "locale"),
    ("sphinx", "pydata_sphinx_theme", "locale"),
    ("booktheme", "sphinx_book_theme", "theme/sphinx_book_theme/static/locales"),
    ("proof", "sphinx_proof", "translations/locales"),
    ("exercise", "sphinx_exercise", "translations/locales"),
)
FORMATS = {"figure": "图 %s", "exercise": "练习 %s"}
# What no catalog has.
WORDS = (
    (r"Show the source(<span[^>]*>) of Figure ([\d.]+)", r"显示源代码\1：图 \2"),
    (r"Hide the source(<span[^>]*>) of Figure ([\d.]+)", r"隐藏源代码\1：图 \2"),
    (r"Show the source(<span[^>]*>) of ", r"显示源代码\1："),
    (r"Hide the source(<span[^>]*>) of ", r"隐藏源代码\1："),
    (r": listing (\d+) in the section ", r"：第 \1 段，小节"),
    (r"<em>Proof\.</em>", "<em>证明。</em>"),
    (r">Skip to <em>", ">跳到<em>"),
)
# The part of the contents that lists the pages in Chinese.
PART = re.compile(
    r'<p[^>]*>\s*<span class="caption-text">\s*中文.*?</ul>\s*(?=<p|</div|$)', re.S
)


def find_twin(env: BuildEnvironment, docname: str) -> str | None:
    """Return the page that says the same in the other language, if there is one."""
    pair = (ENGLISH, CHINESE) if docname.startswith(ENGLISH) else (CHINESE, ENGLISH)
    twin = docname.replace(*pair, 1)
    return twin if twin != docname and twin in env.found_docs else None


@cache
def chinese_words() -> dict[tuple[str, str], gettext.NullTranslations]:
    """Read what the theme and the extensions write, in Chinese."""
    found = {}
    for name, package, folder in CATALOGS:
        place = Path(find_spec(package).origin).parent / folder
        words = gettext.translation(name, place, [LOCALE, "zh"])
        if other := found.get(("general", name)):
            other.add_fallback(words)
        else:
            found["general", name] = words
    return found


def keep_english(app: Sphinx) -> None:
    """Keep what is spoken on all other pages."""
    app.book_english = (dict(locale.translators), dict(app.config.numfig_format))


def speak(app: Sphinx, docname: str = "") -> None:
    """Let Sphinx, the theme and the boxes speak the language of a page."""
    words, formats = app.book_english
    if docname.startswith(CHINESE):
        words, formats = words | chinese_words(), formats | FORMATS
    locale.translators.update(words)
    app.config.numfig_format = formats
    if templates := getattr(app.builder, "templates", None):
        spoken = words["general", "sphinx"]
        templates.environment.install_gettext_translations(spoken)


def number_as_twins(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give a translated chapter, its boxes and equations the numbers of the English."""
    for docname in env.found_docs:
        twin = find_twin(env, docname)
        if not docname.startswith(CHINESE) or twin not in env.toc_secnumbers:
            continue
        sections = env.tocs[docname].findall(nodes.reference)
        numbers = dict.fromkeys(part["anchorname"] for part in sections)
        number = env.toc_secnumbers[twin].get("", ())
        env.toc_secnumbers[docname] = numbers | {"": number}
        env.toc_fignumbers[docname] = {
            kind: {f"{label}{END}": number for label, number in numbers.items()}
            for kind, numbers in env.toc_fignumbers.get(twin, {}).items()
        }
    return []


def lead_between(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give a page its language, and what leads to the same page in the other."""
    is_chinese = pagename.startswith(CHINESE)
    if is_chinese:
        context["language"] = LANGUAGE
        for english, chinese in WORDS:
            context["body"] = re.sub(english, chinese, context["body"])
        own = f'<section lang="{LANGUAGE}" '
        context["body"] = context["body"].replace("<section ", own, 1)
    for way in ("prev", "next"):
        link = context.get(way)
        if link and is_chinese != f"/{CHINESE}" in f"/{link['link']}":
            context[way] = None
    if twin := find_twin(app.env, pagename):
        address = context["pathto"](twin)
        name, tag = ("EN", "en") if is_chinese else ("中文", LANGUAGE)
        context["twin"] = {"address": address, "name": name, "tag": tag}
        # Search engines heed whole addresses only.
        public = f"{app.config.html_baseurl.rstrip('/')}/{twin}.html"
        context["metatags"] += (
            f'<link rel="alternate" hreflang="{tag}" href="{public}">'
        )


def list_own_pages(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """List the Chinese pages first beside a Chinese page, and not beside others."""
    write = context.get("generate_toctree_html")
    if write is None:
        return

    def write_own(*args: Any, **options: Any) -> Any:
        contents = str(write(*args, **options))
        part = PART.search(contents)
        if part is None:
            return contents
        others = contents.replace(part[0], "")
        return part[0] + others if pagename.startswith(CHINESE) else others

    context["generate_toctree_html"] = write_own


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("builder-inited", keep_english)
    # A page is read, and written, in its own language.
    app.connect("source-read", lambda app, docname, _: speak(app, docname))
    app.connect("doctree-resolved", lambda app, _, docname: speak(app, docname))
    app.connect("env-updated", lambda app, _: speak(app))
    app.connect("env-get-updated", number_as_twins, priority=900)
    # Before the theme leaves out of a page what would be empty.
    app.connect("html-page-context", lead_between, priority=400)
    app.connect("html-page-context", list_own_pages, priority=950)
