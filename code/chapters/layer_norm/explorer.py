"""Explorer: a vector that one drags, its mean and its deviation, and what is left."""

from chapters.shared.explorer.frame import Explorer

VECTOR = (1.0, 2.0, 3.0, 4.0)  # as in the chapter's example


def show() -> Explorer:
    """Show the bars of a vector at each step of a layer norm."""
    return Explorer(
        chapter="layer_norm",
        name="layer_norm",
        title="a vector of four features before, between and after the two steps",
        instruction="Drag the mean or the deviation: four numbers change, and the "
        "result stays. Then drag one feature: the pattern changes, and so does the "
        "result.",
        controls=[],
        data={"vector": VECTOR},
        uses=("drag",),
    )
