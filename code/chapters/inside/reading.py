"""All that a language model computes while it reads: streams, weights, hidden units.

Depth 0 is the embedding, and depth n is what comes out of layer n.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer.models import attention_maps


class Reading(NamedTuple):
    """What a model computed for a batch of texts, from the bottom to the top."""

    streams: Float[Tensor, "depth texts time d_model"]
    weights: Float[Tensor, "layers texts heads time time"]
    units: Float[Tensor, "layers texts time d_ff"]
    logits: Float[Tensor, "texts time vocab"]

    def of(self, text: int) -> "Reading":
        """Return what was computed for one text of the batch, from 0."""
        inside = (part[:, [text]] for part in self[:-1])
        return Reading(*inside, self.logits[[text]])


@torch.no_grad()
def read(model: nn.Module, ids: Int[Tensor, "texts time"]) -> Reading:
    """Let a model read, and keep what it computes on the way.

    Args:
        model: A decoder-only language model.
        ids: What it reads.
    """
    streams: list[Tensor] = []
    units: list[Tensor] = []
    hooks = [
        part.register_forward_hook(lambda part, given, output: streams.append(output))
        for part in (model.embedding, *model.decoder.layers)
    ]
    hooks += [
        layer.feed_forward.down_projection.register_forward_pre_hook(
            lambda part, given: units.append(given[0])
        )
        for layer in model.decoder.layers
    ]
    try:
        with attention_maps(model) as maps:
            logits = model(ids)
    finally:
        for hook in hooks:
            hook.remove()
    weights = torch.stack(list(maps.values()))
    return Reading(torch.stack(streams), weights, torch.stack(units), logits)


def place_of(chances: Float[Tensor, "rows vocab"], token: int) -> Int[Tensor, " rows"]:
    """Return at which place of each list a token stands; 1 is the likeliest."""
    return 1 + (chances > chances[:, [token]]).sum(dim=-1)


def short(number: float | Tensor, digits: int = 3) -> int:
    """Return a number as a whole one with so many digits, and zeros after them.

    >>> short(23738.1)
    23700
    """
    return round(float(f"{float(number):.{digits}g}"))


@contextmanager
def units_off(model: nn.Module, units: Iterable[tuple[int, int]]) -> Iterator[None]:
    """Let hidden units write nothing while the block runs.

    Args:
        model: A decoder-only language model.
        units: For each its layer and its number there, both from 1.
    """
    hooks = []
    for layer, number in units:

        def silence(part: nn.Module, given: tuple, number: int = number) -> tuple:
            hidden = given[0].clone()
            hidden[..., number - 1] = 0
            return (hidden,)

        down = model.decoder.layers[layer - 1].feed_forward.down_projection
        hooks.append(down.register_forward_pre_hook(silence))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@torch.no_grad()
def raised_by(
    model: nn.Module, tokenizer: object, unit: tuple[int, int], *, count: int
) -> list[str]:
    """Return the tokens whose scores the row of a unit raises most, beyond the mean.

    Pieces of letters, which no text shows, are left out.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        unit: Its layer and its number there, both from 1.
        count: How many tokens.
    """
    layer, number = unit
    down = model.decoder.layers[layer - 1].feed_forward.down_projection.weight
    table = model.head.projection.weight * model.decoder.norm.weight
    scores = (table - table.mean(dim=0)) @ down[:, number - 1]
    order = scores.topk(min(4 * count, len(scores))).indices.tolist()
    texts = [tokenizer.decode([token]) for token in order]
    return [text for text in texts if "\ufffd" not in text][:count]
