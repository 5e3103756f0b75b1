"""Answers to the exercises without softmax, right ones and wrong ones."""

import torch

from transformer.layers import recurrent_linear_attention


def fading(query, key, value, decay):
    state, outputs = torch.zeros(key.size(1), value.size(1)), []
    for q, k, v in zip(query, key, value, strict=True):
        state = decay * state + torch.outer(k, v)
        outputs.append(q @ state)
    return torch.stack(outputs)


def fading_by_a_mask(query, key, value, decay):
    places = torch.arange(len(key))
    mask = torch.tensor(decay) ** (places[:, None] - places)
    return ((query @ key.T) * mask.tril()) @ value


def fading_too_early(query, key, value, decay):
    """The new pair fades with the old ones."""
    return decay * fading(query, key, value, decay)


def reading_before_writing(query, key, value, decay):
    state, outputs = torch.zeros(key.size(1), value.size(1)), []
    for q, k, v in zip(query, key, value, strict=True):
        outputs.append(q @ state)
        state = decay * state + torch.outer(k, v)
    return torch.stack(outputs)


def fading_but_for_the_new(query, key, value, decay):
    """The new pair is mixed in, as in a running mean."""
    state, outputs = torch.zeros(key.size(1), value.size(1)), []
    for q, k, v in zip(query, key, value, strict=True):
        state = decay * state + (1 - decay) * torch.outer(k, v)
        outputs.append(q @ state)
    return torch.stack(outputs)


def fading_by_the_package(query, key, value, decay):
    log_decay = torch.full((1, 1, len(key)), decay).log()
    given = (x[None, None] for x in (query, key, value))
    return recurrent_linear_attention(*given, log_decay=log_decay).values[0, 0]


def never_fading(query, key, value, decay):
    return fading(query, key, value, 1.0)


def seeing_all(query, key, value, decay):
    return query @ (key.T @ value)


def with_softmax(query, key, value, decay):
    scores = (query @ key.T).masked_fill(
        torch.ones(len(key), len(key)).triu(1) > 0, -9e9
    )
    return scores.softmax(dim=-1) @ value


def fading_from_the_end(query, key, value, decay):
    places = torch.arange(len(key))
    mask = torch.tensor(decay) ** (places - places[:, None]).abs().flip(0)
    return ((query @ key.T) * mask.tril()) @ value


def overwrite(state, key, value, rate):
    old = key @ state
    return state + rate * torch.outer(key, value - old) / (key @ key)


def add(state, key, value, rate):
    return state + rate * torch.outer(key, value)


def overwrite_unit_keys_only(state, key, value, rate):
    return state + rate * torch.outer(key, value - key @ state)


def divide_by_the_length(state, key, value, rate):
    return state + rate * torch.outer(key, value - key @ state) / key.norm()


def wipe_all(state, key, value, rate):
    return torch.outer(key, value)


def overwrite_whatever_the_rate(state, key, value, rate):
    return overwrite(state, key, value, 1.0)


def forget_by_the_rate(state, key, value, rate):
    """A running mean of all states."""
    return (1 - rate) * state + rate * torch.outer(key, value)


def rate_on_the_value_only(state, key, value, rate):
    return state + torch.outer(key, rate * value - key @ state) / (key @ key)


def add_the_difference_everywhere(state, key, value, rate):
    """Each row gets the same."""
    return state + rate * (value - key @ state) / key.sum()


def mask_of(decays):
    n = len(decays)
    rows = []
    for t in range(n):
        rows.append([float(decays[s + 1 : t + 1].prod()) for s in range(t + 1)])
        rows[-1] += [0.0] * (n - t - 1)
    return torch.tensor(rows)


def mask_with_its_own(decays):
    """Each word fades as soon as it is written."""
    return mask_of(decays) * decays


def mask_by_powers(decays):
    """Takes the decay of the word that reads for all words in between."""
    places = torch.arange(len(decays))
    return (decays[:, None] ** (places[:, None] - places)).tril()


