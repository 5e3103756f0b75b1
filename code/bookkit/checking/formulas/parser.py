"""Read a formula: from the tokens of its LaTeX to functions that compute it.

The reader is a recursive descent. Each rule returns a function which, given the values
of the names, returns the value of what was read.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from bookkit.checking.formulas import values
from bookkit.checking.formulas.tokens import DOTS, split, words
from bookkit.checking.formulas.values import RELATIONS, Family, FormulaError

Names = Mapping[str, Any]
Compute = Callable[[Names], Any]

NAMES: dict[str, Any] = {
    "e": math.e,
    "pi": math.pi,
    "otherwise": True,
    "exp": np.exp,
    "ln": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "max": lambda *of: np.maximum.reduce(np.broadcast_arrays(*of)),
    "min": lambda *of: np.minimum.reduce(np.broadcast_arrays(*of)),
}
FONTS = {r"\mathrm": "", r"\mathbf": "", r"\operatorname": "", r"\mathcal": "cal "}
ACCENTS = {r"\hat": "hat ", r"\bar": "bar "}
STRONG = {r"\cdot": values.dot, r"\odot": values.componentwise, "/": values.over}
OVER_RANGES = {r"\sum": "sum", r"\prod": "prod", r"\max": "max", r"\min": "min"}
BRACKETS = {"(": ")", "[": "]", "{": "}", r"\lvert": r"\rvert", r"\lVert": r"\rVert"}
BRACKETS |= {r"\lfloor": r"\rfloor", "|": "|"}
BOUNDS = {r"\le", r"\ge"}
STOPS = {*STRONG, *RELATIONS, *BRACKETS.values(), *DOTS} - {"|"}
STOPS |= {"+", "-", ",", "&", r"\\", r"\mid", r"\big|", ":", ";", r"\in"}
GIVEN = "given"  # what a function finds among its arguments for the bar
HOLE = r"\hole"  # what runs where a formula writes dots


@dataclass(frozen=True)
class Scope:
    """The values of the names, what letters run over, and how indices count."""

    names: Names
    letters: Mapping[str, Sequence[int]]
    first: int
    attained: bool

    def relation(self, sign: str) -> Callable[[Any, Any], Any]:
        """Return what a sign says; a bound that is attained is an equation."""
        return values.same if self.attained and sign in BOUNDS else RELATIONS[sign]


class Reader:
    """Read tokens, knowing what the names are."""

    def __init__(self, tokens: list[str], scope: Scope) -> None:
        self.tokens, self.scope = tokens, scope
        self.here, self.in_bars = 0, False

    def sub(self, tokens: list[str]) -> "Reader":
        """Return a reader of other tokens, with the same names."""
        return Reader(tokens, self.scope)

    @property
    def next(self) -> str:
        """The token that comes next, or nothing."""
        return self.tokens[self.here] if self.here < len(self.tokens) else ""

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
        if token[0].isdigit() and len(token) > 1:
            self.here -= 1
            self.tokens = [*self.tokens]
            self.tokens[self.here : self.here + 1] = [token[0], token[1:]]
            return [self.take()]
        if token != "{":
            return [token, *(self.group() if token in FONTS else [])]
        depth, start = 1, self.here
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
        return self.tokens[start : self.here - 1]

    def whole(self, rule: Callable[["Reader"], Compute] | None = None) -> Compute:
        """Read all tokens by a rule, by default as a statement or a sum."""
        read = (rule or Reader.statement)(self)
        if self.next:
            raise FormulaError(f"{self.next!r} is left over")
        return read

    def statement(self) -> Compute:
        """Read a sum, or sums with relations between them, which hold or do not."""
        chain = [self.sum()]
        relations = []
        while self.next in RELATIONS:
            relations.append(self.scope.relation(self.take()))
            chain.append(self.sum())
        if not relations:
            return chain[0]

        def holds(names: Names) -> Any:
            found = [part(names) for part in chain]
            pairs = zip(relations, found, found[1:], strict=False)
            results = [relation(left, right) for relation, left, right in pairs]
            return results[0] if len(results) == 1 else bool(np.all(results))

        return holds

    def sum(self) -> Compute:
        """Read terms with plus and minus between them."""
        terms = [self.signed("")]
        starts = [0]
        while self.next in {"+", "-"}:
            starts.append(self.here + 1)
            if self.tokens[self.here + 1] in DOTS and "dots" not in self.scope.names:
                begin, first = starts[-2], self.tokens[starts[-2] : self.here]
                if "-" in {self.next, *self.tokens[max(begin - 1, 0) : begin]}:
                    raise FormulaError("dots stand between terms with a minus")
                self.here += 2
                last = self.after("+", Reader.term)
                terms[-1] = self.run(first, last, Reader.term, values.plus)
                starts[-1] = begin
            else:
                terms.append(self.signed(self.take()))
        return _folded(values.plus, terms)

    def signed(self, sign: str) -> Compute:
        """Read a term after its sign."""
        while self.next in {"+", "-"}:
            sign = "-" if (sign == "-") != (self.take() == "-") else ""
        term = self.term()
        return (lambda names: -term(names)) if sign == "-" else term

    def after(self, sign: str, rule: Callable[["Reader"], Compute]) -> list[str]:
        """Return the tokens of what follows a sign."""
        self.take(sign)
        start = self.here
        rule(self)
        return self.tokens[start : self.here]

    def term(self) -> Compute:
        """Read products with a dot, a circle or a stroke between them."""
        read = self.product()
        while self.next in STRONG:
            read = _folded(STRONG[self.take()], [read, self.product()])
        return read

    def product(self) -> Compute:
        """Read factors that stand side by side."""
        start = self.here
        factors = [self.factor()]
        while True:
            if self.next == r"\cdots":
                first = self.tokens[start : self.here]
                last = self.after(r"\cdots", Reader.factor)
                factors[-1] = self.run(first, last, Reader.factor, values.times)
            start = self.here
            if (
                not self.next
                or self.next in STOPS
                or (self.next == "|" and self.in_bars)
            ):
                return _folded(values.times, factors)
            factors.append(self.factor())

    def run(
        self,
        first: list[str],
        last: list[str],
        rule: Callable[["Reader"], Compute],
        fold: Callable[[Any, Any], Any] | None,
    ) -> Compute:
        """Read what stands for `first … last`, which differ in one place."""
        shared = [a == b for a, b in zip(first, last, strict=False)] + [False]
        begin = shared.index(False)
        back = [a == b for a, b in zip(first[:begin:-1], last[:begin:-1], strict=False)]
        end = ([*back, False]).index(False)
        low, high = first[begin : len(first) - end], last[begin : len(last) - end]
        template = [*first[:begin], HOLE, *first[len(first) - end :]]
        body = self.sub(template).whole(rule)
        bounds = [
            self.sub(part).whole(Reader.sum) for part in (_bare(low), _bare(high))
        ]
        step = -1 if _bare(high)[0].isdigit() else 1

        def computed(names: Names) -> Any:
            start, stop = (round(bound(names)) for bound in bounds)
            found = [body({**names, HOLE: i}) for i in range(start, stop + step, step)]
            return _fold(fold, found) if fold else found

        return computed

    def arguments(self, closing: str) -> list[Compute]:
        """Read what stands between brackets, with commas or bars between."""
        found: list[Compute] = []
        start = self.here
        while True:
            if self.next in DOTS:
                sign = self.tokens[self.here - 1]
                first = self.tokens[start : self.here - 1]
                self.take()
                last = self.after(sign, Reader.statement)
                listed = self.run(first, last, Reader.statement, None)
                found[-1] = lambda names, listed=listed: _Several(listed(names))
            else:
                start = self.here
                found.append(self.statement())
            mark = self.take(",", ";", r"\mid", r"\big|", closing)
            if mark == closing:
                return found
            if mark == r"\mid":
                found.append(lambda _: GIVEN)

    def factor(self) -> Compute:
        """Read a factor with its exponent."""
        token = self.next
        if token in OVER_RANGES and (
            token not in {r"\max", r"\min"} or self.tokens[self.here + 1] == "_"
        ):
            return self.over_range()
        read = self.base()
        while self.next in {"^", "_"}:
            scripted = self.exponent if self.take() == "^" else self.indexed
            read = scripted(read, self.group())
        return read

    def base(self) -> Compute:
        """Read what an exponent can stand at."""
        token = self.next
        if token[:1].isdigit():
            number = float(self.take())
            return lambda _: int(number) if number.is_integer() else number
        if token in BRACKETS:
            return self.bracket()
        special = {
            r"\frac": self.fraction,
            r"\sqrt": self.root,
            r"\underbrace": self.underbrace,
            r"\begin{pmatrix}": self.matrix,
            r"\begin{cases}": self.cases,
        }.get(token)
        if special is None:
            return self.name()
        self.take()
        return special()

    def bracket(self) -> Compute:
        """Read brackets: a group, a list, a size, a length, or 1 where it holds."""
        opening = self.take()
        closing, outer = BRACKETS[opening], self.in_bars
        self.in_bars = opening == "|"
        start = self.here
        parts = self.arguments(closing)
        self.in_bars = outer
        if r"\big|" in self.tokens[start : self.here]:
            return lambda names: values.beside(*_spread(parts, names))
        if len(parts) > 1:
            return lambda names: np.array(_spread(parts, names))
        part = parts[0]
        if opening in {r"\lvert", "|"}:
            return lambda names: _size(part(names))
        if opening == r"\lVert":
            return lambda names: np.linalg.norm(part(names))
        if opening == r"\lfloor":
            return lambda names: math.floor(part(names))
        return lambda names: _number(part(names))

    def exponent(self, base: Compute, tokens: list[str]) -> Compute:
        """Read an exponent: a power, or the sign of the transpose."""
        if tokens == [r"\top"]:
            return lambda names: values.transposed(base(names))
        power = self.sub(tokens).whole(Reader.sum)
        return lambda names: values.power(base(names), power(names))

    def indexed(self, base: Compute, tokens: list[str]) -> Compute:
        """Read indices: letters side by side, or expressions with commas between."""
        parts = split(tokens, ",")
        if len(parts) == 1 and len(tokens) > 1 and all(map(str.isalpha, tokens)):
            parts = [[letter] for letter in tokens]
        indices = [self.sub(part).whole(Reader.sum) for part in parts]
        return lambda names: values.at(
            base(names), [index(names) for index in indices], self.scope.first
        )

    def over_range(self) -> Compute:
        """Read a sum, a product, a greatest or a least over what its index says."""
        kind = OVER_RANGES[self.take()]
        self.take("_")
        below, above = self.group(), []
        if self.next == "^":
            self.take()
            above = self.group()
        choices = self.choices(below, above)
        term = self.signed("") if kind == "sum" else self.product()
        fold = {"sum": values.plus, "prod": values.times}.get(kind) or NAMES[kind]
        return lambda names: _fold(
            fold, [term({**names, **chosen}) for chosen in choices(names)]
        )

    def choices(
        self, below: list[str], above: list[str]
    ) -> Callable[[Names], list[dict[str, int]]]:
        """Read what an index runs over: bounds, a set, or its range and a condition."""
        letter, sign = below[0], below[1] if len(below) > 1 else ""
        if above and sign == "=":
            low = self.sub(below[2:]).whole(Reader.sum)
            high = self.sub(above).whole(Reader.sum)
            return lambda names: [
                {letter: i} for i in range(round(low(names)), round(high(names)) + 1)
            ]
        if sign == r"\in":
            elements = self.sub(below[2:]).whole(Reader.sum)
            return lambda names: [{letter: int(i)} for i in elements(names)]
        head, *tail = split(below, ":")
        running = [token for token in head if token in self.scope.letters]
        condition = self.sub(tail[0] if tail else head).whole()
        every = [
            dict(zip(running, place, strict=True))
            for place in product(*(self.scope.letters[one] for one in running))
        ]
        if not tail and len(head) == 1:
            return lambda _: every
        return lambda names: [one for one in every if condition({**names, **one})]

    def name(self) -> Compute:
        """Read a name with its scripts, and what it is applied to."""
        start = self.here
        key = self.plain_name()
        font = self.tokens[start]
        while self.next == "'":
            key += self.take()
        scripts: dict[str, list[str]] = {}
        while self.next in {"^", "_"} and self.next not in scripts:
            mark = self.take()
            scripts[mark] = self.group()
        above, below = scripts.get("^", []), scripts.get("_", [])
        if above and f"{key}^{_label(above[:1])}" in self.scope.names:
            key, above = f"{key}^{_label(above[:1])}", above[1:]
        if below and f"{key}_{_label(below)}" in self.scope.names:
            key, below = f"{key}_{_label(below)}", []
        known = self.scope.names.get(key)
        if above[:1] == ["("] and above[-1:] == [")"]:
            below, above = [*below, ",", *above[1:-1]], []

        def read(names: Names) -> Any:
            if key not in names:
                raise FormulaError(f"nothing is known of {key!r}")
            return names[key]

        if below:
            read = self.indexed(read, below)
        if callable(known) or (isinstance(known, Family) and known.functions):
            read = self.applied(read)
        elif font not in {r"\mathrm", r"\dots"} and not font.startswith(r"\text"):
            read = _checked(read, bold=font == r"\mathbf", key=key)
        return self.exponent(read, above) if above else read

    def applied(self, function: Compute) -> Compute:
        """Read what a function is applied to: brackets, or the factors that follow."""
        if self.next in {"(", "["}:
            parts = self.arguments(BRACKETS[self.take()])
        else:
            parts = [self.product()]
        return lambda names: function(names)(*_spread(parts, names))

    def plain_name(self) -> str:
        """Read a name without scripts."""
        token = self.take()
        if token in FONTS:
            return FONTS[token] + "".join(self.group()).lstrip("\\")
        if token in ACCENTS:
            return ACCENTS[token] + self.plain_name()
        if token.startswith(r"\text{"):
            return words(token)
        if not token.lstrip("\\").isalpha():
            raise FormulaError(f"{token!r} is no name")
        return token if token == HOLE else token.lstrip("\\")

    def fraction(self) -> Compute:
        """Read a fraction, or a derivative that is written as one."""
        above, below = self.group(), self.group()
        if above[0] == below[0] == r"\partial":
            return self.derivative(above[1:], below[1:])
        parts = [self.sub(part).whole(Reader.sum) for part in (above, below)]
        return _folded(values.over, parts)

    def derivative(self, above: list[str], below: list[str]) -> Compute:
        """Read a derivative, which has a name of its own: d a/d e."""
        (a, *at_a), (b, *at_b) = split(above, "_"), split(below, "_")
        names = [self.sub(part).plain_name() for part in (a, b)]
        key = "d{}/d{}".format(*names)
        if key not in self.scope.names:
            raise FormulaError(f"nothing is known of {key!r}")
        indices = [token for part in (*at_a, *at_b) for token in part]
        return (
            self.indexed(lambda known: known[key], indices)
            if indices
            else (lambda known: known[key])
        )

    def root(self) -> Compute:
        """Read a square root."""
        inner = self.sub(self.group()).whole(Reader.sum)
        return lambda names: values.power(inner(names), 0.5)

    def underbrace(self) -> Compute:
        """Read what stands above a brace, and pass by the words below it."""
        inner = self.sub(self.group()).whole(Reader.sum)
        self.take("_")
        self.group()
        return inner

    def rows(self, kind: str) -> list[list[Compute]]:
        """Read the rows of a matrix or of cases."""
        start = self.here
        while self.take() != rf"\end{{{kind}}}":
            pass
        lines = split(self.tokens[start : self.here - 1], r"\\")
        return [
            [self.sub(entry).whole() for entry in split(line, "&")] for line in lines
        ]

    def matrix(self) -> Compute:
        """Read the entries of a matrix."""
        rows = self.rows("pmatrix")
        return lambda names: values.stacked(
            [[entry(names) for entry in row] for row in rows]
        )

    def cases(self) -> Compute:
        """Read cases: the first whose condition holds."""
        rows = self.rows("cases")
        return lambda names: next(value(names) for value, when in rows if when(names))


class _Several(list):
    """Arguments that a formula writes with dots."""


def _spread(parts: list[Compute], names: Names) -> list[Any]:
    found: list[Any] = []
    for part in parts:
        value = part(names)
        found += value if isinstance(value, _Several) else [value]
    return found


def _fold(fold: Callable[[Any, Any], Any], found: list[Any]) -> Any:
    total = found[0] if found else 0
    for value in found[1:]:
        total = fold(total, value)
    return total


def _folded(fold: Callable[[Any, Any], Any], parts: list[Compute]) -> Compute:
    if len(parts) == 1:
        return parts[0]
    return lambda names: _fold(fold, [part(names) for part in parts])


def _checked(read: Compute, *, bold: bool, key: str) -> Compute:
    def checked(names: Names) -> Any:
        value = read(names)
        number = np.ndim(value) == 0 or np.asarray(value).dtype == bool
        if not isinstance(value, list | str | Family) and bold == number:
            raise FormulaError(f"{key!r} must be bold where it is no number")
        return value

    return checked


def _bare(tokens: list[str]) -> list[str]:
    return tokens[1:-1] if tokens[:1] == ["{"] else tokens


def _label(tokens: list[str]) -> str:
    return "".join(
        words(t) if t[:5] == r"\text" else t.lstrip("\\")
        for t in tokens
        if t not in {"{", "}", *FONTS}
    )


def _size(value: Any) -> Any:
    return len(value) if isinstance(value, list | tuple | str) else np.abs(value)


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, bool | np.bool_) else value
