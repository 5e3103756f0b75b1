"""Answers to the exercises on cost and scale, right ones and wrong ones."""

from chapters.cost_and_scale.answers import window_cost


def longest(config, budget, *, heads="kv_heads"):
    return budget // (
        4 * config.num_decoder_layers * getattr(config, heads) * config.head_size
    )


RIGHT = [
    ("ex-cost-by-hand", (16_000, 16_000, 32_000)),
    ("ex-cost-window", (window_cost,)),
    ("ex-cost-longest", (longest,)),
    ("ex-cost-wider", (4, 2, 2, 1)),
]

WRONG = [
    ("ex-cost-by-hand", (8_000, 16_000, 32_000), "four products"),
    ("ex-cost-by-hand", (16_000, 8_000, 32_000), "two products"),
    ("ex-cost-by-hand", (16_000, 16_000, 16_000), "two matrices"),
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
    ("ex-cost-longest", (lambda config, budget: budget,), "must fit"),
    (
        "ex-cost-longest",
        (lambda config, budget: longest(config, budget, heads="num_heads"),),
        "grouped heads",
    ),
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
]
