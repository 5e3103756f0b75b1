"""Single hidden units of a real language model: what opens them, what they write."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.real_model import (
    as_ids,
    as_rows,
    next_logits,
    streams_of,
)


@dataclass(frozen=True)
class Unit:
    """A hidden unit of a feed-forward network, and whether its row is added.

    Args:
        layer: In which layer it is, from 1.
        number: Which of the layer's units it is, from 1.
        sign: 1 if it adds its row when it speaks up, -1 if it subtracts it.
    """

    layer: int
    number: int
    sign: int = 1


# Two units of SmolLM2 that raise the words of their names.
SHE = Unit(layer=25, number=116, sign=-1)
HE = Unit(layer=25, number=344)


def down_projection(model: nn.Module, unit: Unit) -> nn.Linear:
    """Return the projection that reads a unit and its neighbors."""
    return model.decoder.layers[unit.layer - 1].feed_forward.down_projection


@torch.no_grad()
def find_unit(
    model: nn.Module, tokenizer: object, wanted: Sequence[str], others: Sequence[str]
) -> Unit:
    """Return the unit that tells one text from others best, of all in the model.

    Its number at the last token of the wanted texts, in the mean, less the largest
    that it has at the end of any other text, times the length of the row it writes.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        wanted: Texts at whose end the unit speaks up.
        others: Texts at whose end it does not.
    """
    networks = [layer.feed_forward for layer in model.decoder.layers]
    ids, ends = as_rows(tokenizer, (*wanted, *others))
    rows = torch.arange(len(ids))
    heard: list[Tensor] = []
    hooks = [
        network.down_projection.register_forward_pre_hook(
            lambda module, inputs: heard.append(inputs[0][rows, ends])
        )
        for network in networks
    ]
    try:
        streams_of(model, ids)
    finally:
        for hook in hooks:
            hook.remove()
    numbers = torch.stack(heard, dim=1)  # (texts, layers, units)
    mean = numbers[: len(wanted)].mean(dim=0)
    lead = mean.abs() - numbers[len(wanted) :].abs().amax(dim=0)
    sizes = [network.down_projection.weight.norm(dim=0) for network in networks]
    layer, number = divmod((lead * torch.stack(sizes)).argmax().item(), lead.size(1))
    return Unit(layer + 1, number + 1, int(mean[layer, number].sign()))


@torch.no_grad()
def strength(
    model: nn.Module, tokenizer: object, texts: Sequence[str], unit: Unit
) -> float:
    """Return how loudly a unit speaks at the last token, in the mean of some texts.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        texts: What it reads.
        unit: The unit.
    """
    ids, ends = as_rows(tokenizer, texts)
    heard = []

    def listen(module: nn.Linear, inputs: tuple[Tensor]) -> None:
        heard.append(inputs[0][torch.arange(len(ids)), ends, unit.number - 1])

    hook = down_projection(model, unit).register_forward_pre_hook(listen)
    try:
        streams_of(model, ids, depth=unit.layer)
    finally:
        hook.remove()
    return unit.sign * heard[0].mean().item()


@torch.no_grad()
def raised_words(
    model: nn.Module, tokenizer: object, unit: Unit, count: int
) -> list[str]:
    """Return the words whose scores a unit's row raises most, sent straight to the end.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        unit: The unit.
        count: How many words.
    """
    row = unit.sign * down_projection(model, unit).weight[:, unit.number - 1]
    scores = model.head(model.decoder.norm(row[None, None]))[0, 0]
    return [tokenizer.decode([token]) for token in scores.topk(count).indices.tolist()]


@torch.no_grad()
def origins(
    model: nn.Module, tokenizer: object, texts: Sequence[str], unit: Unit
) -> Float[Tensor, "3"]:
    """Return who makes a unit's gate read what it reads, at the last token.

    The reading is a dot product with a sum, so it is a sum itself: of what the
    embedding, the attention of all layers up to the unit and the feed-forward networks
    below it have added, each by the factors of the norm. In the mean of some texts.

    Args:
        model: A decoder-only language model with gates and RMSNorm before sublayers.
        tokenizer: Its tokenizer.
        texts: What it reads.
        unit: The unit.
    """
    layers = model.decoder.layers[: unit.layer]
    network = layers[-1].feed_forward
    reads = network.gate_projection.weight[unit.number - 1]
    streams: list[Tensor] = []  # before and after each sublayer
    normed: list[Tensor] = []

    def listen(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        streams.append(inputs[0][0, -1])

    residuals = [
        residual
        for layer in layers
        for residual in (layer.self_attention_residual, layer.feed_forward_residual)
    ]
    hooks = [residual.register_forward_pre_hook(listen) for residual in residuals]
    hooks += [
        network.register_forward_pre_hook(lambda _, x: normed.append(x[0][0, -1]))
    ]
    try:
        for text in texts:
            streams_of(model, as_ids(tokenizer, text), depth=unit.layer)
    finally:
        for hook in hooks:
            hook.remove()
    stream = torch.stack(streams).unflatten(0, (len(texts), -1))  # (texts, stages, d)
    factors = torch.stack(normed) / stream[:, -1]  # of the norm
    added = stream.diff(dim=1)  # by attention and by the network, in turn
    parts = (stream[:, 0], added[:, ::2].sum(dim=1), added[:, 1::2].sum(dim=1))
    return torch.stack([(part * factors @ reads).mean() for part in parts])


def own_row(model: nn.Module, unit: Unit) -> Float[Tensor, "1 d_model"]:
    """Return the row that a unit writes."""
    return down_projection(model, unit).weight[:, unit.number - 1][None].detach()


def equal_pushes(
    model: nn.Module, unit: Unit, count: int = 63
) -> Float[Tensor, "pushes d_model"]:
    """Return other rows, as long as a unit's own, and each turned round as well.

    Args:
        model: A decoder-only language model.
        unit: The unit.
        count: From how many units, evenly spaced over the same layer.
    """
    weight = down_projection(model, unit).weight.detach()
    step = weight.size(1) // (count + 1)
    rows = weight[:, step - 1 :: step].T[:count]
    rows = nn.functional.normalize(rows, dim=-1) * own_row(model, unit).norm()
    return torch.cat((rows, -rows))


@torch.no_grad()
def chances(
    model: nn.Module,
    tokenizer: object,
    text: str,
    words: Sequence[str],
    *,
    unit: Unit | None = None,
    rows: Float[Tensor, "cases d_model"] | None = None,
) -> Float[Tensor, "cases words"]:
    """Return how probable words are after a text, of the whole model or without a unit.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.
        words: Words with the space before them. A word of several tokens has the
            product of their chances, each after the tokens before it.
        unit: The unit whose number decides how much is taken away at each position.
        rows: What is taken away, times that number, in each case; the row that the
            unit writes when not given, so that it is as good as gone.
    """
    ids, found = as_ids(tokenizer, text), []
    first = next_chances(model, ids, unit, rows)
    for word in words:
        tokens = tokenizer.encode(word)
        chance, read = first[:, tokens[0]], ids
        for before, token in pairwise(tokens):
            read = torch.cat((read, torch.full_like(ids[:, :1], before)), dim=1)
            chance = chance * next_chances(model, read, unit, rows)[:, token]
        found.append(chance)
    return torch.stack(found, dim=1)


def next_chances(
    model: nn.Module,
    ids: Int[Tensor, "1 time"],
    unit: Unit | None,
    rows: Float[Tensor, "cases d_model"] | None,
) -> Float[Tensor, "cases vocab"]:
    """Return the chance of each next token, as `chances` does for words."""
    if unit is None:
        return model(ids)[:, -1].double().softmax(dim=-1)
    taken = own_row(model, unit) if rows is None else rows
    depth = unit.layer - 1  # the layers below are the same in all cases
    stream = streams_of(model, ids, depth=depth)[-1].expand(len(taken), -1, -1)
    with taken_away(model, unit, taken):
        return next_logits(model, stream, depth=depth).double().softmax(dim=-1)


@contextmanager
def taken_away(
    model: nn.Module, unit: Unit, rows: Float[Tensor, "cases d_model"]
) -> Iterator[None]:
    """Take rows off what a network writes: in case i row i, times a unit's number."""

    def take(module: nn.Linear, inputs: tuple[Tensor], written: Tensor) -> Tensor:
        number = inputs[0][:, :, unit.number - 1, None]  # (cases, time, 1)
        return written - number * rows[:, None]

    hook = down_projection(model, unit).register_forward_hook(take)
    try:
        yield
    finally:
        hook.remove()
