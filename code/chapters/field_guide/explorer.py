"""Explorer: two words that one drags, and their score in six schemes of positions."""

from chapters.shared.explorer.frame import Explorer

BANK, RIVER = (-2, 0, 1, 1), (1, 1, 1, 0)  # the query and the key of the chapter
SLOPE = 0.5  # of ALiBi
# What would be learned, made up: a vector for each of the ten places of a table, among
# them those of the chapter, and a number for each distance, from twelve places ahead to
# twelve back.
TABLE = (
    (0, 0, -1, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, -1), (0, 0, 1, 0),
    (0, 0, 0, 1), (-1, 0, 0, 0), (0, -1, 0, 0), (1, 0, 0, 1), (0, 1, 1, 0),
)  # fmt: skip
AHEAD = (-0.4, -0.7, -1.0, *9 * (-1.2,))
BACK = (0.1, 0.5, 1.0, 0.8, 0.3, 0.0, -0.2, -0.3, *3 * (-0.4,), *2 * (-0.5,))
SCHEMES = ("none", "sines", "table", "rotary", "ALiBi", "T5")


def show() -> Explorer:
    """Show two words in a text, and a bar for the score of each scheme."""
    return Explorer(
        chapter="field_guide",
        name="field_guide",
        title="one query and one key in six schemes of positions",
        instruction="Drag the number between <em>river</em> and <em>bank</em>, so that "
        "both move together: only two of the six scores change. Then drag one word "
        "past the other.",
        controls=[],
        data={
            "query": BANK,
            "key": RIVER,
            "slope": SLOPE,
            "table": TABLE,
            "learned": [*AHEAD[::-1], *BACK],
            "schemes": SCHEMES,
        },
        uses=("drag", "words"),
    )
