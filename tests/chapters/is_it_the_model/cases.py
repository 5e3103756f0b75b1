"""Answers to the exercises on checks of a fresh model, right ones and wrong ones."""

from collections import Counter

import torch
import torch.nn.functional as F


def loss(softmax=False, view=False, ignore=True, refuse=True, fixed=None):
    """The right answer, or one that lacks a part."""

    def answer(logits, labels, pad):
        pad = pad if fixed is None else fixed
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


def refuses_zero(logits, labels, pad):
    """Looks for the padding 0 before the loss, and at `pad` within it."""
    if not labels.any():
        raise ValueError("no label counts")
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad)


def over_all(logits, labels, pad):
    losses = F.cross_entropy(logits.mT, labels, reduction="none", ignore_index=pad)
    loss()(logits, labels, pad)  # raises where it must
    return losses.mean()


def mean_of_means(logits, labels, pad):
    loss()(logits, labels, pad)
    rows = zip(logits, labels, strict=True)
    return torch.stack(
        [F.cross_entropy(x, y, ignore_index=pad) for x, y in rows]
    ).mean()


def by_hand(logits, labels, pad):
    """The right answer, a number of Python."""
    kept = labels != pad
    if not kept.any():
        raise ValueError("no label counts")
    return F.nll_loss(logits.log_softmax(-1)[kept], labels[kept]).item()


def counted_once(children):
    """Count the parameters of each part that those before it do not have."""
    parts, seen = {}, set()
    for name, part in children:
        for parameter in part.parameters():
            if id(parameter) not in seen:
                parts[name] = parts.get(name, 0) + parameter.numel()
                seen.add(id(parameter))
    return parts


def breakdown(model):
    """The right answer."""
    return counted_once(model.named_children())


def by_names(model):
    """The right answer: PyTorch lists a shared parameter under its first name only."""
    parts = Counter()
    for name, parameter in model.named_parameters():
        if "." in name:  # none of the module itself
            parts[name.split(".")[0]] += parameter.numel()
    return parts


def keeps_empty(model):
    return {name: breakdown(model).get(name, 0) for name, _ in model.named_children()}


def keeps_used_up(model):
    """Leaves out the parts without a parameter, and keeps those without one left."""
    counts = breakdown(model)
    named = model.named_children()
    return {name: counts.get(name, 0) for name, part in named if [*part.parameters()]}


def for_the_last(model):
    return counted_once(reversed([*model.named_children()]))


def stops_at_shared(model):
    """Leaves out every part that uses anything of one before it."""
    parts, seen = {}, set()
    for name, part in model.named_children():
        ids = {id(parameter) for parameter in part.parameters()}
        if ids and not ids & seen:
            parts[name] = sum(parameter.numel() for parameter in part.parameters())
        seen |= ids
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


def refuses_where(none_counts):
    """Refuses more than labels of which none counts."""

    def answer(logits, labels, pad):
        if none_counts(labels == pad):
            raise ValueError("no label counts")
        return loss(refuse=False)(logits, labels, pad)

    return answer


def by_the_softmax(logits, labels, pad):
    """The logarithm of a softmax, away from zero."""
    loss()(logits, labels, pad)
    kept = labels != pad
    log_p = logits.softmax(dim=-1).clamp(min=1e-9).log()
    return F.nll_loss(log_p[kept], labels[kept])


def by_exponentials(logits, labels, pad):
    loss()(logits, labels, pad)
    kept, large = labels != pad, logits.exp()
    log_p = (large / large.sum(dim=-1, keepdim=True)).log()
    return F.nll_loss(log_p[kept], labels[kept])


def loss_in_place(logits, labels, pad):
    """The right number, but the labels that it is given are changed."""
    labels[labels == pad] = -100
    if (labels == -100).all():
        raise ValueError("no label counts")
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def by_all_names(model):
    """Takes parameters of the module itself for parts."""
    parts = Counter()
    for name, parameter in model.named_parameters():
        parts[name.split(".")[0]] += parameter.numel()
    return parts


def by_leaves(model):
    """Knows what is shared between parts, and not what is shared within one."""
    parts, before = {}, set()
    for name, part in model.named_children():
        own = [p for leaf in part.modules() for p in leaf.parameters(recurse=False)]
        left = [p for p in own if id(p) not in before]
        before |= {id(p) for p in own}
        if left:
            parts[name] = sum(p.numel() for p in left)
    return parts


