"""The gates of a real language model: where they stand, and what they can be.

Fourteen swaps of the activation take half a minute, so the chapter reads them from a
file that `python -m chapters.activations.real_gates` writes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, open_model, streams_of
from transformer.decoding import greedy_decode
from transformer.layers import gelu, relu, silu

MEASUREMENTS = Measurements("activations", "real_gates")

# Written for this book; stories, facts and code, as such a model meets them.
TEXT = """\
The ship left the harbor before dawn. By noon the wind had turned, and the captain \
ordered the crew to take in the sails. Nobody spoke of the storm, but everyone had \
seen the clouds.

Water boils at 100 degrees Celsius at sea level. On a high mountain the pressure of \
the air is lower, so it boils at a lower temperature, and an egg takes longer to cook.

def area(radius):
    return 3.14159 * radius ** 2

She opened the letter, read it twice, and laughed. "My brother is coming home," she \
said. "He has been away for seven years, and he writes as if he had left yesterday."

In 1969 two astronauts walked on the Moon while a third one waited in orbit. They \
brought back stones that are older than any found on Earth.
"""
# A second page, for what was first seen on the other.
ANOTHER_TEXT = """\
The old clock on the wall had stopped at ten past four, and nobody in the house \
remembered when. Anna wound it every Sunday, listened for a while, and put the key \
back into the drawer.

Photosynthesis turns light, water and carbon dioxide into sugar and oxygen. It happens \
in the green parts of plants, mostly in the leaves.

for i in range(10):
    print(i, i * i)

