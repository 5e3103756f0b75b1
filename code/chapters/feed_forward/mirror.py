"""Fetching and adding: two tasks on random symbols that need the same look.

Both look at the symbol at the mirrored position. "reverse" names it; "add" names its
sum with the symbol of the own position, modulo the number of symbols. Models with and
without a feed-forward network learn them; the trainings take minutes, so the chapter
reads their results from a file that `python -m chapters.feed_forward.mirror` writes.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.positions import widen_table
from chapters.laboratory.study import Study
from transformer.layers import (
    LearnedPositionalEmbedding,
    MultiHeadAttention,
    PositionwiseFeedForward,
    TokenEmbedding,
)
from transformer.models import count_parameters

SYMBOLS = 8
D_MODEL = 64
LENGTH = 10
# What follows the embeddings, by name.
MODELS: dict[str, dict] = {
    "attention": {"attentions": 1},
    "two attentions": {"attentions": 2},
    "attention + network": {"attentions": 1, "feed_forward": True},
    "fixed": {"attentions": 0},
    "fixed + network": {"attentions": 0, "feed_forward": True},
    # How the first fares when its sizes do not match.
    "attention, positions small": {"attentions": 1, "wide_positions": False},
}
VARIANTS = (
    "reverse, attention",
    "reverse, attention + network",
    *(f"add, {name}" for name in MODELS),
)


class FixedAttention(nn.Module):
    """Attention that always looks at the mirrored position, whatever stands there."""

    def __init__(self) -> None:
        super().__init__()
        self.value_projection = nn.Linear(D_MODEL, D_MODEL)

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch time d_model"]:
        """Return what the mirrored position has to give."""
        return self.value_projection(x).flip(1)


class SelfAttention(nn.Module):
    """Two heads that look wherever their scores tell them to."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(D_MODEL, 2)

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch time d_model"]:
        """Return what each position gathers."""
        return self.attention(x, x, x).values


class Mirror(nn.Module):
    """Embeddings, positions, layers that each add something, and an output.

    Args:
        attentions: Number of attention layers; with none, one that is fixed.
        feed_forward: Whether a feed-forward network of the usual width follows.
        wide_positions: Whether positions start at the size of the sinusoids, 0.7;
            else at the package's 0.02. Symbols start at 1.
    """

    def __init__(
        self,
        *,
        attentions: int,
        feed_forward: bool = False,
        wide_positions: bool = True,
    ) -> None:
        super().__init__()
        self.tokens = TokenEmbedding(SYMBOLS, D_MODEL, scale=True)
        self.position = LearnedPositionalEmbedding(D_MODEL, max_len=LENGTH)
        layers = [SelfAttention() for _ in range(attentions)] or [FixedAttention()]
        if feed_forward:
            layers.append(PositionwiseFeedForward(D_MODEL, 4 * D_MODEL))
        self.layers = nn.ModuleList(layers)
        self.output = nn.Linear(D_MODEL, SYMBOLS)
        if wide_positions:
            widen_table(self)

    def forward(
        self, tokens: Int[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time symbols"]:
        """Return a score for each symbol at each position."""
        x = self.position(self.tokens(tokens))  # (batch, time, d_model)
        for layer in self.layers:
            x = x + layer(x)
        return self.output(x)


def right_answers(task: str, tokens: Tensor) -> Tensor:
    """Return the right symbol for each position."""
    mirrored = tokens.flip(1)
    return mirrored if task == "reverse" else (tokens + mirrored) % SYMBOLS


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train on fresh rows, and answer new ones.

    Args:
        variant: A task and a key of `MODELS`, such as "add, attention".
        learning_rate: Of Adam, after the first 30 steps.
        steps: Training steps of 32 rows.
        seed: Seed of the parameters and of the rows.

    Returns:
        "validation", the loss on new rows, and of others the "loss" in nats and the
        share "right"; "parameters".
    """
    device = torch.get_default_device()
    task, _, name = variant.partition(", ")
    with same_numbers(seed):
        model = Mirror(**MODELS[name]).to(torch.float32)

        def draw_batch():
            tokens = torch.randint(SYMBOLS, (32, LENGTH))
            return (tokens,), right_answers(task, tokens)

        options = {"steps": steps, "learning_rate": learning_rate, "warm_up": 30}
        fit(model, draw_batch, **options, device=device)
        tokens = torch.randint(SYMBOLS, (512, LENGTH))
    answers = right_answers(task, tokens)
    with torch.no_grad():
        scores = model(tokens.to(device)).double().cpu()
    losses = F.cross_entropy(scores.mT, answers, reduction="none").mean(dim=1)
    test = slice(256, None)
    return {
        "validation": losses[:256].mean().item(),
        "loss": losses[test].mean().item(),
        "right": (scores[test].argmax(dim=-1) == answers[test]).double().mean().item(),
        "parameters": count_parameters(model),
    }


STUDY = Study(
    "feed_forward",
    "mirror",
    train=measured,
    variants=VARIANTS,
    budgets=(100, 400, 800, 2000),
)


if __name__ == "__main__":
    STUDY.run()
