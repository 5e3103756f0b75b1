"""Answers to the exercises on cost and scale, right ones and wrong ones."""

import torch

from chapters.cost_and_scale.answers import share_of_peak, window_cost


def longest(config, budget, *, heads="kv_heads", size="head_size", layers=None):
    kept = config.num_decoder_layers if layers is None else layers
    sizes = {
        "head_size": config.head_size,
        "d_model / num_heads": config.d_model // config.num_heads,
        "four": 4,
    }
    return budget // (4 * kept * getattr(config, heads) * sizes[size])


def in_whole_days(parameters, tokens, processors, peak, days):
    return share_of_peak(parameters, tokens, processors, peak, int(days))


def of_six_features(length, d_model, window):
    """The width is never read."""
    return window_cost(length, 6, window)


def in_closed_form(length, d_model, window):
    """Right for windows that are no longer than the sequence."""
    return 4 * d_model * (length * window - window * (window - 1) // 2)


def on_both_sides(length, d_model, window):
    places = range(length)
    seen = sum(abs(query - key) < window for query in places for key in places)
    return 4 * d_model * seen


def one_less(length, d_model, window):
    return window_cost(length, d_model, max(1, window - 1))


def window_and_itself(length, d_model, window):
    return window_cost(length, d_model, window + 1)


def multiplications(length, d_model, window):
    return window_cost(length, d_model, window) // 2


def causal_or_one(length, d_model, window):
    """Right for the two windows of the text."""
    return window_cost(length, d_model, 1 if window == 1 else length)


def in_hours(parameters, tokens, processors, peak, days):
    return share_of_peak(parameters, tokens, processors, peak, days / 24)


def only_forward(*training):
    return share_of_peak(*training) / 3


def of_256_processors(parameters, tokens, processors, peak, days):
    """The number of processors is never read."""
    return share_of_peak(parameters, tokens, 256, peak, days)


def upside_down(*training):
    return 1 / share_of_peak(*training)


def in_percent(*training):
    return 100 * share_of_peak(*training)


RIGHT = [
    ("ex-cost-reports", (share_of_peak, "b")),
    ("ex-cost-reports", (share_of_peak, "B")),
    ("ex-cost-reports", (share_of_peak, "Report b.")),
    ("ex-cost-reports", (lambda *t: torch.tensor(share_of_peak(*t)), "b")),
    ("ex-cost-by-hand", (16_000, 16_000, 32_000)),
    ("ex-cost-window", (window_cost,)),
    ("ex-cost-longest", (longest,)),
    ("ex-cost-longest", (lambda *given: float(longest(*given)),)),
    ("ex-cost-longest", (lambda *given: torch.tensor(longest(*given)),)),
    ("ex-cost-wider", (4, 2, 2, 1)),
    ("ex-cost-reports", (0.4347, 1.1755, 0.3323, "b")),
    ("ex-cost-reports", ("43%", "118 %", "33%", " B.")),
    ("ex-cost-reports", (0.435, 1.18, "1/3", "b")),
]

WRONG = [
    ("ex-cost-reports", (in_hours, "b"), "24 hours"),
    ("ex-cost-reports", (only_forward, "b"), "six operations"),
    ("ex-cost-reports", (of_256_processors, "b"), "more processors"),
    ("ex-cost-reports", (upside_down, "b"), "six operations"),
    ("ex-cost-reports", (in_whole_days, "b"), "more days"),
    ("ex-cost-reports", (share_of_peak, "a or b"), "above 1"),
    ("ex-cost-reports", (in_percent, "b"), "six operations"),
    ("ex-cost-reports", (share_of_peak, "a"), "above 1"),
    ("ex-cost-reports", (share_of_peak, "c"), "above 1"),
    ("ex-cost-by-hand", (8_000, 16_000, 32_000), "four products"),
    ("ex-cost-by-hand", (16_000, 8_000, 32_000), "two products"),
    ("ex-cost-by-hand", (16_000, 16_000, 16_000), "two matrices"),
    ("ex-cost-by-hand", (4_000, 16_000, 32_000), "four products"),
    ("ex-cost-by-hand", (12_000, 16_000, 32_000), "four products"),
    ("ex-cost-by-hand", (800, 16_000, 32_000), "four products"),
    ("ex-cost-by-hand", (16_000, 160_000, 32_000), "two products"),
    ("ex-cost-by-hand", (16_000, 8_400, 32_000), "two products"),
    ("ex-cost-by-hand", (16_000, 16_000, 48_000), "two matrices"),
    ("ex-cost-by-hand", (16_000, 16_000, 8_000), "two matrices"),
    ("ex-cost-window", (lambda n, d, w: 4 * n * n * d,), "itself alone"),
    (
        "ex-cost-window",
        (lambda n, d, w: 4 * n * d * (n if w > 1 else 1),),
        "as long as the sequence",
    ),
    (
        "ex-cost-window",
        (lambda n, d, w: window_cost(n, d, w) if n == 7 else 4 * n * d * w,),
        "first queries",
    ),
    ("ex-cost-window", (of_six_features,), "at 4 d"),
    ("ex-cost-window", (lambda n, d, w: window_cost(n, d - d % 2, w),), "at 4 d"),
    ("ex-cost-window", (in_closed_form,), "first queries"),
    ("ex-cost-window", (on_both_sides,), "as long as the sequence"),
    ("ex-cost-window", (one_less,), "as long as the sequence"),
    ("ex-cost-window", (window_and_itself,), "itself alone"),
    ("ex-cost-window", (multiplications,), "itself alone"),
    ("ex-cost-window", (causal_or_one,), "first queries"),
    ("ex-cost-longest", (lambda config, budget: budget,), "must fit"),
    (
        "ex-cost-longest",
        (lambda config, budget: min(longest(config, budget), config.max_len),),
        "however long",
    ),
    (
        "ex-cost-longest",
        (lambda config, budget: longest(config, budget, heads="num_heads"),),
        "grouped heads",
    ),
    *(
        (
            "ex-cost-longest",
            (lambda config, budget, size=size: longest(config, budget, size=size),),
            "a head has `head_size` features",
        )
        for size in ("d_model / num_heads", "four")
    ),
    (
        "ex-cost-longest",
        (lambda config, budget: longest(config, budget, layers=3),),
        "the layers are those of the decoder",
    ),
    ("ex-cost-longest", (lambda *given: longest(*given) // 2,), "must fit"),
    ("ex-cost-longest", (lambda *given: 2 * longest(*given),), "must fit"),
    ("ex-cost-longest", (lambda *given: longest(*given) - 1,), "must fit"),
    (
        "ex-cost-longest",
        (lambda config, budget: max(1, longest(config, budget)),),
        "below one position",
    ),
    ("ex-cost-wider", (4, 2, 2), "four factors"),
    ("ex-cost-wider", (2, 2, 2, 1), "d by d"),
    ("ex-cost-wider", (4, 4, 2, 1), "dot product"),
    ("ex-cost-wider", (4, 2, 4, 1), "rows of d"),
    ("ex-cost-wider", (4, 2, 2, 2), "come later"),
    ("ex-cost-wider", (8, 2, 2, 1), "d by d"),
    ("ex-cost-wider", (4, 1, 2, 1), "dot product"),
    ("ex-cost-wider", (4, 2, 1, 1), "rows of d"),
    ("ex-cost-reports", (0.1449, 0.3918, 0.1108, "b"), "six operations"),
    ("ex-cost-reports", (0.0181, 0.049, 0.0138, "b"), "six operations"),
    ("ex-cost-reports", (43.47, 117.5, 33.23, "b"), "six operations"),
    ("ex-cost-reports", (0.4347, 1, 0.3323, "b"), "the same quotient"),
    ("ex-cost-reports", (0.4347, 1.1755, 3.323, "b"), "the same quotient"),
    ("ex-cost-reports", (0.4347, 0.8507, 0.3323, "b"), "the same quotient"),
    ("ex-cost-reports", (0.4347, 1.1755, 0.3323, "c"), "more than its peak"),
    ("ex-cost-reports", (0.4347, 1.1755, 0.3323, "a"), "more than its peak"),
    ("ex-cost-reports", (0.4347, 1.1755, 0.3323, "none"), "more than its peak"),
]
