"""Explorer: the row of a word that one drags, and the push it gets from the next."""

from chapters.shared.explorer.frame import Explorer, choice
from chapters.shared.explorer.markup import tag

COLUMNS = {"sleeps": (1, 0), "stops": (0, 1)}  # the two words of the chapter


def show() -> Explorer:
    """Show the plane of both scores, the mean of the columns, and the push."""
    return Explorer(
        chapter="embeddings",
        name="embeddings",
        title="the row of cat, and the push that the word after it gives",
        instruction="Drag <em>cat</em>: the surer it is of the word that comes, the "
        "smaller its push. Then give it ten pushes, one by one.",
        controls=[
            choice("next", "then comes", {w: w for w in COLUMNS}, value="sleeps"),
            tag("button", "one push", type="button", data_part="give"),
        ],
        data={"columns": COLUMNS},
        uses=("drag",),
    )
