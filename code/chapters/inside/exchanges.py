"""What 24 prompts about boats say when partners exchange what is inside a model.

Heads are cut or exchanged, with some networks held as they were, and so are columns.
The notebook reads it from a file that `python -m chapters.inside.exchanges` writes.
"""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from chapters.inside import boats
from chapters.inside.heads import Head
from chapters.inside.losses import TEAMS
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import next_logits, open_model
from transformer.layers import causal_mask
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("inside", "exchanges")
MODEL = "smollm2-135m"

FINDERS, COPIERS = TEAMS["four finders"], TEAMS["four copiers"]
TELLER = TEAMS["17.1"]
BACK = [*TELLER, (12, 2), (2, 3), (3, 2), (20, 4)]  # all look one word back
RIVALS = BACK[1:]
PAIR = FINDERS[:2]
ASKERS = [*PAIR, FINDERS[3]]
HELPED = [*ASKERS, (19, 8), (19, 9)]  # these two look at the same word, by half
EIGHT = [*TELLER, *ASKERS, *COPIERS]


def others(layers: Iterable[int], but: Sequence[Head]) -> list[Head]:
    """Return the heads of some layers of nine that are not in a team."""
    pool = [(layer, head) for layer in layers for head in range(1, 10)]
    return [head for head in pool if head not in but]


CUT: list[list[Head]] = [*([head] for head in BACK), RIVALS]
SWAPPED: list[list[Head]] = [
    *CUT,
    *([head] for head in FINDERS),
    PAIR,
    FINDERS[:3],
    ASKERS,
    FINDERS,
    HELPED,
    others((18, 19), FINDERS),
    COPIERS,
    others((24,), COPIERS),
    TELLER + ASKERS,
    ASKERS + COPIERS,
    EIGHT,
    others(range(1, 31), EIGHT),
    others(range(1, 31), ()),
]
HELD = [(team, held) for team in (PAIR, ASKERS) for held in ([18], [*range(19, 24)])]
COLUMNS = [
    (depth, columns)
    for depth in (17, 18, 19)
    for columns in ([8, 12], [21], [8, 12, 21])  # the nouns, the last word, both
]


def names_other(tokenizer: object, logits: Tensor) -> int:
    """Return how many prompts go on with the noun of the other boat."""
    return int((logits.argmax(dim=-1) == boats.nouns(tokenizer)[:, 1]).sum())


@torch.no_grad()
def with_networks_held(
    model: nn.Module,
    tokenizer: object,
    *,
    swapped: Sequence[Head],
    held: Iterable[int],
) -> int:
    """Return how many prompts name the other boat while some networks are held.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        swapped: The heads that get what they gathered with the first names exchanged.
        held: The layers, from 1, whose networks write what they wrote before.
    """
    streams = boats.unchanged(model, tokenizer)
    depth = min(layer for layer, _ in swapped) - 1
    changes = []
    for number in held:
        down, hidden = hidden_units(model, streams[number - 1], layer=number)
        changes.append((down, lambda _, hidden=hidden: hidden))
    with boats.exchanged(model, swapped):
        logits = next_logits(model, streams[depth], depth=depth, changes=changes)
    return names_other(tokenizer, logits)


def hidden_units(
    model: nn.Module, stream: Tensor, *, layer: int
) -> tuple[nn.Module, Tensor]:
    """Return the last matrix of a layer's network, and what enters it."""
    block, kept = model.decoder.layers[layer - 1], []
    down = block.feed_forward.down_projection
    with down.register_forward_pre_hook(lambda part, given: kept.append(given[0])):
        block(stream, mask=causal_mask(stream.size(1)))
    return down, kept[0]


def with_columns_exchanged(
    model: nn.Module, tokenizer: object, *, depth: int, columns: Sequence[int]
) -> int:
    """Return how many prompts name the other boat after an exchange of columns.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        depth: After how many layers partners exchange them.
        columns: Their places in the text, from 0.
    """
    stream = boats.unchanged(model, tokenizer)[depth].clone()
    stream[:, columns] = stream.roll(len(stream) // 2, 0)[:, columns]
    return names_other(tokenizer, next_logits(model, stream, depth=depth))


def told(*, off: Sequence[Head] = (), swapped: Sequence[Head] = ()) -> boats.Told:
    """Return what the file holds of some heads, as `boats.answers` measures it."""
    row = _row(off=off, swapped=swapped)
    return boats.Told(*(row[field] for field in boats.Told._fields))


def turned(**change: object) -> int:
    """Return what the file holds of held networks or of exchanged columns.

    Args:
        **change: As in `with_networks_held` or `with_columns_exchanged`.
    """
    return _row(**change)["names_other"]


def _row(**change: object) -> dict:
    asked = {name: _plain(value) for name, value in change.items()}
    return next(row for row in MEASUREMENTS.read() if row.items() >= asked.items())


def _plain(value: object) -> object:
    if isinstance(value, Iterable):
        return [_plain(part) for part in value]
    return value


def every_change(smollm: LanguageModel) -> list[dict]:
    """Return a row for each team of heads, each held network and each exchange."""
    changes = [{"off": [], "swapped": []}]
    changes += [{"off": team, "swapped": []} for team in CUT]
    changes += [{"off": [], "swapped": team} for team in SWAPPED]
    rows = [change | boats.answers(*smollm, **change)._asdict() for change in changes]
    for team, held in HELD:
        change = {"swapped": team, "held": held}
        found = with_networks_held(*smollm, **change)
        rows.append(change | {"names_other": found})
    for depth, columns in COLUMNS:
        change = {"depth": depth, "columns": columns}
        found = with_columns_exchanged(*smollm, **change)
        rows.append(change | {"names_other": found})
    return rows


if __name__ == "__main__":
    MEASUREMENTS.write(every_change(open_model(MODEL)), model=MODEL)
