"""SmolLM2 with the gates, or the messages, that belong to another sentence.

All pairs of sentences take half a minute, so the chapter reads whose words they say
from a file that `python -m chapters.variants.swapped_doors` writes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import next_logits, open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("variants", "swapped_doors")

CAPITALS = {
    "France": " Paris",
    "Italy": " Rome",
    "Japan": " Tokyo",
    "Spain": " Madrid",
    "England": " London",
    "Russia": " Moscow",
    "Germany": " Berlin",
    "China": " Beijing",
}
SENTENCES = (  # of five tokens each
    "The color of snow is",
    "The smell of bread is",
    "The weight of iron is",
    "The price of bread is",
    "The end of winter is",
    "The capital of Japan is",
    "My brother works as a",
    "She opened the old door",
    "In the morning we eat",
    "He was born in the",
)
TEXTS = (
    "The old doctor opened the door and saw that it had snowed.",
    "Water boils at a hundred degrees, and freezes at zero.",
    "My grandmother lives in a small village near the sea.",
)
PARTS = {"doors": "gate_projection", "messages": "up_projection"}
NEITHER, OWN, OWNERS = 0, 1, 2


def sentence(country: str) -> str:
    """Return the beginning of a sentence that a capital completes."""
    return f"The capital of {country} is"


@contextmanager
def put(
    model: nn.Module, part: str, change: Callable[[int, Tensor], Tensor | None]
) -> Iterator[None]:
    """Let a function replace what makes the doors, or the messages, in each layer.

    Args:
        model: The language model.
        part: A key of `PARTS`.
        change: Called with the number of the layer and what its projection returns;
            None keeps that.
    """
    handles = [
        getattr(block.feed_forward, PARTS[part]).register_forward_hook(
            lambda _, __, output, layer=layer: change(layer, output)
        )
        for layer, block in enumerate(model.decoder.layers)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@torch.no_grad()
def chances(smollm: LanguageModel, texts: Sequence[str]) -> Tensor:
    """Return the probability of each next token, one row for each text.

    Args:
        smollm: The model and its tokenizer.
        texts: As many tokens in each.
    """
    model, tokenizer = smollm
    device = next(model.parameters()).device
    ids = torch.tensor([tokenizer.encode(text) for text in texts], device=device)
    logits = next_logits(model, model.embedding(ids), depth=0)
    return logits.softmax(dim=-1).cpu()


def kept(smollm: LanguageModel, part: str, texts: Sequence[str]) -> list[Tensor]:
    """Return what makes the doors, or the messages, of texts, one tensor a layer."""
    found: list[Tensor] = []
    with put(smollm[0], part, lambda _, output: found.append(output)):
        chances(smollm, texts)
    return found


def chances_with(
    smollm: LanguageModel, texts: Sequence[str], part: str, owner: str
) -> Tensor:
    """Return the chances of the next token, with doors or messages of another text.

    The other factor is computed from what the exchanged one has left in the stream.

    Args:
        smollm: The model and its tokenizer.
        texts: What the model reads.
        part: A key of `PARTS`: what is put in, in every layer and at every word; or
            "duel": the doors, while the texts' own messages stay as they were.
        owner: The text it is taken from, with as many tokens.
    """
    return chances_with_each(smollm, texts, part, [owner])[0]


def chances_with_each(
    smollm: LanguageModel, texts: Sequence[str], part: str, owners: Sequence[str]
) -> Tensor:
    """Return `chances_with` for each of several owners, in their order.

    Args:
        smollm: The model and its tokenizer.
        texts: As in `chances_with`.
        part: As there.
        owners: As `owner` there.
    """
    taken = part if part in PARTS else "doors"
    count = len(texts)
    stored = {
        taken: [x.repeat_interleave(count, 0) for x in kept(smollm, taken, owners)]
    }
    if part not in PARTS:  # the texts' own messages, for each owner again
        own = kept(smollm, "messages", texts)
        stored["messages"] = [x.repeat(len(owners), 1, 1) for x in own]
    with ExitStack() as changed:
        for name, layers in stored.items():
            change = partial(_stored, layers)
            changed.enter_context(put(smollm[0], name, change))
        found = chances(smollm, [*texts] * len(owners))
    return found.unflatten(0, (len(owners), count))


def _stored(layers: Sequence[Tensor], layer: int, output: Tensor) -> Tensor:
    return layers[layer]


def likeliest(smollm: LanguageModel, rows: Tensor) -> list[tuple[str, float]]:
    """Return the likeliest token of each row, and its probability."""
    chance, token = rows.max(dim=-1)
    words = [smollm[1].decode([number]) for number in token.tolist()]
    return list(zip(words, chance.tolist(), strict=True))


def next_word(
    smollm: LanguageModel, text: str, part: str = "doors", owner: str | None = None
) -> str:
    """Return the likeliest next token of a text and its probability, in words.

    Args:
        smollm: The model and its tokenizer.
        text: What the model reads.
        part: As in `chances_with`.
        owner: Whose part is put in; its own when not given.
    """
    rows = chances_with(smollm, [text], part, owner or text)
    ((word, chance),) = likeliest(smollm, rows)
    return f"{word!r} {chance:.2f}"


def judge(
    smollm: LanguageModel, part: str, owners: Sequence[str] = tuple(CAPITALS)
) -> np.ndarray:
    """Return whose capital is named, for each owner of a part and each sentence.

    Args:
        smollm: The model and its tokenizer.
        part: As in `chances_with`.
        owners: Countries whose part is put in.

    Returns:
        `OWNERS`, `OWN` or `NEITHER` in each cell; rows are the owners.
    """
    texts = [sentence(country) for country in CAPITALS]
    given = [sentence(owner) for owner in owners]
    found = np.full((len(given), len(texts)), NEITHER)
    each = chances_with_each(smollm, texts, part, given)
    for row, owner in enumerate(owners):
        said = [word for word, _ in likeliest(smollm, each[row])]
        for column, (country, word) in enumerate(zip(CAPITALS, said, strict=True)):
            if word == CAPITALS[owner]:
                found[row, column] = OWNERS
            elif word == CAPITALS[country]:
                found[row, column] = OWN
    return found


def tally(found: np.ndarray, owners: Sequence[str] = ()) -> list[int]:
    """Return how often a swap names the owner's capital, the sentence's, neither.

    Args:
        found: What `judge` returned.
        owners: The countries of its rows, if they are not all.
    """
    places = [list(CAPITALS).index(owner) for owner in owners] or range(len(found))
    swapped = found[~np.eye(found.shape[1], dtype=bool)[places]]
    return [int((swapped == who).sum()) for who in (OWNERS, OWN, NEITHER)]


def followed(smollm: LanguageModel, part: str | None) -> int:
    """Return how often a sentence goes on as the owner of a part does.

    Args:
        smollm: The model and its tokenizer.
        part: A key of `PARTS`; None exchanges nothing.

    Returns:
        A number of pairs of two different `SENTENCES`.
    """
    own = [word for word, _ in likeliest(smollm, chances(smollm, SENTENCES))]
    if part is not None:
        each = chances_with_each(smollm, SENTENCES, part, SENTENCES)
    count = 0
    for row in range(len(SENTENCES)):
        said = own
        if part is not None:
            said = [word for word, _ in likeliest(smollm, each[row])]
        count += sum(word == own[row] for word in said[:row] + said[row + 1 :])
    return count


@torch.no_grad()
def nats_with(smollm: LanguageModel, share: float, *, chosen: str = "loudest") -> float:
    """Return the loss when, for each token and layer, a share of the units is kept.

    Args:
        smollm: The model and its tokenizer.
        share: How many of the units are kept, of one.
        chosen: "loudest" keeps the largest, "random" any.

    Returns:
        The mean over `TEXTS`, in nats per token.
    """
    model, tokenizer = smollm
    generator = torch.Generator("cpu").manual_seed(0)

    def keep(_: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        hidden = inputs[0]
        rank = hidden.abs()
        if chosen == "random":
            rank = torch.rand(hidden.shape, generator=generator, device="cpu")
        places = rank.topk(round(share * hidden.size(-1)), dim=-1).indices
        mask = torch.zeros_like(hidden).scatter(-1, places.to(hidden.device), 1.0)
        return (hidden * mask,)

    handles = [
        block.feed_forward.down_projection.register_forward_pre_hook(keep)
        for block in model.decoder.layers
    ]
    losses = []
    for text in TEXTS:
        device = next(model.parameters()).device
        ids = torch.tensor([tokenizer.encode(text)], device=device)
        losses.append(F.cross_entropy(model(ids)[0, :-1], ids[0, 1:]).item())
    for handle in handles:
        handle.remove()
    return sum(losses) / len(losses)


def verdicts(part: str) -> np.ndarray:
    """Return what the file holds of `judge`."""
    return np.array(_row("judged", part)["verdicts"])


def count_of_followed(part: str | None) -> int:
    """Return what the file holds of `followed`."""
    return _row("followed", part)["count"]


def _row(what: str, part: str | None) -> dict:
    rows = MEASUREMENTS.read()
    return next(row for row in rows if (row["what"], row["part"]) == (what, part))


def all_pairs(smollm: LanguageModel) -> list[dict]:
    """Return a row for each kind of swap between countries, then between sentences."""
    rows: list[dict] = [
        {"what": "judged", "part": part, "verdicts": judge(smollm, part).tolist()}
        for part in (*PARTS, "duel")
    ]
    return rows + [
        {"what": "followed", "part": part, "count": followed(smollm, part)}
        for part in (*PARTS, None)
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(all_pairs(open_model("smollm2-135m")))
