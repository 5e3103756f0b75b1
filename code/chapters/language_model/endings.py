"""Four endings of a verse, one of them true: which does a model find likeliest?"""

import re
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer.data import PAD_ID, Tokenizer
from transformer.models.modes import evaluating
from transformer.training.text_scores import token_nats

CHOICES = 4
LEAST = 25  # characters of a beginning, and of an ending
CUT = re.compile(r"[:;] ")


class Question(NamedTuple):
    """A beginning, and endings of which one is true.

    Args:
        beginning: The verses before, and the verse up to a colon or semicolon.
        endings: The rest of that verse, and of others of the same book.
        answer: Which of the endings is true.
    """

    beginning: str
    endings: tuple[str, ...]
    answer: int


def questions(verses: Sequence[str], *, count: int, seed: int = 0) -> list[Question]:
    """Return questions about verses of one book.

    Sorted by length, the four endings are neighbors among all of the book, and the true
    one is the shortest of them as often as it is the second, the third or the longest.
    So lengths alone tell nothing.

    Args:
        verses: A book, in order.
        count: How many questions.
        seed: Which verses and endings are drawn.
    """
    random = Random(seed)
    cut = {n: parts for n, verse in enumerate(verses) if (parts := halves(verse)) and n}
    once = {ending: n for n, (_, ending) in cut.items()}
    by_length = sorted(once.values(), key=lambda n: (len(cut[n][1]), n))
    edge, found = CHOICES - 1, []
    places = random.sample(range(edge, len(by_length) - edge), count)
    for number, place in enumerate(places):
        n, first = by_length[place], place - number % CHOICES
        near = [cut[m][1] for m in by_length[first : first + CHOICES]]
        endings = random.sample(near, CHOICES)
        before = f"{verses[n - 1]}\n{cut[n][0]}"
        found.append(Question(before, tuple(endings), endings.index(cut[n][1])))
    return found


def halves(verse: str) -> tuple[str, str] | None:
    """Return a verse cut at the mark that is nearest to its middle, if it has one."""
    marks = [match.start() + 1 for match in CUT.finditer(verse)]
    if not marks:
        return None
    at = min(marks, key=lambda place: abs(place - len(verse) / 2))
    parts = verse[:at], verse[at:]
    return parts if min(map(len, parts)) >= LEAST else None


def ending_nats(
    model: nn.Module, tokenizer: Tokenizer, question: Question, *, alone: bool = False
) -> Float[Tensor, " choices"]:
    r"""Return $-\log p$ of each ending after the beginning, in nats.

    Args:
        model: A decoder-only model.
        tokenizer: Its tokenizer.
        question: What is asked.
        alone: Score each ending after a line end instead, as if nothing came before.
    """
    begin = tokenizer.encode("\n" if alone else f"\n{question.beginning}")
    endings = [tokenizer.encode(ending) for ending in question.endings]
    longest = max(map(len, endings))
    begin = begin[-max(1, model.config.max_len - longest) :]
    rows = torch.full((len(endings), len(begin) + longest), PAD_ID)
    counted = torch.zeros(rows.shape, dtype=torch.bool)
    for row, ids in enumerate(endings):
        rows[row, : len(begin) + len(ids)] = torch.tensor([*begin, *ids])
        counted[row, len(begin) : len(begin) + len(ids)] = True
    with evaluating(model):
        # What fills a row stands behind all that counts, and no model here looks ahead.
        nats = token_nats(model, rows)
    return (nats * counted[:, 1:]).sum(dim=1)
