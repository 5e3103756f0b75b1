"""A real language model whose maps to queries and keys have grown."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from torch import nn


@contextmanager
def grown(model: nn.Module, *, query: float, key: float) -> Iterator[None]:
    """Multiply the queries and the keys of all layers while the block runs.

    Args:
        model: A decoder-only language model.
        query: What the map to queries has grown by.
        key: What the map to keys has grown by.
    """
    with ExitStack() as hooks:
        for layer in model.decoder.layers:
            attention = layer.self_attention
            for part, factor in (
                (attention.query_projection, query),
                (attention.key_projection, key),
            ):

                def multiply(part, given, made, factor=factor):
                    return factor * made

                hooks.enter_context(part.register_forward_hook(multiply))
        yield
