"""Models that are tables: the next token depends on the last one alone."""

from collections.abc import Iterable, Mapping

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer

END = "."  # the end token
AFTER = {  # how "Alice" may go on: the best first step is not the best text
    "Alice": {"saw": 0.5, "was": 0.3, "slept": 0.2},
    "saw": {"a": 0.7, "the": 0.3},
    "a": {"rabbit": 0.4, "cat": 0.24, "king": 0.18, "dog": 0.12, "fool": 0.06},
    "the": {"queen": 0.6, "duke": 0.4},
    "was": {"very": 0.9, "late": 0.1},
    "very": {"tired": 0.7, "small": 0.3},
}
WORDS = (*dict.fromkeys((*AFTER, *(w for row in AFTER.values() for w in row))), END)


class TableModel(DecoderOnlyTransformer):
    """A language model of the package that looks its logits up in a table.

    Args:
        probabilities: A row for each token, the probabilities of those after it.
    """

    def __init__(self, probabilities: Float[Tensor, "vocab vocab"]) -> None:
        super().__init__(
            TransformerConfig(
                vocab_size=len(probabilities),
                num_encoder_layers=0,
                num_decoder_layers=1,
                max_len=8,
                d_model=4,
                d_ff=4,
                num_heads=1,
            )
        )
        self.table, self.head = probabilities.log(), nn.Identity()

    def hidden_states(
        self, tokens: Tensor, *, mask: Tensor | None = None, cache: object = None
    ) -> Tensor:
        """Return the logarithms of what comes after each token."""
        return self.table[tokens]


def as_matrix(after: Mapping[str, Mapping[str, float]]) -> Tensor:
    """Return `AFTER` as a matrix over `WORDS`; after a last word comes the end.

    Args:
        after: For each word the probabilities of those after it.
    """
    rows = [
        [after.get(word, {END: 1.0}).get(other, 0.0) for other in WORDS]
        for word in WORDS
    ]
    return torch.tensor(rows)


def as_words(tokens: Iterable[int]) -> str:
    """Return a text in words, without the end.

    Args:
        tokens: Places in `WORDS`.
    """
    words = [WORDS[token] for token in tokens]
    return " ".join(words[: words.index(END)] if END in words else words)
