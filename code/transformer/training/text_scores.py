"""Scores of a long text: how well a language model knows what comes next."""

import math
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Integer
from torch import Tensor, nn, optim

from transformer.checks.doors import door
from transformer.checks.tensors import check_text_ids
from transformer.checks.values import check_kind, check_size
from transformer.models.modes import evaluating

ROWS = 16  # windows that are read side by side


@door(lambda: check_scored)
def score_text(
    model: nn.Module, ids: Integer[Tensor, " tokens"], *, width: int, stride: int
) -> Float[Tensor, " scored"]:
    r"""Return $-\log p$ of each token of a text but its first, in nats.

    $$\mathrm{nats}_t = -\log p(\mathrm{id}_t \mid \mathrm{id}_{s}, \dots,
    \mathrm{id}_{t-1})$$

    A model reads `width` tokens at most. Windows of that many begin every `stride`
    tokens, and each but the first scores its last `stride` tokens alone: those have at
    least `width - stride` tokens before them. With `stride` = `width` windows do not
    overlap, and the first tokens of each are guessed almost blindly.

    Source: Press et al. (2022), Appendix B, for windows that slide.

    Args:
        model: A decoder-only model.
        ids: The tokens of the text; the first is only read.
        width: How many tokens the model reads at most.
        stride: How many tokens lie between the starts of two windows.

    Raises:
        ValueError: If there is nothing to score, or the numbers do not fit.
    """
    ids = ids.to(next(model.parameters()).device)
    found = [torch.zeros(0)]
    with evaluating(model):
        for rows, first in windows(ids, width, stride):
            nats = token_nats(model, rows)
            found.append(nats[:, first:].flatten().cpu())
    return torch.cat(found)


def windows(
    ids: Integer[Tensor, " tokens"], width: int, stride: int
) -> Iterator[tuple[Integer[Tensor, "rows time"], int]]:
    """Yield windows of one length, and from which of their tokens on to score."""
    first = ids[: width + 1]
    yield first[None], 0
    starts = range(stride, len(ids) - width, stride)
    rows = [ids[start : start + width + 1] for start in starts]
    for place in range(0, len(rows), ROWS):
        yield torch.stack(rows[place : place + ROWS]), width - stride
    read = len(first) + stride * len(rows)
    if read < len(ids):  # a rest, scored after as much as fits
        yield ids[-width - 1 :][None], width - (len(ids) - read)


def token_nats(
    model: nn.Module, rows: Integer[Tensor, "rows time"]
) -> Float[Tensor, "rows time-1"]:
    """Return -log p of each token of each row but the first."""
    logits = model(rows[:, :-1]).float()
    nats = F.cross_entropy(logits.mT, rows[:, 1:], reduction="none")
    return nats  # (rows, time - 1)


@door(lambda: check_scored)
def score_while_learning(
    model: nn.Module,
    ids: Integer[Tensor, " tokens"],
    optimizer: optim.Optimizer,
    *,
    width: int,
    stride: int,
) -> Float[Tensor, " scored"]:
    """Score a text as `score_text` does, and learn from each part once it is scored.

    After each `stride` tokens one step is taken on the window that ends with them, as a
    compressor learns from what it has written. No token is learned from before it is
    scored. The model changes.

    Source: Krause et al. (2018), section 3, for dynamic evaluation.

    Args:
        model: A decoder-only model, which stays in evaluation mode: without dropout.
        ids: The tokens of the text; the first is only read.
        optimizer: Holds the parameters of the model.
        width: How many tokens the model reads at most.
        stride: How many tokens are scored before each step.

    Raises:
        ValueError: If there is nothing to score, or the numbers do not fit.
    """
    ids = ids.to(next(model.parameters()).device)
    training = model.training
    model.eval()
    found = []
    for start in range(1, len(ids), stride):
        end = min(start + stride, len(ids))
        rows = ids[max(0, end - width - 1) : end][None]
        nats = token_nats(model, rows)[0]
        found.append(nats[start - end :].detach().cpu())
        optimizer.zero_grad()
        nats.mean().backward()
        optimizer.step()
    optimizer.zero_grad()
    model.train(training)
    return torch.cat(found)


def bits_per_character(nats: Float[Tensor, " scored"], text: str) -> float:
    r"""Return the bits that a text costs, for each of its characters.

    $$\frac{1}{n \ln 2} \sum_t \mathrm{nats}_t$$

    for a text of $n$ characters. Models with other tokens can be compared by it, which
    perplexity does not allow: it is measured for each token.

    Source: Jurafsky and Martin (2025), section 3.7, for entropy in bits.

    Args:
        nats: What `score_text` returns for all tokens of the text.
        text: The text.

    Raises:
        ValueError: If the text is empty.
    """
    check_kind("text", text, str)  # of a list the lines would count
    if not text:
        raise ValueError("text must have characters, got none; pass what was scored.")
    return float(nats.double().sum()) / math.log(2) / len(text)


# Checks


def check_scored(ids: object, width: object, stride: object) -> None:
    """Check that a text can be scored in windows."""
    check_size("width", width)
    check_size("stride", stride)
    if stride > width:
        raise ValueError(
            f"stride must be at most width={width}, got {stride}; a larger one would "
            "leave tokens out."
        )
    check_text_ids(ids)
    if len(ids) < 2:
        raise ValueError(
            f"ids must be at least 2, one to read and one to score, got {len(ids)}."
        )
