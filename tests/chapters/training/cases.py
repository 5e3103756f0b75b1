"""Answers to the exercises on training, right ones and wrong ones."""

import torch
from torch.nn import functional as F

from chapters.training.answers import adam_moves


def smoothed(logits, labels, smoothing):
    return F.cross_entropy(logits, labels, label_smoothing=smoothing)


def over_all(logits, labels, smoothing):
    losses = F.cross_entropy(logits, labels.clamp(min=0), reduction="none")
    return losses.masked_fill(labels < 0, 0.0).mean()


def adam(*, divisor, betas=(0.9, 0.98), corrected=(True, True), first=1):
    """Adam by hand, or a version that computes a part of it in another way."""

    def moves(gradients, rate):
        m = v = 0.0
        found = []
        for n, g in enumerate(gradients, start=first):
            m = betas[0] * m + (1 - betas[0]) * g
            v = betas[1] * v + (1 - betas[1]) * g * g
            sizes = [
                1 - beta**n if is_corrected else 1.0
                for beta, is_corrected in zip(betas, corrected, strict=True)
            ]
            found.append(-rate * m / sizes[0] / divisor(v, sizes[1]))
        return found

    return moves


def right_root(v, c):
    return (v / c) ** 0.5 + 1e-9


def no_epsilon(v, c):
    return (v / c) ** 0.5 if v else 1.0


def within_the_root(v, c):
    return (v / c + 1e-9) ** 0.5


def before_the_correction(v, c):
    return (v**0.5 + 1e-9) / c**0.5


def of_the_library(v, c):
    return (v / c) ** 0.5 + 1e-8


def the_larger(v, c):
    return max((v / c) ** 0.5, 1e-9)


def with_tensors(gradients, rate):
    """The right answer, as one tensor."""
    return torch.tensor(adam(divisor=right_root)(gradients, rate))


def in_float32(gradients, rate):
    return with_tensors(gradients, rate).float()


RIGHT = [
    ("ex-training-noam", (4.941e-4, 64_000)),
    ("ex-training-smoothed", (smoothed,)),
    ("ex-training-adam", (adam_moves,)),
    ("ex-training-adam", (adam(divisor=right_root),)),
    ("ex-training-adam", (with_tensors,)),
    ("ex-training-adam", (in_float32,)),
    ("ex-training-adam", (lambda *given: with_tensors(*given).numpy(),)),
    ("ex-training-predict", ("higher", "lower", "lower", "same")),
]

WRONG = [
    ("ex-training-noam", (1.747e-4, 64_000), "both terms"),
    ("ex-training-noam", (4.941e-4, 16_000), "inverse root"),
    ("ex-training-smoothed", (lambda *given: 2 * smoothed(*given),), "cross-entropy"),
    ("ex-training-smoothed", (over_all,), "-100"),
    ("ex-training-smoothed", (lambda x, y, _: smoothed(x, y, 0.0),), "its share"),
    ("ex-training-adam", (lambda gradients, rate: [0.0],), "for each gradient"),
    ("ex-training-adam", (lambda gs, rate: [-rate * g for g in gs],), "first move"),
    (
        "ex-training-adam",
        (lambda gs, rate: [-rate if g > 0 else rate for g in gs],),
        "corrected",
    ),
    *(
        ("ex-training-adam", (adam(divisor=divisor),), "epsilon")
        for divisor in (
            no_epsilon,
            within_the_root,
            before_the_correction,
            of_the_library,
            the_larger,
        )
    ),
    ("ex-training-adam", (lambda gs, rate: adam_moves(gs, 0.1),), "first move"),
    (
        "ex-training-adam",
        (lambda *given: [-move for move in adam_moves(*given)],),
        "first move",
    ),
    (
        "ex-training-adam",
        (adam(corrected=(False, True), divisor=right_root),),
        "first move",
    ),
    (
        "ex-training-adam",
        (adam(corrected=(True, False), divisor=right_root),),
        "first move",
    ),
    (
        "ex-training-adam",
        (adam(betas=(0.9, 0.999), divisor=right_root),),
        "both averages",
    ),
    ("ex-training-adam", (adam(first=2, divisor=right_root),), "first move"),
    ("ex-training-predict", ("more", "lower", "lower", "same"), "answer with"),
    ("ex-training-predict", ("same", "lower", "lower", "same"), "least value"),
    ("ex-training-predict", ("higher", "same", "lower", "same"), "easy exercises"),
    ("ex-training-predict", ("higher", "lower", "higher", "same"), "one token"),
    ("ex-training-predict", ("higher", "lower", "lower", "higher"), "common factor"),
]
