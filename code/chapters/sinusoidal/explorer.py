"""Explorer: two words that one drags along the waves of the sinusoidal encoding."""

from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, choice
from chapters.shared.explorer.markup import rounded
from transformer.layers import sinusoidal_frequencies

D_MODEL, BASE = 8, 100.0  # as in the chapter's clocks, so that slow hands move too
PAIR = "1"  # at first


def show() -> Explorer:
    """Show two words on four waves, their dot product, and the matrix between them."""
    pairs = {str(pair): f"pair {pair}" for pair in range(D_MODEL // 2)}
    return Explorer(
        chapter="sinusoidal",
        name="sinusoidal",
        title="two words on the waves of the sinusoidal encoding",
        instruction="Drag <em>cat</em> or <em>dog</em>: its hands turn, and the matrix "
        "and the dot product change. Drag the number between them: all hands turn, but "
        "matrix and dot product stay.",
        controls=[choice("pair", "equation of", pairs, value=PAIR)],
        data={"frequencies": rounded(find_frequencies(), 10)},
        uses=("drag", "words", "steps", "arrows"),
        controls_first=True,
    )


def find_frequencies() -> Float[Tensor, " pairs"]:
    """Return the frequency of each pair."""
    return sinusoidal_frequencies(D_MODEL, base=BASE)
