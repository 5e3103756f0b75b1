"""Heads and masks: two look-ups at once, the number of heads, and missing masks."""

from itertools import product

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.language_model import nats, train_language_model
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.reversal import train_reversal
from transformer.data import IGNORED
from transformer.layers import (
    LearnedPositionalEmbedding,
    MultiHeadAttention,
    TokenEmbedding,
    causal_mask,
)

MEASUREMENTS = Measurements("multi_head_attention")
SYMBOLS, LENGTH, D_MODEL = 16, 12, 32
BACK = (1, 3)  # how far back the two symbols stand that are asked for
SEEDS = (0, 1, 2)


class TwoLookUps(nn.Module):
    """One attention layer that names two earlier symbols at each position.

    Args:
        num_heads: Number of heads.
        mixed: Whether symbol and position are added before all three projections;
            if not, positions make queries and keys, and symbols make the values.
    """

    def __init__(self, num_heads: int, *, mixed: bool):
        super().__init__()
        self.tokens = TokenEmbedding(SYMBOLS, D_MODEL, scale=True)
        self.positions = LearnedPositionalEmbedding(D_MODEL, max_len=LENGTH)
        self.attention = MultiHeadAttention(D_MODEL, num_heads)
        self.output = nn.Linear(D_MODEL, len(BACK) * SYMBOLS)
        self.mixed = mixed

    def attend(self, tokens: Int[Tensor, "batch time"], *, need_weights: bool):
        """Return what the attention layer returns."""
        x = self.tokens(tokens)  # (batch, time, d_model)
        places = self.positions(torch.zeros_like(x))
        asked, told = (x + places, x + places) if self.mixed else (places, x)
        mask = causal_mask(tokens.size(1), device=x.device)
        return self.attention(asked, asked, told, mask=mask, need_weights=need_weights)

    def forward(
        self, tokens: Int[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time questions symbols"]:
        """Return a score for each symbol, position and question."""
        found = self.output(self.attend(tokens, need_weights=False).values)
        return found.unflatten(-1, (len(BACK), SYMBOLS))


def right_answers(tokens: Tensor) -> Tensor:
    """Return the two right symbols of each position, where there are both."""
    answers = torch.stack([tokens.roll(back, dims=1) for back in BACK], dim=-1)
    answers[:, : max(BACK)] = IGNORED
    return answers  # (batch, time, questions)


def train_look_ups(num_heads: int, *, mixed: bool, seed: int, steps: int = 600) -> dict:
    """Train a layer on fresh sequences and tell how it answers and where it looks.

    Args:
        num_heads: Number of heads.
        mixed: As in `TwoLookUps`.
        seed: Seed of the parameters and of the data.
        steps: Training steps of 32 sequences (Adam, learning rate 0.01).

    Returns:
        "accuracy" of the two questions on new sequences, "loss", the mean loss of
        the last 50 steps in nats, and for each head the mean weight on the two places
        that are asked for ("weights").
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = TwoLookUps(num_heads, mixed=mixed).to(torch.float32)

        def draw_batch():
            tokens = torch.randint(SYMBOLS, (32, LENGTH))
            return (tokens,), right_answers(tokens)

        options = {"steps": steps, "learning_rate": 1e-2, "warm_up": 30}
        losses = fit(model, draw_batch, **options, device=device)
        tokens = torch.randint(SYMBOLS, (1024, LENGTH)).to(device)
    with torch.no_grad():
        right = model(tokens).argmax(dim=-1) == right_answers(tokens)
        weights = model.attend(tokens[:64], need_weights=True).weights.mean(dim=0)
    first = max(BACK)  # position that has both symbols
    places = [weights.diagonal(-back, 1, 2)[:, first - back :] for back in BACK]
    return {
        "accuracy": right[:, first:].double().mean(dim=(0, 1)).tolist(),
        "loss": sum(losses[-50:]) / 50,
        "weights": torch.stack(places, dim=-1).double().mean(dim=1).tolist(),
    }


def measured(*, kind: str, seed: int, **settings: object) -> dict:
    """Return one training of a kind: (long) "look-ups", "language" or "masks"."""
    if kind == "look-ups":
        return train_look_ups(seed=seed, **settings)
    if kind == "long look-ups":
        return train_look_ups(seed=seed, steps=1500, **settings)
    if kind == "masks":
        return train_reversal(seed=seed, **settings)
    model = train_language_model(seed=seed, steps=300, **settings).model
    return {"nats": nats(model)}


def grid() -> list[dict]:
    """Return the settings of every training that the file holds."""
    look_ups = [
        {"kind": "look-ups", "num_heads": heads, "mixed": mixed, "seed": seed}
        for mixed, heads, seed in product((False, True), (1, 2), SEEDS)
    ]
    language = [
        {"kind": "language", "num_heads": heads, "seed": seed}
        for heads, seed in product((1, 2, 4, 8, 16), SEEDS)
    ]
    masks = [
        {"kind": "masks", "missing": missing, "seed": seed}
        for missing, seed in product(("none", "causal", "padding"), SEEDS)
    ]
    long = [
        {"kind": "long look-ups", "num_heads": 1, "mixed": True, "seed": seed}
        for seed in SEEDS
    ]
    return look_ups + masks + language + long


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, grid()))