def trained_alone(model):
    """Leaves out what is frozen."""
    parts, seen = {}, set()
    for name, part in model.named_children():
        for parameter in part.parameters():
            if parameter.requires_grad and id(parameter) not in seen:
                parts[name] = parts.get(name, 0) + parameter.numel()
                seen.add(id(parameter))
    return parts


def by_places(model):
    """Takes parameters that share their memory for one."""
    parts, seen = {}, set()
    for name, part in model.named_children():
        for parameter in part.parameters():
            if parameter.data_ptr() not in seen:
                parts[name] = parts.get(name, 0) + parameter.numel()
                seen.add(parameter.data_ptr())
    return parts


def of_two_axes(model):
    """Rows times columns, whatever comes behind."""
    parts = breakdown(model)
    for name, part in model.named_children():
        for parameter in part.parameters():
            if parameter.ndim > 2:
                parts[name] -= parameter.numel() - parameter[..., 0].numel()
    return parts


def by_equal_values(model):
    """Takes matrices that are equal for one."""
    parts, seen = {}, []
    for name, part in model.named_children():
        for parameter in part.parameters():
            if not any(torch.equal(parameter, other) for other in seen):
                parts[name] = parts.get(name, 0) + parameter.numel()
                seen.append(parameter)
    return parts


def is_tied(model):
    names = list(model.named_parameters(remove_duplicate=False))
    return len(names) > len(list(model.parameters()))


def by_identity(model):
    ids = [id(p) for _, p in model.named_parameters(remove_duplicate=False)]
    return torch.tensor(len(set(ids)) < len(ids))


def by_saved_names(model):
    return len(model.state_dict()) > len(list(model.parameters()))


def by_saved_sizes(model):
    saved = sum(tensor.numel() for tensor in model.state_dict().values())
    return saved > sum(weight.numel() for weight in model.parameters())


def matrices_only(model):
    named = model.named_parameters(remove_duplicate=False)
    ids = [id(weight) for _, weight in named if weight.ndim == 2]
    return len(set(ids)) < len(ids)


def by_values(model):
    weights = [p for _, p in model.named_parameters(remove_duplicate=False)]
    return any(
        one.shape == other.shape and torch.equal(one, other)
        for place, one in enumerate(weights)
        for other in weights[:place]
    )


def by_memory(model):
    places = [t.data_ptr() for t in model.state_dict().values()]
    return len(set(places)) < len(places)


def by_children(model):
    """Compares the weights of direct children alone."""
    weights = [getattr(part, "weight", None) for part in model.children()]
    weights = [id(weight) for weight in weights if weight is not None]
    return len(set(weights)) < len(weights)


def by_usual_names(model):
    parts = dict(model.named_children())
    return parts["head"].weight is parts["embedding"].weight if parts.get("head") else 0


def by_different_modules(model):
    """Lists a layer once, though it stands in two places."""
    parts = [module.parameters(recurse=False) for module in model.modules()]
    ids = [id(weight) for part in parts for weight in part]
    return len(set(ids)) < len(ids)


def what_is_trained(model):
    named = model.named_parameters(remove_duplicate=False)
    ids = [id(weight) for _, weight in named if weight.requires_grad]
    return len(set(ids)) < len(ids)


def listed_once(model):
    weights = list(model.parameters())
    return len({id(weight) for weight in weights}) < len(weights)


RIGHT = [
    ("ex-model-clone", (is_tied,)),
    ("ex-model-clone", (by_identity,)),
    ("ex-transformer-count", (256, 280, 2208)),
    ("ex-transformer-loss", (loss(),)),
    ("ex-transformer-loss", (by_hand,)),
    ("ex-transformer-loss", (lambda *given: loss()(*given).numpy(),)),
    ("ex-transformer-loss", (lambda *given: loss()(*given).float(),)),
    ("ex-transformer-breakdown", (breakdown,)),
    ("ex-transformer-breakdown", (by_names,)),
    ("ex-transformer-diagnose", ("fine", "start", "leak", "softmax")),
]

