"""Single hidden units of a real language model: what opens them, what they write."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


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


def as_ids(tokenizer: object, text: str) -> Tensor:
    """Return the ids of a text as a batch of one row."""
    return torch.tensor([tokenizer.encode(text)])


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
    heard: list[Tensor] = []
    hooks = [
        network.down_projection.register_forward_pre_hook(
            lambda module, inputs: heard.append(inputs[0][0, -1])
        )
        for network in networks
    ]
    try:
        for text in (*wanted, *others):
            model(as_ids(tokenizer, text))
    finally:
        for hook in hooks:
            hook.remove()
    numbers = torch.stack(heard).unflatten(0, (-1, len(networks)))  # (texts, layers, u)
    mean = numbers[: len(wanted)].mean(dim=0)
    lead = mean.abs() - numbers[len(wanted) :].abs().amax(dim=0)
    rows = [network.down_projection.weight.norm(dim=0) for network in networks]
    layer, number = divmod((lead * torch.stack(rows)).argmax().item(), lead.size(1))
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
    heard = []

    def listen(module: nn.Linear, inputs: tuple[Tensor]) -> None:
        heard.append(unit.sign * inputs[0][0, -1, unit.number - 1])

    hook = down_projection(model, unit).register_forward_pre_hook(listen)
    try:
        for text in texts:
            model(as_ids(tokenizer, text))
    finally:
        hook.remove()
    return torch.stack(heard).mean().item()


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


@contextmanager
def silenced(model: nn.Module, units: Sequence[Unit]) -> Iterator[None]:
    """Take units away: in row i of a batch, unit i is zero at every position.

    Args:
        model: A decoder-only language model.
        units: One for each row of the batch, all of one layer.
    """
    numbers = torch.tensor([unit.number - 1 for unit in units])

    def silence(module: nn.Linear, inputs: tuple[Tensor]) -> Tensor:
        hidden = inputs[0].clone()
        hidden[torch.arange(len(units)), :, numbers] = 0
        return hidden

    hook = down_projection(model, units[0]).register_forward_pre_hook(silence)
    try:
        yield
    finally:
        hook.remove()


@torch.no_grad()
def chances(
    model: nn.Module,
    tokenizer: object,
    text: str,
    words: Sequence[str],
    *,
    without: Sequence[Unit] = (),
) -> Float[Tensor, "cases words"]:
    """Return how probable words are after a text, with each of some units taken away.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.
        words: Words of one token each, with the space before them.
        without: The units, one for each row of the result; one row for the whole model
            when there are none.
    """
    ids = as_ids(tokenizer, text)
    columns = [tokenizer.encode(word)[0] for word in words]
    if without:
        with silenced(model, without):
            scores = model(ids.expand(len(without), -1))
    else:
        scores = model(ids)
    return scores[:, -1].double().softmax(dim=-1)[:, columns]
