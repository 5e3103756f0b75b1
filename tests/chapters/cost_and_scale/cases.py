"""Answers to the exercises on cost and scale, right ones and wrong ones."""

import torch

from chapters.cost_and_scale.answers import window_cost


def longest(config, budget, *, heads="kv_heads", size="head_size", layers=None):
    kept = config.num_decoder_layers if layers is None else layers
    sizes = {
        "head_size": config.head_size,
        "d_model / num_heads": config.d_model // config.num_heads,
        "four": 4,
    }
    return budget // (4 * kept * getattr(config, heads) * sizes[size])


RIGHT = [
    ("ex-cost-by-hand", (16_000, 16_000, 32_000)),
    ("ex-cost-window", (window_cost,)),
    ("ex-cost-longest", (longest,)),
    ("ex-cost-longest", (lambda *given: float(longest(*given)),)),
    ("ex-cost-longest", (lambda *given: torch.tensor(longest(*given)),)),
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
]
