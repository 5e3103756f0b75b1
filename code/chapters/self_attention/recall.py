"""Associative recall: find the value that was stored with a key."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from transformer.layers import MultiHeadAttention, TokenEmbedding


class RecallModel(nn.Module):
    """One attention head that looks a key up among pairs of keys and values."""

    def __init__(self, vocab_size: int, d_model: int, d_head: int, scale: float):
        super().__init__()
        self.keys = TokenEmbedding(vocab_size, d_model, scale=True)
        self.values = TokenEmbedding(vocab_size, d_model, scale=True)
        self.attention = MultiHeadAttention(d_model, 1, d_head=d_head, scale=scale)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(
        self,
        keys: Int[Tensor, "batch pairs"],
        values: Int[Tensor, "batch pairs"],
        asked: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch vocab"]:
        """Return a score for each possible value of the key that is asked for."""
        memory = self.keys(keys) + self.values(values)  # (batch, pairs, d_model)
        query = self.keys(asked[:, None])  # (batch, 1, d_model)
        found = self.attention(query, memory, memory).values  # (batch, 1, d_model)
        return self.output(found[:, 0])


def train_recall(
    *,
    d_head: int,
    scale: float,
    seed: int,
    steps: int = 150,
    batch: int = 64,
    pairs: int = 16,
    vocab_size: int = 32,
    d_model: int = 64,
) -> list[float]:
    """Train on fresh random pairs and return the loss of each step.

    Each sequence holds `pairs` pairs with distinct keys; the model is asked for the
    value of one of them. Guessing costs log(vocab_size) nats.

    Args:
        d_head: Size of the single head.
        scale: Factor on the scores.
        seed: Seed of the parameters and of the data.
        steps: Number of training steps (Adam, learning rate 0.001).
        batch: Sequences in a step.
        pairs: Pairs in a sequence.
        vocab_size: Number of different keys, and of different values.
        d_model: Size of the embeddings.

    Returns:
        The cross-entropy of each step in nats.
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = RecallModel(vocab_size, d_model, d_head, scale)
        rows = torch.arange(batch)

        def draw_batch():
            keys = torch.rand(batch, vocab_size).argsort(dim=1)[:, :pairs]
            values = torch.randint(vocab_size, (batch, pairs))
            asked = torch.randint(pairs, (batch,))
            return (keys, values, keys[rows, asked]), values[rows, asked]

        return fit(model, draw_batch, steps=steps, learning_rate=1e-3, device=device)
