"""Sublayers taken out of a trained model, which is not trained again.

What a sublayer writes to the stream is exchanged for nothing, or for its mean over
other texts, which says nothing about the text that is read. All layers take minutes,
so the chapter reads their losses from a file that
`python -m chapters.ablations.taken_out` writes.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model

MEASUREMENTS = Measurements("ablations", "taken_out")
GROUPS = (1, 2, 3, 5, 8)  # how many of the cheapest are taken out together

TEXTS = (
    "The museum opened a new room last spring. It shows maps of the city from four "
    "centuries, and visitors can walk across the largest of them.",
    "To bake bread you need flour, water, salt and a little yeast. Let the dough rest "
    "in a warm place until it has doubled in size.",
    "Whales breathe air like all mammals. Before a long dive they fill their lungs, "
    "and their hearts beat more slowly while they are down.",
)
# What a sublayer ends with.
LAST_MAPS = {
    "attention": lambda layer: layer.self_attention.output_projection,
    "feed-forward": lambda layer: layer.feed_forward.down_projection,
}


def last_maps(model: nn.Module, part: str) -> dict[int, nn.Module]:
    """Return the last map of each layer's sublayer, by the layer, from 1."""
    return {
        number: LAST_MAPS[part](layer)
        for number, layer in enumerate(model.decoder.layers, start=1)
    }


@contextmanager
def taken_out(
    model: nn.Module,
    part: str,
    rows: Sequence[Sequence[int]],
    instead: Mapping[int, Float[Tensor, " d_model"]] | None = None,
) -> Iterator[None]:
    """Take sublayers out while the block runs, other ones in each row of the batch.

    Args:
        model: A decoder-only language model.
        part: One of `LAST_MAPS`.
        rows: For each row of the batch the layers without it, from 1.
        instead: What each layer writes for every token in its place; nothing when not
            given.
    """

    def change(_, __, written: Tensor, *, layer: int) -> Tensor:
        out = torch.tensor([layer in layers for layers in rows])[:, None, None]
        other = torch.zeros(()).to(written) if instead is None else instead[layer]
        return torch.where(out, other, written)

    with ExitStack() as hooks:
        for layer, last in last_maps(model, part).items():
            hook = last.register_forward_hook(partial(change, layer=layer))
            hooks.enter_context(hook)
        yield


@torch.no_grad()
def rises(
    model: nn.Module,
    ids: Sequence[int],
    part: str,
    without: Sequence[Sequence[int]],
    instead: Mapping[int, Float[Tensor, " d_model"]] | None = None,
) -> Float[Tensor, " rows"]:
    """Return by how much the loss of a text rises without some sublayers, in nats.

    Args:
        model: A decoder-only language model.
        ids: The tokens of the text.
        part: One of `LAST_MAPS`.
        without: The layers that lose it, from 1, once for each number returned.
        instead: As in `taken_out`.
    """
    rows = torch.tensor(ids).expand(len(without) + 1, -1)
    with taken_out(model, part, [(), *without], instead):
        logits = model(rows)[:, :-1]
    each = cross_entropy(logits.transpose(1, 2), rows[:, 1:], reduction="none")
    losses = each.mean(dim=1)
    return losses[1:] - losses[0]


@torch.no_grad()
def mean_written(
    model: nn.Module, texts: Sequence[Sequence[int]], part: str, *, after: int = 0
) -> dict[int, Float[Tensor, " d_model"]]:
    """Return what each layer's sublayer writes, its mean over the tokens of texts.

    Args:
        model: A decoder-only language model.
        texts: The tokens of each text.
        part: One of `LAST_MAPS`.
        after: How many tokens at the start of each text do not count.
    """
    found: dict[int, list[Tensor]] = {}

    def look(_, __, written: Tensor, *, layer: int) -> None:
        found.setdefault(layer, []).append(written[0, after:])

    with ExitStack() as hooks:
        for layer, last in last_maps(model, part).items():
            hook = last.register_forward_hook(partial(look, layer=layer))
            hooks.enter_context(hook)
        for ids in texts:
            model(torch.tensor([ids]))
    return {layer: torch.cat(parts).mean(dim=0) for layer, parts in found.items()}


def measure_sublayers() -> Iterator[dict]:
    """Yield for each part what the loss rises by: each layer, and the cheapest."""
    model, tokenizer = open_model("smollm2-135m")
    texts = [tokenizer.encode(text) for text in TEXTS]
    each = [[layer] for layer in range(1, len(model.decoder.layers) + 1)]
    for part in LAST_MAPS:
        zero = torch.stack([rises(model, ids, part, each) for ids in texts])
        yield row(part, "nothing", each, zero)
        for kind, after in (("mean", 0), ("mean after the first token", 1)):
            found = []
            for place, ids in enumerate(texts):
                others = texts[:place] + texts[place + 1 :]
                mean = mean_written(model, others, part, after=after)
                found.append(rises(model, ids, part, each, mean))
            yield row(part, kind, each, torch.stack(found))
        cheap = (zero.mean(dim=0).argsort() + 1).tolist()
        groups = [cheap[:count] for count in GROUPS]
        together = [rises(model, ids, part, groups) for ids in texts]
        yield row(part, "together", groups, torch.stack(together))


def row(part: str, kind: str, without: Sequence, found: Float[Tensor, "t r"]) -> dict:
    """Return one row of the file; the rises of each text stand behind one another."""
    return {"part": part, "kind": kind, "without": without, "rises": found.tolist()}


if __name__ == "__main__":
    MEASUREMENTS.write(list(measure_sublayers()), texts=list(TEXTS))
