"""Walk along the tokens of a formula."""

from bookkit.checking.formulas.tokens import ACCENTS, FONTS, words
from bookkit.checking.formulas.values import FormulaError


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
