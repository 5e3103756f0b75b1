"""The stream of a real language model, and what its layers are worth.

To change each of 30 layers takes a minute, so the chapter reads by how much the loss
rises from a file that `python -m chapters.residual_connections.real_stream` writes.
"""

from collections.abc import Iterable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import finish, open_model, streams_of

MEASUREMENTS = Measurements("residual_connections", "real_stream")
STORY = (
    "The old lighthouse keeper climbed the stairs every evening to light the lamp. "
    "From the top he could see the fishing boats coming home, and beyond them the "
    "dark line of the sea. One night a storm came up."
)
FACTS = (
    "Water boils when its vapor pressure equals the pressure of the air around it. "
    "On a high mountain the air is thinner, so water boils at a lower temperature, "
    "and an egg takes longer to cook."
)

# What is done to a layer, and to which layers.
CHANGES = {
    "left out": range(1, 31),
    "swapped": range(1, 30),  # with the next one
    "stream cut": range(1, 31),
    "cut, stretched": range(1, 31),
    "swapped 2 apart": range(4, 27, 3),
    "swapped 5 apart": range(4, 24, 3),
    "swapped 10 apart": range(4, 19, 3),
}


def two_texts(tokenizer: object) -> Int[Tensor, "texts time"]:
    """Return a story and a text of facts as ids, cut to one length."""
    texts = [tokenizer.encode(text) for text in (STORY, FACTS)]
    length = min(len(ids) for ids in texts)
    return torch.tensor([ids[:length] for ids in texts])


read = streams_of  # what the page calls it


def shares(
    stream: Float[Tensor, "places texts time d_model"],
) -> Float[Tensor, "places texts time"]:
    """Return which part of the last vector each entry of the stream makes up.

    An entry is what enters the first layer, or what one layer added. Its part is the
    length of its shadow on the last vector, over the length of that vector, and it is
    negative if the entry points against that vector. The parts of a token add up to 1.
    """
    entries = torch.cat((stream[:1], stream.diff(dim=0)))
    return (entries * stream[-1]).sum(dim=-1) / stream[-1].square().sum(dim=-1)


def changed(
    stream: Float[Tensor, "places texts time d_model"], change: str, layer: int
) -> tuple[Float[Tensor, "texts time d_model"], list[int]]:
    """Return what goes on when something is done to a layer, and the layers to come.

    Args:
        stream: What `read` returns.
        change: A key of `CHANGES`.
        layer: Which layer, from 1.
    """
    before, added = stream[layer - 1], stream[layer] - stream[layer - 1]
    order = [*range(layer, len(stream))]
    if change.startswith("swapped"):
        apart = int((change.split()[1:2] or [1])[0])
        order[0], order[apart] = layer + apart, layer
        return before, order
    if change == "cut, stretched":
        lengths = [x.norm(dim=-1, keepdim=True) for x in (stream[layer], added)]
        added = added * (lengths[0] / lengths[1])
    return before if change == "left out" else added, order[1:]


def measured(
    model: nn.Module, ids: Int[Tensor, "texts time"], change: str, layers: Iterable[int]
) -> dict:
    """Return by how much the loss of each text rises when each layer is changed.

    Args:
        model: A decoder-only language model.
        ids: What it reads.
        change: A key of `CHANGES`.
        layers: The numbers of the layers, from 1.
    """
    stream = read(model, ids)
    whole = finish(model, stream[-1], [], ids)
    found = [
        finish(model, *changed(stream, change, layer), ids) - whole for layer in layers
    ]
    return {"change": change, "rises": torch.stack(found).tolist()}


def read_costs() -> dict[str, Float[Tensor, "layers texts"]]:
    """Return for each of `CHANGES` by how much the loss of each text rises."""
    return {row["change"]: torch.tensor(row["rises"]) for row in MEASUREMENTS.read()}


if __name__ == "__main__":
    smollm, tokenizer = open_model("smollm2-135m")
    texts = two_texts(tokenizer)
    MEASUREMENTS.write([measured(smollm, texts, *one) for one in CHANGES.items()])
