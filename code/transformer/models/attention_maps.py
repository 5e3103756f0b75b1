"""Attention maps: the weights of every attention of a model, while it works."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from jaxtyping import Float
from torch import Tensor, nn

from transformer.layers.attention import AttentionOutput
from transformer.layers.multi_head_attention import MultiHeadAttention


@contextmanager
def attention_maps(
    model: nn.Module,
) -> Iterator[dict[str, Float[Tensor, "batch heads target source"]]]:
    """Record the attention weights of each forward pass inside the `with` block.

    The model computes by the written-out formula meanwhile, which gives the same
    result as the fused kernels. It is written

        with attention_maps(model) as maps:
            model(ids)

    Args:
        model: Any module with attention in it.

    Yields:
        A dictionary that each forward pass fills: the name of each attention, such
        as `decoder.layers.0.cross_attention`, and its weights, cut from the graph.

    Raises:
        ValueError: If it has no attention.
    """
    named = {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention)
    }
    if not named:
        raise ValueError(
            f"the model must have attention, got {type(model).__name__} without; pass "
            "a model that has some."
        )
    maps: dict[str, Tensor] = {}
    with ExitStack() as stack:
        for name, module in named.items():
            for handle in _hooks(module, name, maps):
                stack.callback(handle.remove)
        yield maps


def _hooks(module: MultiHeadAttention, name: str, maps: dict[str, Tensor]) -> Iterator:
    """Ask an attention for its weights, and keep them under its name."""

    def ask(module: nn.Module, inputs: tuple, options: Mapping) -> tuple:
        return inputs, {**options, "need_weights": True}

    def keep(module: nn.Module, inputs: tuple, output: AttentionOutput) -> None:
        maps[name] = output.weights.detach()

    yield module.register_forward_pre_hook(ask, with_kwargs=True)
    yield module.register_forward_hook(keep)
