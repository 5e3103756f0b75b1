"""Explorer: a stream of which one drags the word and what two sublayers add."""

from chapters.shared.explorer.frame import Explorer

WORD, CHANGES = (3.0, 0.0), ((0.0, 2.0), (-1.0, 2.0))  # as in the chapter's example


def show() -> Explorer:
    """Show a word and two changes as arrows, one behind the other, and their sum."""
    return Explorer(
        chapter="residual_connections",
        name="residual_connections",
        title="a stream of two features: a word, and what two sublayers add",
        instruction="Drag <em>x₂</em> onto the upright line: the second sublayer has "
        "erased the word. Then drag <em>x₀</em>: all later points go with it, as far "
        "as it goes, because nobody on the way had to copy it.",
        controls=[],
        data={"word": WORD, "changes": CHANGES},
        uses=("drag", "points", "beside"),
    )
