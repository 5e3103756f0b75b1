"""Models that are tables: the next token depends on the last one alone."""

from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer

AFTER = {  # how "I am" may go on: the best first step is not the best text
    "I am": {"a": 0.5, "very": 0.3, "so": 0.2},
    "a": {"dog": 0.3, "cat": 0.2, "hare": 0.2, "king": 0.2, "fool": 0.1},
    "very": {"tired": 0.8, "late": 0.2},
    "so": {"tired": 0.5, "late": 0.5},
}
WORDS = tuple(dict.fromkeys((*AFTER, *(w for row in AFTER.values() for w in row))))


class Table(DecoderOnlyTransformer):
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
    """Return `AFTER` as a matrix over `WORDS`; a last word comes again and again.

    Args:
        after: For each word the probabilities of those after it.
    """
    rows = [
        [after.get(word, {word: 1.0}).get(other, 0.0) for other in WORDS]
        for word in WORDS
    ]
    return torch.tensor(rows)
