"""How many pairs of keys and values a memory of some width holds, by four rules.

The trainings take minutes; `python -m chapters.without_softmax.widths` writes their
file.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.study import Study
from transformer.layers.linear_attention import masked_linear_attention

PAIRS, VOCAB = 32, 64
DELTA = {"delta rule": 1.0, "delta rule at 0.1": 0.1}  # with how much of the difference
RULES = ("sum", "delta rule", "softmax")
WIDTHS = (8, 16, 32, 64)
GENTLE = "delta rule at 0.1, 16"  # at the width where rate 1 costs the most
TESTED = 2048  # fresh sequences, each with one question


class LookUp(nn.Module):
    """A memory of pairs that is asked for one, without anything around it.

    Each key has a vector to be written under and one to ask with, each value a vector
    to be written, all of `width` numbers and all learned.
    """

    def __init__(self, rule: str, width: int):
        super().__init__()
        self.rule = rule
        self.queries, self.keys, self.values = (
            nn.Embedding(VOCAB, width) for _ in range(3)
        )
        self.output = nn.Linear(width, VOCAB)

    def forward(
        self,
        keys: Int[Tensor, "batch pairs"],
        values: Int[Tensor, "batch pairs"],
        asked: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch vocab"]:
        """Return a score for each possible value of the key that is asked for."""
        query = self.queries(asked)[:, None]  # (batch, 1, width)
        found = self.read(query, self.keys(keys), self.values(values))
        return self.output(found[:, 0])

    def read(
        self,
        query: Float[Tensor, "batch 1 width"],
        key: Float[Tensor, "batch pairs width"],
        value: Float[Tensor, "batch pairs width"],
    ) -> Float[Tensor, "batch 1 width"]:
        """Return what the query finds in a memory of all pairs."""
        if self.rule == "softmax":
            return F.scaled_dot_product_attention(query, key, value)
        rate = None
        if self.rule in DELTA:
            query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
            rate = key.new_full(key.shape[:2], DELTA[self.rule])[:, None]
        else:
            query = query / query.size(-1)
        key, value = key[:, None], value[:, None]  # one head
        memory = masked_linear_attention(key, key, value, rate=rate).state
        return query @ memory[:, 0]


def draw_pairs(count: int) -> tuple[tuple[Tensor, ...], Tensor]:
    """Draw sequences of pairs with distinct keys, a question each, and its answer."""
    keys = torch.rand(count, VOCAB).argsort(dim=1)[:, :PAIRS]
    values = torch.randint(VOCAB, (count, PAIRS))
    asked, rows = torch.randint(PAIRS, (count,)), torch.arange(count)
    return (keys, values, keys[rows, asked]), values[rows, asked]


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one memory on fresh pairs, then ask it for others.

    Returns:
        The loss on fresh pairs that chooses the rate ("validation"), and on others the
        loss ("loss") and the share of right answers ("right").
    """
    rule, width = variant.rsplit(", ", 1)
    with same_numbers(seed):
        model = LookUp(rule, int(width)).to(torch.float32)
        fit(model, lambda: draw_pairs(64), steps=steps, learning_rate=learning_rate)
        with torch.no_grad():
            (chooses, _), (loss, right) = (
                _score(model(*inputs), answers)
                for inputs, answers in (draw_pairs(TESTED), draw_pairs(TESTED))
            )
    # Below a hundredth of a nat all is found, and the boldest rate would win by chance.
    return {"validation": round(chooses, 2), "loss": loss, "right": right}


def _score(scores: Tensor, answers: Tensor) -> tuple[float, float]:
    """Return the loss in nats, and the share of right answers."""
    right = (scores.argmax(dim=-1) == answers).double().mean()
    return F.cross_entropy(scores, answers).item(), right.item()


STUDY = Study(
    "without_softmax",
    "widths",
    train=measured,
    variants=(*(f"{rule}, {width}" for rule in RULES for width in WIDTHS), GENTLE),
    rates=(3e-3, 1e-2, 3e-2),
    budgets=(250, 1000),
)


if __name__ == "__main__":
    STUDY.run()
