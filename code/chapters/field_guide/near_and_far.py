"""How far back a real language model looks, and what it misses in a window.

It reads two hundred tokens each time, so the chapter takes some of the numbers from a
file that `python -m chapters.field_guide.near_and_far` writes, and measures others.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from transformer.layers import alibi_bias, causal_mask
from transformer.models import attention_maps
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("field_guide", "near_and_far")
WINDOW = 64
NAMES = ("Martin", "Walter", "Oliver")
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


def without_content(
    length: int, starts: Sequence[int]
) -> dict[str, Float[Tensor, " ranges"]]:
    """Return the shares of two ways of looking back at words that all match alike."""
    time, hidden = torch.arange(length), ~causal_mask(length)
    alike = torch.zeros(1, length, length)
    alibi = alibi_bias(8, time, time)[0]
    biases = {"all keys alike": alike, "eight ALiBi heads": alibi}
    return {
        name: shares(
            bias.masked_fill(hidden, -torch.inf).softmax(dim=-1).mean(dim=0), starts
        )
        for name, bias in biases.items()
    }


@torch.no_grad()
def read_in_window(
    model: nn.Module, ids: Sequence[int], *, window: int, keep: Sequence[int] = ()
) -> Float[Tensor, "1 time d_model"]:
    """Return what the head reads if the queries of a model see no more than a window.

    Args:
        model: A decoder-only language model.
        ids: The text.
        window: How many of the nearest keys a query sees, itself included.
        keep: Places of tokens that it sees as well, once they have been read.
    """
    time = torch.arange(len(ids))
    back = time[:, None] - time
    kept = torch.isin(time, torch.tensor(list(keep)))
    mask = (back >= 0) & ((back < window) | kept)
    return model.decoder(model.embedding(torch.tensor([ids])), mask=mask)


@torch.no_grad()
def loss_in_window(
    model: nn.Module, ids: Sequence[int], *, window: int, keep: Sequence[int] = ()
) -> float:
    """Return the mean cross-entropy of what follows the tokens from `window` on."""
    x = read_in_window(model, ids, window=window, keep=keep)
    labels = torch.tensor(ids)[window + 1 :]
    return cross_entropy(model.head(x[:, window:-1])[0], labels).item()


def chance_of(
    model: nn.Module,
    tokenizer: object,
    name: str,
    *,
    called: str,
    window: int | None = None,
) -> float:
    """Return how likely a model says a name when the story's hero is asked for.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        name: What it may say, one token.
        called: The name that the story gives him.
        window: How many of the nearest keys a query sees, beside the first; all of
            them if not given.
    """
    told = STORY.replace("the same man had", f"a man called {called} had")
    ids = tokenizer.encode(f"{told} The name of the man who had saved them was")
    (token,) = tokenizer.encode(f" {name}")
    return chances_after(model, tuple(ids), window or len(ids))[token].item()


@torch.no_grad()
@lru_cache(maxsize=4)  # one story without the name stands beside several with one
def chances_after(
    model: nn.Module, ids: tuple[int, ...], window: int
) -> Float[Tensor, " vocab"]:
    """Return how likely each token comes next, the first one always seen."""
    x = read_in_window(model, ids, window=window, keep=[0])
    return model.head(x[:, -1:])[0, 0].softmax(dim=-1)


def chances(
    model: nn.Module, tokenizer: object, name: str, *, window: int
) -> list[float]:
    """Return how likely a name is if told and if not, with all keys and in a window."""
    return [
        chance_of(model, tokenizer, name, called=called, window=width)
        for width in (None, window)
        for called in (name, "Edward")
    ]


def cases(tokenizer: object) -> dict[str, tuple[list[int], Sequence[int]]]:
    """Return what a model reads of the story, and which tokens a window spares."""
    ids = tokenizer.encode(STORY)
    blue = [tokenizer.encode("Blue")[0], *ids[1:]]
    return {
        "all keys": (ids, range(len(ids))),
        "the nearest 64": (ids, []),
        "and the first": (ids, [0]),
        "and the sixth, rock": (ids, [5]),
        "and the first, now Blue": (blue, [0]),
    }


def loss_of_case(model: nn.Module, tokenizer: object, case: str) -> float:
    """Return the loss in a window of one of `cases`."""
    ids, keep = cases(tokenizer)[case]
    return loss_in_window(model, ids, window=WINDOW, keep=keep)


def measured(smollm: LanguageModel) -> list[dict]:
    """Return the chances of each of `NAMES`, and the loss of each of `cases`."""
    names = [
        {"name": name, "chances": chances(*smollm, name, window=WINDOW)}
        for name in NAMES
    ]
    return names + [
        {"case": case, "nats": loss_of_case(*smollm, case)}
        for case in cases(smollm.tokenizer)
    ]


def stored_chances() -> dict[str, list[float]]:
    """Return what `chances` returns for each of `NAMES`, from the file."""
    rows = MEASUREMENTS.read()
    return {row["name"]: row["chances"] for row in rows if "name" in row}


def stored_losses() -> dict[str, float]:
    """Return what `loss_of_case` returns for each of `cases`, from the file."""
    rows = MEASUREMENTS.read()
    return {row["case"]: row["nats"] for row in rows if "case" in row}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write(measured(open_model("smollm2-135m")))
