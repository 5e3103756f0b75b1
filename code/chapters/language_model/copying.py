"""Does it quote? The longest runs of characters that stand in the training text too."""


def longest_copy(text: str, source: str) -> str:
    """Return the longest part of a text that stands in another one, letter by letter.

    Args:
        text: What was written.
        source: Where it may have come from.

    Returns:
        The first of the longest; nothing if no letter is shared.
    """
    length, best = 0, ""
    for start in range(len(text)):
        # A longer one from here on, or none: shorter ones are of no interest.
        while start + length < len(text) and text[start : start + length + 1] in source:
            length += 1
            best = text[start : start + length]
    return best


def pieces(text: str, *, size: int, count: int) -> list[str]:
    """Return parts of a text of one size, from places that lie equally far apart."""
    last = len(text) - size
    places = [last * n // max(1, count - 1) for n in range(count)]
    return [text[place : place + size] for place in places]
