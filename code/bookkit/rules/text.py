"""Rules about prose: it reads well on the site and in Colab."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.rules.cells import markdown_cells, markdown_tokens

_POOR = {
    "{glue}": re.compile(r"\{glue(?::\w+)?\}"),
    "{code-cell}": re.compile(r"\{code-cell\}"),
}
# Directives and roles stay, code goes; the first alternative that fits wins.
_CODE = re.compile(
    r"""
    ^(?P<open>`{3,})(?P<directive>\{[^\n]*\n)(?P<body>.*?)^(?P=open)`*[ \t]*$
    | ^(?P<fence>`{3,}|~{3,})[^\n`]*\n.*?^(?P=fence)[`~]*[ \t]*$
    | (?P<role>\{[\w:-]+\}(?P<tick>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=tick)(?!`))
    | (?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)
    """,
    re.M | re.S | re.X,
)
_EQUATION = re.compile(
    r"\$\$[ \t]*\((?P<dollar>[^)\s]+)\)"
    r"|^[:`]{3,}\{math\}[^\n]*\n(?::\w+:[^\n]*\n)*?:label:[ \t]*(?P<directive>\S+)"
    r"|\\label\{(?P<ams>[^}]+)\}",
    re.M,
)


def without_code(text: str) -> str:
    """Remove code blocks and inline code; directives and roles stay."""
    return _CODE.sub(_kept, text)


def _kept(match: re.Match) -> str:
    """Return what stays of a piece of markdown between backticks."""
    if match["directive"]:
        fence, body = match["open"], without_code(match["body"])
        return f"{fence}{match['directive']}{body}{fence}"
    return match["role"] or " "


def equation_labels(text: str) -> list[str]:
    """List the labels of displayed equations in a markdown text."""
    found = _EQUATION.finditer(without_code(text))
    return [match[match.lastgroup] for match in found]


def markdown_degrades_well(notebook: NotebookNode, path: Path) -> list[str]:
    """No markdown uses what only the site can show."""
    return [
        f"{name} uses {what}, which Colab shows as source; write it out."
        for name, cell in markdown_cells(notebook)
        for what, pattern in _POOR.items()
        if pattern.search(without_code(cell.source))
    ]


def links_have_text(notebook: NotebookNode, path: Path) -> list[str]:
    """A link has words of its own: Colab shows an empty one as nothing."""
    return [
        f"{name} links to {match[1]!r} without words; write them between the brackets."
        for name, cell in markdown_cells(notebook)
        for match in re.finditer(r"(?<!!)\[\]\(([^)]*)\)", without_code(cell.source))
    ]


def markdown_has_no_html(notebook: NotebookNode, path: Path) -> list[str]:
    """Markdown holds no raw HTML."""
    return [
        f"{name} holds raw HTML: {token.content.strip()[:60]!r}; use markdown."
        for name, cell in markdown_cells(notebook)
        for token in markdown_tokens(cell.source)
        if token.type in ("html_block", "html_inline")
    ]


def equation_labels_start_with_eq(notebook: NotebookNode, path: Path) -> list[str]:
    """The label of an equation starts with eq-."""
    return [
        f"{name} labels an equation {label!r}; let the label start with 'eq-'."
        for name, cell in markdown_cells(notebook)
        for label in equation_labels(cell.source)
        if not label.startswith("eq-")
    ]
