"""Separate prose from code in a Markdown text, and read the anchors in it.

An anchor is a line of its own above what it names, to which links within a notebook
lead. JupyterLab and VS Code look for its id, Colab for its name, and no reader sees it.
"""

import re
from collections.abc import Callable

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
_MARK = re.compile(r"[\\`*_$<>&{}\[\]]")
ANCHOR = r'<a id="(?P<label>[\w.:-]+)"(?: name="(?P=label)")?></a>\n'
_ANCHOR = re.compile(rf"^{ANCHOR}", re.M)
_EQUATION = re.compile(
    rf"^{ANCHOR}\n?\$\$(?P<body>.+?)(?:\n\\tag\{{[\d.]+\}})?(?P<end>\s*\$\$)",
    re.M | re.S,
)
_TARGET = re.compile(r"^\((?P<label>[\w.:-]+)\)=$", re.M)
_ABOVE_HEADING = re.compile(rf"^{ANCHOR}\n(?=#+ (?P<heading>[^\n]+))", re.M)


def escape_markdown(words: str) -> str:
    """Write words so that markdown shows them as they are.

    A bar stays, since only a table takes it for a mark.
    """
    return _MARK.sub(r"\\\g<0>", words)


def without_code(text: str) -> str:
    """Remove code blocks and inline code; directives and roles stay."""
    return _CODE.sub(_kept, text)


def _kept(match: re.Match) -> str:
    """Return what stays of a piece of markdown between backticks."""
    if match["directive"]:
        fence, body = match["open"], without_code(match["body"])
        return f"{fence}{match['directive']}{body}{fence}"
    return match["role"] or " "


def change_prose(text: str, change: Callable[[str], str]) -> str:
    """Apply a change to what is no code: runs of prose, and roles one by one."""
    parts, end = [], 0
    for match in _CODE.finditer(text):
        parts.append(change(text[end : match.start()]))
        parts.append(_changed(match, change))
        end = match.end()
    return "".join([*parts, change(text[end:])])


def _changed(match: re.Match, change: Callable[[str], str]) -> str:
    """Apply a change to the prose in a piece of markdown between backticks."""
    if match["directive"]:
        before, after = match[0].split(match["body"], 1) if match["body"] else ("", "")
        body = change_prose(match["body"], change)
        return f"{before}{body}{after}" if match["body"] else match[0]
    return change(match["role"]) if match["role"] else match[0]


def write_anchor(label: str) -> str:
    """Return the line that names what follows it."""
    return f'<a id="{label}" name="{label}"></a>\n'


def anchors(text: str) -> list[str]:
    """List the labels of all anchors in a markdown text."""
    return [match["label"] for match in _ANCHOR.finditer(without_code(text))]


def targets(text: str) -> list[str]:
    """List the labels that a page of MyST gives to what stands below them."""
    return [match["label"] for match in _TARGET.finditer(without_code(text))]


def equation_labels(text: str) -> list[str]:
    """List the labels of displayed equations in a markdown text."""
    return [match["label"] for match in _EQUATION.finditer(without_code(text))]


def change_equations(text: str, change: Callable[[str, str], str]) -> str:
    """Replace each labeled equation, given its label and its LaTeX without the tag."""
    return _EQUATION.sub(
        lambda match: change(match["label"], f"{match['body']}{match['end'][:-2]}"),
        text,
    )


def change_heading_anchors(text: str, change: Callable[[str, str], str]) -> str:
    """Replace each anchor above a heading, given its label and the heading."""
    return _ABOVE_HEADING.sub(lambda m: change(m["label"], m["heading"]), text)


def without_anchors(text: str) -> str:
    """Leave out the anchors of a text and the numbers that its equations carry."""
    text = change_equations(text, lambda _, latex: f"$${latex}$$")
    return re.sub(rf"{_ANCHOR.pattern}\n?", "", text, flags=re.M)
