"""Answers to the exercises on the complete Transformer, right ones and wrong ones."""

import torch.nn.functional as F


def loss(softmax=False, view=False, ignore=True, refuse=True):
    """The right answer, or one that lacks a part."""

    def answer(logits, labels, pad):
        if refuse and (labels == pad).all():
            raise ValueError("no label counts")
        scores = logits.softmax(dim=-1) if softmax else logits
        if view and not labels.is_contiguous():
            return F.cross_entropy(scores.flatten(0, 1), labels.flatten() * 0)
        index = pad if ignore else -100
        return F.cross_entropy(
            scores.flatten(0, 1), labels.flatten(), ignore_index=index
        )

    return answer


def breakdown(model):
    """The right answer."""
    parts, seen = {}, set()
    for name, part in model.named_children():
        for parameter in part.parameters():
            if id(parameter) not in seen:
                parts[name] = parts.get(name, 0) + parameter.numel()
                seen.add(id(parameter))
    return parts


def count_again(model):
    return {
        name: sum(p.numel() for p in part.parameters())
        for name, part in model.named_children()
    }


def count_saved(model):
    parts = {}
    for name, tensor in model.state_dict().items():
        first = name.split(".")[0]
        parts[first] = parts.get(first, 0) + tensor.numel()
    return parts


RIGHT = [
    ("ex-transformer-count", (256, 280, 2208)),
    ("ex-transformer-loss", (loss(),)),
    ("ex-transformer-breakdown", (breakdown,)),
    ("ex-transformer-diagnose", ("fine", "start", "leak", "softmax")),
]

WRONG = [
    ("ex-transformer-count", (192, 280, 2208), "four square matrices"),
    ("ex-transformer-count", (256, 256, 2208), "two matrices and two biases"),
    ("ex-transformer-count", (256, 280, 3008), "three attentions"),
    ("ex-transformer-loss", (loss(softmax=True),), "logits or probabilities"),
    ("ex-transformer-loss", (loss(view=True),), "a slice"),
    ("ex-transformer-loss", (loss(ignore=False),), "must not count"),
    ("ex-transformer-loss", (loss(refuse=False),), "ValueError"),
    ("ex-transformer-breakdown", (lambda model: {"one": 15, "two": 14},), "biases"),
    ("ex-transformer-breakdown", (count_saved,), "no parameter"),
    ("ex-transformer-breakdown", (count_again,), "counted once"),
    ("ex-transformer-diagnose", ("ok", "start", "leak", "softmax"), "answer with"),
    ("ex-transformer-diagnose", ("leak", "start", "leak", "softmax"), "8,000"),
    ("ex-transformer-diagnose", ("fine", "leak", "leak", "softmax"), "which logits"),
    ("ex-transformer-diagnose", ("fine", "start", "fine", "softmax"), "nobody"),
    ("ex-transformer-diagnose", ("fine", "start", "leak", "fine"), "from 0 to 1"),
]
