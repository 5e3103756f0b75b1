"""The table: one line for each case, printed as soon as it is done."""

from bench_measure import Comparison

COLUMNS = "{:54} {:16} {:>6} {:>9} {:3} {:>6}  {:11} {:>4} {:6} {:>5}"
HEADER = COLUMNS.format(
    "",
    "against",
    "ours",
    "reference",
    "",
    "ratio",
    "rounds",
    "aim",
    "",
    "naive",
)


def row(comparison: Comparison) -> str:
    """Return the line of a case: readings, ratios, aim and verdict.

    The ratio is followed by the lowest and the highest of a single round.
    """
    case, ratio = comparison.case, comparison.ratio()
    low, high = comparison.spread()
    naive = f"{comparison.ratio('naive'):.2f}" if "naive" in comparison.readings else ""
    return COLUMNS.format(
        case.name,
        case.reference,
        number(comparison.median("ours")),
        number(comparison.median("reference")),
        case.unit,
        f"{ratio:.2f}",
        f"{low:.2f}-{high:.2f}",
        "" if case.aim is None else f"{case.aim:.2f}",
        verdict(ratio, case.aim),
        naive,
    ).rstrip()


def verdict(ratio: float, aim: float | None) -> str:
    """Tell in a word whether the aim was met; both count as they are printed."""
    if aim is None:
        return ""
    return "met" if round(ratio, 2) <= round(aim, 2) else "missed"


def number(value: float) -> str:
    """Return a number with three digits, or with all before the point if more."""
    decimals = max(0, 3 - len(str(int(value)))) if value >= 1 else 3
    return f"{value:.{decimals}f}"
