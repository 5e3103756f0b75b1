"""Results as tables: rows and columns for who reads, aligned text for who compares."""

from collections.abc import Iterable, Sequence
from html import escape
from numbers import Integral, Real

GAP = "  "


class Table:
    """Show results in rows and columns, below names.

    At the end of a cell Jupyter shows it as a table. Where there is only text, its
    columns are aligned, names to the left and numbers to the right.

    Args:
        head: The names of the columns, with their units.
        rows: For each row what it is about, then its values.
        digits: Decimals of a number that is not whole, in all columns or in each.

    Raises:
        ValueError: If a row has not one value for each column.
    """

    def __init__(
        self,
        head: Iterable[str],
        rows: Iterable[Iterable[object]],
        *,
        digits: int | Sequence[int] = 2,
    ) -> None:
        self.head = [*head]
        each = [digits] * len(self.head) if isinstance(digits, int) else digits
        values = [[*row] for row in rows]
        for row in values:
            if len(row) != len(self.head):
                raise ValueError(
                    f"a row must have {len(self.head)} values, one below each name, "
                    f"got {len(row)} in {row!r:.80}; add what is missing."
                )
        self.rows = [
            [written(x, d) for x, d in zip(row, each, strict=True)] for row in values
        ]
        columns = zip(*values, strict=True) if values else ([] for _ in self.head)
        self.to_the_right = [all(map(is_number, column)) for column in columns]

    def __repr__(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = (
            GAP.join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(
                    line, widths, self.to_the_right, strict=True
                )
            )
            for line in lines
        )
        return "\n".join(line.rstrip() for line in aligned)

    def _repr_html_(self) -> str:
        """Return the table as HTML, which Jupyter asks for."""
        head = self._row(self.head, "th")
        rows = "".join(f"{self._row(row, 'td')}\n" for row in self.rows)
        return (
            f'<table class="result">\n<thead>\n{head}\n</thead>\n'
            f"<tbody>\n{rows}</tbody>\n</table>"
        )

    def _row(self, cells: Sequence[str], tag: str) -> str:
        """Return a row of HTML."""
        sides = ["right" if right else "left" for right in self.to_the_right]
        written = (
            f'<{tag} style="text-align: {side}">{escape(cell, quote=False)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(written)}</tr>"


def written(value: object, digits: int) -> str:
    """Return a value as it stands in a table: thousands apart, decimals rounded."""
    value = plain(value)
    if not is_number(value):
        return str(value)
    if isinstance(value, Integral):
        return f"{int(value):,}"
    return f"{round(float(value), digits) + 0.0:,.{digits}f}"  # and no -0.0


def is_number(value: object) -> bool:
    """Return whether a value is a number; a switch is none."""
    value = plain(value)
    return isinstance(value, Real) and not isinstance(value, bool)


def plain(value: object) -> object:
    """Return the number of a tensor or an array that holds one, all else as it is."""
    return value.item() if getattr(value, "ndim", None) == 0 else value