def mask_by_quotients(decays):
    """0 / 0 where a decay is zero."""
    left = decays.cumprod(dim=0)
    return (left[:, None] / left).tril()


def mask_of_minus_infinity(decays):
    mask = mask_of(decays)
    return mask.masked_fill(torch.ones_like(mask).triu(1) > 0, -torch.inf)


def mask_by_differences(decays):
    """inf - inf where a decay is zero."""
    log = decays.log().cumsum(dim=0)
    return (log[:, None] - log).exp().tril()


def mask_one_too_early(decays):
    """The decays from the word that wrote, without that of the one that reads."""
    n = len(decays)
    rows = [[float(decays[s:t].prod()) for s in range(n)] for t in range(n)]
    return torch.tensor(rows).tril()


def mask_without_decay(decays):
    return torch.ones(len(decays), len(decays)).tril()


def mask_turned_over(decays):
    return mask_of(decays).T


def unseen(keys):
    """The last direction of the singular vectors on the side of the words."""
    return torch.linalg.svd(keys.T, full_matrices=True).Vh[-1]


def unseen_by_solving(keys):
    """The last number is 1, or as many as are too many; solve for the others."""
    d = keys.size(1)
    rest = torch.linalg.solve(keys[:d].T, -keys[d:].T.sum(dim=1))
    return [*rest.tolist(), *([1.0] * (len(keys) - d))]


def unseen_by_a_wrong_side(keys):
    """The direction that keys reach least, among features."""
    direction = torch.linalg.svd(keys).Vh[-1]
    return keys @ direction


def unseen_of_the_first(keys):
    return torch.linalg.svd(keys.T, full_matrices=True).Vh[0]


def unseen_for_one_too_many(keys):
    """Only as long as there is one key too many, or two."""
    if len(keys) - keys.size(1) > 2:
        return torch.ones(len(keys))
    return unseen(keys)


def unseen_alternating(keys):
    return [(-1) ** n for n in range(len(keys))]


RIGHT = [
    ("ex-without-by-hand", (13, 1, 25)),
    ("ex-without-fading", (fading,)),
    ("ex-without-fading", (fading_by_a_mask,)),
    ("ex-without-overwrite", (overwrite,)),
    ("ex-without-mask", (mask_of,)),
    ("ex-without-mask", (lambda decays: mask_of(decays).tolist(),)),
    ("ex-without-unseen", (unseen,)),
    ("ex-without-unseen", (unseen_by_solving,)),
    ("ex-without-think", ("stays", "changes", "changes", "stays")),
    (
        "ex-without-mask",
        ([[1, 0, 0, 0], [0.25, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.5, 1]],),
    ),
    (
        "ex-without-mask",
        (torch.tensor([[1, 0, 0, 0], [0.25, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.5, 1]]),),
    ),
    (
        "ex-without-mask",
        ([["1", "0", 0, 0], ["1/4", 1, 0, 0], [0, 0, 1, 0], [0, 0, "50%", 1]],),
    ),
]

