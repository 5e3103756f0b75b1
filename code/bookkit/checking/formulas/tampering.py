"""Change a formula as a slip of the hand would: each version has one change."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from bookkit.checking.formulas.tokens import ACCENTS, FONTS, tokens_of

EXCHANGED = {
    "+": ("-", r"\cdot"),
    "-": ("+",),
    r"\cdot": ("+",),
    r"\odot": ("+",),
    "/": (r"\cdot",),
    r"\sin": (r"\cos",),
    r"\cos": (r"\sin",),
    r"\exp": (r"\ln",),
    r"\ln": (r"\exp",),
    r"\log": (r"\exp",),
    r"\tanh": (r"\sin",),
    r"\max": (r"\min",),
    r"\min": (r"\max",),
    "<": (">",),
    r"\le": (r"\ge",),
    r"\ge": (r"\le",),
    r"\sum": (r"\prod",),
}
SIDES = {"a side negated": "-", "a side doubled": "2"}
FEW = 6  # a formula with so many versions keeps its sides
DRESSED = {*FONTS, *ACCENTS}  # what stands before a name
SIGNS = {r"\frac", r"\sqrt", r"\top", r"\dots", r"\cdots", r"\approx", r"\sim", r"\mid"}
SIGNS |= {r"\underbrace", r"\partial", r"\lvert", r"\rvert"}
SIGNS |= {r"\lfloor", r"\rfloor", r"\lceil", r"\rceil", r"\ne"}
SIGNS |= {r"\lVert", r"\rVert", r"\qquad", r"\quad", r"\in", r"\big|", r"\\"}
SIGNS |= {r"\argmax", r"\to", r"\mapsto", r"\times", r"\vdots"}
SIGNS |= {*EXCHANGED, *DRESSED}


@dataclass(frozen=True)
class Tampered:
    """A changed formula, and what was changed."""

    what: str
    latex: str


@dataclass(frozen=True)
class Part:
    """A stretch of tokens: a name or a number, with or without its scripts."""

    begin: int
    end: int
    scripted: int  # the end with the scripts


def tampered(latex: str) -> list[Tampered]:
    """Return all versions of a formula with one change, each told by its name."""
    tokens = tokens_of(latex)
    found = {" ".join(tokens): ""}
    count: Counter[str] = Counter()
    for what, changed in chain.from_iterable(kind(tokens) for kind in KINDS):
        if what in SIDES and len(found) > FEW:
            continue
        text = " ".join(changed)
        if text not in found:
            count[what] += 1
            found[text] = f"{what} ({count[what]})" if count[what] > 1 else what
    return [Tampered(what, text) for text, what in found.items() if what]


Versions = Iterator[tuple[str, list[str]]]


def signs(tokens: list[str]) -> Versions:
    """Exchange a sign, or a function of its kind."""
    for i, token in enumerate(tokens):
        for other in EXCHANGED.get(token, ()):
            yield f"{token} → {other}", _put(tokens, i, i + 1, [other])


def numbers(tokens: list[str]) -> Versions:
    """Make a number greater by one."""
    for part in _parts(tokens):
        token = tokens[part.begin]
        if token[0].isdigit():
            digits = len(token.partition(".")[2])
            larger = f"{float(token) + 1:.{digits}f}"
            yield f"{token} → {larger}", _put(tokens, part.begin, part.end, [larger])


def indices(tokens: list[str]) -> Versions:
    """Make the first index of a name greater by one."""
    for part in _parts(tokens):
        if tokens[part.end : part.end + 1] != ["_"]:
            continue
        name = "".join(tokens[part.begin : part.scripted])
        place = part.end + 1
        if tokens[place].isalnum():
            braced = ["{", tokens[place], "+", "1", "}"]
            yield f"{name} moved", _put(tokens, place, place + 1, braced)
        elif tokens[place] == "{" and tokens[place + 1].isalpha():
            apart = [] if tokens[place + 2] in {"}", ",", "+", "-"} else [","]
            moved = [tokens[place + 1], "+", "1", *apart]
            yield f"{name} moved", _put(tokens, place + 1, place + 2, moved)


def letters(tokens: list[str]) -> Versions:
    """Write another index of the formula in the place of one."""
    places = [
        place
        for part in _parts(tokens)
        if tokens[part.end : part.end + 1] == ["_"]
        and r"\mathrm" not in tokens[part.end + 1 : part.end + 3]  # a word
        for place in range(part.end + 1, _argument(tokens, part.end + 1))
        if len(tokens[place]) == 1 and tokens[place].isalpha()
    ]
    known = sorted({tokens[place] for place in places})
    for place in places:
        for other in known:
            if other != tokens[place]:
                what = f"index {tokens[place]} → {other}"
                yield what, _put(tokens, place, place + 1, [other])


def factors(tokens: list[str]) -> Versions:
    """Leave out a factor that stands beside another one, an exponent or a root."""
    for part in _parts(tokens):
        before = tokens[part.begin - 1] if part.begin else ""
        after = tokens[part.scripted] if part.scripted < len(tokens) else ""
        if _ends(before) or _begins(after):
            name = "".join(tokens[part.begin : part.scripted])
            yield f"without {name}", _put(tokens, part.begin, part.scripted, [])
    for i, token in enumerate(tokens):
        if token == "^":
            end = _argument(tokens, i + 1)
            yield f"without {''.join(tokens[i:end])}", _put(tokens, i, end, [])
        if token == r"\sqrt":
            yield "without a root", _put(tokens, i, i + 1, [])


def exchanges(tokens: list[str]) -> Versions:
    """Exchange two names or numbers that follow each other, but not side by side."""
    parts = list(_parts(tokens))
    for one, two in pairwise(parts):
        a, b = tokens[one.begin : one.end], tokens[two.begin : two.end]
        between = tokens[one.end : two.begin]
        if a != b and between:
            changed = [*tokens[: one.begin], *b, *between, *a, *tokens[two.end :]]
            yield f"{''.join(a)} ↔ {''.join(b)}", changed


def fractions(tokens: list[str]) -> Versions:
    """Turn a fraction over."""
    for i, token in enumerate(tokens):
        if token == r"\frac":
            middle = _argument(tokens, i + 1)
            end = _argument(tokens, middle)
            swapped = [*tokens[middle:end], *tokens[i + 1 : middle]]
            yield "a fraction turned over", _put(tokens, i + 1, end, swapped)


def sides(tokens: list[str]) -> Versions:
    """Turn a side of an equation to its opposite, or double it."""
    for i in (0, *(i + 1 for i, token in enumerate(tokens) if token == "=")):
        for what, new in SIDES.items():
            yield what, _put(tokens, i, i, [new])


KINDS: tuple[Callable[[list[str]], Versions], ...] = (
    signs,
    numbers,
    indices,
    letters,
    factors,
    exchanges,
    fractions,
    sides,
)


def _parts(tokens: list[str]) -> Iterator[Part]:
    """Yield the names and numbers of a formula, and where their scripts end."""
    i = 0
    while i < len(tokens):
        token, following = tokens[i], tokens[i + 1 : i + 3]
        if token == "_" and following in (["{", r"\mathrm"], ["{", r"\text"]):
            i = _argument(tokens, i + 1)  # a word, and no index
        elif token in DRESSED or token[0].isalnum() or _is_greek(token):
            end = _argument(tokens, i)
            yield Part(i, end, _scripts(tokens, end))
            i = end
        else:
            i += 1


def _is_greek(token: str) -> bool:
    """Say whether a command is a name."""
    return token[:1] == "\\" and token[1:].isalpha() and token not in SIGNS


def _scripts(tokens: list[str], end: int) -> int:
    """Return where the primes and scripts of a name end."""
    while end < len(tokens) and tokens[end] in {"'", "_", "^"}:
        end = end + 1 if tokens[end] == "'" else _argument(tokens, end + 1)
    return end


def _argument(tokens: list[str], i: int) -> int:
    """Return where an argument ends: braces, or one sign."""
    if tokens[i] in DRESSED:
        return _argument(tokens, i + 1)
    if tokens[i] != "{":
        return i + 1
    depth = 0
    for end in range(i, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[end], 0)
        if depth == 0:
            return end + 1
    return len(tokens)


def _begins(token: str) -> bool:
    """Say whether a token begins a factor."""
    begins = token in {"(", r"\frac", r"\sqrt", r"\sum"} | DRESSED
    return begins or token.isalnum() or _is_greek(token)


def _ends(token: str) -> bool:
    """Say whether a token ends a factor."""
    return token in {")", "}", "'"} or token.isalnum() or _is_greek(token)


def _put(tokens: list[str], begin: int, end: int, new: list[str]) -> list[str]:
    """Put other tokens in the place of some."""
    return [*tokens[:begin], *new, *tokens[end:]]
