"""Two look-ups at once: what a layer with one head answers, and with two."""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.study import Study
from transformer.data import IGNORED
from transformer.layers import (
    LearnedPositionalEmbedding,
    MultiHeadAttention,
    TokenEmbedding,
    causal_mask,
)

SYMBOLS, LENGTH, D_MODEL = 16, 12, 32
BACK = (1, 3)  # how far back the two symbols stand that are asked for
HIDDEN = 128  # units of the network that may read the output, four times its width
# By name the number of heads, whether symbols and positions are mixed, and whether a
# network reads what comes out.
VARIANTS: Mapping[str, tuple[int, bool, bool]] = {
    "apart, 1 head": (1, False, False),
    "apart, 2 heads": (2, False, False),
    "mixed, 1 head": (1, True, False),
    "mixed, 2 heads": (2, True, False),
    "apart, 1 head, network": (1, False, True),
}


class TwoLookUps(nn.Module):
    """One attention layer that names two earlier symbols at each position.

    Args:
        num_heads: Number of heads.
        mixed: Whether symbol and position are added before all three projections;
            if not, positions make queries and keys, and symbols make the values.
        network: Whether hidden units read the output; if not, a linear map does.
    """

    def __init__(self, num_heads: int, *, mixed: bool, network: bool = False):
        super().__init__()
        self.tokens = TokenEmbedding(SYMBOLS, D_MODEL, scale=True)
        self.positions = LearnedPositionalEmbedding(D_MODEL, max_len=LENGTH)
        self.attention = MultiHeadAttention(D_MODEL, num_heads)
        answers = len(BACK) * SYMBOLS
        self.output = (
            nn.Sequential(
                nn.Linear(D_MODEL, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, answers)
            )
            if network
            else nn.Linear(D_MODEL, answers)
        )
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


def train_look_ups(
    num_heads: int,
    *,
    mixed: bool,
    network: bool = False,
    seed: int,
    steps: int,
    learning_rate: float,
) -> tuple[TwoLookUps, Tensor, Tensor]:
    """Train a layer on fresh sequences of 32 a step, by Adam.

    Args:
        num_heads: Number of heads.
        mixed: As in `TwoLookUps`.
        network: As in `TwoLookUps`.
        seed: Seed of the parameters and of the data.
        steps: Training steps.
        learning_rate: Learning rate after 30 steps of warm-up.

    Returns:
        The layer, and 1,024 new sequences each to choose the rate and to test with.
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = TwoLookUps(num_heads, mixed=mixed, network=network).to(torch.float32)

        def draw_batch():
            tokens = torch.randint(SYMBOLS, (32, LENGTH))
            return (tokens,), right_answers(tokens)

        options = {"steps": steps, "learning_rate": learning_rate, "warm_up": 30}
        fit(model, draw_batch, **options, device=device)
        chooses, tests = torch.randint(SYMBOLS, (2, 1024, LENGTH)).to(device)
    return model.eval(), chooses, tests


@torch.no_grad()
def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train a layer, and tell how it answers and where it looks.

    Returns:
        "validation", the cross-entropy in nats on new sequences; on others "near" and
        "far", the shares of right answers one and three back, and "both", the smaller
        of the two; and for each head the mean weight on these places ("weights").
    """
    num_heads, mixed, network = VARIANTS[variant]
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    options |= {"mixed": mixed, "network": network}
    with torch.enable_grad():
        model, chooses, tests = train_look_ups(num_heads, **options)
    near, far = accuracy(model, tests)
    scores = model(chooses).flatten(end_dim=-2)
    answers = right_answers(chooses).flatten()
    return {
        "validation": F.cross_entropy(scores, answers, ignore_index=IGNORED).item(),
        "near": near,
        "far": far,
        "both": min(near, far),
        "weights": mean_weights(model, tests[:64]),
    }


def accuracy(model: TwoLookUps, tokens: Int[Tensor, "batch time"]) -> list[float]:
    """Return the shares of right answers to the two questions."""
    right = model(tokens).argmax(dim=-1) == right_answers(tokens)
    return right[:, max(BACK) :].double().mean(dim=(0, 1)).tolist()


def mean_weights(
    model: TwoLookUps, tokens: Int[Tensor, "batch time"]
) -> list[list[float]]:
    """Return for each head its mean weights on the two places that are asked for."""
    weights = model.attend(tokens, need_weights=True).weights.mean(dim=0)
    first = max(BACK)  # position that has both symbols
    places = [weights.diagonal(-back, 1, 2)[:, first - back :] for back in BACK]
    return torch.stack(places, dim=-1).double().mean(dim=1).tolist()


STUDY = Study(
    "multi_head_attention",
    "look_ups",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
    budgets=(300, 2400),
    seeds=(0, 1, 2, 3, 4),
)


if __name__ == "__main__":
    STUDY.run()
