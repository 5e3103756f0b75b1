"""A real language model whose stream is changed behind one of its layers.

To turn the volume behind three layers takes a while, so the chapter reads the losses
from a file that `python -m chapters.norm_placement.real_volume` writes, and turns it
behind one of them again.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import finish, open_model, streams_of
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("norm_placement", "real_volume")
FACTORS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
LAYERS = (5, 15, 25)
FACTS = (
    "Water boils when its vapor pressure equals the pressure of the air around it. "
    "On a high mountain the air is thinner, so water boils at a lower temperature."
)
STORY = (
    "The old lighthouse keeper climbed the stairs every evening to light the lamp. "
    "From the top he could see the fishing boats coming home."
)


def size(x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch 1"]:
    """Return the root mean square of each vector's features."""
    return x.square().mean(dim=-1, keepdim=True).sqrt()


@lru_cache(maxsize=2)  # two texts are changed again and again
def unchanged(
    model: nn.Module, ids: tuple[int, ...]
) -> Float[Tensor, "depth 1 time d_model"]:
    """Return the stream of a text as it enters the first layer, and after each."""
    return streams_of(model, torch.tensor([ids]))


def loss_changed(
    model: nn.Module,
    ids: Sequence[int],
    layer: int,
    change: Callable[[Tensor], Tensor],
) -> float:
    """Return the loss of a text where the stream is changed behind one layer.

    The first token stays as it is: in many models its vector is huge.

    Args:
        model: A decoder-only language model.
        ids: The tokens of the text.
        layer: The number of the layer, from 1.
        change: Makes of the vectors others of the same shape.
    """
    x = unchanged(model, tuple(ids))[layer]
    x = torch.cat((x[:, :1], change(x[:, 1:])), dim=1)
    above = range(layer + 1, len(model.decoder.layers) + 1)
    return finish(model, x, above, torch.tensor([ids])).item()


def mean_size(model: nn.Module, ids: Sequence[int], layer: int) -> float:
    """Return the mean size of the vectors behind one layer, without the first."""
    return size(unchanged(model, tuple(ids))[layer, :, 1:]).mean().item()


def losses_turned(
    model: nn.Module, texts: Sequence[Sequence[int]], layer: int
) -> list[list[float]]:
    """Return the losses of each text where a stream is multiplied by each of `FACTORS`.

    Args:
        model: A decoder-only language model.
        texts: The tokens of each text.
        layer: The number of the layer behind which that is done, from 1.
    """
    return [
        [loss_changed(model, ids, layer, lambda x, s=s: s * x) for s in FACTORS]
        for ids in texts
    ]


def measured(smollm: LanguageModel) -> list[dict]:
    """Return the losses of `FACTS` and `STORY` behind each of `LAYERS`."""
    model, tokenizer = smollm
    texts = [tokenizer.encode(text) for text in (FACTS, STORY)]
    return [{"layer": n, "losses": losses_turned(model, texts, n)} for n in LAYERS]


def stored_losses() -> dict[int, list[list[float]]]:
    """Return what `losses_turned` returns for each of `LAYERS`, from the file."""
    return {row["layer"]: row["losses"] for row in MEASUREMENTS.read()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write(measured(open_model("smollm2-135m")))
