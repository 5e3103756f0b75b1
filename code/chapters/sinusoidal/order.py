"""What position information is good for: three tasks on random symbols.

"look back" names the symbol three positions earlier, under a causal mask;
"reverse" names the symbol at the mirrored position; "smallest" names the smallest
symbol of the sequence, for which order does not matter.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from transformer.data import IGNORED
from transformer.layers import (
    LearnedPositionalEmbedding,
    MultiHeadAttention,
    PositionalEncoding,
    TokenEmbedding,
    causal_mask,
)

SYMBOLS = 16
D_MODEL = 64
BACK = 3
LENGTHS = {"look back": 32, "reverse": 10, "smallest": 10}
BATCHES = {"look back": 16, "reverse": 32, "smallest": 32}
POSITIONS = {
    "sinusoidal": lambda: PositionalEncoding(D_MODEL, max_len=128),
    "learned": lambda: LearnedPositionalEmbedding(D_MODEL, max_len=128),
    "none": nn.Identity,
}


class OneLayer(nn.Module):
    """Embeddings, positions, one attention layer with a residual, and an output."""

    def __init__(self, position: str, *, causal: bool):
        super().__init__()
        self.tokens = TokenEmbedding(SYMBOLS, D_MODEL, scale=True)
        self.position = POSITIONS[position]()
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


def draw_sequences(task: str, test_length: int | None) -> Tensor:
    """Draw 128 sequences, of the training length when no other is given."""
    return torch.randint(SYMBOLS, (128, test_length or LENGTHS[task]))


def accuracy_of_frequency_rule(
    task: str, *, test_length: int | None = None, seed: int = 0
) -> list[float]:
    """Return the accuracy of a rule that knows no positions, by position.

    The rule names the symbol that occurs most often among the other symbols that the
    position can see; of several, the smallest.

    Args:
        task: "look back", "reverse" or "smallest".
        test_length: As in `accuracy_by_position`.
        seed: Seed of the test sequences.

    Returns:
        One share for each position; NaN where the task asks nothing.
    """
    with same_numbers(seed):
        tokens = draw_sequences(task, test_length)
    one_hot = F.one_hot(tokens, SYMBOLS)
    seen = one_hot.cumsum(dim=1) if task == "look back" else one_hot.sum(1, True)
    guesses = (seen - one_hot).argmax(dim=-1)
    return share_right(guesses, right_answers(task, tokens))


def share_right(guesses: Tensor, answers: Tensor) -> list[float]:
    """Return the share of right guesses at each position, NaN where none is asked."""
    right = (guesses == answers).double()
    return right.masked_fill(answers == IGNORED, torch.nan).mean(dim=0).tolist()


def accuracy_by_position(
    task: str,
    position: str,
    *,
    seed: int,
    test_length: int | None = None,
    steps: int = 150,
) -> list[float]:
    """Train one layer on a task and return the share of right answers by position.

    Args:
        task: "look back", "reverse" or "smallest".
        position: "sinusoidal", "learned" or "none".
        seed: Seed of the parameters and of the data.
        test_length: Length of the 128 test sequences; the training length (32, 10
            and 10 symbols) when not given.
        steps: Training steps of 16, 32 and 32 sequences.

    Returns:
        One share for each position; NaN where the task asks nothing.
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = OneLayer(position, causal=task == "look back")

        def draw_batch():
            tokens = torch.randint(SYMBOLS, (BATCHES[task], LENGTHS[task]))
            return (tokens,), right_answers(task, tokens)

        options = {"steps": steps, "learning_rate": 1e-2, "warm_up": 30}
        fit(model, draw_batch, **options, device=device)
        tokens = draw_sequences(task, test_length)
    with torch.no_grad():
        guesses = model(tokens.to(device)).argmax(dim=-1).cpu()
    return share_right(guesses, right_answers(task, tokens))
