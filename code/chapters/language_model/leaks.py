"""What the small model gains from books that tell what the held-out one tells.

`python -m chapters.language_model.leaks` takes fifteen minutes of one core. Mark's
gospel is held out. Once the two gospels that share its sentences are left out of the
training as well, and once, as a control, two books of about the same size. Tokens and
steps are the same, with three seeds and the rate of `targets`.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from math import log

import torch
from torch import Tensor

from chapters.laboratory import king_james
from chapters.laboratory.measurements import Measurements, trained
from chapters.language_model.pretrain import loss_of, train
from chapters.language_model.targets import begun
from transformer.data import SubwordTokenizer

MEASUREMENTS = Measurements("language_model", "leaks")
HELD_OUT = "Mark"
LEFT_OUT = {
    "Exodus and Leviticus": ("Exodus", "Leviticus"),
    "Matthew and Luke": ("Matthew", "Luke"),
}
SEEDS, STEPS, RATE, KINDS = (0, 1, 2), 1000, 3e-3, 2048


def learned(left_out: str) -> str:
    """Return the training books without Mark and without those left out."""
    return _without(*LEFT_OUT[left_out])


def common() -> str:
    """Return the books that every training reads, to which the tokens are fitted."""
    return _without(*chain(*LEFT_OUT.values()))


def _without(*names: str) -> str:
    """Return the training books but Mark and some others."""
    books = king_james.names_of("train")
    return king_james.text(*(x for x in books if x not in {HELD_OUT, *names}))


@cache
def tokens() -> SubwordTokenizer:
    """Return one tokenizer for all, or the trainings would differ in it too."""
    return SubwordTokenizer.fit([common()], vocab_size=KINDS)


def pending(rows: list[dict]) -> Iterator[dict]:
    """Yield the trainings that are missing."""
    for seed in SEEDS:
        for name in LEFT_OUT:
            setting = {"left_out": name, "seed": seed}
            if not trained(rows, setting):
                yield setting


def measured(left_out: str, seed: int) -> dict[str, object]:
    """Train without some books; return what a letter of Mark costs in bits."""
    tokenizer, text = tokens(), king_james.text(HELD_OUT)
    read = learned(left_out)
    learn, mark = (torch.tensor(tokenizer.encode(x)) for x in (read, text))
    model = begun(seed, tokenizer.vocab_size)
    way = {"peak": RATE, "seed": seed, "every": STEPS}
    for _ in train(model, learn, mark, STEPS, **way):
        pass
    return {"letters": len(read), "bits": bits(model, mark, text)}


def bits(model: torch.nn.Module, ids: Tensor, text: str) -> float:
    """Return what a letter costs, in windows side by side."""
    return loss_of(model, ids) / log(2) * (len(ids) - 1) / len(text)


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.go_on(pending, measured, steps=STEPS, rate=RATE, text="king_james")
