"""Ribbons: bands that are as wide as the share that they stand for."""

from chapters.shared.explorer.markup import coordinate


def ribbon(start: tuple[float, float], end: tuple[float, float], width: float) -> str:
    """Draw a band from a place to another one to the right of it.

    Args:
        start: The middle of its left end.
        end: The middle of its right end.
        width: How wide it is, at both ends.
    """
    (left, from_), (right, to) = start, end
    a, b, half = map(coordinate, (left, right, (left + right) / 2))
    x, y, low, lower = map(
        coordinate,
        (from_ - width / 2, to - width / 2, from_ + width / 2, to + width / 2),
    )
    return (
        f"M{a} {x}C{half} {x} {half} {y} {b} {y}V{lower}"
        f"C{half} {lower} {half} {low} {a} {low}Z"
    )
