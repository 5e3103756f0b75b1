"""Texts of random words, written twice, in which only a copy can be known."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer.layers import causal_mask

WORDS, TEXTS = 25, 5


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


@torch.no_grad()
def read_twice(
    model: nn.Module,
    ids: Int[Tensor, "texts time"],
    *,
    streams: Float[Tensor, "depth texts time d_model"] | None = None,
) -> dict[str, float]:
    """Return how well a model knows texts whose second half repeats the first.

    Args:
        model: A decoder-only language model.
        ids: What it reads.
        streams: What has become of them after the lowest layers, if that is known;
            only the layers above compute anew.

    Returns:
        The mean loss of a word in nats, "first" and "second" by halves, and the share
        of words of the second half that the model names right, "right". The first word
        of each half cannot be known and does not count.
    """
    half = ids.size(1) // 2
    streams = model.embedding(ids)[None] if streams is None else streams
    x, mask = streams[-1], causal_mask(ids.size(1))
    for layer in model.decoder.layers[len(streams) - 1 :]:
        x = layer(x, mask=mask)
    scores = model.head(model.decoder.norm(x))
    logs = scores[:, :-1].log_softmax(dim=-1)
    losses = -logs.gather(2, ids[:, 1:, None])[..., 0]  # (texts, time - 1)
    named = scores[:, half:-1].argmax(dim=-1) == ids[:, half + 1 :]
    return {
        "first": losses[:, : half - 1].mean().item(),
        "second": losses[:, half:].mean().item(),
        "right": named.double().mean().item(),
    }
