"""How far back a real language model looks, and what it misses in a window."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from transformer.models import attention_maps

# A story to read, of 221 tokens for SmolLM2.
STORY = """\
The lighthouse stood on a rock two miles from the village, and for thirty years the \
same man had kept it. Every evening he climbed the stairs, cleaned the glass, filled \
the lamp with oil and lit it before the sun had gone down. In winter the boat with his \
food could not cross for weeks, and he lived on dried fish, hard bread and the letters \
of his sister, which he read again and again until he knew them by heart. He did not \
complain. When the children of the village asked him whether he was lonely, he laughed \
and told them that nobody who has a light to look after is ever alone. One night in \
November a storm broke the glass of the lamp. The wind blew out the flame as often as \
he lit it, and far out at sea he could hear the horn of a ship that was looking for \
the harbor. So he carried his bed, his table and his chair up to the top of the tower, \
and set fire to them. In the morning a captain and eleven sailors came to the village \
on foot to thank the man who had saved them."""


@torch.no_grad()
def mean_weights(model: nn.Module, ids: Sequence[int]) -> Float[Tensor, "time time"]:
    """Return the attention weights of a text, the mean over all heads and layers."""
    with attention_maps(model) as maps:
        model(torch.tensor([ids]))
    return torch.cat([weights[0] for weights in maps.values()]).mean(dim=0)


def shares(
    weights: Float[Tensor, "time time"], starts: Sequence[int]
) -> Float[Tensor, " ranges"]:
    """Return how much weight falls on each range of distances.

    Args:
        weights: A row for each query.
        starts: Where the ranges start, in positions back. Each ends where the next
            one starts, the last one before the last number.

    Returns:
        The mean over those queries that have a key at each of these distances.
    """
    time = torch.arange(len(weights))
    back = time[:, None] - time
    rows = time >= starts[-1] - 1
    ranges = pairwise(starts)
    seen = [(back >= start) & (back < end) for start, end in ranges]
    return torch.stack([(weights * some).sum(dim=1)[rows].mean() for some in seen])


@torch.no_grad()
def loss_in_window(
    model: nn.Module, ids: Sequence[int], *, window: int, keep: Sequence[int] = ()
) -> float:
    """Return the loss where a text goes on beyond a window.

    Args:
        model: A decoder-only language model.
        ids: The text.
        window: How many of the nearest keys a query sees, itself included.
        keep: Places of tokens that it sees as well, once they have been read.

    Returns:
        The mean cross-entropy of what follows the tokens from `window` on, in nats.
    """
    tokens, time = torch.tensor(ids), torch.arange(len(ids))
    back = time[:, None] - time
    kept = torch.isin(time, torch.tensor(list(keep)))
    mask = (back >= 0) & ((back < window) | kept)
    x = model.decoder(model.embedding(tokens[None]), mask=mask)
    return cross_entropy(model.head(x)[0, window:-1], tokens[window + 1 :]).item()
