"""Where the machine looks in the source while it writes."""

from types import ModuleType

import torch
from jaxtyping import Float
from torch import Tensor, nn


@torch.no_grad()
def cross_weights(
    machine: ModuleType, model: nn.Module, text: str
) -> tuple[str, list[Float[Tensor, "heads target source"]]]:
    """Return what a model writes, and the weights of its cross-attentions meanwhile.

    Args:
        machine: The file, which knows the signs.
        model: A model of it.
        text: The source, all letters.

    Returns:
        The written signs, a row for each, and for each layer of the decoder the
        weights of all heads.
    """
    found = []

    def weigh(attention: nn.Module, inputs: tuple) -> None:
        x, y, mask = inputs
        query = attention.split(attention.query(x))
        key = attention.split(attention.key(y))
        scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
        found.append(scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)[0])

    written = machine.write(model, text)
    source = torch.tensor([[machine.SIGNS.index(sign) for sign in text]])
    target = [machine.START, *(machine.SIGNS.index(sign) for sign in written[:-1])]
    hooks = [
        layer.cross_attention.register_forward_pre_hook(weigh)
        for layer in model.decoder
    ]
    model(source, torch.tensor([target]))
    for hook in hooks:
        hook.remove()
    return written, found
