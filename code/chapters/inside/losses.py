"""What a language model loses without some heads: on random words, and on a book.

The notebook reads it from a file that `python -m chapters.inside.losses` writes.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from chapters.inside.boats import random_teams
from chapters.inside.heads import Head
from chapters.laboratory import alice
from chapters.laboratory.measurements import Measurements, spread
from chapters.laboratory.random_words import read_twice, words_twice
from chapters.laboratory.real_model import open_model, switched_off
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("inside", "losses")
MODEL = "smollm2-135m"
SIZE, WINDOWS = 128, 8
FIELDS = ("second", "book")

TEAMS: dict[str, list[Head]] = {
    "17.1": [(17, 1)],
    "four finders": [(18, 4), (18, 5), (18, 6), (19, 7)],
    "four copiers": [(24, 1), (24, 2), (24, 3), (24, 8)],
}
TEAMS["all nine"] = [head for team in TEAMS.values() for head in team]


def drawn_teams(name: str) -> list[list[Head]]:
    """Draw teams as large as a team, from the other heads of its layers."""
    team = TEAMS[name]
    layers = sorted({layer for layer, _ in team})
    return random_teams(layers, team, size=len(team))


@torch.no_grad()
def measured(
    model: nn.Module, twice: Tensor, book: Tensor, *, off: Iterable[Head] = ()
) -> dict[str, float]:
    """Return the mean loss of a token in nats while heads write nothing.

    Args:
        model: A decoder-only language model.
        twice: Texts whose second half repeats the first.
        book: Windows of an ordinary text.
        off: The heads.

    Returns:
        On the words of "twice" that are read again, "second", and on the "book".
    """
    with switched_off(model, list(off)):
        second = read_twice(model, twice)["second"]
        logits = model(book)[:, :-1].flatten(end_dim=1)
    ordinary = cross_entropy(logits, book[:, 1:].flatten()).item()
    return {"second": second, "book": ordinary}


def every_team(smollm: LanguageModel) -> list[dict]:
    """Return a row for the whole model, for each team and for those drawn beside it."""
    texts = words_twice(*smollm)
    book = alice.windows(smollm.tokenizer, size=SIZE, count=WINDOWS)
    cases = [("none", False, [])]
    for name, team in TEAMS.items():
        cases += [(name, False, team), *((name, True, x) for x in drawn_teams(name))]
    return [
        {"team": name, "drawn": drawn, "off": off}
        | measured(smollm.model, texts, book, off=off)
        for name, drawn, off in cases
    ]


def line(rows: list[dict], name: str, *, drawn: bool = False) -> list[str]:
    """Return the losses of a team, or the mean and the range of those drawn beside it.

    Args:
        rows: What was measured.
        name: Of the team.
        drawn: Whether it is about the drawn teams.
    """
    rows = [row for row in rows if row["team"] == name and row["drawn"] == drawn]
    write = spread if drawn else lambda numbers: f"{numbers[0]:.2f}"
    return [write([row[field] for row in rows]) for field in FIELDS]


if __name__ == "__main__":
    MEASUREMENTS.write(
        every_team(open_model(MODEL)), model=MODEL, size=SIZE, windows=WINDOWS
    )
