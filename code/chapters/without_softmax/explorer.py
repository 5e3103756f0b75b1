"""Explorer: keys that one drags, the state that they write, and what is read back."""

from chapters.shared.explorer.frame import Explorer

KEYS = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))  # as in the chapter's example
VALUES = ((4.0, 1.0), (2.0, 3.0), (1.0, 5.0))


def show() -> Explorer:
    """Show three keys in a plane, one state, and what each word reads with its key."""
    return Explorer(
        chapter="without_softmax",
        name="without_softmax",
        title="three keys, one state, and what each key reads back",
        instruction="Drag key 3 straight below the middle, at a right angle to key 1: "
        "word 1 reads its own value again. But no place is at a right angle to both: "
        "what a third word writes always disturbs one of the two.",
        controls=[],
        data={"keys": KEYS, "values": VALUES},
        uses=("drag", "points", "beside"),
    )
