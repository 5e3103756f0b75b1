"""The kinds of content that pages hold, and six pages that hold all of them.

These six are opened in a browser with each change, all others every night.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml import etree
from lxml.html import HtmlElement
from page_files import list_pages, parse

SIX = (
    "book/index.html",
    "book/attention/self_attention.html",
    "book/appendix/how_it_is_checked.html",
    "book/appendix/glossary.html",
    "book/appendix/fifty_questions.html",
    "book/appendix/api/models.html",
)
# Each kind by the classes or the names of elements that show it, as CSS has them.
KINDS = {
    "explorer": "[data-explorer]",
    "translator": ".translator",
    "drawing of the machine": "svg.drawing",
    "figure": "figure img",
    "figure with a form for phones": "picture source",
    "caption": "figcaption",
    "formula in a line": "p .katex",
    "formula on its own": ".katex-display",
    "formula that may scroll": ".math-scroll",
    "numbered formula": ".eqno",
    "exercise": ".exercise",
    "solution": "details.solution",
    "theorem": ".proof.theorem, .proof.lemma, .proof.proposition, .proof.corollary",
    "proof": ".proof.proof",
    "admonition": ".admonition",
    "deeper section": "section.deeper",
    "code": ".cell_input pre",
    "code that wraps": ".cell_input pre.wraps",
    "folded code": "details.folded-code",
    "drawn code": ".api-link",
    "output": ".cell_output pre",
    "output that wraps": ".cell_output pre.wraps",
    "output in columns": ".cell_output pre.columns",
    "commands": ".highlight-sh, .highlight-bash, .highlight-console",
    "table": "table",
    "table of cards": "table.cards",
    "table of facts": "table.facts",
    "table that scrolls": ".pst-scrollable-table-container",
    "code in a table": "td code",
    "formula in a table": "td .katex",
    "list": "article li",
    "list of definitions": "dl",
    "entry of the API": "dl.py",
    "question that folds": "details.question",
    "term of the glossary": ".glossary-link",
    "citation": ".citation-link",
    "Chinese": "dl [lang=zh-Hans]",
    "quotation": "blockquote",
    "link to the notebook": ".btn-download-source-button",
    "contents of the page": ".page-toc",
    "chapter before and after": ".prev-next-area a",
}


@dataclass(frozen=True)
class Step:
    """A step of a selector: what an element must be, have in its class, and say."""

    name: str
    classes: frozenset[str]
    attributes: dict[str, str]

    def fits(self, element: HtmlElement) -> bool:
        """Return whether an element is what the step asks for."""
        return (
            self.name in ("", element.tag)
            and self.classes <= set(element.get("class", "").split())
            and all(
                element.get(name, "") == value if value else name in element.attrib
                for name, value in self.attributes.items()
            )
        )


@cache
def read_selector(selector: str) -> list[list[Step]]:
    """Read a selector of names, classes and attributes, such as "p .a[lang=en], dl"."""
    return [
        [
            Step(
                re.match(r"[\w-]*", step)[0],
                frozenset(re.findall(r"\.([\w-]+)", step)),
                dict(re.findall(r"\[([\w-]+)=?([\w-]*)\]", step)),
            )
            for step in way.split()
        ]
        for way in selector.split(", ")
    ]


def is_selected(element: HtmlElement, selector: str) -> bool:
    """Return whether a selector means an element."""
    return any(_is_at_end(element, way) for way in read_selector(selector))


def _is_at_end(element: HtmlElement, way: list[Step]) -> bool:
    """Return whether steps lead to an element, each to it or an ancestor."""
    *above, last = way
    ancestors = element.iterancestors()
    return last.fits(element) and all(
        any(map(step.fits, ancestors)) for step in reversed(above)
    )


@cache
def _by_key() -> dict[str, list[tuple[str, list[Step]]]]:
    """Return for a name, a class or an attribute the kinds that it may belong to."""
    keys: dict[str, list] = {}
    for kind, selector in KINDS.items():
        for way in read_selector(selector):
            last = way[-1]
            key = min(last.classes, default=last.name) or min(last.attributes)
            keys.setdefault(key, []).append((kind, way))
    return keys


def list_kinds(file: Path) -> set[str]:
    """List the kinds of content of a page."""
    found: set[str] = set()
    for part in parse(file).iter(etree.Element):
        for key in {part.tag, *part.get("class", "").split(), *part.attrib}:
            for kind, way in _by_key().get(key, ()):
                if kind not in found and _is_at_end(part, way):
                    found.add(kind)
    return found


def kinds_by_page(root: Path) -> dict[str, set[str]]:
    """List the kinds of content of each page of a site."""
    return {path: list_kinds(root / path) for path in list_pages(root)}
