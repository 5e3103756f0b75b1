"""What a trained model loses if its norms forget one direction of what they read.

A layer norm forgets the direction in which all features are equal. So an RMSNorm that
forgets it is a layer norm, and other directions are what to compare it with. All of
them take minutes, so the chapter reads their losses from a file that
`python -m chapters.rms_norm.directions` writes.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from chapters.laboratory.changed_norms import norms_become, size
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import loss_of, open_model
from transformer.layers import RMSNorm

MEASUREMENTS = Measurements("rms_norm", "directions")
AT_ONCE = 16  # directions that go through the model together

TEXTS = {
    "water": "Water boils when its vapor pressure equals the pressure of the air "
    "around it. On a high mountain the air is thinner, so water boils at a lower "
    "temperature.",
    "lighthouse": "The old lighthouse keeper climbed the stairs every evening to light "
    "the lamp. From the top he could see the fishing boats coming home.",
    "clerk": "In the year 1905 a clerk in the patent office at Bern wrote four papers "
    "that changed physics. None of them was longer than thirty pages.",
}


def without(
    x: Float[Tensor, "rows time d_model"], directions: Float[Tensor, "rows d_model"]
) -> Float[Tensor, "rows time d_model"]:
    """Return what is left of vectors without their part along a direction."""
    units = directions / directions.norm(dim=-1, keepdim=True)
    units = units.to(x.dtype)[:, None]  # (rows, 1, d_model)
    return x - (x * units).sum(dim=-1, keepdim=True) * units


def forgetting(
    model: nn.Module, directions: Float[Tensor, "rows d_model"]
) -> AbstractContextManager[None]:
    """Let each norm read its vectors without their part along a direction.

    Args:
        model: A language model with RMSNorm.
        directions: One for each row of the batch, of any length but zero.
    """

    def norm(_: int, part: RMSNorm, x: Tensor) -> Tensor:
        x = without(x, directions)
        return x / (size(x).square() + part.eps).sqrt() * part.weight

    return norms_become(model, norm)


@torch.no_grad()
def losses_without(
    model: nn.Module, ids: Sequence[int], directions: Float[Tensor, "rows d_model"]
) -> Float[Tensor, " rows"]:
    """Return the loss of a text for each direction that the norms forget.

    Args:
        model: A language model with RMSNorm.
        ids: The tokens of the text.
        directions: Those that are forgotten, one at a time.
    """
    losses = []
    for some in directions.split(AT_ONCE):
        rows = torch.tensor(ids).expand(len(some), -1)
        with forgetting(model, some):
            logits = model(rows)[:, :-1]
        each = cross_entropy(logits.transpose(1, 2), rows[:, 1:], reduction="none")
        losses.append(each.mean(dim=1))
    return torch.cat(losses)


@torch.no_grad()
def shares_read(model: nn.Module, ids: Sequence[int]) -> Float[Tensor, "norms time"]:
    """Return the squared mean over the mean square of what each norm reads."""
    found = []

    def look(_: int, part: RMSNorm, x: Tensor) -> None:
        found.append(x[0].mean(dim=-1).square() / size(x)[0, :, 0].square())

    with norms_become(model, look):
        model(torch.tensor([ids]))
    return torch.stack(found)


def kinds(d_model: int) -> Iterator[tuple[str, Float[Tensor, "rows d_model"]]]:
    """Yield each kind of direction with all that are tried."""
    yield "mean", torch.ones(1, d_model, device="cpu")
    yield "feature", torch.eye(d_model, device="cpu")
    with same_numbers(0):
        yield "random", torch.randn(d_model, d_model, device="cpu")


def measure_directions() -> list[dict]:
    """Return for each kind the rise of the loss, the mean of the texts."""
    model, tokenizer = open_model("smollm2-135m")
    texts = [tokenizer.encode(text) for text in TEXTS.values()]
    d_model = model.config.d_model
    as_it_is = [loss_of(model, ids) for ids in texts]
    rows = []
    for kind, directions in kinds(d_model):
        rises = [
            losses_without(model, ids, directions) - before
            for ids, before in zip(texts, as_it_is, strict=True)
        ]
        rows.append({"kind": kind, "rises": torch.stack(rises).mean(dim=0).tolist()})
    return rows


if __name__ == "__main__":
    MEASUREMENTS.write(measure_directions(), texts=list(TEXTS))
