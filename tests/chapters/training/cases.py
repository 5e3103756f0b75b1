"""Answers to the exercises on training, right ones and wrong ones."""

import torch
from torch.nn import functional as F

from chapters.training.answers import adam_moves
from transformer.training.loss import LabelSmoothingLoss


def smoothed(logits, labels, smoothing):
    log_p = logits.log_softmax(dim=-1)
    certain = -log_p.gather(-1, labels.clamp(min=0)[:, None]).squeeze(-1)
    losses = (1 - smoothing) * certain - smoothing * log_p.mean(dim=-1)
    return losses[labels != -100].mean()


def with_nll(logits, labels, smoothing):
    """The right answer, with a function of PyTorch that smooths nothing."""
    log_p = logits.log_softmax(dim=-1)
    rest = log_p[labels != -100].mean()
    return (1 - smoothing) * F.nll_loss(log_p, labels) - smoothing * rest


def by_exponentials(logits, labels, smoothing):
    shares = logits.exp()
    return smoothed_from(shares / shares.sum(dim=-1, keepdim=True))(
        logits, labels, smoothing
    )


def by_the_softmax(logits, labels, smoothing):
    return smoothed_from(logits.softmax(dim=-1))(logits, labels, smoothing)


def smoothed_from(shares):
    """The loss of probabilities, whose logarithm may be infinite."""

    def answer(logits, labels, smoothing):
        log_p = shares.log()
        certain = -log_p.gather(-1, labels.clamp(min=0)[:, None]).squeeze(-1)
        losses = (1 - smoothing) * certain - smoothing * log_p.mean(dim=-1)
        return losses[labels != -100].mean()

    return answer


def with_the_largest_first(logits, labels, smoothing):
    """The right answer, with a softmax by hand that subtracts the largest logit."""
    low = logits - logits.amax(dim=-1, keepdim=True)
    log_p = low - low.exp().sum(dim=-1, keepdim=True).log()
    targets = F.one_hot(labels.clamp(min=0), logits.size(-1))
    targets = (1 - smoothing) * targets + smoothing / logits.size(-1)
    return -(targets * log_p).sum(dim=-1)[labels != -100].mean()


def over_all(logits, labels, smoothing):
    losses = [
        smoothed(*pair, smoothing) if pair[1] >= 0 else 0 * pair[0].sum()
        for pair in zip(logits[:, None], labels[:, None], strict=True)
    ]
    return torch.stack(losses).mean()


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


def frozen_after(steps):
    """Adam, whose corrections stay what they were after so many steps."""

    def moves(gradients, rate):
        m = v = 0.0
        found = []
        for step, g in enumerate(gradients, start=1):
            m, v, n = 0.9 * m + 0.1 * g, 0.98 * v + 0.02 * g * g, min(step, steps)
            root = (v / (1 - 0.98**n)) ** 0.5
            found.append(-rate * m / (1 - 0.9**n) / (root + 1e-9))
        return found

    return moves


def rate_of_the_first_move(gradients, rate):
    first, *others = adam_moves(gradients, rate), adam_moves(gradients, 0.1)
    return [*first[:1], *others[0][1:]]


def with_tensors(gradients, rate):
    """The right answer, as one tensor."""
    return torch.tensor(adam(divisor=right_root)(gradients, rate))


def in_float32(gradients, rate):
    return with_tensors(gradients, rate).float()


def ready_made(logits, labels, smoothing):
    return F.cross_entropy(logits, labels, label_smoothing=smoothing)


def by_the_package(logits, labels, smoothing):
    return LabelSmoothingLoss(smoothing=smoothing)(logits, labels)


def by_the_function_within(logits, labels, smoothing):
    """What `F.cross_entropy` calls itself."""
    return torch._C._nn.cross_entropy_loss(logits, labels, None, 1, -100, smoothing)


def by_the_module(logits, labels, smoothing):
    return torch.nn.CrossEntropyLoss(label_smoothing=smoothing)(logits, labels)


def smoothed_with(targets, kept=lambda labels: labels != -100):
    """The cross-entropy with targets of another kind, over the labels that are kept."""

    def answer(logits, labels, smoothing):
        places, vocab = kept(labels), logits.size(-1)
        one_hot = F.one_hot(labels.clamp(min=0), vocab).to(logits.dtype)
        losses = -(targets(one_hot, smoothing, vocab) * logits.log_softmax(dim=-1))
        return losses.sum(dim=-1)[places].mean()

    return answer


def shared_by_all(one_hot, smoothing, vocab):
    return (1 - smoothing) * one_hot + smoothing / vocab


def shared_by_the_others(one_hot, smoothing, vocab):
    return (1 - smoothing) * one_hot + smoothing * (1 - one_hot) / (vocab - 1)


