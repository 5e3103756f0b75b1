"""Answers: what a model is to write, behind what it is only to read."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from transformer.checks.values import check_some
from transformer.data.batches import Batch
from transformer.data.examples import pad


class Answer(NamedTuple):
    """A prompt and its answer as ids, and for each whether the loss counts it."""

    ids: list[int]
    counted: list[bool]


def mark_answer(prompt: Sequence[int], answer: Sequence[int]) -> Answer:
    """Return ids of which the loss counts those of the answer alone.

    Source: Touvron et al. (2023), Llama 2, section 3.1.

    Args:
        prompt: What is read, such as `tokenizer.chat(messages)`.
        answer: What is to be written behind it, with the token that ends it.

    Raises:
        ValueError: If one of them has no token: nothing would be learned, in silence.
    """
    for name, ids in (("prompt", prompt), ("answer", answer)):
        if not len(ids):
            raise ValueError(
                f"the {name} of an example must hold a token, got none; leave the "
                "example out."
            )
    return Answer([*prompt, *answer], [False] * len(prompt) + [True] * len(answer))


def answer_batch(answers: Sequence[Answer]) -> Batch:
    """Return answers side by side; the labels of the batch are their tokens alone.

    Raises:
        ValueError: If there are none, or one has no token that counts behind its first.
    """
    check_some("answers", answers)
    for number, answer in enumerate(answers):
        if len(answer.counted) != len(answer.ids) or not any(answer.counted[1:]):
            raise ValueError(
                "each of answers must tell for each id whether it counts, and one "
                f"behind the first must, got {sum(answer.counted)} that do among "
                f"{len(answer.ids)} in number {number}; make it by mark_answer."
            )
    lengths = torch.tensor([len(answer.ids) for answer in answers])
    counted = pad([answer.counted for answer in answers]).bool()
    return Batch(None, pad([answer.ids for answer in answers]), lengths, counted)
