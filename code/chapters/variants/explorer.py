"""Explorer: a router whose rows one drags, a token, and the experts that it asks."""

from chapters.shared.explorer.frame import Explorer, switch
from chapters.shared.explorer.markup import rounded
from chapters.start import gaussian

ROUTER = ((1.0, 0.0), (0.0, 1.0), (-1.0, 1.0))  # a row for each expert
TOKEN, ANSWERS = (2.0, 1.0), (10, 20, 30)  # scores 2, 1, -1 as in the chapter
OTHERS = 24


def show() -> Explorer:
    """Show tokens in a plane, the rows of a router, and how many tokens each gets."""
    return Explorer(
        chapter="variants",
        name="variants",
        title="a router, its three experts and the tokens that they get",
        instruction="Drag expert 2 outward: its scores grow, and twice as many tokens "
        "ask it first. Then drag <em>x</em> around: where the two highest scores are "
        "equal, both experts have half of the weight.",
        controls=[switch("two", "ask two experts", on=True)],
        data={
            "router": ROUTER,
            "token": TOKEN,
            "answers": ANSWERS,
            "tokens": rounded(1.2 * gaussian(OTHERS, 2, seed=3), 2),
        },
        uses=("drag", "points", "beside"),
    )
