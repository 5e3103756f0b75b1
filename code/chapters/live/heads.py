"""The heads of the translator, each switched off by itself: which of them it needs.

`python -m chapters.live.heads` writes `heads.json`. The page tells of one head, which
it marks: with it switched off, the text at rest loses its second half.
"""

import torch
from torch.utils.hooks import RemovableHandle

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import change_head
from chapters.laboratory.translator import numbers
from chapters.live import pack, twins
from transformer.models import Transformer

MEASUREMENTS = Measurements("live", "heads")
NUMBER = 4  # of heads in an attention
# Attentions in the order of the page, and whether they look at what is written.
ATTENTIONS = tuple(
    f"{stack}.layers.{layer}.{part}"
    for stack, part in (
        ("encoder", "self_attention"),
        ("decoder", "self_attention"),
        ("decoder", "cross_attention"),
    )
    for layer in (0, 1)
)
NEEDED = "decoder.layers.0.self_attention"  # the attention with the heads that count
TRIED = f"{NEEDED}.0"  # the head that the page marks


def all_heads() -> list[str]:
    """List the heads by the names that the engine gives them."""
    return [f"{name}.{head}" for name in ATTENTIONS for head in range(NUMBER)]


def switched_off(model: Transformer, name: str) -> RemovableHandle:
    """Let a head hand on nothing, as the engine of the page does.

    Args:
        model: A translator.
        name: One of `all_heads`.

    Returns:
        The hook, which a `with` block removes at its end.
    """
    attention, head = name.rsplit(".", 1)
    return change_head(model.get_submodule(attention), 1 + int(head), torch.zeros_like)


@torch.no_grad()
def share_right(model: Transformer, name: str, *, count: int | None = None) -> float:
    """Return the share of held-out numbers that are right without a head.

    Args:
        model: A translator.
        name: One of `all_heads`.
        count: How many numbers; all when not given.
    """
    pairs = numbers().splits.test[:count]
    with switched_off(model, name):
        wrote = twins.translations(model, pairs)
    return sum(t == p.target for t, p in zip(wrote, pairs, strict=True)) / len(pairs)


def main() -> None:
    """Measure all heads, and write the file."""
    model = pack.load(pack.read_weights())
    rows = [{"head": name, "right": share_right(model, name)} for name in all_heads()]
    MEASUREMENTS.write(rows)


if __name__ == "__main__":
    main()
