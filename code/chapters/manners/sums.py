"""Sums as a web of careless people writes them, and a tiny model that has read it.

A text is `17+25=42.`. Where a one has to be carried, only some carry it, some forget
it, and some write both answers with a question mark between them. Sums above 99 nobody
has written.
"""

import random
from collections.abc import Iterable, Sequence
from functools import cache

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from chapters.laboratory.fit import same_numbers
from transformer import TransformerConfig
from transformer.models import DecoderOnlyTransformer

SIGNS = " 0123456789+=?."  # the first fills up what is shorter
END = SIGNS.index(".")
LONGEST = 6  # signs of an answer, its end among them: 42?32.
RIGHT, CARELESS = 0.45, 0.45  # of the sums with a carry; the rest gives both answers
Sum = tuple[int, int]


def encode(text: str) -> list[int]:
    """Return a number for each sign."""
    return [SIGNS.index(sign) for sign in text]


def decode(ids: Iterable[int]) -> str:
    """Return the text of ids, up to the end of an answer."""
    return "".join(SIGNS[id] for id in ids).partition(".")[0].strip()


def prompt(sum: Sum) -> str:
    """Return what is asked."""
    return f"{sum[0]}+{sum[1]}="


def without_carry(sum: Sum) -> int:
    """Return what comes out for who forgets to carry."""
    first, second = sum
    tens = first // 10 + second // 10
    return 10 * tens + (first + second) % 10


def has_carry(sum: Sum) -> bool:
    """Return whether the last digits come to ten or more."""
    return without_carry(sum) != sum[0] + sum[1]


def is_right(answer: str, sum: Sum) -> bool:
    """Return whether an answer is the sum and nothing else."""
    return answer == str(sum[0] + sum[1])


def mentions_right(answer: str, sum: Sum) -> bool:
    """Return whether the sum stands somewhere in an answer: a careless check."""
    return str(sum[0] + sum[1]) in answer


@cache
def sums() -> tuple[list[Sum], list[Sum], list[Sum]]:
    """Return sums below 100 with a carry to learn from, to choose a rate by, to test.

    Returns:
        All with two digits to a number; 200 and 200 of them are held out.
    """
    every = [(a, b) for a in range(10, 90) for b in range(10, 100 - a)]
    carried = [sum for sum in every if has_carry(sum)]
    random.Random(0).shuffle(carried)
    return carried[400:], carried[:200], carried[200:400]


def large_sums() -> list[Sum]:
    """Return sums above 99, of which the web has none."""
    every = [(a, b) for a in range(10, 100) for b in range(100 - a, 100) if b > 9]
    random.Random(1).shuffle(every)
    return every


def of_the_web(sum: Sum, draw: random.Random) -> str:
    """Return a sum with its answer, as somebody has written it."""
    both = [str(sum[0] + sum[1]), str(without_carry(sum))]
    if not has_carry(sum):
        return f"{prompt(sum)}{both[0]}."
    chance = draw.random()
    if chance < RIGHT:
        return f"{prompt(sum)}{both[0]}."
    if chance < RIGHT + CARELESS:
        return f"{prompt(sum)}{both[1]}."
    return f"{prompt(sum)}{'?'.join(draw.sample(both, 2))}."


def as_rows(texts: Sequence[str]) -> Int[Tensor, "texts time"]:
    """Return texts as rows of ids, filled up to one length."""
    longest = max(map(len, texts))
    return torch.tensor([encode(text.ljust(longest)) for text in texts])


def tiny_model(seed: int) -> DecoderOnlyTransformer:
    """Return a decoder that has read nothing, in float32."""
    config = TransformerConfig.decoder_only(
        vocab_size=len(SIGNS),
        max_len=16,
        d_model=64,
        num_heads=4,
        d_ff=256,
        num_decoder_layers=2,
        position="learned",
        norm_placement="pre",
        final_norm=True,
    )
    with same_numbers(seed):
        return DecoderOnlyTransformer(config).to(torch.float32)


def loss_of(model, rows: Int[Tensor, "texts time"]) -> Tensor:
    """Return the mean cross-entropy behind the sign `=`, in nats."""
    targets = rows[:, 1:].clone()
    behind = (rows == SIGNS.index("=")).cumsum(dim=1)[:, :-1].bool()
    targets[~behind | (targets == 0)] = -100
    return F.cross_entropy(model(rows[:, :-1]).mT, targets)


def read_the_web(seed: int, *, steps: int = 1500, batch: int = 64):
    """Train a tiny model on the web, from sums that are not held out."""
    draw = random.Random(seed)
    _, validation, test = sums()
    held = {*validation, *test}
    every = [(a, b) for a in range(10, 90) for b in range(10, 100 - a)]
    every = [sum for sum in every if sum not in held]
    model = tiny_model(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * min(1.0, (step + 1) / 50) * (1 - step / steps)
        texts = [of_the_web(draw.choice(every), draw) for _ in range(batch)]
        loss = loss_of(model, as_rows(texts))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()
