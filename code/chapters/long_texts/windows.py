"""What a window costs a trained model, and what its first token is worth to it.

The losses of three texts take minutes, so the chapter reads them from a file that
`python -m chapters.long_texts.windows` writes.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from chapters.laboratory.alice import book
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from transformer.layers import window_mask

MEASUREMENTS = Measurements("long_texts", "windows")
PROSE = Path(__file__).with_name("prose.txt")  # of the chapter on decoding
TOKENS = 1500  # of each text
FROM = 256  # the place from which losses count: before it, some windows hide nothing
BLOCK = 20  # places whose losses are averaged where a course is kept


class Sight(NamedTuple):
    """What a query sees beside itself: a window, and some places that stay."""

    window: int
    kept: tuple[int, ...] = ()


SIGHTS = {
    "every token": Sight(TOKENS),
    "the last 64": Sight(64),
    "the last 64, the first one": Sight(64, (0,)),
    "the last 64, the first four": Sight(64, (0, 1, 2, 3)),
    "the last 64, four others": Sight(64, (4, 5, 6, 7)),
    "the last 256": Sight(256),
    "the last 256, the first one": Sight(256, (0,)),
    "the last 256, the first four": Sight(256, (0, 1, 2, 3)),
    "the last 256, four others": Sight(256, (4, 5, 6, 7)),
}


IN_FRONT = "the last 64, a line break in front"  # which stays in sight


def texts(tokenizer: object) -> Mapping[str, list[int]]:
    """Return the ids of three texts: twice *Alice*, and prose of this book."""
    alice = tokenizer.encode(book())
    prose = tokenizer.encode(PROSE.read_text(encoding="utf-8"))
    return {
        "Alice": alice[:TOKENS],
        "Alice, later": alice[TOKENS : 2 * TOKENS],
        "this book": prose[:TOKENS],
    }


def mask_of(sight: Sight, time: int) -> Bool[Tensor, "time time"]:
    """Return which places each place of a text sees."""
    seen = window_mask(time, window=sight.window)
    for place in sight.kept:
        seen[place:, place] = True
    return seen


@torch.no_grad()
def losses(
    model: nn.Module, ids: Sequence[int], sight: Sight, *, mute_first: bool = False
) -> Float[Tensor, " tokens"]:
    """Return what each token after the first costs, in nats, if all layers see so.

    Args:
        model: A decoder-only language model.
        ids: The tokens of the text.
        sight: What a query of each layer sees.
        mute_first: Whether all others read a value of zero from the first token, which
            keeps its key and its own stream.
    """
    rows = torch.tensor(ids)[None]
    stream, mask = model.embedding(rows), mask_of(sight, len(ids))
    for layer in model.decoder.layers:
        heard = layer(stream, mask=mask)
        if mute_first:
            values = layer.self_attention.value_projection
            hook = values.register_forward_hook(_without_first)
            heard[:, 1:] = layer(stream, mask=mask)[:, 1:]
            hook.remove()
        stream = heard
    logits = model.head(model.decoder.norm(stream))[0, :-1]
    return cross_entropy(logits, rows[0, 1:], reduction="none")


def _without_first(module: nn.Module, given: tuple, values: Tensor) -> Tensor:
    """Return values of which the first is zero."""
    return torch.cat((torch.zeros_like(values[:, :1]), values[:, 1:]), dim=1)


def measured(model: nn.Module, tokenizer: object) -> Iterator[dict]:
    """Yield for each text and each sight the loss, and its course along the text."""
    for text, ids in texts(tokenizer).items():
        for name, sight in SIGHTS.items():
            yield row_of(text, name, losses(model, ids, sight))
        yield row_of(text, IN_FRONT, losses_behind(model, tokenizer, ids))


def losses_behind(
    model: nn.Module, tokenizer: object, ids: Sequence[int]
) -> Float[Tensor, " tokens"]:
    """Return the losses of a text behind a line break, the one token that stays."""
    front = tokenizer.encode("\n")
    sight = SIGHTS["the last 64, the first one"]
    return losses(model, [*front, *ids], sight)[len(front) :]


def row_of(text: str, sight: str, found: Float[Tensor, " tokens"]) -> dict:
    """Return what is kept of the losses of a text."""
    whole = len(found) // BLOCK * BLOCK
    course = found[:whole].view(-1, BLOCK).mean(dim=1)
    nats = found[FROM - 1 :].mean().item()
    return {"text": text, "sight": sight, "nats": nats, "course": course.tolist()}


if __name__ == "__main__":
    MEASUREMENTS.write([*measured(*open_model("smollm2-135m"))], tokens=TOKENS)
