"""Explorer: a hidden unit that one sets, and a word that one drags."""

from chapters.shared.explorer.frame import Explorer, slider
from chapters.shared.explorer.markup import MINUS

PHRASES = {"big day": (0, 0), "hot day": (1, 0), "big dog": (0, 1), "hot dog": (1, 1)}
WORD = (0.8, 0.9)
READS, BIAS = (1.0, 1.0), -1.0


def show() -> Explorer:
    """Show where a unit speaks, and what it says to four phrases and a word."""
    numbers = zip(("hot", "dog", "bias"), (*READS, BIAS), strict=True)
    return Explorer(
        chapter="feed_forward",
        name="feed_forward",
        title="a hidden unit and four phrases",
        instruction="Drag <em>x</em> over the border: the unit falls silent, and goes "
        f"on being silent. Then set the bias to {MINUS}0.5: the <em>and</em> is now "
        "an <em>or</em>.",
        controls=[
            slider(
                name,
                "bias" if name == "bias" else f"reads <em>{name}</em>",
                low=-20,
                high=20,
                value=round(10 * number),
            )
            for name, number in numbers
        ],
        data={"phrases": PHRASES, "word": WORD},
        uses=("drag", "beside"),
    )