WRONG = [
    ("ex-model-clone", (listed_once,), "must be found"),
    ("ex-model-clone", (lambda model: False,), "must be found"),
    ("ex-model-clone", (lambda model: True,), "of their own"),
    ("ex-model-clone", (by_values,), "a copy is not tied"),
    ("ex-model-clone", (by_memory,), "still two"),
    ("ex-model-clone", (by_saved_names,), "a buffer"),
    ("ex-model-clone", (by_saved_sizes,), "a buffer"),
    ("ex-model-clone", (matrices_only,), "a bias too"),
    ("ex-model-clone", (by_children,), "whatever their names"),
    ("ex-model-clone", (by_usual_names,), "whatever their names"),
    ("ex-model-clone", (by_different_modules,), "stands in two places"),
    ("ex-model-clone", (what_is_trained,), "frozen or not"),
    ("ex-transformer-count", (192, 280, 2208), "four square matrices"),
    ("ex-transformer-count", (256, 256, 2208), "two matrices and two biases"),
    ("ex-transformer-count", (256, 280, 3008), "three attentions"),
    ("ex-transformer-count", (512, 280, 2208), "four square matrices"),
    ("ex-transformer-count", (288, 280, 2208), "four square matrices"),
    ("ex-transformer-count", (256, 272, 2208), "two matrices and two biases"),
    ("ex-transformer-count", (256, 304, 2208), "two matrices and two biases"),
    ("ex-transformer-count", (256, 280, 1952), "three attentions"),
    ("ex-transformer-count", (256, 280, 2240), "three attentions"),
    ("ex-transformer-count", (256, 280, 2168), "three attentions"),
    ("ex-transformer-count", (256, 280, 1408), "three attentions"),
    ("ex-transformer-loss", (loss(softmax=True),), "logits or probabilities"),
    ("ex-transformer-loss", (by_the_softmax,), "some hundreds"),
    ("ex-transformer-loss", (by_exponentials,), "some hundreds"),
    ("ex-transformer-loss", (loss(view=True),), "a slice"),
    ("ex-transformer-loss", (loss(ignore=False),), "must not count"),
    ("ex-transformer-loss", (loss(fixed=0),), "whichever id"),
    ("ex-transformer-loss", (loss(fixed=3),), "without padding"),
    ("ex-transformer-loss", (over_all,), "must not count"),
    ("ex-transformer-loss", (mean_of_means,), "must not count"),
    ("ex-transformer-loss", (loss(refuse=False),), "ValueError"),
    ("ex-transformer-loss", (refuses_zero,), "ValueError"),
    (
        "ex-transformer-loss",
        (refuses_where(lambda pads: pads.all(dim=1).any()),),
        "must not be refused",
    ),
    (
        "ex-transformer-loss",
        (refuses_where(lambda pads: pads.flatten()[0]),),
        "must not be refused",
    ),
    (
        "ex-transformer-loss",
        (refuses_where(lambda pads: pads[:, 0].all()),),
        "must not be refused",
    ),
    ("ex-transformer-loss", (loss_in_place,), "stay as they are"),
    (
        "ex-transformer-breakdown",
        (lambda model: {"one": 15, "two": 14, "three": 30},),
        "biases",
    ),
    ("ex-transformer-breakdown", (count_saved,), "no parameter"),
    ("ex-transformer-breakdown", (count_again,), "counted once"),
    ("ex-transformer-breakdown", (for_the_last,), "the first part that has it"),
    ("ex-transformer-breakdown", (keeps_empty,), "must not appear"),
    ("ex-transformer-breakdown", (keeps_used_up,), "must not appear"),
    ("ex-transformer-breakdown", (stops_at_shared,), "the first part that has it"),
    ("ex-transformer-breakdown", (by_all_names,), "of the module itself"),
    ("ex-transformer-breakdown", (by_leaves,), "the first part that has it"),
    ("ex-transformer-breakdown", (trained_alone,), "frozen ones"),
    ("ex-transformer-breakdown", (by_equal_values,), "counted once"),
    ("ex-transformer-breakdown", (by_places,), "share their memory"),
    ("ex-transformer-breakdown", (of_two_axes,), "of any shape"),
    ("ex-transformer-diagnose", ("ok", "start", "leak", "softmax"), "answer with"),
    ("ex-transformer-diagnose", ("leak", "start", "leak", "softmax"), "8,000"),
    ("ex-transformer-diagnose", ("fine", "leak", "leak", "softmax"), "which logits"),
    ("ex-transformer-diagnose", ("fine", "start", "fine", "softmax"), "nobody"),
    ("ex-transformer-diagnose", ("fine", "start", "leak", "fine"), "from 0 to 1"),
    ("ex-transformer-diagnose", ("fine", "softmax", "leak", "softmax"), "which logits"),
    ("ex-transformer-diagnose", ("fine", "start", "softmax", "leak"), "nobody"),
]
