"""The stream of a language model rounded to few bits."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.rounding import rounded


def rounded_stream(
    stream: Float[Tensor, "texts time d_model"], *, each: str, bits: int
) -> Float[Tensor, "texts time d_model"]:
    """Round a stream with one step for each token, for a text, or for a part of it.

    Args:
        stream: The vectors of all tokens.
        each: What has a step of its own: "text", "token", "first token", or "text but
            the first token". What is not named is left as it is.
        bits: How many.
    """
    if each == "token":
        return rounded(stream, bits)
    first, end = {"first token": (0, 1), "text": (0, None)}.get(each, (1, None))
    result = stream.clone()
    part = stream[:, first:end]
    result[:, first:end] = rounded(part.flatten(start_dim=1), bits).view_as(part)
    return result


@contextmanager
def rounded_streams(
    model: nn.Module, layers: Iterable[int], *, each: str, bits: int = 8
) -> Iterator[None]:
    """Round the stream after some layers while the block runs.

    Args:
        model: A decoder-only language model.
        layers: After which layers, from 1.
        each: What has a step of its own, see `rounded_stream`.
        bits: How many.
    """
    hooks = [
        model.decoder.layers[layer - 1].register_forward_hook(
            lambda part, given, output: rounded_stream(output, each=each, bits=bits)
        )
        for layer in layers
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
