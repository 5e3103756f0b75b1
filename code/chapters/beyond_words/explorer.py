"""Explorer: a digit that one cuts into words, and a word of it that one drags."""

from chapters.shared.explorer.frame import Explorer, slider, switch

# The third seven of the pictures that test, in sixteenths of ink.
SEVEN = (
    (0, 0, 12, 16, 16, 12, 0, 0),
    (0, 0, 6, 4, 10, 13, 1, 0),
    (0, 0, 0, 0, 13, 9, 0, 0),
    (0, 0, 5, 9, 16, 16, 12, 0),
    (0, 3, 16, 16, 11, 3, 0, 0),
    (0, 0, 7, 13, 0, 0, 0, 0),
    (0, 0, 11, 8, 0, 0, 0, 0),
    (0, 0, 16, 3, 0, 0, 0, 0),
)
SIDES, WORD = (1, 2, 4, 8), 7


def show() -> Explorer:
    """Show a picture, the words that it is cut into, and one of them large."""
    return Explorer(
        chapter="beyond_words",
        name="beyond_words",
        title="a digit, cut into words",
        instruction="Drag the word: its pixels are a square of the picture. Then cut "
        "by reshape: the words are as long, but their pixels lie side by side in a "
        "row, and no error says so.",
        controls=[
            slider("side", "side of a patch", low=0, high=3, value=SIDES.index(2)),
            switch("reshape", "cut by reshape"),
        ],
        data={"image": SEVEN, "sides": SIDES, "word": WORD},
        uses=("drag",),
    )
