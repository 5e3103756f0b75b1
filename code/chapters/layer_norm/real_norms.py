"""The norms of a real language model, and what comes of it if they do not divide.

The losses of three texts the chapter reads from a file that
`python -m chapters.layer_norm.real_norms` writes, and measures those of one again.
"""

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite, nan
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.changed_norms import norms_become, size
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import loss_of, open_model
from transformer.layers import RMSNorm

MEASUREMENTS = Measurements("layer_norm", "real_norms")
TEXTS = {
    "water": "Water boils when its vapor pressure equals the pressure of the air "
    "around it. On a high mountain the air is thinner, so water boils at "
    "a lower temperature.",
    "lighthouse": "The old lighthouse keeper climbed the stairs every evening to "
    "light the lamp. From the top he could see the fishing boats coming home.",
    "clerk": "In the year 1905 a clerk in the patent office at Bern wrote four "
    "papers that changed physics. None of them was longer than thirty pages.",
}


@torch.no_grad()
def sizes_read(
    model: nn.Module, ids: Int[Tensor, "texts time"]
) -> Float[Tensor, "norms texts time"]:
    """Return the size of every vector that a norm of the model reads."""
    found = []

    def look(_: int, norm: RMSNorm, x: Tensor) -> None:
        found.append(size(x)[..., 0])

    with norms_become(model, look):
        model(ids)
    return torch.stack(found)


@contextmanager
def frozen(
    model: nn.Module,
    divisors: Float[Tensor, " norms"],
    *,
    only: Container[int] | None = None,
    spared: Sequence[int] = (0,),
) -> Iterator[None]:
    """Let the norms divide every token by one number, and some by their own size.

    Args:
        model: A language model with RMSNorm.
        divisors: A number for each norm.
        only: The numbers, from 0, of the norms that are frozen; all if not given.
        spared: The places of the tokens that are divided by their own size.
    """
    kept = list(spared)

    def divide(number: int, norm: RMSNorm, x: Tensor) -> Tensor:
        own = (size(x).square() + norm.eps).sqrt()
        if only is None or number in only:
            number_for_all = torch.full_like(own, divisors[number].item())
            number_for_all[:, kept] = own[:, kept]
            own = number_for_all
        return x / own * norm.weight

    with norms_become(model, divide):
        yield


@torch.no_grad()
def losses_frozen(model: nn.Module, ids: Sequence[int]) -> dict[str, float]:
    """Return the loss of a text, as it is and with several of the norms frozen.

    The divisors are the mean sizes of all tokens but the first, which keeps its own.
    The two largest tokens are those that exceed that mean the most in any layer.

    Args:
        model: A language model with two RMSNorms a layer, and one at the end.
        ids: Its tokens.
    """
    sizes = sizes_read(model, torch.tensor([ids]))[:, 0]
    means = sizes[:, 1:].mean(dim=1)
    largest = 1 + (sizes[:, 1:] / means[:, None]).amax(dim=0).topk(2).indices
    last = len(means) - 1
    runs: dict[str, dict[str, Any]] = {
        "all frozen": {},
        "frozen before attention": {"only": range(0, last, 2)},
        "frozen before feed-forward": {"only": range(1, last, 2)},
        "all but the largest word": {"spared": (0, largest[0].item())},
        "all but the two largest": {"spared": (0, *largest.tolist())},
    }
    losses = {"own divisors": loss_of(model, ids)}
    for name, how in runs.items():
        with frozen(model, means, **how):
            losses[name] = loss_of(model, ids)
    return losses


@contextmanager
def with_one_gain(model: nn.Module) -> Iterator[None]:
    """Let each norm multiply all features by the mean of its gains."""

    def flat(_: int, norm: RMSNorm, x: Tensor) -> Tensor:
        return x / (size(x).square() + norm.eps).sqrt() * norm.weight.mean()

    with norms_become(model, flat):
        yield


def stored_losses() -> dict[str, dict[str, float]]:
    """Return for each of `TEXTS` what the file holds of `losses_frozen`."""
    return {
        row["text"]: {
            kind: nan if loss is None else loss for kind, loss in row["losses"].items()
        }
        for row in MEASUREMENTS.read()
    }


def measured(model: nn.Module, tokenizer: object, text: str) -> dict:
    """Return a row of the file; a loss that is no number is None there."""
    found = losses_frozen(model, tokenizer.encode(TEXTS[text]))
    losses = {kind: loss if isfinite(loss) else None for kind, loss in found.items()}
    return {"text": text, "losses": losses}


if __name__ == "__main__":
    opened = open_model("smollm2-135m")
    MEASUREMENTS.write([measured(*opened, text) for text in TEXTS])
