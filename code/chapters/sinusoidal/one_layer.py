"""What position information is good for: three tasks on random symbols.

"look back" names the symbol three positions earlier, under a causal mask;
"reverse" names the symbol at the mirrored position; "smallest" names the smallest
symbol of the sequence, for which order does not matter. What is added to the tokens,
which start with vectors of size 1, starts at the size of the sinusoids.
"""

from math import isfinite
from statistics import mean

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.positions import widen_table
from chapters.laboratory.study import Study
from transformer.data import IGNORED
from transformer.layers import (
    LearnedPositionalEmbedding,
    MultiHeadAttention,
    PositionalEncoding,
    TokenEmbedding,
    causal_mask,
    sinusoidal_table,
)

SYMBOLS = 16
D_MODEL = 64
BACK = 3
FIRST_ASKED = {"look back": BACK, "reverse": 0, "smallest": 0}
LENGTHS = {"look back": 32, "reverse": 10, "smallest": 10}
BATCHES = {"look back": 16, "reverse": 32, "smallest": 32}
TEST_LENGTHS = LENGTHS | {"look back": 96}
# By name the task and how positions are told apart.
VARIANTS = {
    "reverse, sinusoids": ("reverse", "sinusoidal"),
    "reverse, no positions": ("reverse", "none"),
    "smallest, sinusoids": ("smallest", "sinusoidal"),
    "smallest, no positions": ("smallest", "none"),
    "look back, sinusoids": ("look back", "sinusoidal"),
    "look back, learned": ("look back", "learned"),
    "look back, no positions": ("look back", "none"),
    "look back, fast hands": ("look back", "fast"),
}
FAST = 4.0  # the base with which every hand goes around within 25 positions


class FastHands(nn.Module):
    """Add sinusoids of which none is slow."""

    def __init__(self, max_len: int):
        super().__init__()
        table = sinusoidal_table(max_len, D_MODEL, base=FAST).float()
        self.register_buffer("table", table, persistent=False)

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch time d_model"]:
        """Encode `x` as the positions from 0 on."""
        return x + self.table[: x.size(1)]


POSITIONS = {
    "sinusoidal": lambda: PositionalEncoding(D_MODEL, max_len=128),
    "fast": lambda: FastHands(128),
    "learned": lambda: LearnedPositionalEmbedding(D_MODEL, max_len=128),
    "none": nn.Identity,
}


class OneLayer(nn.Module):
    """Embeddings, positions, one attention layer with a residual, and an output."""

    def __init__(self, position: str, *, causal: bool):
        super().__init__()
        self.tokens = TokenEmbedding(SYMBOLS, D_MODEL, scale=True)
        self.position = POSITIONS[position]()
        widen_table(self)
        self.attention = MultiHeadAttention(D_MODEL, 2)
        self.output = nn.Linear(D_MODEL, SYMBOLS)
        self.causal = causal

    def forward(
        self, tokens: Int[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time symbols"]:
        """Return a score for each symbol at each position."""
        x = self.position(self.tokens(tokens))  # (batch, time, d_model)
        mask = causal_mask(tokens.size(1), device=x.device) if self.causal else None
        return self.output(x + self.attention(x, x, x, mask=mask).values)


def right_answers(task: str, tokens: Tensor) -> Tensor:
    """Return the right symbol for each position; `IGNORED` where there is none."""
    if task == "reverse":
        return tokens.flip(1)
    if task == "smallest":
        return tokens.amin(dim=1, keepdim=True).expand_as(tokens)
    answers = tokens.roll(BACK, dims=1)
    answers[:, :BACK] = IGNORED
    return answers


def draw_sequences(length: int) -> Tensor:
    """Draw 128 sequences of random symbols."""
    return torch.randint(SYMBOLS, (128, length))


def accuracy_of_frequency_rule(task: str, *, seed: int = 0) -> list[float]:
    """Return the accuracy of a rule that knows no positions, by position.

    The rule names the symbol that occurs most often among the other symbols that the
    position can see; of several, the smallest.

    Args:
        task: "look back", "reverse" or "smallest".
        seed: Seed of the test sequences.

    Returns:
        One share for each position; NaN where the task asks nothing.
    """
    with same_numbers(seed):
        tokens = draw_sequences(TEST_LENGTHS[task])
    one_hot = F.one_hot(tokens, SYMBOLS)
    seen = one_hot.cumsum(dim=1) if task == "look back" else one_hot.sum(1, True)
    guesses = (seen - one_hot).argmax(dim=-1)
    return share_right(guesses, right_answers(task, tokens))


def share_right(guesses: Tensor, answers: Tensor) -> list[float]:
    """Return the share of right guesses at each position, NaN where none is asked."""
    right = (guesses == answers).double()
    return right.masked_fill(answers == IGNORED, torch.nan).mean(dim=0).tolist()


def train(
    task: str, position: str, *, seed: int, steps: int, learning_rate: float
) -> tuple[OneLayer, Tensor, Tensor]:
    """Train one layer on a task.

    Args:
        task: "look back", "reverse" or "smallest".
        position: "sinusoidal", "fast", "learned" or "none".
        seed: Seed of the parameters and of the data.
        steps: Training steps of 16, 32 and 32 sequences.
        learning_rate: Learning rate of Adam after 30 steps of warm-up.

    Returns:
        The model, sequences of the trained length to choose a rate by, and sequences
        to test with.
    """
    with same_numbers(seed):
        model = OneLayer(position, causal=task == "look back")

        def draw_batch():
            tokens = torch.randint(SYMBOLS, (BATCHES[task], LENGTHS[task]))
            return (tokens,), right_answers(task, tokens)

        options = {"steps": steps, "learning_rate": learning_rate, "warm_up": 30}
        fit(model, draw_batch, **options, device=torch.get_default_device())
        return model, *map(draw_sequences, (LENGTHS[task], TEST_LENGTHS[task]))


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one layer and ask it for each position of the test sequences.

    Returns:
        "validation", the loss that chooses the rate; "shares" of right answers, for
        each position that is asked; "seen", their mean over the trained positions,
        and "later", that over the others, if there are any.
    """
    task, position = VARIANTS[variant]
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    model, chooses, tests = train(task, position, **options)
    device = torch.get_default_device()
    with torch.no_grad():
        logits, answers = (model(x.to(device)).cpu() for x in (chooses, tests))
    wanted = right_answers(task, chooses).flatten()
    validation = F.cross_entropy(
        logits.flatten(end_dim=-2), wanted, ignore_index=IGNORED
    ).item()
    if not isfinite(validation):
        return {"validation": validation}
    shares = share_right(answers.argmax(dim=-1), right_answers(task, tests))
    asked, trained = FIRST_ASKED[task], LENGTHS[task]
    row = {"seen": mean(shares[asked:trained]), "shares": shares[asked:]}
    later = shares[trained:]
    return {"validation": validation} | row | ({"later": mean(later)} if later else {})


STUDY = Study(
    "sinusoidal",
    "one_layer",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
    budgets=(150, 600),
    seeds=(0, 1, 2, 3, 4),
)


if __name__ == "__main__":
    STUDY.run()