WRONG = [
    ("ex-without-by-hand", (8, 1, 25), "add up to"),
    ("ex-without-by-hand", (3, 6, 25), "add up to"),
    ("ex-without-by-hand", (13, 11, 25), "add up to"),
    ("ex-without-by-hand", (13, 1, 5), "length squared"),
    ("ex-without-by-hand", (13, 1, 27), "length squared"),
    ("ex-without-by-hand", (13, 1, 15), "length squared"),
    ("ex-without-fading", (lambda q, k, v, a: v[0],), "shape of value"),
    ("ex-without-fading", (fading_by_the_package,), "without the package"),
    ("ex-without-fading", (seeing_all,), "a later one"),
    ("ex-without-fading", (reading_before_writing,), "its own pair"),
    ("ex-without-fading", (with_softmax,), "a decay of 1"),
    ("ex-without-fading", (fading_too_early,), "after it"),
    ("ex-without-fading", (fading_but_for_the_new,), "a decay of 1"),
    ("ex-without-fading", (never_fading,), "with each later word"),
    ("ex-without-fading", (fading_from_the_end,), "with each later word"),
    ("ex-without-overwrite", (lambda state, k, v, r: v,), "same shape"),
    ("ex-without-overwrite", (add,), "nothing of the old"),
    ("ex-without-overwrite", (add_the_difference_everywhere,), "orthogonal"),
    ("ex-without-overwrite", (wipe_all,), "orthogonal"),
    ("ex-without-overwrite", (forget_by_the_rate,), "orthogonal"),
    ("ex-without-overwrite", (overwrite_whatever_the_rate,), "halfway"),
    ("ex-without-overwrite", (rate_on_the_value_only,), "halfway"),
    ("ex-without-overwrite", (overwrite_unit_keys_only,), "another length"),
    ("ex-without-overwrite", (divide_by_the_length,), "another length"),
    ("ex-without-mask", (lambda decays: decays,), "square matrix"),
    ("ex-without-mask", (mask_of_minus_infinity,), "minus infinity"),
    ("ex-without-mask", (mask_turned_over,), "above the diagonal"),
    ("ex-without-mask", (mask_with_its_own,), "on the diagonal"),
    ("ex-without-mask", (mask_by_powers,), "the product of the decays"),
    ("ex-without-mask", (mask_one_too_early,), "the product of the decays"),
    ("ex-without-mask", (mask_without_decay,), "the product of the decays"),
    ("ex-without-mask", (mask_by_quotients,), "no nan"),
    ("ex-without-mask", (mask_by_differences,), "no nan"),
    ("ex-without-unseen", (lambda keys: keys[0],), "for each key"),
    ("ex-without-unseen", (lambda keys: torch.zeros(len(keys)),), "must not be zero"),
    ("ex-without-unseen", (unseen_by_a_wrong_side,), "state of zeros"),
    ("ex-without-unseen", (unseen_of_the_first,), "state of zeros"),
    ("ex-without-unseen", (unseen_alternating,), "state of zeros"),
    ("ex-without-unseen", (unseen_for_one_too_many,), "any number of keys"),
    ("ex-without-think", ("no", "changes", "changes", "stays"), "answer with"),
    ("ex-without-think", ("changes", "changes", "changes", "stays"), "a sum"),
    ("ex-without-think", ("stays", "stays", "changes", "stays"), "faded"),
    ("ex-without-think", ("stays", "changes", "stays", "stays"), "delta rule keep"),
    ("ex-without-think", ("stays", "changes", "changes", "changes"), "could notice"),
    (
        "ex-without-mask",
        ([[1, 0, 0, 0], [0.5, 1, 0, 0], [0, 0.25, 1, 0], [0, 0, 0, 1]],),
        "the decay of that row",
    ),
    (
        "ex-without-mask",
        ([[0.5, 0, 0, 0], [0.125, 0.25, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0.5]],),
        "met no decay",
    ),
    (
        "ex-without-mask",
        ([[1, 0.25, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]],),
        "not yet written",
    ),
    (
        "ex-without-mask",
        ([[1, 0, 0, 0], [0.25, 1, 0, 0], [0.25, 1, 1, 0], [0.125, 0.5, 0.5, 1]],),
        "the decay of that row",
    ),
    (
        "ex-without-mask",
        ([[1, 0, 0, 0], [0.25, 1, 0, 0], [0.25, 0, 1, 0], [0.125, 0, 0.5, 1]],),
        "wipes all",
    ),
    (
        "ex-without-mask",
        ([[1, 0, 0, 0], [0.25, 1, 0, 0], [0, 0, 1, 0], [0.125, 0, 0.5, 1]],),
        "wipes all",
    ),
    (
        "ex-without-mask",
        ([[1, 0, 0, 0], [0.25, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0.5, 1]],),
        "met no decay",
    ),
    ("ex-without-mask", ([0.5, 0.125, 0, 0],), "four rows of four"),
]
