"""Separate prose from code in a Markdown text."""

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
