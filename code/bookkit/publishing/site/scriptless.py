"""Give pages their colors where no script runs, which would choose them.

The theme writes that the colors are to be chosen, and has none for that. The first
script of a page puts the choice of the reader in the place of what stands there. Where
none runs, a page is light, or dark if the system of the reader asks for that: one more
style sheet has the rules for dark pages, said of light ones.
"""

import re
from collections.abc import Iterator

TO_BE_CHOSEN = re.compile(r'(<html\b[^>]*\bdata-theme=)"auto"')
DARK = re.compile(r"""\bdata-theme=(["']?)dark\1""")
LINK = (
    '<noscript><link rel="stylesheet" href="{}" '
    'media="screen and (prefers-color-scheme: dark)" /></noscript>\n'
)


def color(page: str) -> str:
    """Let a page be light until a script says otherwise."""
    return TO_BE_CHOSEN.sub(r'\1"light"', page, count=1)


def darken(css: str) -> str:
    """Let the rules for dark pages hold on light ones, and leave out all others.

    Args:
        css: A style sheet without comments.
    """
    dark = []
    for selectors, rules in list_blocks(css):
        if selectors.startswith("@"):
            rules = darken(rules)
        elif DARK.search(selectors):
            selectors = DARK.sub(r"data-theme=\1light\1", selectors)
        else:
            continue
        if rules:
            dark.append(f"{selectors}{{{rules}}}")
    return "\n".join(dark)


def list_blocks(css: str) -> Iterator[tuple[str, str]]:
    """List what stands before the outermost braces of a style sheet, and in them."""
    depth = start = opened = 0
    for brace in re.finditer(r"[{}]", css):
        if brace.group() == "{":
            opened = opened if depth else brace.start()
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            before = css[start:opened].rsplit(";", 1)[-1].strip()
            yield before, css[opened + 1 : brace.start()]
            start = brace.end()
