"""Explorer: two words that one drags, and clock hands that turn with them."""

from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer
from chapters.shared.explorer.markup import rounded
from transformer.layers import rotary_frequencies

QUERY, KEY = (1.0, 2.0), (3.0, -1.0)  # of each pair, as in the chapter's example
BASE = 100.0  # the slow pair turns ten times slower


def show() -> Explorer:
    """Show two words in a text, a dial for each pair, and the score over the offset."""
    return Explorer(
        chapter="rotary",
        name="rotary",
        title="the score of a turned query and a turned key",
        instruction="Drag <em>cat</em> or <em>dog</em>: the score changes. Drag the "
        "number between them: all hands turn, and it stays.",
        controls=[],
        data={
            "query": QUERY,
            "key": KEY,
            "frequencies": rounded(find_frequencies(), 10),
        },
        uses=("drag", "words", "steps", "arrows"),
    )


def find_frequencies() -> Float[Tensor, " pairs"]:
    """Return the frequency of the fast and of the slow pair."""
    return rotary_frequencies(2 * len(QUERY), base=BASE)
