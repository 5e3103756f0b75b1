"""Read a formula: from the tokens of its LaTeX to a function that computes it.

The reader is a recursive descent. It knows the names, because `d_k` may be a name or
the element `k` of `d`, and `f(x)` a function of `x` or a product.
"""

from collections.abc import Callable

from bookkit.checking.formulas import values
from bookkit.checking.formulas.computing import (
    ARROWS,
    HOLE,
    NAMES,
    Compute,
    Fold,
    Names,
    Scope,
    Several,
    between,
    bounded,
    bracketed,
    checked,
    choices,
    falls,
    folded,
    named,
    related,
    spread,
    total,
)
from bookkit.checking.formulas.tokens import BRACKETS, DOTS, Cursor, label, split
from bookkit.checking.formulas.values import RELATIONS, FormulaError

STRONG = {r"\cdot": values.dot, r"\odot": values.componentwise, "/": values.over}
OVER_RANGES = {r"\sum": "sum", r"\prod": "prod", r"\max": "max", r"\min": "min"}
OVER_RANGES |= {r"\argmax": "argmax"}
FOLDS = NAMES | {"sum": values.plus, "prod": values.times}
STOPS = {*STRONG, *RELATIONS, *ARROWS, *BRACKETS.values(), *DOTS, ""} - {"|"}
STOPS |= {"+", "-", ",", "&", r"\\", r"\mid", r"\big|", ":", ";"}
GIVEN = "given"  # what a function finds among its arguments for the bar
OTHERWISE = NAMES["otherwise"]
ANY = "any"  # and for a dot, in whose place anything may stand


