"""What the book's own language model is worth, and its eight bits for the package.

`python -m chapters.language_model.results` measures what `own_model.py` has trained,
writes it with a card where `zoo.load("verses")` finds it, and takes about ten minutes.
"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.laboratory import king_james
from chapters.laboratory.measurements import Measurements
from chapters.language_model import own_model
from chapters.language_model.card import card
from chapters.language_model.recipe import tokenizer, tokens
from transformer.models import (
    DecoderOnlyTransformer,
    count_parameters,
    load_model,
    save_model,
)
from transformer.training import (
    adam,
    bits_per_character,
    score_text,
    score_while_learning,
)
from transformer.zoo import SHIPPED

MEASUREMENTS = Measurements("language_model", "results")
WIDTH, STRIDE = 256, 128  # of the windows of a frozen model
PART = 128  # tokens that are scored before each step of one that learns
RATES = (1e-4, 3e-4)  # of those steps; validation chooses


def stored_bits(way: str, *, book: str = "all") -> float:
    """Return what a letter of the test books costs the model with its eight bits.

    Args:
        way: "frozen", or "adaptive" for one that learns on the way.
        book: One of the books, if not all.
    """
    wanted = {"way": way, "weights": "8 bits", "split": "test", "book": book}
    [row] = [row for row in MEASUREMENTS.read() if wanted.items() <= row.items()]
    return row["bits"]


def frozen_nats(model: DecoderOnlyTransformer, split: str) -> Float[Tensor, " scored"]:
    """Return what each token of a split costs a model that stays as it is."""
    ids = tokens(split, model.config.vocab_size)
    return score_text(model, ids, width=WIDTH, stride=STRIDE)


def adaptive_nats(
    folder: Path, split: str, *, learning_rate: float
) -> Float[Tensor, " scored"]:
    """Return what each token costs a model that learns from each part of the split.

    Args:
        folder: Where the model is saved, which stays as it is.
        split: The split, its books in order.
        learning_rate: Of Adam, one step for each `PART` tokens.
    """
    model = load_model(folder)
    ids = tokens(split, model.config.vocab_size)
    optimizer = adam(model, learning_rate=learning_rate)
    return score_while_learning(model, ids, optimizer, width=WIDTH, stride=PART)


def by_book(
    nats: Float[Tensor, " scored"], split: str, vocab_size: int
) -> Iterator[dict[str, object]]:
    """Yield the bits of a split, and of each of its books."""
    yield {"book": "all", "bits": bits_of(nats, king_james.split_text(split))}
    start = 0
    for name in king_james.names_of(split):
        text = king_james.text(name)
        end = start + len(tokenizer(vocab_size).encode(text))
        yield {"book": name, "bits": bits_of(nats[start:end], text)}
        start = end
    if start != len(nats):
        raise ValueError(
            f"the books must hold all {len(nats)} tokens of the split, got {start}; "
            "a token must not reach from one book into the next."
        )


def bits_of(nats: Float[Tensor, " scored"], text: str) -> float:
    """Return bits a character with four decimals."""
    return round(bits_per_character(nats, text), 4)


def measure(float32: Path, packed: Path) -> Iterator[dict]:
    """Yield what each split and book costs, frozen and while learning.

    Args:
        float32: The folder of the model as it was trained.
        packed: That of the same in eight bits.
    """
    for weights, folder in (("float32", float32), ("8 bits", packed)):
        model = load_model(folder)
        for split in ("validation", "test"):
            row = {"weights": weights, "way": "frozen", "split": split}
            nats = frozen_nats(model, split)
            yield from ({**row, **x} for x in by_book(nats, split, 2048))
    found = {}
    for rate in RATES:
        row = {"weights": "8 bits", "way": "adaptive", "split": "validation"}
        row["learning_rate"] = rate
        nats = adaptive_nats(packed, "validation", learning_rate=rate)
        rows = [{**row, **x} for x in by_book(nats, "validation", 2048)]
        found[rate] = rows[0]["bits"]
        yield from rows
    best = min(found, key=found.get)
    row = {"weights": "8 bits", "way": "adaptive", "split": "test"}
    row["learning_rate"] = best
    nats = adaptive_nats(packed, "test", learning_rate=best)
    yield from ({**row, **x} for x in by_book(nats, "test", 2048))


def main() -> None:
    """Put the newest model of the training into the package, and measure it."""
    steps = own_model.RECIPE.steps
    trained, packed = own_model.FOLDER / "moments" / f"{steps:05d}", SHIPPED["verses"]
    model = load_model(trained)
    ours = tokenizer(own_model.RECIPE.vocab_size)
    save_model(model, packed, tokenizer=ours, bits=8)
    rows = []
    for row in measure(trained, packed):
        print(row, flush=True)
        rows.append(row)
    last = [*own_model.Moments(own_model.RECIPE, own_model.FOLDER).rows()][-1]
    facts = {
        "recipe": asdict(own_model.RECIPE),
        "parameters": count_parameters(model),
        "tokens": last["tokens"],
        "tokens_an_epoch": len(tokens("train", own_model.RECIPE.vocab_size)) - 1,
        "cpu_seconds": last["cpu_seconds"],
    }
    MEASUREMENTS.write(rows, **facts)
    (packed / "card.md").write_text(card(rows, facts), encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
