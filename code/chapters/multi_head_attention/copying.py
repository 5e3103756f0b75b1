"""Random words, written twice: which heads of a language model copy, and with whom."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.real_model import loss_of

WORDS, TEXTS = 25, 5
ORDINARY = (
    "The keys that she lost yesterday are here, and the cat that she found last week "
    "is asleep on the old chair by the window. Nobody in the house remembers when it "
    "first came, but everybody feeds it, and so it has grown round and slow, and "
    "rather fond of the warm place near the stove."
)


def is_word(text: str) -> bool:
    """Return whether a token is a word of three letters or more, after a space."""
    letters = text[1:]
    whole = letters.isascii() and letters.isalpha() and letters.islower()
    return text.startswith(" ") and whole and len(letters) >= 3


def words_twice(model: nn.Module, tokenizer: object) -> Int[Tensor, "texts time"]:
    """Draw texts of random words without a repetition, each written twice.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
    """
    ids = range(model.config.vocab_size)
    pool = torch.tensor([i for i in ids if is_word(tokenizer.decode([i]))])
    drawn = []
    for seed in range(TEXTS):
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(pool), generator=generator, device="cpu")
        drawn.append(pool[order[:WORDS]].repeat(2))
    return torch.stack(drawn)


@contextmanager
def switched_off(model: nn.Module, heads: Iterable[tuple[int, int]]) -> Iterator[None]:
    """Let heads write nothing while the block runs: their outputs become zero.

    Args:
        model: A decoder-only language model.
        heads: For each its layer and its number there, both from 1.
    """
    hooks = []
    for layer, head in heads:
        attention = model.decoder.layers[layer - 1].self_attention

        def silence(module, inputs, head=head, attention=attention):
            each = inputs[0].unflatten(-1, (attention.num_heads, -1)).clone()
            each[..., head - 1, :] = 0
            return (each.flatten(start_dim=-2),)

        output = attention.output_projection
        hooks.append(output.register_forward_pre_hook(silence))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@torch.no_grad()
def read_twice(model: nn.Module, ids: Int[Tensor, "texts time"]) -> dict[str, float]:
    """Return how well a model knows texts whose second half repeats the first.

    Args:
        model: A decoder-only language model.
        ids: What it reads.

    Returns:
        The mean loss of a word in nats, "first" and "second" by halves, and the share
        of words of the second half that the model names right, "right". The first word
        of each half cannot be known and does not count.
    """
    half = ids.size(1) // 2
    scores = model(ids)
    logs = scores[:, :-1].log_softmax(dim=-1)
    losses = -logs.gather(2, ids[:, 1:, None])[..., 0]  # (texts, time - 1)
    named = scores[:, half:-1].argmax(dim=-1) == ids[:, half + 1 :]
    return {
        "first": losses[:, : half - 1].mean().item(),
        "second": losses[:, half:].mean().item(),
        "right": named.double().mean().item(),
    }


def ordinary_loss(model: nn.Module, tokenizer: object) -> float:
    """Return the mean loss of a token of an ordinary text, in nats."""
    return loss_of(model, tokenizer.encode(ORDINARY))


def share_back(weights: Float[Tensor, "texts time time"], back: int) -> float:
    """Return the mean weight so many places back, in the second half of the texts."""
    time = weights.size(-1)
    rows = torch.arange(time // 2, time)
    return weights[:, rows, rows - back].mean().item()
