"""Words as vectors drawn by hand, and one sentence on its way through both stacks."""

from collections.abc import Iterable, Mapping

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from transformer.layers import scaled_dot_product_attention

FEATURES = ("article", "noun", "verb", "end", "river", "money")
Words = Mapping[str, Mapping[str, float]]

SOURCE = {
    "The": {"article": 2},
    "bank": {"noun": 2, "river": 1, "money": 1},
    "blooms": {"verb": 2, "river": 4},
    "lends": {"verb": 2, "money": 4},
    "EOS": {"end": 2},
}
# A word that is written stands for what comes next.
TARGET = {
    "BOS": {"article": 2},
    "la": {"noun": 2},
    "rive": {"verb": 2},
    "banque": {"verb": 2},
    "fleurit": {"end": 2},
    "prête": {"end": 2},
}
FRENCH = {
    "la": {"article": 2},
    "rive": {"noun": 1, "river": 1},
    "banque": {"noun": 1, "money": 1},
    "fleurit": {"verb": 1, "river": 1},
    "prête": {"verb": 1, "money": 1},
    "EOS": {"end": 2},
}


def rows(words: Iterable[str], drawn: Words) -> Float[Tensor, "words features"]:
    """Return the vectors of words, a row for each."""
    amounts = [[float(drawn[w].get(name, 0)) for name in FEATURES] for w in words]
    return torch.tensor(amounts)


def decide() -> tuple[Float[Tensor, "features two"], Float[Tensor, "two features"]]:
    """Return the weights of a network that adds to the leader of river and money."""
    against = torch.tensor([[0.0, 0]] * 4 + [[1, -1], [-1, 1]])
    lead = against.T.clamp(min=0)
    return against, lead


def weights(
    x: Float[Tensor, "asking features"],
    y: Float[Tensor, "asked features"],
    seen: Bool[Tensor, "asking asked"] | None = None,
) -> Float[Tensor, "asking asked"]:
    """Return how much each row of x takes from each row of y."""
    return scaled_dot_product_attention(x, y, y, mask=seen, need_weights=True).weights


def read(sentence: Iterable[str]) -> dict[str, Float[Tensor, "words features"]]:
    """Return what the words are at each step through an encoder layer without norms."""
    up, down = decide()
    x = rows(sentence, SOURCE)
    looked = x + weights(x, x) @ x
    noted = looked + (looked @ up).relu() @ down
    return {"embedded": x, "after looking": looked, "its note": noted}


def write(
    said: Iterable[str], memory: Float[Tensor, "source features"]
) -> dict[str, Float[Tensor, "words features"]]:
    """Return what the words are at each step through a decoder layer without norms."""
    up, down = decide()
    x = rows(said, TARGET)
    causal = torch.ones(len(x), len(x)).tril().bool()
    own = x + weights(x, x, causal) @ x
    noted = own + weights(own, memory) @ memory
    made = noted + (noted @ up).relu() @ down
    return {
        "embedded": x,
        "said so far": own,
        "with the notes": noted,
        "made of it": made,
    }


def scores(row: Float[Tensor, " features"]) -> dict[str, float]:
    """Return the score of each French word: its dot product with a row."""
    found = rows(FRENCH, FRENCH) @ row
    return dict(zip(FRENCH, found.tolist(), strict=True))


def best(row: Float[Tensor, " features"]) -> str:
    """Return the French word with the highest score."""
    found = scores(row)
    return max(found, key=found.__getitem__)
