"""What a language model expects while it reads: prices of pieces, and honest shares."""

from collections.abc import Sequence
from math import log

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from chapters.language_model.recipe import LINE_END
from transformer.data import Tokenizer
from transformer.models.modes import evaluating
from transformer.training import score_text


def priced(
    model: nn.Module, tokenizer: Tokenizer, text: str, *, before: str = ""
) -> list[tuple[str, float]]:
    """Return the pieces of a text, each with what it costs in bits.

    Args:
        model: A decoder-only model.
        tokenizer: Its tokenizer.
        text: What is read.
        before: What is read first, and not priced. Both fit into the model.
    """
    known = tokenizer.encode(LINE_END + before)
    ids = tokenizer.encode(text)
    width = model.config.max_len
    nats = score_text(model, torch.tensor([*known, *ids]), width=width, stride=width)
    costs = (nats[-len(ids) :] / log(2)).tolist()
    return list(zip(map(tokenizer.decode, ([i] for i in ids)), costs, strict=True))


def said_and_came(
    model: nn.Module, ids: Integer[Tensor, " tokens"], *, width: int
) -> tuple[Float[Tensor, " pairs"], Float[Tensor, " pairs"]]:
    """Return the shares of all tokens at all places, and which of them came.

    Args:
        model: A decoder-only model.
        ids: The tokens of a text. What fills no window is left out.
        width: How many tokens a window has.
    """
    count = (len(ids) - 1) // width
    read = ids[: count * width].view(count, width)
    labels = ids[1 : count * width + 1].view(count, width)
    with evaluating(model):
        shares = torch.cat([model(row[None]).softmax(dim=-1) for row in read])
    came = torch.zeros_like(shares).scatter_(2, labels[..., None], 1.0)
    return shares.flatten(), came.flatten()


def in_groups(
    said: Float[Tensor, " pairs"],
    came: Float[Tensor, " pairs"],
    *,
    edges: Sequence[float],
) -> list[tuple[float, float, int]]:
    """Return for each group of shares their mean, how often they came, and how many.

    Source: Guo et al. (2017), section 2, for the groups of a reliability diagram.

    Args:
        said: The shares.
        came: 1 for what came, and 0 for what did not.
        edges: Where groups end, from 0 to 1; a group without shares is left out.
    """
    groups = torch.bucketize(said, torch.tensor(edges, dtype=said.dtype))
    counts, *sums = (
        torch.bincount(groups, weights, minlength=len(edges)).tolist()
        for weights in (None, said.double(), came.double())
    )
    # The first is not above the lowest edge.
    each = zip(*(total[1 : len(edges)] for total in (*sums, counts)), strict=True)
    return [(one / many, other / many, many) for one, other, many in each if many]
