"""Associative recall: find the value that was stored with a key.

With the scale factor of attention and without it; the trainings of the study take
minutes, and `python -m chapters.self_attention.recall` writes their file.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.study import Study
from transformer.layers import MultiHeadAttention, TokenEmbedding

D_HEAD = 64
LAST = 50  # losses that are averaged
# The factor on the scores, and what the start of the query projection is times.
VARIANTS = {
    "factor": (D_HEAD**-0.5, 1.0),
    "no factor": (1.0, 1.0),
    "no factor, small queries": (1.0, D_HEAD**-0.5),
}


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
    queries: float = 1.0,
    learning_rate: float = 1e-3,
    steps: int = 150,
    batch: int = 64,
    pairs: int = 16,
    vocab_size: int = 32,
    d_model: int = 64,
    dtype: torch.dtype = torch.float32,
) -> list[float]:
    """Train on fresh random pairs and return the loss of each step.

    Each sequence holds `pairs` pairs with distinct keys; the model is asked for the
    value of one of them. Guessing costs log(vocab_size) nats.

    Args:
        d_head: Size of the single head.
        scale: Factor on the scores.
        seed: Seed of the parameters and of the data.
        queries: What the start of the query projection is multiplied by.
        learning_rate: Of Adam.
        steps: Number of training steps.
        batch: Sequences in a step.
        pairs: Pairs in a sequence.
        vocab_size: Number of different keys, and of different values.
        d_model: Size of the embeddings.
        dtype: Of the parameters, which are drawn in float32.

    Returns:
        The cross-entropy of each step in nats.
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = RecallModel(vocab_size, d_model, d_head, scale)
        with torch.no_grad():
            model.to(dtype).attention.query_projection.weight *= queries
        rows = torch.arange(batch)

        def draw_batch():
            keys = torch.rand(batch, vocab_size).argsort(dim=1)[:, :pairs]
            values = torch.randint(vocab_size, (batch, pairs))
            asked = torch.randint(pairs, (batch,))
            return (keys, values, keys[rows, asked]), values[rows, asked]

        options = {"steps": steps, "learning_rate": learning_rate}
        return fit(model, draw_batch, **options, device=device)


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one head; its batches are all fresh, so each loss is that of new data.

    Returns:
        Of the last 50 steps the mean loss of every other one, which chooses the rate
        ("validation"), and of those between ("loss").
    """
    scale, queries = VARIANTS[variant]
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    losses = train_recall(d_head=D_HEAD, scale=scale, queries=queries, **options)
    chooses, tests = losses[-LAST::2], losses[1 - LAST :: 2]
    return {
        name: sum(part) / len(part)
        for name, part in (("validation", chooses), ("loss", tests))
    }


STUDY = Study(
    "self_attention",
    "recall",
    train=measured,
    variants=tuple(VARIANTS),
    budgets=(150, 600),
    seeds=(0, 1, 2, 3, 4),
)


def best_curves(variant: str, *, seeds: Sequence[int]) -> list[list[float]]:
    """Train a variant of the study again, in float64; return the losses of each seed.

    Rounding grows in a training, and in float32 the curves of two processors part.

    Args:
        variant: Its name; it trains with its best rate, for the smaller budget.
        seeds: One training each.
    """
    steps, (scale, queries) = min(STUDY.trained_steps), VARIANTS[variant]
    options = {"scale": scale, "queries": queries, "steps": steps}
    options["learning_rate"] = STUDY.best_rate(variant, steps)
    options["dtype"] = torch.float64
    return [train_recall(d_head=D_HEAD, seed=seed, **options) for seed in seeds]


if __name__ == "__main__":
    STUDY.run()