def shared_by_seven(one_hot, smoothing, vocab):
    return (1 - smoothing) * one_hot + smoothing / 7


def always_a_tenth(one_hot, smoothing, vocab):
    return shared_by_all(one_hot, 0.1 * (smoothing > 0), vocab)


def not_taken_from_the_label(one_hot, smoothing, vocab):
    return one_hot + smoothing / vocab


def uniform_over_ignored(logits, labels, smoothing):
    """The share of the other tokens counts where the label does not."""
    certain = smoothed_with(shared_by_all)(logits, labels, 0.0)
    return (1 - smoothing) * certain - smoothing * logits.log_softmax(dim=-1).mean()


RIGHT = [
    ("ex-training-missing", ("shift", "ignore_index", "step", "nothing", "eval")),
    ("ex-training-noam", (4.941e-4, 64_000)),
    ("ex-training-smoothed", (smoothed,)),
    ("ex-training-smoothed", (with_nll,)),
    ("ex-training-smoothed", (with_the_largest_first,)),
    ("ex-training-adam", (adam_moves,)),
    ("ex-training-adam", (adam(divisor=right_root),)),
    ("ex-training-adam", (with_tensors,)),
    ("ex-training-adam", (in_float32,)),
    ("ex-training-adam", (lambda *given: with_tensors(*given).numpy(),)),
    ("ex-training-predict", ("higher", "lower", "lower", "same")),
]

WRONG = [
    *(
        ("ex-training-missing", lines, told)
        for lines, told in (
            (("shift", "shift", "step", "nothing", "eval"), "each of the five once"),
            (("copy", "ignore_index", "step", "nothing", "eval"), "five words"),
            (("shift", "ignore_index", "nothing", "step", "eval"), "never move"),
            (("shift", "ignore_index", "step", "eval", "nothing"), "two ways"),
            (("ignore_index", "shift", "step", "nothing", "eval"), "writes nothing"),
            (("nothing", "ignore_index", "step", "shift", "eval"), "writes nothing"),
            (("shift", "nothing", "step", "ignore_index", "eval"), "than a guess"),
        )
    ),
    ("ex-training-noam", (1.747e-4, 64_000), "both terms"),
    ("ex-training-noam", (4.941e-4, 16_000), "inverse root"),
    ("ex-training-noam", (6.988e-4, 64_000), "both terms"),
    ("ex-training-noam", (0.03125, 64_000), "both terms"),
    ("ex-training-noam", (4.95e-4, 64_000), "both terms"),
    ("ex-training-noam", (5e-4, 64_000), "both terms"),
    ("ex-training-noam", (2.47e-4, 64_000), "both terms"),
    ("ex-training-noam", (4.941e-4, 4_000), "inverse root"),
    ("ex-training-noam", (4.941e-4, 7_000), "inverse root"),
    ("ex-training-noam", (4.941e-4, 256_000), "inverse root"),
    ("ex-training-noam", (4.941e-4, 8_000), "inverse root"),
    ("ex-training-smoothed", (lambda *given: 2 * smoothed(*given),), "cross-entropy"),
    ("ex-training-smoothed", (over_all,), "-100"),
    ("ex-training-smoothed", (lambda x, y, _: smoothed(x, y, 0.0),), "its share"),
    ("ex-training-smoothed", (ready_made,), "without `F.cross_entropy`"),
    ("ex-training-smoothed", (by_the_package,), "without `F.cross_entropy`"),
    ("ex-training-smoothed", (by_the_module,), "without `F.cross_entropy`"),
    ("ex-training-smoothed", (by_the_function_within,), "without `F.cross_entropy`"),
    ("ex-training-smoothed", (smoothed_with(shared_by_the_others),), "its share"),
    ("ex-training-smoothed", (smoothed_with(shared_by_seven),), "its share"),
    ("ex-training-smoothed", (smoothed_with(always_a_tenth),), "its share"),
    ("ex-training-smoothed", (smoothed_with(not_taken_from_the_label),), "its share"),
    (
        "ex-training-smoothed",
        (smoothed_with(shared_by_all, kept=torch.isfinite),),
        "-100",
    ),
    (
        "ex-training-smoothed",
        (smoothed_with(shared_by_all, kept=lambda labels: labels > 0),),
        "cross-entropy",
    ),
    ("ex-training-smoothed", (uniform_over_ignored,), "its share"),
    ("ex-training-smoothed", (by_exponentials,), "exponentials"),
    ("ex-training-smoothed", (by_the_softmax,), "exponentials"),
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
    ("ex-training-adam", (frozen_after(5),), "both averages"),
    ("ex-training-adam", (rate_of_the_first_move,), "each move"),
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
    ("ex-training-predict", ("higher", "higher", "lower", "same"), "easy exercises"),
]
