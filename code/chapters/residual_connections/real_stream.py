"""The stream of a real language model, and what its layers are worth."""

from collections.abc import Iterable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.real_model import streams_of
from transformer.layers import causal_mask

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


def two_texts(tokenizer: object) -> Int[Tensor, "texts time"]:
    """Return a story and a text of facts as ids, cut to one length."""
    texts = [tokenizer.encode(text) for text in (STORY, FACTS)]
    length = min(len(ids) for ids in texts)
    return torch.tensor([ids[:length] for ids in texts])


read = streams_of  # what the page calls it


@torch.no_grad()
def finish(
    model: nn.Module,
    x: Float[Tensor, "texts time d_model"],
    layers: Iterable[int],
    ids: Int[Tensor, "texts time"],
) -> Float[Tensor, " texts"]:
    """Send a stream through some layers and the head, and return the loss of each text.

    Args:
        model: A decoder-only language model.
        x: The stream in front of the first of the layers.
        layers: Their numbers, from 1, in the order in which they are applied.
        ids: The texts that were read.
    """
    mask = causal_mask(ids.size(1))
    for number in layers:
        x = model.decoder.layers[number - 1](x, mask=mask)
    logits = model.head(model.decoder.norm(x))[:, :-1]
    losses = F.cross_entropy(logits.mT, ids[:, 1:], reduction="none")
    return losses.mean(dim=1)


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
