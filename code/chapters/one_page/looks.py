"""Where a machine looks while it writes."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import ModuleType

import torch
from jaxtyping import Float
from torch import Tensor, nn

Weights = list[Float[Tensor, "heads target source"]]


@torch.no_grad()
def weights_of(attentions: Iterable[nn.Module], run: Callable[[], object]) -> Weights:
    """Return the weights of attentions, of the first text of the batch, during a run.

    Args:
        attentions: Objects of the class `Attention` of the file.
        run: Calls the model once.
    """
    found = []

    def weigh(attention: nn.Module, inputs: tuple) -> None:
        x, y, mask = inputs
        query = attention.split(attention.query(x))
        key = attention.split(attention.key(y))
        scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        found.append(weights[0])

    hooks = [part.register_forward_pre_hook(weigh) for part in attentions]
    try:
        run()
    finally:
        for hook in hooks:
            hook.remove()
    return found


def cross_weights(
    machine: ModuleType, model: nn.Module, text: str
) -> tuple[str, Weights]:
    """Return what a model writes, and the weights of its cross-attentions meanwhile.

    Args:
        machine: The file, which knows the signs.
        model: A model of it.
        text: The source, all letters.

    Returns:
        The written signs, a row for each, and the weights of each layer.
    """
    written = machine.write(model, text)
    source = ids_of(machine, text)
    target = ids_of(machine, machine.SIGNS[machine.START] + written[:-1])
    attentions = [layer.cross_attention for layer in model.decoder]
    return written, weights_of(attentions, lambda: model(source, target))


@torch.no_grad()
def turns(
    machine: ModuleType, model: nn.Module, texts: Sequence[str]
) -> Float[Tensor, "layers heads"]:
    """Return how often the largest weight is on the letter whose turn it is.

    Every letter of every text has its turn once, from the last to the first, while the
    model is given what it has to write.

    Args:
        machine: The file, which knows the signs.
        model: A model of it.
        texts: Sources, all letters.

    Returns:
        A share of the letters for each head of each cross-attention.
    """
    attentions = [layer.cross_attention for layer in model.decoder]
    found = 0
    for text in texts:
        source = ids_of(machine, text)
        target = ids_of(machine, machine.SIGNS[machine.START] + text[:0:-1])
        layers = weights_of(attentions, partial(model, source, target))
        turn = torch.arange(len(text)).flip(0)
        found += (torch.stack(layers).argmax(dim=-1) == turn).sum(dim=-1)
    return found / sum(map(len, texts))


def continued_weights(
    machine: ModuleType, model: nn.Module, text: str
) -> tuple[str, str, Weights]:
    """Return what a model without a source reads and writes, and where it looks.

    Args:
        machine: The file without encoder and cross-attention.
        model: A model of it.
        text: Letters that are padded to 8, as in its training.

    Returns:
        The signs that were read, a column for each; the written signs, a row for each;
        and the weights of the self-attention of each layer, of these rows.
    """
    written = machine.write(model, text)
    read = text.ljust(8, "_") + machine.SIGNS[machine.START] + written[:-1]
    attentions = [layer.self_attention for layer in model.decoder]
    layers = weights_of(attentions, lambda: model(ids_of(machine, read)))
    return read, written, [weights[:, -len(written) :] for weights in layers]


def ids_of(machine: ModuleType, text: str) -> Tensor:
    """Return a text as a batch of one row of ids."""
    return torch.tensor([[machine.SIGNS.index(sign) for sign in text]])
