"""What it costs if layers of a real model add something random, of the same size.

Four layers with three seeds take some seconds, so the chapter reads the costs from a
file that `python -m chapters.residual_connections.random_changes` writes, and measures
one layer again.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import finish, open_model, streams_of
from chapters.residual_connections.real_stream import two_texts
from chapters.start import gaussian

MEASUREMENTS = Measurements("residual_connections", "random_changes")
LAYERS, SEEDS = (5, 14, 20, 25), 3


def at_random(
    stream: Float[Tensor, "places texts time d_model"], layer: int, *, seed: int
) -> Float[Tensor, "texts time d_model"]:
    """Return the stream behind a layer that adds random vectors of the same lengths.

    Args:
        stream: What enters the first layer, and what comes out of each.
        layer: Which layer, from 1.
        seed: Which vectors.
    """
    change = stream[layer] - stream[layer - 1]
    noise = gaussian(*change.shape, seed=seed).to(change.dtype)
    noise *= change.norm(dim=-1, keepdim=True) / noise.norm(dim=-1, keepdim=True)
    return stream[layer - 1] + noise


def measured(
    model: nn.Module,
    stream: Float[Tensor, "places texts time d_model"],
    ids: Int[Tensor, "texts time"],
    layer: int,
) -> dict:
    """Return by how much the loss rises for each of `SEEDS`, the mean of the texts.

    Args:
        model: A decoder-only language model.
        stream: What it makes of the texts.
        ids: The texts.
        layer: Which layer adds something random, from 1.
    """
    top = len(stream)
    whole = finish(model, stream[-1], [], ids)
    found = [
        finish(model, at_random(stream, layer, seed=seed), range(layer + 1, top), ids)
        for seed in range(SEEDS)
    ]
    rises = [(losses - whole).mean().item() for losses in found]
    return {"layer": layer, "rises": rises}


if __name__ == "__main__":
    smollm, tokenizer = open_model("smollm2-135m")
    texts = two_texts(tokenizer)
    read = streams_of(smollm, texts)
    MEASUREMENTS.write([measured(smollm, read, texts, layer) for layer in LAYERS])
