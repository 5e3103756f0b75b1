"""Properties of the answers to the exercises on training."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from chapters.calls import calls, uses_package
from chapters.exercises import Property
from chapters.start import gaussian

LINES = {"shift", "ignore_index", "step", "eval", "nothing"}
WORDS = {"higher", "lower", "same"}
GRADIENTS = (4.0, -2.0, 1.0, 0.5, -3.0)
MANY = tuple(gaussian(60, seed=2).tolist())


def drawn_logits(vocab: int = 7) -> Tensor:
    """Return logits of five positions."""
    return gaussian(5, vocab, seed=1)


def drawn_labels(*, ignored: bool) -> Tensor:
    """Return five labels, two of which do not count when `ignored` is set."""
    labels = torch.tensor([3, 0, 6, 2, 2])
    if ignored:
        labels[1] = labels[4] = -100
    return labels


def is_written_out(loss: Callable) -> bool:
    """Return whether an answer calls no ready-made cross-entropy."""
    given = drawn_logits(), drawn_labels(ignored=True), 0.1
    ready = [name for name in calls(loss, *given) if "cross_entropy" in name]
    return not ready and not uses_package(loss, *given)


def fits(
    loss: Callable,
    smoothing: float,
    *,
    ignored: bool,
    vocab: int = 7,
    size: float = 1.0,
) -> bool:
    """Return whether a loss is that of PyTorch."""
    logits, labels = size * drawn_logits(vocab), drawn_labels(ignored=ignored)
    theirs = F.cross_entropy(logits, labels, label_smoothing=smoothing)
    return math.isclose(
        float(loss(logits, labels, smoothing)), theirs, rel_tol=1e-6
    )  # float32, too


def adam_moves(gradients: Sequence[float], rate: float) -> list[float]:
    """Return how far Adam moves a parameter at each step."""
    parameter = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([parameter], lr=rate, betas=(0.9, 0.98), eps=1e-9)
    moves = []
    for gradient in gradients:
        before = parameter.item()
        parameter.grad = torch.full_like(parameter, gradient)
        optimizer.step()
        moves.append(parameter.item() - before)
    return moves


def same_moves(moves: Callable, gradients: Sequence[float], rate: float) -> bool:
    """Return whether an answer moves as Adam does."""
    ours, theirs = moves(list(gradients), rate), adam_moves(gradients, rate)
    return len(ours) == len(theirs) and all(
        math.isclose(float(a), b, rel_tol=1e-6)
        for a, b in zip(ours, theirs, strict=True)
    )


EXERCISES = {
    "ex-training-missing": [
        Property(
            "answer with five words, each of the five once.",
            lambda *lines: len(lines) == 5 and set(lines) == LINES,
        ),
        Property(
            "one of them learns nothing at all: whose parameters never move?",
            lambda a, b, c, d, e: c == "step",
        ),
        Property(
            "one model answers the same question in two ways: what draws lots in it?",
            lambda a, b, c, d, e: e == "eval",
        ),
        Property(
            "one loses nothing and writes nothing right: what has it learned to do?",
            lambda a, b, c, d, e: a == "shift",
        ),
        Property(
            "which of the two that are left begins with less than a guess may cost?",
            lambda a, b, c, d, e: b == "ignore_index",
        ),
    ],
    "ex-training-noam": [
        Property(
            "the peak is at the step where both terms of the minimum are equal.",
            lambda peak, step: abs(peak - 4.941e-4) < 5e-7,
        ),
        Property(
            "on the way down the rate falls with the inverse root of the step.",
            lambda peak, step: abs(step - 64_000) < 1,
        ),
    ],
    "ex-training-smoothed": [
        Property(
            "without smoothing the result must be the mean cross-entropy, without "
            "`F.cross_entropy` and the package.",
            lambda loss: fits(loss, 0.0, ignored=False) and is_written_out(loss),
        ),
        Property(
            "labels of -100 must count neither in the sum nor in the number.",
            lambda loss: fits(loss, 0.0, ignored=True),
        ),
        Property(
            "with smoothing, each token must get its share of the label.",
            lambda loss: (
                fits(loss, 0.1, ignored=True)
                and fits(loss, 0.3, ignored=False)
                and fits(loss, 0.2, ignored=False, vocab=13)
            ),
        ),
        Property(
            "logits of some thousands must not make it infinite or nan: their "
            "exponentials are too large or too small for a float, the loss is not.",
            lambda loss: (
                fits(loss, 0.0, ignored=True, size=5e3)
                and fits(loss, 0.1, ignored=True, size=5e3)
            ),
        ),
    ],
    "ex-training-adam": [
        Property(
            "there must be one move for each gradient.",
            lambda moves: len(moves([1.0, 2.0, 3.0], 0.1)) == 3,
        ),
        Property(
            "the first move must be one learning rate long, against the gradient.",
            lambda moves: (
                same_moves(moves, (2.0,), 0.1)
                and same_moves(moves, (-50.0,), 0.1)
                and same_moves(moves, (7.0,), 0.003)
            ),
        ),
        Property(
            "from the second gradient on, both averages must be corrected by their "
            "step.",
            lambda moves: (
                same_moves(moves, GRADIENTS, 0.1) and same_moves(moves, MANY, 0.1)
            ),
        ),
        Property(
            "each move must be in proportion to the learning rate.",
            lambda moves: (
                same_moves(moves, GRADIENTS, 0.003) and same_moves(moves, MANY, 2.0)
            ),
        ),
        Property(
            "epsilon, 1e-9, is added to the corrected root: what do a gradient of zero "
            "and one of 1e-9 move?",
            lambda moves: all(
                same_moves(moves, small, 0.1)
                for small in ((0.0, 0.0), (1e-9,), (0.0, -1e-9, 3e-9), (1e-3,))
            ),
        ),
    ],
    "ex-training-predict": [
        Property(
            "answer with 'higher', 'lower' or 'same'.",
            lambda *words: len(words) == 4 and set(words) <= WORDS,
        ),
        Property(
            "what is the least value of a smoothed loss?",
            lambda smoothed, padding, unshifted, scaled: smoothed == "higher",
        ),
        Property(
            "what does a mean do to which easy exercises are added?",
            lambda smoothed, padding, unshifted, scaled: padding == "lower",
        ),
        Property(
            "what does a decoder have to do when label and input are one token?",
            lambda smoothed, padding, unshifted, scaled: unshifted == "lower",
        ),
        Property(
            "what becomes of a common factor of all gradients in Adam?",
            lambda smoothed, padding, unshifted, scaled: scaled == "same",
        ),
    ],
}

FIELDS = {
    "ex-training-missing": 5 * (LINES,),
    "ex-training-noam": (4.941e-4, 64_000),
    "ex-training-predict": 4 * (WORDS,),
}