class Reader(Cursor):
    """Read tokens, knowing what the names are."""

    def __init__(self, tokens: list[str], scope: Scope) -> None:
        super().__init__(tokens)
        self.scope, self.in_bars = scope, False

    def inner(
        self, tokens: list[str], rule: "Callable[[Reader], Compute] | None" = None
    ) -> Compute:
        """Read other tokens, all of them, with the same names."""
        return Reader(tokens, self.scope).whole(rule)

    def whole(self, rule: "Callable[[Reader], Compute] | None" = None) -> Compute:
        """Read all tokens by a rule, by default as a statement."""
        read = (rule or Reader.statement)(self)
        if self.next:
            raise FormulaError(f"{self.next!r} is left over")
        return read

    def statement(self) -> Compute:
        """Read a sum, or sums with relations between them, which hold or do not."""
        chain, relations = [self.sum()], []
        while self.next in RELATIONS or self.next in ARROWS:
            relations.append(self.scope.relation(self.take()))
            chain.append(self.shapes() if self.next == r"\mathbb" else self.sum())
        return related(relations, chain) if relations else chain[0]

    def every(self) -> Compute:
        """Read statements with commas between them, all of which must hold."""
        parts = [self.statement()]
        while self.next == ",":
            self.take()
            parts.append(self.statement())
        if len(parts) == 1:
            return parts[0]
        return lambda names: all(part(names) for part in parts)

    def shapes(self) -> Compute:
        """Read what matrices are among: those with so many rows and columns."""
        self.take()
        self.group()
        self.take("^")
        sizes = [self.inner(size) for size in split(self.group(), r"\times")]
        return lambda names: values.Shape([size(names) for size in sizes])

    def sum(self) -> Compute:
        """Read terms with plus and minus between them."""
        start, sign = self.here, ""
        terms = [self.signed("")]
        while self.next in {"+", "-"}:
            if self.second in DOTS and "dots" not in self.scope.names:
                first = self.since(start)
                if "-" in {self.take(), sign, first[0]}:
                    raise FormulaError("dots stand between terms with a minus")
                terms[-1] = self.dotted(first, "+", Reader.term, values.plus)
            else:
                sign, start = self.take(), self.here
                terms.append(self.signed(sign))
        return folded(values.plus, terms)

    def signed(self, sign: str) -> Compute:
        """Read a term after its sign."""
        while self.next in {"+", "-"}:
            sign = "-" if (sign == "-") != (self.take() == "-") else ""
        term = self.term()
        return (lambda names: -term(names)) if sign == "-" else term

    def term(self) -> Compute:
        """Read products with a dot, a circle or a stroke between them."""
        read = self.product()
        while self.next in STRONG:
            read = folded(STRONG[self.take()], [read, self.product()])
        return read

    def product(self, *, of_function: bool = False) -> Compute:
        """Read factors that stand side by side; those of a function end at the next."""
        start, factors = self.here, [self.factor()]
        while self.next not in STOPS - {r"\cdots"}:
            if self.next == r"\cdots":
                first = self.since(start)
                factors[-1] = self.dotted(first, "", Reader.factor, values.times)
            elif (self.next == "|" and self.in_bars) or (
                of_function and self.scope.is_function(self.next.lstrip("\\"))
            ):
                break
            else:
                start = self.here
                factors.append(self.factor())
        return folded(values.times, factors)

    def dotted(
        self,
        first: list[str],
        sign: str,
        rule: "Callable[[Reader], Compute]",
        fold: Fold | None = None,
    ) -> Compute:
        """Read dots and what ends them: all that stands from the first to the last."""
        self.take(*DOTS)
        if sign:
            self.take(sign)
        start = self.here
        rule(self)
        template, low, high = between(first, self.since(start))
        run = bounded(HOLE, self.inner(low), self.inner(high), down=falls(low, high))
        body = self.inner(template, rule)

        def found(names: Names) -> object:
            every = [body({**names, **place}) for place in run(names)]
            return total(fold, every) if fold else Several(every)

        return found

    def factor(self) -> Compute:
        """Read a factor with its exponent or its index."""
        if self.next in {r"\sum", r"\prod"} or (
            self.next in OVER_RANGES and self.second == "_"
        ):
            return self.over_range()
        read = self.base()
        while self.next in {"^", "_"}:
            scripted = self.exponent if self.take() == "^" else self.indexed
            read = scripted(read, self.group())
        return read

    def base(self) -> Compute:
        """Read what an exponent can stand at."""
        if self.next[:1].isdigit():
            number = float(self.take())
            return lambda _: int(number) if number.is_integer() else number
        if self.next in BRACKETS:
            return self.bracket()
        special = {
            r"\frac": self.fraction,
            r"\sqrt": self.root,
            r"\underbrace": self.underbrace,
            r"\begin{pmatrix}": self.matrix,
            r"\begin{cases}": self.cases,
        }.get(self.next)
        if special is None:
            return self.name()
        self.take()
        return special()

    def bracket(self) -> Compute:
        """Read brackets: a group, a list, a size, a length, or 1 where it holds."""
        opening, outer = self.take(), self.in_bars
        self.in_bars, start = opening == "|", self.here
        parts = self.arguments(BRACKETS[opening])
        self.in_bars = outer
        if r"\big|" in self.since(start):
            return lambda names: values.beside(*spread(parts, names))
        return bracketed(opening, parts)

    def arguments(self, closing: str) -> list[Compute]:
        """Read what stands between brackets, with commas or bars between."""
        found: list[Compute] = []
        start, mark = self.here, ""
        while True:
            if self.next in DOTS and found:
                first = self.since(start)[:-1]
                found[-1] = self.dotted(first, mark, Reader.statement)
            elif self.next == r"\cdot":
                self.take()
                found.append(lambda _: ANY)
            else:
                start = self.here
                found.append(self.statement())
            mark = self.take(",", ";", r"\mid", r"\big|", closing)
            if mark == closing:
                return found
            if mark == r"\mid":
                found.append(lambda _: GIVEN)

    def exponent(self, base: Compute, tokens: list[str]) -> Compute:
        """Read an exponent: a power, or the sign of the transpose."""
        if tokens == [r"\top"]:
            return lambda names: values.transposed(base(names))
        power = self.inner(tokens)
        return lambda names: values.power(base(names), power(names))

    def indexed(self, base: Compute, tokens: list[str]) -> Compute:
        """Read indices: letters side by side, or expressions, or a part: 0:n."""
        apart = len(tokens) > 1 and all(map(str.isalpha, tokens))
        parts = [[letter] for letter in tokens] if apart else split(tokens, ",", ":")
        indices = [self.inner(part) for part in parts]
        first = self.scope.first
        return lambda names: values.at(base(names), [i(names) for i in indices], first)

    def over_range(self) -> Compute:
        """Read a sum, a product, a greatest or a least over what its index says."""
        kind = OVER_RANGES[self.take()]
        self.take("_")
        below, above = self.group(), []
        if self.next == "^":
            self.take()
            above = self.group()
        run = choices(below, above, self.inner, self.scope)
        term = self.signed("") if kind == "sum" else self.product()
        if kind == "argmax":
            return lambda names: max(
                (place[below[0]] for place in run(names)),
                key=lambda best: term({**names, below[0]: best}),
            )
        return lambda names: total(
            FOLDS[kind], [term({**names, **place}) for place in run(names)]
        )

    def name(self) -> Compute:
        """Read a name with its scripts, and what it is applied to."""
        font, key = self.next, self.plain_name()
        while self.next == "'":
            key += self.take()
        above, below = self.scripts()
        if f"{key}^{label(above[:1])}" in self.scope.names:
            key, above = f"{key}^{label(above[:1])}", above[1:]
        if below and f"{key}_{label(below)}" in self.scope.names:
            key, below = f"{key}_{label(below)}", []
        if above[:1] == ["("] and above[-1:] == [")"]:
            below, above = [*below, *("," if below else ""), *above[1:-1]], []
        read = named(HOLE if font == HOLE else key)
        if below:
            read = self.indexed(read, below)
        if self.scope.is_function(key):
            read = self.applied(read)
        elif (
            self.scope.bold
            and font not in {r"\mathrm", r"\dots"}
            and not font.startswith(r"\text")
        ):
            read = checked(read, bold=font == r"\mathbf", key=key)
        return self.exponent(read, above) if above else read

    def applied(self, function: Compute) -> Compute:
        """Read what a function is applied to: brackets, what follows, or nothing."""
        if self.next in STOPS:
            return function
        if self.next in {"(", "["}:
            parts = self.arguments(BRACKETS[self.take()])
        else:
            parts = [self.product(of_function=True)]
        return lambda names: function(names)(*spread(parts, names))

    def fraction(self) -> Compute:
        """Read a fraction, or a derivative, which has a name of its own: da/de."""
        above, below = self.group(), self.group()
        if not above[:1] == below[:1] == [r"\partial"]:
            return folded(values.over, [self.inner(above), self.inner(below)])
        ends = [Cursor(part[1:]) for part in (above, below)]
        read = named("d{}/d{}".format(*(end.plain_name() for end in ends)))
        (_, above), (_, below) = (end.scripts() for end in ends)
        return self.indexed(read, [*above, ",", *below]) if above or below else read

    def root(self) -> Compute:
        """Read a square root."""
        inner = self.inner(self.group())
        return lambda names: values.power(inner(names), 0.5)

    def underbrace(self) -> Compute:
        """Read what stands above a brace, and pass by the words below it."""
        parts = [self.inner(part) for part in split(self.group(), ",")]
        self.take("_")
        self.group()
        if len(parts) == 1:
            return parts[0]
        return lambda names: Several(part(names) for part in parts)

    def matrix(self) -> Compute:
        """Read the entries of a matrix; rows that dots stand for are left out."""
        rows = self.rows(r"\end{pmatrix}")
        return lambda names: values.stacked(
            [[entry(names) for entry in row] for row in rows]
        )

    def cases(self) -> Compute:
        """Read cases, of which one condition holds."""
        rows = self.rows(r"\end{cases}")

        def found(names: Names) -> object:
            holding = [(value, when(names)) for value, when in rows]
            holding = [one for one in holding if one[1]]
            if len(holding) > 1 and holding[1][1] != OTHERWISE:
                raise FormulaError("two cases are true")
            if not holding:
                raise FormulaError("no case is true")
            return holding[0][0](names)

        return found

    def rows(self, end: str) -> list[list[Compute]]:
        """Read the rows of a matrix or of cases."""
        start = self.here
        while self.take() != end:
            pass
        lines = split(self.since(start)[:-1], r"\\")
        return [
            [self.inner(entry, Reader.every) for entry in split(line, "&")]
            for line in lines
            if line != [r"\vdots"]
        ]
