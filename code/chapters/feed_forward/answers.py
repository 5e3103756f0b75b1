"""Properties of the answers to the exercises on the feed-forward network."""

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.forms import Form
from chapters.regions import Computed
from chapters.start import gaussian
from transformer.layers import PositionwiseFeedForward

D_MODEL, D_FF = 5, 8
WORDS = {"same", "changes"}


def network(activation: str = "relu", d_ff: int = D_FF) -> PositionwiseFeedForward:
    """Return a network whose matrices and biases are random."""
    layer = PositionwiseFeedForward(D_MODEL, d_ff, activation=activation)
    layer = layer.to(torch.get_default_device(), torch.float64)
    with torch.no_grad():
        for seed, parameter in enumerate(layer.parameters()):
            parameter.copy_(gaussian(*parameter.shape, seed=seed))
    return layer


def vectors() -> Tensor:
    """Return a few random vectors."""
    return gaussian(6, D_MODEL, seed=4)


def near(found: object, expected: object) -> bool:
    """Return whether two rows of numbers are equal to two decimals."""
    wanted = torch.as_tensor(expected, dtype=torch.float64, device="cpu")
    rounded = torch.as_tensor(found, dtype=torch.float64).cpu()
    return torch.allclose(rounded, wanted, rtol=0, atol=6e-3)


def collapsed_is_right(collapse, *, at_zero: bool) -> bool:
    """Compare the one map with the network, at zero or in how it changes."""
    weight, bias = collapse(network("identity"))
    layer = network("identity")  # the other one may have been changed
    x = torch.zeros_like(vectors()) if at_zero else vectors()
    base = 0 if at_zero else layer(torch.zeros_like(x)) - bias
    return torch.allclose(x @ weight + bias + base, layer(x))


def first_half(layer: PositionwiseFeedForward, x: Tensor) -> Tensor:
    """Return what the first half of the hidden units writes, without the bias."""
    half = layer.up_projection.out_features // 2
    hidden = layer.activation(layer.up_projection(x))[..., :half]
    return hidden @ layer.down_projection.weight.T[:half]


def cuts_in_the_middle(halves, *kind) -> bool:
    """Return whether the first machine has its half, and any share of the bias.

    Args:
        halves: The answer.
        *kind: The activation and the width of the network.
    """
    layer, x = network(*kind), vectors()
    sent, written = halves(x, network(*kind))[0], first_half(layer, x)
    bias = layer.down_projection.bias
    share = (sent - written)[0] @ bias / (bias @ bias)
    return torch.allclose(sent, written + share * bias)


def without(units: slice) -> PositionwiseFeedForward:
    """Return the network with the weights of some hidden units unreadable."""
    layer = network()
    with torch.no_grad():
        layer.up_projection.weight[units] = torch.nan
        layer.up_projection.bias[units] = torch.nan
        layer.down_projection.weight[:, units] = torch.nan
    return layer


