"""What must hold of the answers to the exercises on cost and scale."""

import math
from dataclasses import replace

import torch

from chapters.exercises import Property
from transformer.config import TransformerConfig
from transformer.costs import cache_bytes

WRITER = TransformerConfig(
    vocab_size=31,
    num_encoder_layers=0,
    num_decoder_layers=3,
    d_model=24,
    num_heads=6,
    num_kv_heads=2,
)


def window_cost(length: int, d_model: int, window: int) -> int:
    """Count scores and mixing, key by key."""
    seen = sum(
        1 for query in range(length) for key in range(query + 1) if query - key < window
    )
    return 4 * d_model * seen


def fits(longest, config: TransformerConfig, budget: int) -> bool:
    """Return whether a length fits into a budget, and one position more does not."""
    length = longest(config, budget)
    sizes = [
        cache_bytes(config, max_len=n, dtype=torch.float16) if n else 0
        for n in (length, length + 1)
    ]
    return sizes[0] <= budget < sizes[1]


def share_of_peak(parameters, tokens, processors, peak, days):
    """Return the utilization of a training, as the chapter defines it."""
    return 6 * parameters * tokens / (processors * peak * days * 24 * 3600)


def tells(utilization, **changed: float) -> bool:
    """Return whether the utilization of a training is right, with a few changes."""
    training = {
        "parameters": 3e9,
        "tokens": 1e12,
        "processors": 256,
        "peak": 312e12,
        "days": 6,
    } | changed
    found, right = utilization(*training.values()), share_of_peak(**training)
    return abs(found - right) < 1e-6 * right


EXERCISES = {
    "ex-cost-reports": [
        Property(
            "training takes six operations for each parameter and token, and a day "
            "has 24 hours of 3,600 seconds.",
            lambda utilization, report: tells(utilization),
        ),
        Property(
            "more parameters or tokens are more work; more processors, faster ones "
            "and more days could have done more.",
            lambda utilization, report: all(
                tells(utilization, **{name: value})
                for name, value in {
                    "parameters": 7e9,
                    "tokens": 5e12,
                    "processors": 64,
                    "peak": 1e15,
                    "days": 10.5,
                }.items()
            ),
        ),
        Property(
            "no machine does more than its peak: whose share is above 1?",
            lambda utilization, report: report in {"b", "report b"},
        ),
    ],
    "ex-cost-by-hand": [
        Property(
            "the projections are four products of 20 rows with a 10 by 10 matrix.",
            lambda projections, scores, network: projections == 16_000,
        ),
        Property(
            "scores and mixing are two products; each has n times n times d steps.",
            lambda projections, scores, network: scores == 16_000,
        ),
        Property(
            "the network has two matrices, each four times as large as a projection.",
            lambda projections, scores, network: network == 32_000,
        ),
    ],
    "ex-cost-window": [
        Property(
            "a window of one position leaves each query itself alone, at 4 d FLOPs.",
            lambda flops: all(
                flops(7, d_model, 1) == window_cost(7, d_model, 1) for d_model in (6, 7)
            ),
        ),
        Property(
            "a window as long as the sequence must cost what a causal mask leaves.",
            lambda flops: flops(7, 6, 7) == window_cost(7, 6, 7),
        ),
        Property(
            "the first queries see fewer positions than the window has.",
            lambda flops: all(
                flops(n, 6, w) == window_cost(n, 6, w)
                for n in (1, 5, 11)
                for w in (2, 3, 13)
            ),
        ),
    ],
    "ex-cost-longest": [
        Property(
            "the cache of the answer must fit, and one position more must not, however "
            "long the texts of the training were.",
            lambda longest: all(
                fits(longest, replace(WRITER, num_kv_heads=None, max_len=n), 10_007)
                for n in (WRITER.max_len, 5)
            ),
        ),
        Property(
            "grouped heads share their keys and values.",
            lambda longest: fits(longest, WRITER, 10_007),
        ),
        Property(
            "a head has `head_size` features, which may be set by itself, and the "
            "layers are those of the decoder.",
            lambda longest: all(
                fits(longest, replace(WRITER, d_head=size, num_decoder_layers=n), 9_973)
                for size, n in ((7, 3), (2, 5), (11, 1))
            ),
        ),
        Property(
            "a budget below one position gives 0.",
            lambda longest: longest(WRITER, 5) == 0,
        ),
    ],
    "ex-cost-wider": [
        Property(
            "give four factors, such as 2.",
            lambda *factors: len(factors) == 4,
        ),
        Property(
            "a projection is a d by d matrix.",
            lambda projections, scores, cache, steps: projections == 4,
        ),
        Property(
            "a score is one dot product of d features in all heads together.",
            lambda projections, scores, cache, steps: scores == 2,
        ),
        Property(
            "the cache holds rows of d features.",
            lambda projections, scores, cache, steps: cache == 2,
        ),
        Property(
            "does a wider token come later?",
            lambda projections, scores, cache, steps: steps == 1,
        ),
    ],
}

REPORTS = (
    (3e9, 1e12, 256, 312e12, 6),
    (13e9, 2e12, 128, 1e15, 12),
    (70e9, 1.4e12, 2048, 1e15, 10),
)
SHARES = tuple(share_of_peak(*report) for report in REPORTS)
BY_HAND = {
    "ex-cost-reports": [
        Property(
            "a training takes six operations for each parameter and token.",
            lambda a, b, c, report: math.isclose(a, SHARES[0], abs_tol=6e-3),
        ),
        Property(
            "for b and c it is the same quotient: all operations over what all "
            "processors could do in those days.",
            lambda a, b, c, report: (
                math.isclose(b, SHARES[1], abs_tol=6e-3)
                and math.isclose(c, SHARES[2], abs_tol=6e-3)
            ),
        ),
        Property(
            "no machine does more than its peak: whose share is above 1?",
            lambda a, b, c, report: report == "b",
        ),
    ],
}

FIELDS = {
    "ex-cost-reports": (*SHARES, "b"),
    "ex-cost-by-hand": (16_000, 16_000, 32_000),
    "ex-cost-wider": (4, 2, 2, 1),
}
