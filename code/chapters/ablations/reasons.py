"""Why two changes cost the most: what a model without these parts cannot tell apart."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

import torch

from chapters.ablations.changes import choices
from chapters.laboratory.changed_models import token_difference
from chapters.laboratory.translator import new_translator, numbers
from transformer.data import Batch, Pair, encode_pairs, english


def words(text: str) -> tuple[str, ...]:
    """Return the words of a number in the order of the alphabet, as a model reads them.

    Args:
        text: An English number; *sixty-one* is *sixty* and *-one*.
    """
    return tuple(sorted(text.replace("-", " -").split()))


def right_in_any_order(pairs: Sequence[Pair], *, below: int = 1_000_000) -> float:
    """Return the share right of a guess that knows the words and not their order.

    The guess is even among all numbers that have these words.

    Args:
        pairs: What is tested.
        below: The numbers are smaller than this.
    """
    alike = Counter(words(english(number)) for number in range(below))
    return fmean(1 / alike[words(pair.source)] for pair in pairs)


@torch.no_grad()
def tokens_apart(variant: str, *, seed: int, sentences: int = 20) -> float:
    """Return how far apart the tokens leave the last decoder layer of a fresh model.

    Args:
        variant: One of `changes.VARIANTS`.
        seed: Of the parameters.
        sentences: How many of the tested ones are read, each by itself.

    Returns:
        One minus the mean cosine of two tokens of a target.
    """
    fresh = {name: x for name, x in choices(variant).items() if name != "smoothing"}
    model, task, left = new_translator(seed=seed, **fresh).eval(), numbers(), []
    last = model.decoder.layers[-1]
    hook = last.register_forward_hook(lambda _, __, stream: left.append(stream))
    for pair in encode_pairs(task.splits.test[:sentences], task.tokenizer):
        model(*Batch.of([pair]).inputs)
    hook.remove()
    return fmean(token_difference(stream).item() for stream in left)
