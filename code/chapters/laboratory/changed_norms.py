"""The norms of a trained model, watched or changed while it reads a text."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jaxtyping import Float
from torch import Tensor, nn

from transformer.layers import RMSNorm


@contextmanager
def norms_become(
    model: nn.Module, norm: Callable[[int, RMSNorm, Tensor], Tensor | None]
) -> Iterator[None]:
    """Let each norm of a model return something else.

    Args:
        model: A language model with RMSNorm.
        norm: What to return, from the number of the norm, from 0, the norm itself and
            what it reads; None leaves what it returns.
    """
    norms = [part for part in model.modules() if isinstance(part, RMSNorm)]
    hooks = [
        part.register_forward_hook(
            lambda part, given, _, number=number: norm(number, part, given[0])
        )
        for number, part in enumerate(norms)
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def size(x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch 1"]:
    """Return the root mean square of each vector's features."""
    return x.square().mean(dim=-1, keepdim=True).sqrt()
