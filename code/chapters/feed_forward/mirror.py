"""Fetching and working: two tasks on random symbols that need the same look.

Both look at the symbol at the mirrored position. "reverse" names it; "add" names its
sum with the symbol of the own position, modulo the number of symbols.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from transformer.layers import (
    LearnedPositionalEmbedding,
    MultiHeadAttention,
    PositionwiseFeedForward,
    TokenEmbedding,
)

SYMBOLS = 8
D_MODEL = 64
LENGTH = 10


class Mirror(nn.Module):
    """Embeddings, positions, attention, perhaps a feed-forward network, an output.

    Args:
        feed_forward: Whether there is a feed-forward network of the usual width.
    """

    def __init__(self, *, feed_forward: bool):
        super().__init__()
        self.tokens = TokenEmbedding(SYMBOLS, D_MODEL, scale=True)
        self.position = LearnedPositionalEmbedding(D_MODEL, max_len=LENGTH)
        self.attention = MultiHeadAttention(D_MODEL, 2)
        self.feed_forward = (
            PositionwiseFeedForward(D_MODEL, 4 * D_MODEL) if feed_forward else None
        )
        self.output = nn.Linear(D_MODEL, SYMBOLS)

    def forward(
        self, tokens: Int[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time symbols"]:
        """Return a score for each symbol at each position."""
        x = self.position(self.tokens(tokens))  # (batch, time, d_model)
        x = x + self.attention(x, x, x).values
        if self.feed_forward is not None:
            x = x + self.feed_forward(x)
        return self.output(x)


def right_answers(task: str, tokens: Tensor) -> Tensor:
    """Return the right symbol for each position."""
    mirrored = tokens.flip(1)
    return mirrored if task == "reverse" else (tokens + mirrored) % SYMBOLS


def share_of_right_symbols(
    task: str, *, feed_forward: bool, seed: int, steps: int = 400
) -> float:
    """Train on fresh rows and return the share of right symbols in new ones.

    Args:
        task: "reverse" or "add".
        feed_forward: Whether the model has a feed-forward network.
        seed: Seed of the parameters and of the rows.
        steps: Training steps of 32 rows (Adam, learning rate 0.003).
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = Mirror(feed_forward=feed_forward)

        def draw_batch():
            tokens = torch.randint(SYMBOLS, (32, LENGTH))
            return (tokens,), right_answers(task, tokens)

        options = {"steps": steps, "learning_rate": 3e-3, "warm_up": 30}
        fit(model, draw_batch, **options, device=device)
        tokens = torch.randint(SYMBOLS, (256, LENGTH))
    with torch.no_grad():
        guesses = model(tokens.to(device)).argmax(dim=-1).cpu()
    return (guesses == right_answers(task, tokens)).double().mean().item()
