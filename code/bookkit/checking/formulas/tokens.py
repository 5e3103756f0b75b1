"""Cut the LaTeX of a formula into tokens and statements, and walk along them."""

import re
from collections.abc import Iterator

from bookkit.checking.formulas.values import FormulaError

TAG = re.compile(r"\\tag\{([^}]*)\}")
SPACES = re.compile(r"\\[,;:! ]|\\(?:left|right)(?![a-z])|\\[bB]igg?[lr]?(?![a-z|])|\s")
TOKEN = re.compile(
    r"\\text\{[^}]*\}|\\(?:begin|end)\{\w+\}|\\big\||\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|."
)
# A new line that goes on with what stands before it: before a sign, or in a list.
CONTINUED = re.compile(
    r"\\\\\s*&\s*(?:\\q?quad\s*(?=[-+=>])|(?=[=>]))|(?<=, )\\\\\s*&\s*\\q?quad"
)
SPELLED = {  # another way to write the same
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\operatorname*{argmax}": r"\argmax",
    r"\operatorname": r"\mathrm",
    r"\\[2pt]": r"\\",
    "{,}": "",  # between thousands
}
BRACKETS = {"(": ")", "[": "]", "{": "}", r"\lvert": r"\rvert", r"\lVert": r"\rVert"}
BRACKETS |= {r"\lfloor": r"\rfloor", r"\lceil": r"\rceil", "|": "|"}
OPENING = {"{", "(", "[", r"\begin{cases}", r"\begin{pmatrix}", r"\lfloor"}
CLOSING = {"}", ")", "]", r"\end{cases}", r"\end{pmatrix}", r"\rfloor"}
ALIGNED = {r"\begin{aligned}", r"\end{aligned}"}
FONTS = {r"\mathrm": "", r"\mathbf": "", r"\boldsymbol": "", r"\mathcal": "cal "}
FONTS |= {r"\mathtt": "", r"\textit": "", r"\mathbb": "bb "}
ACCENTS = {r"\hat": "hat ", r"\bar": "bar "}
DOTS = {r"\dots", r"\cdots"}


class Cursor:
    """A place among tokens, and how to go on from it."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.here = tokens, 0

    @property
    def next(self) -> str:
        """The token that comes next, or nothing."""
        return self.tokens[self.here] if self.here < len(self.tokens) else ""

    @property
    def second(self) -> str:
        """The token after that, or nothing."""
        return "".join(self.tokens[self.here + 1 : self.here + 2])

    def since(self, start: int) -> list[str]:
        """Return the tokens from a place to this one."""
        return self.tokens[start : self.here]

    def take(self, *wanted: str) -> str:
        """Go on by a token, which must be a wanted one."""
        token = self.next
        if not token or (wanted and token not in wanted):
            raise FormulaError(f"{token!r} stands where {wanted or 'more'} must")
        self.here += 1
        return token

    def group(self) -> list[str]:
        """Take an argument as TeX does: what stands in braces, or one sign."""
        token = self.take()
        if token[0].isdigit() and len(token) > 1:  # of 10 the 1 alone
            self.tokens = [*self.since(0)[:-1], *token, *self.tokens[self.here :]]
            return [token[0]]
        if token != "{":
            return [token, *(self.group() if token in FONTS else [])]
        depth, start = 1, self.here
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
        return self.tokens[start : self.here - 1]

    def scripts(self) -> tuple[list[str], list[str]]:
        """Take what stands above and below a name, each at most once."""
        found: dict[str, list[str]] = {}
        while self.next in {"^", "_"} and self.next not in found:
            mark = self.take()
            found[mark] = self.group()
        return found.get("^", []), found.get("_", [])

    def plain_name(self) -> str:
        r"""Take a name without scripts: `\alpha` is alpha, `\hat m` is hat m."""
        token = self.take()
        if token in FONTS:
            return FONTS[token] + "".join(self.group()).lstrip("\\")
        if token in ACCENTS:
            return ACCENTS[token] + Cursor(self.group()).plain_name()
        if token.startswith(r"\text{"):
            return words(token)
        if not token.lstrip("\\").isalpha():
            raise FormulaError(f"{token!r} is no name")
        return token.lstrip("\\")


def tokens_of(latex: str) -> list[str]:
    """Cut LaTeX into tokens, without spaces, sizes of brackets and the tag."""
    found = []
    plain = CONTINUED.sub(" ", TAG.sub("", latex)).replace("\n", " ")
    for one, other in SPELLED.items():
        plain = plain.replace(one, other)
    for token in TOKEN.findall(plain):
        if not SPACES.fullmatch(token):
            found.append(token)
    return found


def statements_of(tokens: list[str], known: frozenset[str]) -> list[list[str]]:
    """Cut tokens into statements, at commas, wide spaces, new lines and words.

    Words that are `known` are names, and stay.
    """
    found: list[list[str]] = [[]]
    for i, (token, depth) in enumerate(levels(tokens)):
        dotted = bool({*tokens[max(i - 1, 0) : i + 2]} & DOTS)
        if depth == 0 and (_parts(token, known) or (token == "," and not dotted)):
            found.append([])
        elif depth or token not in ALIGNED | {"&", "."}:
            found[-1].append(token)
    return [statement for statement in found if statement]


def levels(tokens: list[str]) -> Iterator[tuple[str, int]]:
    """Yield each token, and how many brackets are open after it."""
    depth = 0
    for token in tokens:
        depth += (token in OPENING) - (token in CLOSING)
        yield token, depth


def words(token: str) -> str:
    r"""Return what `\text{…}` says, without its punctuation."""
    return token[6:-1].strip(" .:")


def label(tokens: list[str]) -> str:
    r"""Return a script as a part of a name: of `d_{\mathrm{ff}}` it is ff."""
    signs = (token for token in tokens if token not in {"{", "}", *FONTS})
    return "".join(words(x) if x[:6] == r"\text{" else x.lstrip("\\") for x in signs)


def _parts(token: str, known: frozenset[str]) -> bool:
    """Say whether a token parts two statements."""
    if token.startswith(r"\text{"):
        return words(token) not in known
    return token in {r"\qquad", r"\quad", r"\\"}


def split(tokens: list[str], *separators: str) -> list[list[str]]:
    """Split tokens at separators that stand in no bracket."""
    parts: list[list[str]] = [[]]
    for token, depth in levels(tokens):
        if depth == 0 and token in separators:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
