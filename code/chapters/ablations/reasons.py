"""Why two changes cost the most: what a model without these parts cannot tell apart."""

from collections.abc import Sequence
from statistics import fmean

import torch

from chapters.ablations.changes import choices
from chapters.laboratory.changed_models import token_difference
from chapters.laboratory.translator import new_translator, numbers
from chapters.laboratory.word_orders import orders
from transformer.data import Batch, Pair, encode_pairs


def right_in_any_order(pairs: Sequence[Pair]) -> float:
    """Return the share right of a guess that knows the words and not their order.

    The guess is even among all numbers that have these words.

    Args:
        pairs: What is tested.
    """
    return fmean(1 / orders()(pair.source) for pair in pairs)


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