def needs_its_half_alone(halves, machine: int) -> bool:
    """Return whether a machine sends the same without the weights of the other."""
    others = slice(D_FF // 2, None) if machine == 0 else slice(D_FF // 2)
    sent = halves(vectors(), without(others))[machine]
    return torch.allclose(sent, halves(vectors(), network())[machine])


def numbers(value: object) -> Tensor:
    """Return numbers, one or many, as a tensor of float64 on the CPU."""
    return torch.as_tensor(value, dtype=torch.float64, device="cpu")


def has_two_units(w_up, b_up, w_down, b_down) -> bool:
    """Return whether the shapes are those of two features, two units and one output."""
    down = tuple(numbers(w_down).shape)
    return (
        tuple(numbers(w_up).shape) == (2, 2)
        and tuple(numbers(b_up).shape) == (2,)
        and (down == (2,) or down == (2, 1))
        and numbers(b_down).numel() == 1
    )


def tastes(cups: list[tuple[int, int]], good: float) -> Computed:
    """Return the property that the network makes this of cups with milk and lemon.

    The numbers of an answer are the two rows of W_up, b_up, W_down and b_down.
    """
    milk_and_lemon = "{0} * n{2} + {1} * n{3} + n{4}".format
    taste = "relu({}) * n6 + relu({}) * n7 + n8".format
    formulas = (
        taste(*(milk_and_lemon(*cup, unit, 2 + unit, 4 + unit) for unit in (0, 1)))
        for cup in cups
    )
    return Computed(tuple((formula, good) for formula in formulas), within=6e-3)


EXERCISES = {
    "ex-ffn-by-hand": [
        Property(
            "there must be six hidden features and three outputs.",
            lambda hidden, output: (len(hidden), len(output)) == (6, 3),
        ),
        Property(
            "a hidden feature is never negative after the ReLU.",
            lambda hidden, output: min(hidden) >= 0,
        ),
        Property(
            "each hidden feature is the dot product of x with a column, plus its bias.",
            lambda hidden, output: near(hidden, [2, 0, 0, 1, 1, 0]),
        ),
        Property(
            "the output is the sum of the rows that are switched on, plus its bias.",
            lambda hidden, output: near(output, [2.6, 0.7, 0.3]),
        ),
    ],
    "ex-ffn-tea": [
        Property(
            "the matrices must be 2 by 2 and 2 by 1, the biases 2 numbers and 1.",
            has_two_units,
        ),
        Property(
            "with milk alone, and with lemon alone, the output must be 1.",
            tastes([(1, 0), (0, 1)], 1),
        ),
        Property(
            "with neither milk nor lemon the output must be 0.",
            tastes([(0, 0)], 0),
        ),
        Property(
            "with both it must be 0; which unit speaks only then, and how much must it "
            "take away?",
            tastes([(1, 1)], 0),
        ),
    ],
    "ex-ffn-collapse": [
        Property(
            "the matrix must have the shape (d_model, d_model), the bias (d_model,).",
            lambda collapse: (
                [tuple(part.shape) for part in collapse(network("identity"))]
                in [[(D_MODEL, D_MODEL), bias] for bias in ((D_MODEL,), (1, D_MODEL))]
            ),
        ),
        Property(
            "when x changes, both must change alike; in which order do the matrices "
            "act?",
            lambda collapse: collapsed_is_right(collapse, at_zero=False),
        ),
        Property(
            "at x = 0 both must give the same; what becomes of the first bias?",
            lambda collapse: collapsed_is_right(collapse, at_zero=True),
        ),
    ],
    "ex-ffn-halves": [
        Property(
            "there must be two results of the shape of x.",
            lambda halves: (
                [tuple(part.shape) for part in halves(vectors(), network())]
                == [(6, D_MODEL)] * 2
            ),
        ),
        Property(
            "both together must be the output of the network, no more.",
            lambda halves: torch.allclose(
                sum(halves(vectors(), network())), network()(vectors())
            ),
        ),
        Property(
            "the first must be what the first half of the hidden units writes, with "
            "the activation of the network.",
            lambda halves: all(
                cuts_in_the_middle(halves, *kind)
                for kind in (("relu", D_FF), ("relu", 14), ("gelu", D_FF))
            ),
        ),
        Property(
            "each machine has the weights of its own half of the units and no others.",
            lambda halves: (
                needs_its_half_alone(halves, 0) and needs_its_half_alone(halves, 1)
            ),
        ),
    ],
    "ex-ffn-same": [
        Property(
            "answer five times, with 'same' or 'changes'.",
            lambda *words: len(words) == 5 and set(words) <= WORDS,
        ),
        Property(
            "is the order of the terms of a sum important?",
            lambda *words: words[0] == "same",
        ),
        Property(
            "what is the ReLU of twice a number, and is that so for the GELU?",
            lambda *words: words[1:3] == ("same", "changes"),
        ),
        Property(
            "what do the networks of two positions know of each other?",
            lambda *words: words[3] == "same",
        ),
        Property(
            "without a bend between them, what do two matrices make?",
            lambda *words: words[4] == "changes",
        ),
    ],
}

FIELDS = {
    "ex-ffn-by-hand": ([2, 0, 0, 1, 1, 0], [2.6, 0.7, 0.3]),
    "ex-ffn-tea": Form(
        ([1, 1], [1, 1], [0, -1], [1, -2], 0),
        ("W_up, row 1", "W_up, row 2", "b_up", "W_down", "b_down"),
        lambda first, second, *others: ([first, second], *others),
    ),
    "ex-ffn-same": 5 * (WORDS,),
}