The train to Vienna leaves at nine. "If we hurry," said the boy, "we can still catch \
it."
"""
PAGES = (TEXT, ANOTHER_TEXT)


def feed_forward_layers(model: nn.Module) -> list[nn.Module]:
    """Return the gated feed-forward layers of a decoder, the lowest first."""
    return [layer.feed_forward for layer in model.decoder.layers]


@torch.no_grad()
def gate_inputs(
    model: nn.Module, tokenizer: object, text: str = TEXT
) -> Float[Tensor, "layers tokens units"]:
    """Return what the activation of each layer reads, from the second token on.

    The first token is left out: such models use it as a place to rest.

    Args:
        model: A decoder-only language model with gated layers.
        tokenizer: Its tokenizer.
        text: What it reads.
    """
    read: list[Tensor] = []
    hooks = [
        layer.gate_projection.register_forward_hook(
            lambda _, __, output: read.append(output[0, 1:])
        )
        for layer in feed_forward_layers(model)
    ]
    try:
        streams_of(model, as_ids(tokenizer, text))
    finally:
        for hook in hooks:
            hook.remove()
    return torch.stack(read)


def joined(
    below: Callable[[Tensor], Tensor], above: Callable[[Tensor], Tensor]
) -> Callable[[Tensor], Tensor]:
    """Return one function below zero and another from zero on."""
    return lambda x: torch.where(x < 0, below(x), above(x))


@contextmanager
def bent_by(
    model: nn.Module, bend: Callable[[Tensor], Tensor], shifts: Sequence[Tensor] = ()
) -> Iterator[None]:
    """Give every gated layer of a model another activation, for a while.

    Args:
        model: A decoder-only language model with gated layers.
        bend: The other activation.
        shifts: What is added to the output of each layer, the lowest first.
    """
    layers = feed_forward_layers(model)
    before = [layer.activation for layer in layers]
    hooks = [
        layer.register_forward_hook(lambda _, __, output, shift=shift: output + shift)
        for layer, shift in zip(layers, shifts, strict=bool(shifts))
    ]
    try:
        for layer in layers:
            layer.activation = bend
        yield
    finally:
        for hook in hooks:
            hook.remove()
        for layer, activation in zip(layers, before, strict=True):
            layer.activation = activation


@torch.no_grad()
def output_shifts(
    model: nn.Module,
    tokenizer: object,
    bend: Callable[[Tensor], Tensor],
    text: str = TEXT,
) -> list[Float[Tensor, " d_model"]]:
    """Return what each layer's output lacks, on average, with another activation.

    Each layer reads what it reads in the model as it is. The first token is left out.

    Args:
        model: A decoder-only language model with gated layers.
        tokenizer: Its tokenizer.
        bend: The other activation.
        text: What the model reads.
    """
    shifts: list[Tensor] = []

    def compare(layer: nn.Module, given: tuple[Tensor], output: Tensor) -> None:
        own, layer.activation = layer.activation, bend
        shifts.append((output - layer.forward(*given))[0, 1:].mean(dim=0))
        layer.activation = own

    hooks = [
        layer.register_forward_hook(compare) for layer in feed_forward_layers(model)
    ]
    try:
        streams_of(model, as_ids(tokenizer, text))
    finally:
        for hook in hooks:
            hook.remove()
    return shifts


@torch.no_grad()
def nats(model: nn.Module, tokenizer: object, text: str = TEXT) -> float:
    """Return the mean cross-entropy of the next token, in nats."""
    ids = as_ids(tokenizer, text)
    return F.cross_entropy(model(ids)[0, :-1], ids[0, 1:]).item()


@torch.no_grad()
def continuation(model: nn.Module, tokenizer: object, text: str, tokens: int) -> str:
    """Return the likeliest next tokens of a text, each chosen after the one before.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: The beginning.
        tokens: How many tokens are returned.
    """
    new = greedy_decode(model, as_ids(tokenizer, text), max_new_tokens=tokens)
    return tokenizer.decode(new[0].tolist())


START = "The capital of France is"
_cut = joined(torch.zeros_like, silu)
_flat = joined(lambda x: 0 * x - 0.18, silu)
# What takes the place of SiLU, by the name that it has in the chapter, and more of it.
FIRST: dict[str, Callable[[Tensor], Tensor]] = {
    "SiLU": silu,
    "SiLU | x": joined(silu, lambda x: x),
    "ReLU": relu,
    "ReLU - 0.17": lambda x: relu(x) - 0.17,
    "SiLU + 0.17": lambda x: silu(x) + 0.17,
}
MORE: dict[str, Callable[[Tensor], Tensor]] = {
    "GELU": gelu,
    "0 | SiLU": _cut,
    "the same, - 0.11": lambda x: _cut(x) - 0.11,
    "-0.18 | SiLU": _flat,
    "the same, + 0.11": lambda x: _flat(x) + 0.11,
    "SiLU + 0.11": lambda x: silu(x) + 0.11,
    "SiLU - 0.11": lambda x: silu(x) - 0.11,
    "ReLU - 0.10": lambda x: relu(x) - 0.10,
    "ReLU - 0.25": lambda x: relu(x) - 0.25,
}
SWAPS = FIRST | MORE


def swapped(
    model: nn.Module, tokenizer: object, bend: Callable[[Tensor], Tensor]
) -> tuple[list[float], str]:
    """Return the nats of both `PAGES` and the next words, with another activation."""
    with bent_by(model, bend):
        losses = [nats(model, tokenizer, page) for page in PAGES]
        return losses, continuation(model, tokenizer, START, 8)


def measured(model: nn.Module, tokenizer: object, names: Iterable[str]) -> list[dict]:
    """Return for some of `SWAPS` by how much they lie above SiLU, and what they cost.

    Args:
        model: A decoder-only language model with gated layers.
        tokenizer: Its tokenizer.
        names: Which of them.
    """
    inputs = gate_inputs(model, tokenizer)
    rows = []
    for name in names:
        shift = (SWAPS[name](inputs) - silu(inputs)).mean().item()
        losses, end = swapped(model, tokenizer, SWAPS[name])
        rows.append({"swap": name, "shift": shift, "nats": losses, "end": end})
    return rows


def stored(names: Iterable[str]) -> list[dict]:
    """Return what the file holds of some of `SWAPS`."""
    rows = {row["swap"]: row for row in MEASUREMENTS.read()}
    return [rows[name] for name in names]


if __name__ == "__main__":
    MEASUREMENTS.write(measured(*open_model("smollm2-135m"), SWAPS))
