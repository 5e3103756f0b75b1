"""What a language model says when it is asked, and what it still knows of a book."""

from collections.abc import Sequence

from torch import nn

from chapters.laboratory.alice import book
from chapters.laboratory.real_model import loss_of
from transformer.decoding import generate

CONTROL = 300  # tokens of *Alice*, which nobody has taught


def say(
    model: nn.Module, tokenizer: object, questions: Sequence[str], *, longest: int = 12
) -> list[str]:
    """Return what a model answers, at each step with its likeliest token.

    Args:
        model: A language model.
        tokenizer: Its tokenizer, which knows talks.
        questions: What is asked, each in a talk of its own.
        longest: The most tokens of an answer.
    """
    talks = [[{"role": "user", "content": question}] for question in questions]
    written = generate(
        model,
        [tokenizer.chat(talk) for talk in talks],
        max_new_tokens=longest,
        eos_id=tokenizer.end_ids,
    )
    return [until_the_end(tokenizer, row) for row in written.tolist()]


def until_the_end(tokenizer: object, ids: Sequence[int]) -> str:
    """Return the text of ids up to the first that ends it."""
    ends = [place for place, id in enumerate(ids) if id in tokenizer.end_ids]
    return tokenizer.decode(ids[: min(ends, default=len(ids))])


def control_loss(model: nn.Module, tokenizer: object) -> float:
    """Return what a token of *Alice* costs in nats."""
    return loss_of(model, tokenizer.encode(book()[:4000])[:CONTROL])
