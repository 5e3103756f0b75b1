"""Answers to the exercises on training, right ones and wrong ones."""

from torch.nn import functional as F

from chapters.training.answers import adam_moves


def smoothed(logits, labels, smoothing):
    return F.cross_entropy(logits, labels, label_smoothing=smoothing)


def over_all(logits, labels, smoothing):
    losses = F.cross_entropy(logits, labels.clamp(min=0), reduction="none")
    return losses.masked_fill(labels < 0, 0.0).mean()


RIGHT = [
    ("ex-training-noam", (4.941e-4, 64_000)),
    ("ex-training-smoothed", (smoothed,)),
    ("ex-training-adam", (adam_moves,)),
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
    ("ex-training-predict", ("more", "lower", "lower", "same"), "answer with"),
    ("ex-training-predict", ("same", "lower", "lower", "same"), "least value"),
    ("ex-training-predict", ("higher", "same", "lower", "same"), "easy exercises"),
    ("ex-training-predict", ("higher", "lower", "higher", "same"), "one token"),
    ("ex-training-predict", ("higher", "lower", "lower", "higher"), "common factor"),
]
