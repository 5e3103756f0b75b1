"""Properties of the answers to the exercises of the chapter without softmax."""

import torch
import torch.nn.functional as F
from torch import Tensor

from chapters.calls import uses_package
from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.start import gaussian
from transformer.layers import decay_mask, recurrent_linear_attention

WORDS = {"changes", "stays"}
D_KEY, D_VALUE = 5, 3


def sequence(time: int, *, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values."""
    return (
        gaussian(time, D_KEY, seed=seed),
        gaussian(time, D_KEY, seed=seed + 1),
        gaussian(time, D_VALUE, seed=seed + 2),
    )


def faded(query: Tensor, key: Tensor, value: Tensor, decay: float) -> Tensor:
    """Return what the package reads with a constant decay."""
    given = (x[None, None] for x in (query, key, value))
    log_decay = torch.full((1, 1, len(key)), decay).log()
    return recurrent_linear_attention(*given, log_decay=log_decay).values[0, 0]


def fades(answer, *decays: float, time: int = 7) -> bool:
    """Return whether an answer reads what the package reads."""
    given = sequence(time)
    return all(
        torch.allclose(answer(*(x.clone() for x in given), a), faded(*given, a))
        for a in decays
    )


def sees_the_past_only(answer) -> bool:
    """Return whether the first outputs stay when the last word is another one."""
    query, key, value = sequence(6)
    before = answer(query, key, value, 0.7)[:5]
    other = key.clone(), value.clone()
    for x in other:
        x[5] += 1.0
    return torch.allclose(answer(query, *other, 0.7)[:5], before)


def memory() -> Tensor:
    """Return a state in which something stands already."""
    return gaussian(D_KEY, D_VALUE, seed=3)


def unit(seed: int) -> Tensor:
    """Return a key of length 1."""
    return F.normalize(gaussian(D_KEY, seed=seed), dim=0)


def written(write, key: Tensor, value: Tensor, rate: float) -> Tensor:
    """Return what an answer makes of the memory."""
    return write(memory(), key.clone(), value.clone(), rate)


def reads_back(write, *, scale: float, rate: float) -> bool:
    """Return whether a key reads old and new value mixed at the rate."""
    key, value = scale * unit(4), gaussian(D_VALUE, seed=5)
    found = key @ written(write, key, value, rate)
    return torch.allclose(found, (1 - rate) * (key @ memory()) + rate * value)


def spares_the_rest(write) -> bool:
    """Return whether what lies under an orthogonal key stays."""
    key, other, value = unit(4), gaussian(D_KEY, seed=6), gaussian(D_VALUE, seed=5)
    other = other - (other @ key) * key
    found = other @ written(write, key, value, 1.0)
    return torch.allclose(found, other @ memory())


def left(to_mask, *decays: float) -> Tensor:
    """Return the mask that an answer makes of some decays."""
    return torch.as_tensor(to_mask(torch.tensor(decays)))


def is_the_mask(to_mask, *decays: float) -> bool:
    """Return whether it is that of the package."""
    wanted = decay_mask(torch.tensor(decays).log())
    return torch.allclose(left(to_mask, *decays), wanted)


def erased(unseen, count: int, d: int, *, seed: int = 7) -> tuple[Tensor, Tensor]:
    """Return the numbers that an answer gives, and the state that they leave."""
    keys = gaussian(count, d, seed=seed)
    found = torch.as_tensor(unseen(keys.clone()), dtype=keys.dtype)
    return found, keys.mT @ found


def leaves_nothing(unseen, count: int, d: int, **given: int) -> bool:
    """Return whether numbers of some size leave a state of zeros."""
    found, state = erased(unseen, count, d, **given)
    # An answer in float32 leaves some rounding, for numbers of order 1.
    return bool(found.abs().max() > 0.01 and state.abs().max() < 1e-4)


EXERCISES = {
    "ex-without-by-hand": [
        Property(
            "each key is written times its value: what do 3 (1, 2) and 5 (2, -1) add "
            "up to?",
            lambda first, second, read: (first, second) == (13, 1),
        ),
        Property(
            "the second key reads its value 5, but times its own length squared.",
            lambda first, second, read: read == 25,
        ),
    ],
    "ex-without-fading": [
        Property(
            "the result must have the shape of value, made without the package.",
            lambda attend: (
                attend(*sequence(4), 0.5).shape == (4, D_VALUE)
                and not uses_package(attend, *sequence(4), 0.5)
            ),
        ),
        Property("no word may see a later one.", sees_the_past_only),
        Property(
            "with a decay of 1 nothing is forgotten: each word reads all that was "
            "written so far, its own pair among it.",
            lambda attend: fades(attend, 1.0),
        ),
        Property(
            "a pair fades by the decay with each later word; does it fade before "
            "anything has come after it?",
            lambda attend: fades(attend, 0.5, 0.9) and fades(attend, 0.3, time=1),
        ),
    ],
    "ex-without-overwrite": [
        Property(
            "return a state of the same shape.",
            lambda write: (
                written(write, unit(4), gaussian(D_VALUE, seed=5), 1.0).shape
                == (D_KEY, D_VALUE)
            ),
        ),
        Property(
            "with a key of length 1 and the rate 1, the key must read back the new "
            "value and nothing of the old one.",
            lambda write: reads_back(write, scale=1.0, rate=1.0),
        ),
        Property(
            "what lies under a key orthogonal to this one must stay.",
            spares_the_rest,
        ),
        Property(
            "with the rate 1/2 the key must read halfway between old and new.",
            lambda write: all(
                reads_back(write, scale=1.0, rate=rate) for rate in (0.5, 0.1, 0.0)
            ),
        ),
        Property(
            "a key of another length must read its value back as well.",
            lambda write: all(
                reads_back(write, scale=scale, rate=rate)
                for scale in (2.0, 0.3, 5.0)
                for rate in (1.0, 0.25)
            ),
        ),
    ],
    "ex-without-mask": [
        Property(
            "return a square matrix with a row and a column for each word.",
            lambda to_mask: left(to_mask, 0.5, 0.5, 0.5, 0.5).shape == (4, 4),
        ),
        Property(
            "above the diagonal stands 0, and not minus infinity.",
            lambda to_mask: bool(
                (left(to_mask, 0.9, 0.5, 0.7, 0.8).triu(1) == 0).all()
            ),
        ),
        Property(
            "on the diagonal stands 1: a word has not faded when it is written.",
            lambda to_mask: torch.allclose(
                left(to_mask, 0.9, 0.5, 0.7, 0.8).diagonal(), torch.ones(4)
            ),
        ),
        Property(
            "below it stands the product of the decays since then, of the words after "
            "the one that wrote.",
            lambda to_mask: is_the_mask(to_mask, 0.9, 0.5, 0.7, 0.8, 0.6),
        ),
        Property(
            "a decay of 0 must wipe the past out, and leave no nan.",
            lambda to_mask: is_the_mask(to_mask, 0.9, 0.0, 0.7, 0.8, 0.0, 0.6),
        ),
    ],
    "ex-without-unseen": [
        Property(
            "return one number for each key.",
            lambda unseen: (
                torch.as_tensor(unseen(gaussian(6, 4, seed=7))).shape == (6,)
            ),
        ),
        Property(
            "some number must not be zero.",
            lambda unseen: bool(erased(unseen, 6, 4)[0].abs().max() > 0.01),
        ),
        Property(
            "written under their keys, the numbers must add up to a state of zeros.",
            lambda unseen: leaves_nothing(unseen, 6, 4),
        ),
        Property(
            "it must work for any number of keys above d.",
            lambda unseen: all(
                leaves_nothing(unseen, count, d, seed=count)
                for count, d in ((2, 1), (5, 4), (9, 3), (40, 16))
            ),
        ),
    ],
    "ex-without-think": [
        Property(
            "answer with 'changes' or 'stays'.",
            lambda *words: len(words) == 4 and set(words) <= WORDS,
        ),
        Property(
            "a sum does not ask for the order of what is added.",
            lambda plain, fading, delta, scaled: plain == "stays",
        ),
        Property(
            "how often has each of the two faded, before and after?",
            lambda plain, fading, delta, scaled: fading == "changes",
        ),
        Property(
            "which of two values under one key does the delta rule keep?",
            lambda plain, fading, delta, scaled: delta == "changes",
        ),
        Property(
            "each product of a query and a key stays; what else could notice?",
            lambda plain, fading, delta, scaled: scaled == "stays",
        ),
    ],
}

LEFT = [[1, 0, 0, 0], [0.25, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.5, 1]]
BY_HAND = {
    "ex-without-mask": [
        Property("give four rows of four numbers.", shaped(LEFT)),
        Property(
            "above the diagonal stands 0: nobody reads what is not yet written.",
            right_where(LEFT, lambda t, s: s > t),
        ),
        Property(
            "what a word writes itself has met no decay: a product of nothing is 1.",
            right_where(LEFT, lambda t, s: s == t),
        ),
        Property(
            "one row further down, what was written has met the decay of that row.",
            right_where(LEFT, lambda t, s: s == t - 1),
        ),
        Property(
            "the third decay is 0, which wipes all that was written before.",
            right_where(LEFT),
        ),
    ],
}

FIELDS = {
    "ex-without-mask": form_of_rows(LEFT),
    "ex-without-by-hand": (13, 1, 25),
    "ex-without-think": 4 * ({"changes", "stays"},),
}
