"""Properties of the answers to the exercises on RMSNorm."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from chapters.calls import calls
from chapters.exercises import Property
from chapters.forms import right_where, shaped
from chapters.start import gaussian

EPS = 1e-6


def partial(x: Tensor, share: float) -> Tensor:
    """Divide by the root mean square of the first features."""
    first = x[..., : int(share * x.shape[-1])]
    return x / torch.sqrt(first.square().mean(dim=-1, keepdim=True) + EPS)


def partial_is_right(
    answer, share: float, *, size: float = 1.0, features: int = 16, batch: tuple = (3,)
) -> bool:
    """Return whether an answer estimates the root mean square from so many features."""
    x = size * gaussian(*batch, features, seed=0)
    return torch.allclose(answer(x.clone(), share), partial(x, share), rtol=1e-4)


def folded_is_right(fold, *, gain: Tensor, weight: Tensor) -> bool:
    """Return whether a folded matrix does what gain and matrix did."""
    x = gaussian(7, gain.numel(), seed=1)
    folded = fold(gain.clone(), weight.clone())
    return torch.allclose(F.linear(x, folded), F.linear(x * gain, weight))


def rows_of_half(
    size: float, *shape: int, features: int = 16, large: int = 1
) -> Tensor:
    """Return random rows of float16, each with features that stand out."""
    x = size / 100 * gaussian(*shape, features, seed=3)
    x[..., 5 : 5 + large] = size
    return x.half()


def one_feature_stands_out() -> Tensor:
    """Return a row in which one of many features is much larger than the others."""
    x = torch.full((1, 2000), 1e-3)
    x[0, 7] = 10.0
    return x.half()


def mixed_rows() -> Tensor:
    """Return rows of three sizes, and the same with negative features only."""
    rows = torch.stack([rows_of_half(size, 2) for size in (60_000.0, 1.0, 1e-3)])
    return torch.cat([rows, -rows.abs()])


def half_is_right(answer, x: Tensor) -> bool:
    """Return whether an answer gives each row a mean square of one."""
    wide = x.double()
    expected = wide / wide.square().mean(dim=-1, keepdim=True).sqrt()
    found = answer(x.clone()).double()
    # float16 has eleven significant bits, and three roundings stand in a row
    return torch.allclose(found, expected, rtol=5e-3, atol=1e-3)


class Widest(TorchFunctionMode):
    """Note whether a function of PyTorch computes in numbers wider than float16."""

    def __init__(self) -> None:
        super().__init__()
        self.widened = False

    def __torch_function__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        wide = (torch.float32, torch.float64, torch.bfloat16)
        self.widened |= isinstance(made, Tensor) and made.dtype in wide
        self.widened |= func.__name__ in {"rms_norm", "tolist"}  # they widen within
        return made


def stays_half(answer) -> bool:
    """Return whether an answer computes in float16 from beginning to end."""
    x = rows_of_half(2.0, 3)
    with Widest() as mode:
        made = answer(x)
    in_numpy = calls(answer, x.clone())["astype"] > 0
    return made.dtype == torch.float16 and not (mode.widened or in_numpy)


EXERCISES = {
    "ex-rms-half": [
        Property(
            "the result must have the shape of x.",
            lambda answer: answer(rows_of_half(2.0, 3)).shape == (3, 16),
        ),
        Property(
            "rows of ordinary size must get a mean square of one.",
            lambda answer: half_is_right(answer, rows_of_half(2.0, 3)),
        ),
        Property(
            "rows may have any width, and not 16 features alone.",
            lambda answer: all(
                half_is_right(answer, rows_of_half(20.0, 3, features=features))
                for features in (7, 40)
            ),
        ),
        Property(
            "a feature of 24,000 has a square that float16 cannot hold: which change "
            "of x does a norm forget?",
            lambda answer: half_is_right(answer, rows_of_half(24_000.0, 3)),
        ),
        Property(
            "with two features of 60,000 or more of them, a row overflows by its "
            "length as well, and not by its squares alone.",
            lambda answer: all(
                half_is_right(answer, rows_of_half(60_000.0, 3, large=large))
                for large in (2, 11)
            ),
        ),
        Property(
            "with features near 0.0001 the squares vanish: the same trick helps, if "
            "the scale comes from x.",
            lambda answer: half_is_right(answer, rows_of_half(1e-4, 3)),
        ),
        Property(
            "large and small rows in one batch, some all negative: each needs a scale "
            "of its own.",
            lambda answer: half_is_right(answer, mixed_rows()),
        ),
        Property(
            "of 2,000 features one may stand out, and 70,000 may be alike: neither a "
            "square nor the sum of all squares may overflow.",
            lambda answer: all(
                half_is_right(answer, x)
                for x in (one_feature_stands_out(), torch.ones(1, 70_000).half())
            ),
        ),
        Property(
            "all must be float16, also in between: no widening, not even within a "
            "norm of PyTorch.",
            stays_half,
        ),
    ],
    "ex-rms-by-hand": [
        Property(
            "the root mean square is the root of the mean of all squares.",
            lambda rms, share, cosine: math.isclose(rms, 3, rel_tol=1e-3),
        ),
        Property(
            "the share of the mean is its square, divided by the mean square.",
            lambda rms, share, cosine: abs(share - 4 / 9) < 5e-3,
        ),
        Property(
            "the cosine is the root of what the share of the mean leaves of one.",
            lambda rms, share, cosine: abs(cosine - math.sqrt(5) / 3) < 5e-3,
        ),
    ],
    "ex-rms-partial": [
        Property(
            "the result must have the shape of x.",
            lambda answer: answer(gaussian(3, 16, seed=0), 0.25).shape == (3, 16),
        ),
        Property(
            "with share 1 it must be RMSNorm with gain one and eps 1e-6.",
            lambda answer: partial_is_right(answer, 1.0),
        ),
        Property(
            "with share 0.25 only the first quarter of the features may be squared.",
            lambda answer: (
                partial_is_right(answer, 0.25)
                and partial_is_right(answer, 0.25, features=24)
            ),
        ),
        Property(
            "of 16 features the share 0.3 is int(4.8) = 4: it is rounded down, and may "
            "be an odd number, or 1.",
            lambda answer: all(
                partial_is_right(answer, share, features=features)
                for share, features in ((0.3, 16), (0.3, 24), (0.2, 7))
            ),
        ),
        Property(
            "with features near 1e-4 it shows where eps = 1e-6 is: added to the mean "
            "square, inside the root.",
            lambda answer: partial_is_right(answer, 0.25, size=1e-4),
        ),
        Property(
            "each vector needs a root mean square of its own, also in a batch of "
            "sentences, of shape (batch, time, features).",
            lambda answer: (
                torch.allclose(
                    answer(gaussian(3, 16, seed=0), 0.25)[1:],
                    answer(gaussian(3, 16, seed=0)[1:], 0.25),
                )
                and partial_is_right(answer, 0.25, batch=(2, 20))
            ),
        ),
    ],
    "ex-rms-fold": [
        Property(
            "the result must have the shape of the weight.",
            lambda fold: (
                fold(gaussian(5, seed=0), gaussian(3, 5, seed=0)).shape == (3, 5)
            ),
        ),
        Property(
            "a gain of one must leave the weight as it is.",
            lambda fold: torch.allclose(
                fold(torch.ones_like(gaussian(4, seed=0)), gaussian(4, 4, seed=0)),
                gaussian(4, 4, seed=0),
            ),
        ),
        Property(
            "each gain belongs to a feature that is read: to which axis of the weight?",
            lambda fold: folded_is_right(
                fold, gain=gaussian(4, seed=0), weight=gaussian(4, 4, seed=0)
            ),
        ),
        Property(
            "it must hold for matrices that are not square.",
            lambda fold: folded_is_right(
                fold, gain=gaussian(5, seed=0), weight=gaussian(3, 5, seed=0)
            ),
        ),
    ],
    "ex-rms-rewrite": [
        Property(
            "answer four times with True or False.",
            lambda *words: len(words) == 4 and all(type(w) is bool for w in words),
        ),
        Property(
            "as to (1) and (2), whatever is added to the stream can be centered.",
            lambda *words: words[:2] == (True, True),
        ),
        Property(
            "as to (3), which vectors does the skip path of post-norm carry?",
            lambda *words: words[2] is False,
        ),
        Property(
            "as to (4), what does a common factor do to eps? See the part on scale.",
            lambda *words: words[3] is True,
        ),
    ],
}

PARTIAL = [0.2, 1.4, 2, 4]  # of 1, 7, 10, 20
BY_HAND = {
    "ex-rms-partial": [
        Property("give four numbers.", shaped(PARTIAL)),
        Property(
            "the first two features alone make the root: their mean square is 25.",
            right_where(PARTIAL, lambda feature: feature < 2, within=6e-3),
        ),
        Property(
            "all features are divided, also those that were not counted.",
            right_where(PARTIAL, within=6e-3),
        ),
    ],
}

FIELDS = {
    "ex-rms-partial": (PARTIAL,),
    "ex-rms-by-hand": (3, 4 / 9, math.sqrt(5) / 3),
    "ex-rms-rewrite": 4 * ({True, False},),
}
